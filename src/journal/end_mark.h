// The end mark of a journal: a small file beside it that says where the journal ends.
//
// The chain proves every entry, but not that it is the last one. SQLite takes the first damaged frame
// of its write-ahead log for the end of the log, because a commit that was cut off looks the same. So
// one flipped bit there would take away all later entries, and nobody would be told. The end mark says
// how far the journal must reach, outside the log and outside the database.
//
// The file has two slots, in blocks of their own. Each holds a number that counts writes, the last
// entry that is committed with its chain value, the last entry of a commit that is under way, and a
// checksum. Writes go to the slots in turn, so a write that was cut off leaves the other slot.
//
// Order of a commit from entry A to entry B:
//   1. Slot "committed A, under way B" is written, and its sync runs beside step 2.
//   2. SQLite writes the commit into the log and syncs the log.
//   3. Both syncs have ended. Slot "committed B" is written, without a sync of its own.
//   4. The answers go out.
// What an open then knows, if at most one file is damaged:
//   - After the end of the process, however it came, the kernel still has the slot of step 3. The
//     journal must reach B: if it ends before, entries were lost, and the journal is refused.
//   - After a loss of power, step 1 is on the disk for everything that was answered. The journal must
//     reach A, or it is refused. If it reaches A and not B, the power was lost in the middle of the
//     commit, as a rule; damage to the end of the log looks the same. Then the open succeeds and says
//     which entries were under way.
//   - The mark may be behind, never ahead: step 3 comes after the sync of the log. So no journal that
//     is whole is refused. An old copy of the mark is a mark that is behind.
// So no entry that was answered for is missing without a refusal or a message that names it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "journal/chain.h"
#include "rein/result.h"

namespace rein {

struct EndMark {
  std::int64_t number = 0;            // of the last committed entry
  std::uint64_t chain = kChainStart;  // its chain value
  std::int64_t begun = 0;             // the last entry of the commit under way; at least `number`
};

// Reads a file of end marks. No value: there is no file, or the file has only zeros, because its
// creation was cut off. kCorrupt: neither slot is intact. kFailed: the file cannot be read.
Result<std::optional<EndMark>> read_end_mark(const std::string& path, const char* vfs);

// The file of a journal that is open to append to. One thread uses it.
class EndMarkFile {
 public:
  // Creates the file if it is missing. `vfs` is a virtual file system of SQLite; null: the usual one,
  // and then syncs run in a thread of their own.
  static Result<EndMarkFile> open(const std::string& path, const char* vfs);
  EndMarkFile();
  EndMarkFile(EndMarkFile&&) noexcept;
  EndMarkFile& operator=(EndMarkFile&&) noexcept;
  ~EndMarkFile();

  // Writes both slots and syncs them: when a journal is opened.
  Result<> set(const EndMark& mark);
  // The steps of a commit. After begin() has succeeded, end() must be called, whatever becomes of the
  // commit. After an error the file is not used again.
  Result<> begin(const EndMark& mark);
  Result<> end();
  Result<> committed(const EndMark& mark);

 private:
  struct Open;
  std::unique_ptr<Open> open_;
};

}  // namespace rein
