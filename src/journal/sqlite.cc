#include "journal/sqlite.h"

#include <fmt/format.h>

#include <cstring>

namespace rein::sqlite {
namespace {

// A path as a URI, so that every character of a name stands for itself.
std::string uri_of(const std::string& path, std::string_view parameters) {
  std::string uri = path.starts_with('/') ? "file://" : "file:";
  for (const char c : path) {
    if (c == '?' || c == '#' || c == '%') {
      uri += fmt::format("%{:02X}", static_cast<unsigned>(c));
    } else {
      uri += c;
    }
  }
  if (!parameters.empty()) uri.append("?").append(parameters);
  return uri;
}

bool is_damage(int code) {
  switch (code & 0xFF) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_TOOBIG:    // a length that no entry has
    case SQLITE_ERROR:     // our own statements are right, so the schema is not
    case SQLITE_MISMATCH:  // a type that no column has
    case SQLITE_CONSTRAINT:
      return true;
    default:
      return code == SQLITE_IOERR_SHORT_READ;
  }
}

}  // namespace

Error error_of(sqlite3* connection, int code, const std::string& path) {
  if ((code & 0xFF) == SQLITE_BUSY || (code & 0xFF) == SQLITE_LOCKED) {
    return Error{
        fmt::format("{} is open elsewhere; stop the service that has it, or read a copy of "
                    "its folder",
                    path),
        Reason::kFailed};
  }
  std::string why = connection != nullptr ? sqlite3_errmsg(connection) : sqlite3_errstr(code);
  const int system = connection != nullptr ? sqlite3_system_errno(connection) : 0;
  const bool by_system = (code & 0xFF) == SQLITE_IOERR || (code & 0xFF) == SQLITE_CANTOPEN;
  if (by_system && system != 0) why += fmt::format(" ({})", std::strerror(system));
  if (is_damage(code)) return Error{fmt::format("{} is damaged: {}", path, why), Reason::kCorrupt};
  return Error{fmt::format("{}: {}", path, why), Reason::kFailed};
}

Result<Connection> open(const std::string& path, const How& how) {
  if (path.empty() || path.find('\0') != std::string::npos) {
    return Error{"the path of a journal must be the name of a file", Reason::kInvalid};
  }
  sqlite3* raw = nullptr;
  const int flags = how.flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int code = sqlite3_open_v2(uri_of(path, how.parameters).c_str(), &raw, flags, how.vfs);
  Connection connection(raw);
  if (code != SQLITE_OK) return error_of(raw, code, path);
  return connection;
}

int run(sqlite3* connection, const char* sql) {
  return sqlite3_exec(connection, sql, nullptr, nullptr, nullptr);
}

int sync_files(sqlite3* connection) {
  for (const int which : {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER}) {
    sqlite3_file* file = nullptr;
    const int found = sqlite3_file_control(connection, "main", which, &file);
    if (found != SQLITE_OK) return found;
    if (file == nullptr || file->pMethods == nullptr) continue;  // no log yet
    const int synced = file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
    if (synced != SQLITE_OK) return synced;
  }
  return SQLITE_OK;
}

Statement::Statement(sqlite3* connection, const char* sql) {
  failed_ =
      sqlite3_prepare_v3(connection, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr);
}

void Statement::bind(int place, std::int64_t value) {
  if (failed_ == SQLITE_OK) failed_ = sqlite3_bind_int64(statement_, place, value);
}

void Statement::bind(int place, std::string_view bytes) {
  if (failed_ != SQLITE_OK) return;
  // A null pointer would be NULL, and an empty entry is not.
  const char* data = bytes.data() != nullptr ? bytes.data() : "";
  failed_ = sqlite3_bind_blob64(statement_, place, data, bytes.size(), SQLITE_STATIC);
}

int Statement::step() { return failed_ != SQLITE_OK ? failed_ : sqlite3_step(statement_); }

int Statement::finish() {
  const int code = step();
  reset();
  if (code == SQLITE_ROW) return SQLITE_CORRUPT;
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

void Statement::reset() { sqlite3_reset(statement_); }

bool Statement::get(int column, std::int64_t& value) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_INTEGER) return false;
  value = sqlite3_column_int64(statement_, column);
  return true;
}

bool Statement::get(int column, std::string_view& bytes) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_BLOB) return false;
  const void* data = sqlite3_column_blob(statement_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  if (data == nullptr && size > 0) return false;  // no memory
  bytes = size == 0 ? std::string_view("") : std::string_view(static_cast<const char*>(data), size);
  return true;
}

bool Statement::get(int column, std::string& text) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_TEXT) return false;
  const unsigned char* data = sqlite3_column_text(statement_, column);
  if (data == nullptr) return false;
  text = reinterpret_cast<const char*>(data);
  return true;
}

}  // namespace rein::sqlite
