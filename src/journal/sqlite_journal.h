// A Journal in a file of SQLite.
//
// Files: PATH is the database; PATH-wal holds the commits that are not in it yet; PATH-end says where
// the journal ends (end_mark.h); PATH-lock is locked while a journal is open. To copy a stopped
// journal, copy PATH, PATH-end and, where it is there, PATH-wal.
//
// A commit is one write to the end of PATH-wal and one sync (WAL mode, synchronous=FULL). There is
// one connection, in exclusive locking mode. SQLite before 3.51.3 can damage a file that two
// connections write or checkpoint at once, so a second connection is refused, in this process and
// in any other.
//
// What an open finds may never have been synced: the process before may have ended between the write
// and the sync of a commit, or because of a failed sync, whose data the kernel will not write again.
// So an open moves all commits of PATH-wal into PATH, with new writes and syncs, before it returns.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "journal/chain.h"
#include "journal/entry_size.h"
#include "journal/journal.h"
#include "rein/result.h"

namespace rein {

// Version of the format, in the header of the file (user_version): since 2 there is an end mark. A
// file of format 1 is read; when it is opened to append to, it gets an end mark and format 2.
inline constexpr std::int64_t kJournalFormat = 2;

struct SqliteOptions {
  // Whether a missing file becomes an empty journal. Set it to false if a snapshot exists: then a
  // missing journal is a loss, not a start.
  bool create = true;
  // Where a new journal starts: the number of its first entry, and the chain value before it. A
  // journal that goes on from a snapshot has other values than these defaults.
  std::int64_t first = 1;
  std::uint64_t before = kChainStart;
  // Bytes per page of a new file: a power of 2 from 512 to 65536. bench/journal_cost.cc measures
  // it: of 4096, 8192 and 16384, the second commits groups of 10 and of 64 entries of 500 bytes
  // fastest. Smaller pages split more often, and larger pages write more bytes per commit.
  int page_bytes = 8192;
  // Pages in PATH-wal at which append() first moves them into PATH, and waits for three syncs. With
  // groups of 10 on an NVMe disk: at 4 MiB, one append in about 270 takes 2.5 ms longer; at 1 MiB,
  // one in about 70 takes 0.9 ms longer. So 4 MiB waits less in all, and a slow disk has fewer syncs.
  int checkpoint_pages = 512;
  // The virtual file system of SQLite, for tests. Null: the usual one.
  const char* vfs = nullptr;
  // Called with what a person should know about the opened file and what is no error.
  std::function<void(const std::string&)> notice;
};

// Opens a journal to append to. It takes the same time whatever the number of entries: read() checks
// the entries, and here only the header, the schema, the last entry, and those after the end mark are
// checked. kCorrupt: the file is damaged, is no journal, or ends before its end mark; then no file is
// changed. kFailed: it cannot be opened, or is open elsewhere.
Result<std::unique_ptr<Journal>> open_sqlite_journal(const std::string& path,
                                                     const SqliteOptions& options = {});

// Opens a journal for reading: of a stopped service, or a copy. No file is created or changed, and
// the folder may be read-only. Commits that are still in PATH-wal are read too. append() and
// drop_before() are refused. A journal that ends before its end mark is refused with kCorrupt, unless
// what is left of it is wanted.
enum class Wanted { kAll, kWhatIsLeft };
Result<std::unique_ptr<Journal>> open_for_reading(const std::string& path,
                                                  Wanted wanted = Wanted::kAll);

}  // namespace rein
