// The few calls of SQLite that the journal needs, with our errors. Only src/journal includes this.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "rein/result.h"

namespace rein::sqlite {

struct Closer {
  void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
};
using Connection = std::unique_ptr<sqlite3, Closer>;

// The error of this file, in the words of SQLite and of the system. The reason is kCorrupt if the
// bytes of the file are wrong, and kFailed otherwise.
Error error_of(sqlite3* connection, int code, const std::string& path);

// How a file is opened: flags of sqlite3_open_v2, its VFS (null: the usual one), and URI parameters
// such as "immutable=1".
struct How {
  int flags = 0;
  const char* vfs = nullptr;
  std::string_view parameters;
};
Result<Connection> open(const std::string& path, const How& how);

// Runs statements that return nothing of interest. The result is a code of SQLite.
int run(sqlite3* connection, const char* sql);

// Syncs the database and its write-ahead log, whatever SQLite knows of them. A code of SQLite.
int sync_files(sqlite3* connection);

class Statement {
 public:
  // An error of the preparation is returned by the first step().
  Statement(sqlite3* connection, const char* sql);
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // The bytes must stay as they are until reset(). Places count from 1.
  void bind(int place, std::int64_t value);
  void bind(int place, std::string_view bytes);
  // SQLITE_ROW, SQLITE_DONE or an error.
  int step();
  // Makes the last step of a statement and resets it. Returns SQLITE_OK or an error.
  int finish();
  void reset();

  // Columns of the row that step() found, from 0. A value of another type is refused: false.
  bool get(int column, std::int64_t& value) const;
  bool get(int column, std::string_view& bytes) const;  // valid until the next step()
  bool get(int column, std::string& text) const;

 private:
  sqlite3_stmt* statement_ = nullptr;
  int failed_ = SQLITE_OK;
};

}  // namespace rein::sqlite
