#include "journal/snapshot_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "base/atomic_file.h"
#include "journal/chain.h"
#include "journal/regular_file.h"
#include "rein/bytes.h"

namespace rein {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "reinsnap";
constexpr std::int64_t kFormatWithoutChain = 1;
constexpr std::size_t kNumber = 8;               // bytes
constexpr std::size_t kHeadWithoutChain = 4 * kNumber;  // magic, version, position, length
constexpr std::size_t kLongestHead = kHeadWithoutChain + 2 * kNumber;  // chain value, checksum
constexpr std::string_view kBefore = "snapshot-";
constexpr std::string_view kAfter = ".rein";

std::uint64_t checksum_of(std::string_view head, std::int64_t position, std::string_view bytes) {
  return chained(chained(kChainStart, position, head), position, bytes);
}

Error corrupt(std::string message) { return Error{std::move(message), Reason::kCorrupt}; }

std::string name_of(std::int64_t position) {
  return fmt::format("{}{:012}{}", kBefore, position, kAfter);
}

// The position in the name of a snapshot; nothing for other files.
std::optional<std::int64_t> position_in(std::string_view name) {
  if (!name.starts_with(kBefore)) return {};
  std::int64_t position = -1;
  std::from_chars(name.data() + kBefore.size(), name.data() + name.size(), position);
  if (position < 0 || name != name_of(position)) return {};
  return position;
}

class File {
 public:
  explicit File(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (file_ >= 0) ::close(file_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // The whole file; false, with errno set, on failure. Longer than any snapshot is EFBIG.
  bool read(std::string& bytes) const {
    struct stat about {};
    if (file_ < 0 || ::fstat(file_, &about) != 0) return false;
    if (about.st_size > kMostSnapshotBytes + static_cast<std::int64_t>(kLongestHead)) {
      errno = EFBIG;
      return false;
    }
    bytes.resize(static_cast<std::size_t>(about.st_size));
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t n = ::read(file_, bytes.data() + done, bytes.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return false;
      if (n == 0) break;
      done += static_cast<std::size_t>(n);
    }
    bytes.resize(done);
    return true;
  }

 private:
  int file_;
};

// A crash in the middle of a write leaves a temporary file. A temporary file that is a minute old
// is of no use.
void remove_leftovers(const std::string& folder) {
  const auto old = fs::file_time_type::clock::now() - std::chrono::minutes(1);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const bool temporary = entry.path().filename().string().starts_with(".rein-");
    const auto time = entry.last_write_time(ignored);
    if (temporary && !ignored && time < old) fs::remove(entry.path(), ignored);
  }
}

}  // namespace

namespace {

// Everything before the state.
std::string head_of(std::int64_t position, std::string_view bytes,
                    std::optional<std::uint64_t> chain) {
  std::string head(kMagic);
  ByteWriter numbers;
  numbers.i64(chain ? kSnapshotFormat : kFormatWithoutChain);
  numbers.i64(position);
  numbers.i64(static_cast<std::int64_t>(bytes.size()));
  if (chain) numbers.u64(*chain);
  head += numbers.bytes();
  ByteWriter checksum;
  checksum.u64(checksum_of(head, position, bytes));
  return head + checksum.bytes();
}

// Writes a file in pieces and syncs each before the next. A commit of the journal then waits for
// one piece at most, and not for all of a large file.
Result<> write_in_pieces(const std::string& path, std::string_view head, std::string_view bytes) {
  constexpr std::size_t kPieceBytes = std::size_t{4} << 20U;
  auto file = PieceFile::open(path);
  if (!file) return file.failure();
  if (auto done = file.value().write(head); !done) return done;
  for (; bytes.size() > kPieceBytes; bytes.remove_prefix(kPieceBytes)) {
    if (auto done = file.value().write(bytes.substr(0, kPieceBytes)); !done) return done;
    if (auto done = file.value().sync(); !done) return done;
  }
  if (auto done = file.value().write(bytes); !done) return done;
  return file.value().finish();
}

}  // namespace

std::string snapshot_file_of(std::int64_t position, std::string_view bytes,
                             std::optional<std::uint64_t> chain) {
  return head_of(position, bytes, chain).append(bytes);
}

namespace {

// All but the state, and where the state begins.
Result<Snapshot> checked_head(std::string_view file, std::size_t& head) {
  if (!file.starts_with(kMagic)) {
    return corrupt(fmt::format("it does not start with {}, so it is no snapshot", kMagic));
  }
  ByteReader numbers(file.substr(kMagic.size()));
  const std::int64_t version = numbers.i64();
  const bool has_chain = version != kFormatWithoutChain;
  head = kLongestHead - (has_chain ? 0 : kNumber);
  if (file.size() < head) {
    return corrupt(fmt::format("it ends at byte {}, inside its header of {}", file.size(), head));
  }
  if (version != kSnapshotFormat && version != kFormatWithoutChain) {
    return corrupt(fmt::format("it has format {}; this version of rein reads formats {} to {}",
                               version, kFormatWithoutChain, kSnapshotFormat));
  }
  const std::int64_t position = numbers.i64();
  const std::int64_t length = numbers.i64();
  Snapshot snapshot;
  snapshot.position = position;
  if (has_chain) snapshot.chain = numbers.u64();
  const std::uint64_t checksum = numbers.u64();
  const std::string_view bytes = file.substr(head);
  if (length != static_cast<std::int64_t>(bytes.size())) {
    return corrupt(fmt::format("its state should have {} bytes and has {}", length, bytes.size()));
  }
  if (position < 0 || position > kMostSnapshotPosition ||
      checksum != checksum_of(file.substr(0, head - kNumber), position, bytes)) {
    return corrupt("its checksum does not match");
  }
  return snapshot;
}

}  // namespace

Result<Snapshot> read_snapshot_file(std::string_view file) {
  std::size_t head = 0;
  auto snapshot = checked_head(file, head);
  if (snapshot) snapshot.value().bytes = file.substr(head);
  return snapshot;
}

Result<> check_continues(const Journal& journal, const Snapshot& snapshot) {
  if (snapshot.position > journal.last()) {
    return corrupt(
        fmt::format("the snapshot at entry {} is newer than the journal, which ends at entry {}: "
                    "entries were lost",
                    snapshot.position, journal.last()));
  }
  if (!snapshot.chain || snapshot.position < journal.first() - 1) return {};
  const auto chain = journal.chain_at(snapshot.position);
  if (!chain) return chain.failure();
  if (chain.value() == *snapshot.chain) return {};
  return corrupt(
      fmt::format("the snapshot at entry {} does not belong to the journal: its chain value is "
                  "{:016x}, and that of the journal there is {:016x}; one of them is an old or "
                  "foreign file",
                  snapshot.position, *snapshot.chain, chain.value()));
}

std::string SnapshotFiles::path_of(std::int64_t position) const {
  return folder_ + "/" + name_of(position);
}

Result<std::vector<std::int64_t>> SnapshotFiles::positions() const {
  std::vector<std::int64_t> found;
  std::error_code error;
  fs::directory_iterator entries(folder_, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const auto position = position_in(entries->path().filename().string());
    if (position) found.push_back(*position);
  }
  if (error) {
    return Error{fmt::format("cannot look for snapshots in {}: {}", folder_, error.message()),
                 Reason::kFailed};
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

Result<Snapshot> SnapshotFiles::read(std::int64_t position) const {
  const std::string path = path_of(position);
  if (auto regular = check_regular_file(path); !regular) return regular.failure();
  std::string file;
  if (!File(path).read(file)) {
    return Error{fmt::format("{} cannot be read: {}", path, std::strerror(errno)), Reason::kFailed};
  }
  std::size_t head = 0;
  auto snapshot = checked_head(file, head);
  if (!snapshot) return snapshot.failure().in(path + " is damaged: ");
  if (snapshot.value().position != position) {
    return corrupt(fmt::format("{} is damaged: it holds position {}, not that of its name", path,
                               snapshot.value().position));
  }
  snapshot.value().bytes = std::move(file.erase(0, head));  // not copied: it may be large
  return snapshot;
}

Result<std::int64_t> SnapshotFiles::write(std::int64_t position, std::string_view bytes,
                                           std::optional<std::uint64_t> chain) const {
  if (position < 0 || position > kMostSnapshotPosition) {
    return Error{
        fmt::format("the position of a snapshot must be from 0 to 2^53; found {}", position)};
  }
  if (bytes.size() > static_cast<std::size_t>(kMostSnapshotBytes)) {
    return Error{fmt::format("a state has {} bytes; at most {} are accepted in a snapshot",
                             bytes.size(), kMostSnapshotBytes)};
  }
  remove_leftovers(folder_);
  auto written = write_in_pieces(path_of(position), head_of(position, bytes, chain), bytes);
  if (!written) return written.failure();
  // From here on the new snapshot is durable. Old files that cannot be removed now are removed the
  // next time.
  const auto found = positions();
  if (!found) return 0;
  std::optional<std::int64_t> older;
  for (const std::int64_t other : found.value()) {
    if (other >= position) continue;
    if (older) {
      ::unlink(path_of(other).c_str());
    } else if (read(other).ok()) {
      older = other;
    }
  }
  return older.value_or(0);
}

Result<Snapshots::Latest> SnapshotFiles::latest() const {
  const auto found = positions();
  if (!found) return found.failure();
  Latest latest;
  for (const std::int64_t position : found.value()) {
    auto snapshot = read(position);
    if (snapshot) {
      latest.snapshot = std::move(snapshot).value();
      return latest;
    }
    latest.skipped.push_back(snapshot.error());
  }
  return latest;
}

}  // namespace rein
