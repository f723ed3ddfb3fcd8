// Snapshots of a state in files, each with its position: the number of the last journal entry that
// is folded into it. The two newest are kept, so that a damaged one costs a longer replay only.
//
// A file is named snapshot-POSITION.rein. It holds, as 64-bit little-endian numbers: "reinsnap", the
// version of the format, the position, the length of the state, the chain value of the journal at
// the position, and a checksum; then the state. The checksum covers everything else in the file.
// Format 1 has no chain value. Files are replaced as a whole (base/atomic_file.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "journal/journal.h"
#include "journal/snapshot.h"
#include "rein/result.h"

namespace rein {

// The format of files with a chain value. Format 1 is read, and written for snapshots without one.
inline constexpr std::int64_t kSnapshotFormat = 2;
// The longest state, 16 GiB. A model's open decisions, which are most of it, have a limit of their
// own.
inline constexpr std::int64_t kMostSnapshotBytes = std::int64_t{16} << 30;
// Largest position: 2^53.
inline constexpr std::int64_t kMostSnapshotPosition = std::int64_t{1} << 53;

// The content of a snapshot file, and back. Anything but the exact bytes that were written is refused
// with kCorrupt.
std::string snapshot_file_of(std::int64_t position, std::string_view bytes,
                             std::optional<std::uint64_t> chain);
Result<Snapshot> read_snapshot_file(std::string_view file);

// Refuses with kCorrupt a snapshot that this journal does not continue: the journal ends before its
// position, or has another chain value there. Then either the snapshot or the journal is old or
// foreign.
Result<> check_continues(const Journal& journal, const Snapshot& snapshot);

class SnapshotFiles final : public Snapshots {
 public:
  // The folder must exist, and only one writer may use it at a time.
  explicit SnapshotFiles(std::string folder) : folder_(std::move(folder)) {}

  Result<std::int64_t> write(std::int64_t position, std::string_view bytes,
                             std::optional<std::uint64_t> chain) const override;
  // kFailed: the folder cannot be read.
  Result<Latest> latest() const override;
  Result<std::vector<std::int64_t>> positions() const override;
  Result<Snapshot> read(std::int64_t position) const override;
  std::string path_of(std::int64_t position) const;

 private:
  std::string folder_;
};

}  // namespace rein
