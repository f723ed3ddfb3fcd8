#include "journal/sqlite_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "journal/chain.h"
#include "journal/end_mark.h"
#include "journal/regular_file.h"

namespace rein {
namespace {

using sqlite::Statement;

constexpr std::int64_t kApplication = 0x7265696E;  // "rein"
constexpr std::int64_t kFormatWithoutEndMark = 1;
constexpr const char* kStartSql =
    "CREATE TABLE start(first INTEGER NOT NULL, before INTEGER NOT NULL, checksum INTEGER NOT "
    "NULL)";
constexpr const char* kEntriesSql =
    "CREATE TABLE entries(number INTEGER PRIMARY KEY, chain INTEGER NOT NULL, bytes BLOB NOT NULL)";

Error damaged(const std::string& path, const std::string& what) {
  return Error{fmt::format("{} is damaged: {}", path, what), Reason::kCorrupt};
}

// Bytes of a file; -1 if there is none.
std::int64_t bytes_of(const std::string& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0 ? static_cast<std::int64_t>(about.st_size) : -1;
}

Result<std::int64_t> number_of(sqlite3* connection, const char* sql, const std::string& path) {
  Statement statement(connection, sql);
  const int code = statement.step();
  if (code != SQLITE_ROW) return sqlite::error_of(connection, code, path);
  std::int64_t value = 0;
  if (!statement.get(0, value)) return damaged(path, "its header cannot be read");
  return value;
}

// For every connection: nothing in the file may make SQLite run anything, and lengths are bounded.
int harden(sqlite3* connection) {
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, static_cast<int>(kMostEntryBytes) + 4096);
  // Locking is exclusive before the first access, so that the index of the WAL is in memory and not
  // in a file. Debian's SQLite overwrites deleted rows with zeros unless told otherwise, which is
  // slow.
  return sqlite::run(connection,
                     "PRAGMA locking_mode=EXCLUSIVE; PRAGMA cell_size_check=ON;"
                     "PRAGMA temp_store=MEMORY; PRAGMA mmap_size=0; PRAGMA secure_delete=OFF;");
}

// The schema must be ours to the letter. A file could otherwise hold anything under our names.
Result<> check_schema(sqlite3* connection, const std::string& path) {
  Statement statement(connection, "SELECT sql FROM sqlite_schema ORDER BY name");
  for (const char* expected : {kEntriesSql, kStartSql}) {
    const int code = statement.step();
    if (code != SQLITE_ROW && code != SQLITE_DONE) return sqlite::error_of(connection, code, path);
    std::string sql;
    if (code != SQLITE_ROW || !statement.get(0, sql) || sql != expected) {
      return damaged(path, "its tables are not those of a journal");
    }
  }
  const int code = statement.step();
  if (code == SQLITE_ROW) return damaged(path, "it holds more than the tables of a journal");
  if (code != SQLITE_DONE) return sqlite::error_of(connection, code, path);
  return {};
}

// The result is the format.
Result<std::int64_t> check_header(sqlite3* connection, const std::string& path) {
  const auto application = number_of(connection, "PRAGMA application_id", path);
  if (!application) return application.failure();
  if (application.value() != kApplication) {
    return Error{fmt::format("{} is not a journal of rein: its application id is {:#x}, not {:#x}",
                             path, application.value(), kApplication),
                 Reason::kCorrupt};
  }
  const auto format = number_of(connection, "PRAGMA user_version", path);
  if (!format) return format.failure();
  if (format.value() != kJournalFormat && format.value() != kFormatWithoutEndMark) {
    // Nothing is damaged by a newer program, so nobody is told to accept a loss.
    const bool newer = format.value() > kJournalFormat;
    return Error{fmt::format("{} has format {}{}; this version of rein reads formats {} to {}", path,
                             format.value(), newer ? " (a newer program wrote it)" : "",
                             kFormatWithoutEndMark, kJournalFormat),
                 newer ? Reason::kFailed : Reason::kCorrupt};
  }
  if (auto schema = check_schema(connection, path); !schema) return schema.failure();
  return format;
}

Result<JournalStart> read_start(sqlite3* connection, const std::string& path) {
  Statement statement(connection, "SELECT first, before, checksum FROM start");
  int code = statement.step();
  if (code == SQLITE_DONE) return damaged(path, "the row that says where it starts is missing");
  if (code != SQLITE_ROW) return sqlite::error_of(connection, code, path);
  std::int64_t first = 0;
  std::int64_t before = 0;
  std::int64_t checksum = 0;
  const bool typed =
      statement.get(0, first) && statement.get(1, before) && statement.get(2, checksum);
  const JournalStart start{first, static_cast<std::uint64_t>(before)};
  if (!typed || first < 1 || static_cast<std::uint64_t>(checksum) != start.checksum()) {
    return damaged(path, "the row that says where it starts does not match its checksum");
  }
  code = statement.step();
  if (code == SQLITE_ROW) return damaged(path, "two rows say where it starts");
  if (code != SQLITE_DONE) return sqlite::error_of(connection, code, path);
  return start;
}

// A journal and its log must be regular files before somebody opens them.
Result<> check_regular_files(const std::string& path) {
  auto regular = check_regular_file(path);
  return regular ? check_regular_file(path + "-wal") : regular;
}

// Checks a file that is empty or missing: its journal must not have been lost.
Result<> check_nothing_lost(const std::string& path, const SqliteOptions& options) {
  const auto mark = read_end_mark(end_path(path), options.vfs);
  if (!mark && mark.reason() == Reason::kFailed) return mark.failure();
  // A damaged mark was cut off together with the file: nothing was ever committed then.
  if (!mark || !mark.value() || mark.value()->number == 0) return {};
  return damaged(path, fmt::format("it is empty or missing, but its end mark {} says that it has {} "
                                   "entries",
                                   end_path(path), mark.value()->number));
}

// The end mark is created before the journal: a journal of this format without an end mark has lost
// it.
Result<> create_end_mark(const std::string& path, const SqliteOptions& options) {
  if (auto nothing = check_nothing_lost(path, options); !nothing) return nothing;
  auto file = EndMarkFile::open(end_path(path), options.vfs);
  if (!file) return file.failure();
  return file.value().set(
      {.number = options.first - 1, .chain = options.before, .begun = options.first - 1});
}

// A file without content is new, or its creation was cut off.
Result<> create(sqlite3* connection, const std::string& path, const SqliteOptions& options) {
  if (!options.create) {
    return damaged(path, "it is empty, but a journal was expected here");
  }
  if (auto marked = create_end_mark(path, options); !marked) return marked;
  const JournalStart start{options.first, options.before};
  // The first page is still written with a rollback journal. If that came back after a power loss, it
  // would undo everything, so its removal is synced too (EXTRA).
  const std::string mode = fmt::format(
      "PRAGMA page_size={}; PRAGMA auto_vacuum=NONE; PRAGMA synchronous=EXTRA;"
      "PRAGMA journal_mode=WAL;",
      options.page_bytes);
  const std::string tables = fmt::format(
      "BEGIN IMMEDIATE; PRAGMA application_id={}; PRAGMA user_version={}; {}; {};"
      "INSERT INTO start VALUES({}, {}, {}); COMMIT;",
      kApplication, kJournalFormat, kStartSql, kEntriesSql, start.first,
      static_cast<std::int64_t>(start.before), static_cast<std::int64_t>(start.checksum()));
  for (const std::string& sql : {mode, tables}) {
    const int code = sqlite::run(connection, sql.c_str());
    if (code != SQLITE_OK) return sqlite::error_of(connection, code, path).in("cannot create ");
  }
  return {};
}

// Turns on the mode in which commits are durable, and makes sure that it is on.
Result<> set_mode(sqlite3* connection, const std::string& path) {
  Statement mode(connection, "PRAGMA journal_mode=WAL");
  const int code = mode.step();
  if (code != SQLITE_ROW) return sqlite::error_of(connection, code, path);
  std::string found;
  if (!mode.get(0, found) || found != "wal") {
    return Error{
        fmt::format("{} cannot be written: its journal mode is {}, and wal is needed", path, found),
        Reason::kFailed};
  }
  const int synchronous = sqlite::run(connection, "PRAGMA synchronous=FULL");
  if (synchronous != SQLITE_OK) return sqlite::error_of(connection, synchronous, path);
  return {};
}

// The result is the format.
Result<std::int64_t> prepare_to_write(sqlite3* connection, const std::string& path,
                                      const SqliteOptions& options) {
  int code = harden(connection);
  if (code != SQLITE_OK) return sqlite::error_of(connection, code, path);
  sqlite3_wal_autocheckpoint(connection, 0);  // it would ignore errors; append() does it instead
  const auto objects = number_of(connection, "SELECT count(*) FROM sqlite_schema", path);
  if (!objects) return objects.failure();
  const auto application = number_of(connection, "PRAGMA application_id", path);
  if (!application) return application.failure();
  if (objects.value() == 0 && application.value() == 0) {
    if (auto created = create(connection, path, options); !created) return created.failure();
  }
  // The header is checked before the mode is set: a file of somebody else stays as it is.
  auto format = check_header(connection, path);
  if (!format) return format;
  if (auto mode = set_mode(connection, path); !mode) return mode.failure();
  return format;
}

}  // namespace

