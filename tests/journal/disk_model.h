// A disk in memory, as a virtual file system of SQLite. It fails on demand, it can lose its power, and
// then it keeps what was synced, and of the rest what chance leaves.
//
// Every open, read, write, sync, truncate and delete counts as one operation, from 1. Directory
// entries follow the file: a new file is durable after its first sync, a deleted one may come back
// until the folder is synced. After a failed sync, what it should have written is lost for later
// syncs too, as on Linux.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rein/rng.h"

namespace rein {

class Disk {
 public:
  enum class Fault { kNone, kError, kFull, kShort };

  Disk();
  ~Disk();
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  const char* vfs() const { return "rein_disk"; }
  std::int64_t operations() const { return operations_; }
  // Operations that change a file or sync it, whether they failed or not.
  std::int64_t changes() const { return changes_; }

  // Operation number `nth` fails, and all later ones too if it is for good. kFull and kShort write
  // half of what they were given; other operations than writes fail as with kError.
  void fail(std::int64_t nth, Fault fault, bool for_good);
  bool has_failed() const { return has_failed_; }

  // All files must be closed. The process is started again: the cache is still there.
  void restart();
  // The machine is started again after a power loss.
  void restart_without_power(Rng& rng);
  // The files as they are, written to a real folder: names are full paths already.
  void write_to_folder() const;

 private:
  struct Change {
    std::size_t at = 0;
    std::string bytes;
    bool truncate = false;  // to `at`
    bool lost = false;      // a sync of it failed
  };
  struct File {
    std::string now;
    std::string durable;
    std::vector<Change> pending;
    bool created = false;  // the directory entry is durable
    bool deleted = false;  // in memory; the directory entry may come back
  };
  struct Handle;

  static void apply(const Change& change, std::string& content);
  static void apply_part(const Change& change, std::string& content, Rng& rng);
  bool fails();
  int write(File& file, std::size_t at, std::string_view bytes);
  int sync(File& file);

  static int open_file(sqlite3_vfs*, const char* name, sqlite3_file* base, int flags, int* out);
  static int delete_file(sqlite3_vfs*, const char* name, int sync_folder);
  static int access_file(sqlite3_vfs*, const char* name, int flags, int* out);
  static int full_path(sqlite3_vfs*, const char* name, int size, char* out);
  static int randomness(sqlite3_vfs*, int size, char* out);
  static const sqlite3_io_methods& methods();

  std::map<std::string, File> files_;
  std::int64_t operations_ = 0;
  std::int64_t changes_ = 0;
  std::int64_t fail_at_ = 0;
  Fault fault_ = Fault::kNone;
  bool for_good_ = false;
  bool has_failed_ = false;
  Rng random_{1};
  sqlite3_vfs vfs_{};
};

}  // namespace rein
