// The database behind a SqliteJournal: opens it in the right mode, creates its tables, and checks
// its header. The result is a connection that nobody else has, and the row of the table `start`.
#pragma once

#include <cstdint>
#include <string>

#include "journal/file_lock.h"
#include "journal/sqlite.h"
#include "journal/sqlite_journal.h"

namespace rein {

// The place where the kept entries start: the number of the first entry, and the chain value before
// it.
struct JournalStart {
  std::int64_t first = 1;
  std::uint64_t before = 0;

  // The checksum of this row: in an empty journal no entry would show damage to the row.
  std::uint64_t checksum() const;
};

struct JournalFile {
  FileLock lock;  // outlives the connection
  sqlite::Connection connection;
  JournalStart start;
  std::int64_t format = 0;
};

// The path of the end mark of a journal.
std::string end_path(const std::string& path);

Result<JournalFile> open_journal_file(const std::string& path, const SqliteOptions& options);
Result<JournalFile> open_journal_file_for_reading(const std::string& path);

}  // namespace rein