std::uint64_t JournalStart::checksum() const {
  return chained(before, first, "start of a journal");
}

std::string end_path(const std::string& path) { return path + "-end"; }

Result<JournalFile> open_journal_file(const std::string& path, const SqliteOptions& options) {
  JournalFile file;
  const std::int64_t bytes = options.vfs == nullptr ? bytes_of(path) : 1;
  if (bytes < 0 && !options.create) {
    return Error{fmt::format("there is no journal {}", path), Reason::kFailed};
  }
  if (auto regular = check_regular_files(path); !regular) return regular.failure();
  auto lock = FileLock::take(path + "-lock");
  if (!lock) return lock.failure().in(fmt::format("cannot open the journal {}: ", path));
  file.lock = std::move(lock).value();
  // SQLite would delete the WAL of an empty file, and with it what was committed.
  if (bytes <= 0 && bytes_of(path + "-wal") > 0) {
    return damaged(path, fmt::format("it is empty or missing, but {}-wal holds commits", path));
  }
  if (bytes <= 0) {
    if (auto nothing = check_nothing_lost(path, options); !nothing) return nothing.failure();
  }
  auto opened =
      sqlite::open(path, {.flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, .vfs = options.vfs});
  if (!opened) return opened.failure();
  file.connection = std::move(opened).value();
  auto ready = prepare_to_write(file.connection.get(), path, options);
  auto start =
      ready.ok() ? read_start(file.connection.get(), path) : Result<JournalStart>(ready.failure());
  if (!start) {
    // Whatever is wrong, closing the file must not change it.
    sqlite3_db_config(file.connection.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    return start.failure();
  }
  file.start = start.value();
  file.format = ready.value();
  return file;
}

Result<JournalFile> open_journal_file_for_reading(const std::string& path) {
  JournalFile file;
  if (bytes_of(path) < 0) {
    return Error{fmt::format("cannot read the journal {}: {}", path, std::strerror(errno)),
                 Reason::kFailed};
  }
  if (auto regular = check_regular_files(path); !regular) return regular.failure();
  auto lock = FileLock::share(path + "-lock");
  if (!lock) return lock.failure().in(fmt::format("cannot read the journal {}: ", path));
  file.lock = std::move(lock).value();
  const bool wal = bytes_of(path + "-wal") > 0;
  if (wal && bytes_of(path) == 0) {
    return damaged(path, fmt::format("it is empty, but {}-wal holds commits", path));
  }
  // SQLite takes no locks of its own ("unix-none"), because they need a file that can be written.
  // Our lock above keeps writers out. "immutable" reads the file alone, and creates no WAL.
  auto opened = sqlite::open(
      path,
      {.flags = SQLITE_OPEN_READONLY, .vfs = "unix-none", .parameters = wal ? "" : "immutable=1"});
  if (!opened) return opened.failure();
  file.connection = std::move(opened).value();
  sqlite3* connection = file.connection.get();
  sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  const int code = harden(connection);
  if (code != SQLITE_OK) return sqlite::error_of(connection, code, path);
  const auto format = check_header(connection, path);
  if (!format) return format.failure();
  file.format = format.value();
  auto start = read_start(connection, path);
  if (!start) return start.failure();
  file.start = start.value();
  return file;
}

}  // namespace rein
