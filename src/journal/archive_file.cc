#include "journal/archive_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "journal/entry_size.h"
#include "journal/regular_file.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr std::string_view kArchiveMagic = "reinarch";
constexpr std::int64_t kFileHeadBytes = 64;   // magic, six numbers, checksum
constexpr std::int64_t kBlockHeadBytes = 48;  // five numbers, checksum
// Unpacked bytes after which a block ends. To read one entry, one block is unpacked: less than a
// millisecond. Blocks of 1 MiB are 1 % smaller.
constexpr std::size_t kBlockBytes = std::size_t{128} << 10U;
constexpr std::size_t kLengthBytes = 4;
// zlib's level: 3 packs entries of the service at about twice the speed of 6, and to 3 % more bytes.
constexpr int kPackLevel = 3;

std::string packed(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  const int code = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                             reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), kPackLevel);
  check(code == Z_OK, "zlib could not pack a block");
  out.resize(size);
  return out;
}

void add_length(std::string& out, std::size_t length) {
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>((length >> shift) & 0xFFU);
}

std::size_t length_at(std::string_view bytes) {
  std::size_t length = 0;
  for (unsigned i = 0; i < kLengthBytes; ++i) {
    length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return length;
}

std::uint64_t archive_checksum(std::string_view head, std::string_view packed_bytes) {
  return chained(chained(kChainStart, kArchiveFormat, head), kArchiveFormat, packed_bytes);
}

std::string with_checksum(std::string head, std::string_view packed_bytes) {
  ByteWriter checksum;
  checksum.u64(archive_checksum(head, packed_bytes));
  head += checksum.bytes();
  return head.append(packed_bytes);
}

}  // namespace

struct ArchiveFile::Block {
  std::int64_t first = 0, count = 0;
  std::uint64_t before = 0;
  std::int64_t unpacked_bytes = 0, packed_bytes = 0;
  std::uint64_t checksum = 0;
  std::string head;     // the bytes that the checksum covers, besides the packed ones
  std::int64_t at = 0;  // of the packed bytes in the file
};

// The entries of a block, after their chain was computed.
struct ArchiveFile::Proved {
  std::unique_ptr<const std::string> bytes;
  std::vector<std::string_view> entries;  // in `bytes`
  std::vector<std::uint64_t> chains;      // at each
};

ArchivePacker::ArchivePacker(std::int64_t first, std::uint64_t before)
    : head_{.first = first, .last = first - 1, .before = before, .chain = before},
      block_first_(first),
      block_before_(before) {}

void ArchivePacker::add(std::string_view entry) {
  head_.chain = chained(head_.chain, ++head_.last, entry);
  head_.bytes += static_cast<std::int64_t>(entry.size());
  add_length(block_, entry.size());
  block_ += entry;
  if (block_.size() >= kBlockBytes) end_block();
}

void ArchivePacker::end_block() {
  const std::string bytes = packed(block_);
  ByteWriter head;
  head.i64(block_first_);
  head.i64(head_.last - block_first_ + 1);
  head.u64(block_before_);
  head.i64(static_cast<std::int64_t>(block_.size()));
  head.i64(static_cast<std::int64_t>(bytes.size()));
  blocks_ += with_checksum(std::string(head.bytes()), bytes);
  block_.clear();
  block_first_ = head_.last + 1;
  block_before_ = head_.chain;
}

std::string ArchivePacker::finish() {
  check(head_.last >= head_.first, "an archive file needs an entry");
  if (!block_.empty()) end_block();
  ByteWriter numbers;
  numbers.i64(kArchiveFormat);
  numbers.i64(head_.first);
  numbers.i64(head_.last);
  numbers.u64(head_.before);
  numbers.u64(head_.chain);
  numbers.i64(head_.bytes);
  return with_checksum(std::string(kArchiveMagic).append(numbers.bytes()), {}) + blocks_;
}

ArchiveFile::ArchiveFile(ArchiveFile&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      size_(other.size_),
      head_(other.head_) {}

ArchiveFile::~ArchiveFile() {
  if (file_ >= 0) ::close(file_);
}

Error ArchiveFile::damaged(const std::string& what) const {
  return {fmt::format("{} is damaged: {}", path_, what), Reason::kCorrupt};
}

Result<std::string> ArchiveFile::bytes_at(std::int64_t at, std::int64_t count) const {
  if (at + count > size_) return damaged(fmt::format("it ends at byte {}", size_));
  std::string bytes(static_cast<std::size_t>(count), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n =
        ::pread(file_, bytes.data() + done, bytes.size() - done, at + static_cast<std::int64_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      return Error{fmt::format("{} cannot be read: {}", path_, n < 0 ? std::strerror(errno) : "it ends"),
                   Reason::kFailed};
    }
    done += static_cast<std::size_t>(n);
  }
  return bytes;
}

Result<ArchiveFile> ArchiveFile::open(const std::string& path) {
  if (auto regular = check_regular_file(path); !regular) return regular.failure();
  ArchiveFile file(path, ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about {};
  if (file.file_ < 0 || ::fstat(file.file_, &about) != 0) {
    return Error{fmt::format("{} cannot be read: {}", path, std::strerror(errno)), Reason::kFailed};
  }
  file.size_ = about.st_size;
  if (auto read = file.read_head(); !read) return read.failure();
  return file;
}

Result<> ArchiveFile::read_head() {
  const auto found = bytes_at(0, kFileHeadBytes);
  if (!found) return found.failure();
  const std::string_view bytes = found.value();
  if (!bytes.starts_with(kArchiveMagic)) {
    return damaged(fmt::format("it does not start with {}", kArchiveMagic));
  }
  ByteReader numbers(bytes.substr(kArchiveMagic.size()));
  const std::int64_t format = numbers.i64();
  if (format > kArchiveFormat) {
    return Error{fmt::format("{} has format {} (a newer program wrote it); this version of rein reads format {}",
                             path_, format, kArchiveFormat),
                 Reason::kFailed};
  }
  head_.first = numbers.i64();
  head_.last = numbers.i64();
  head_.before = numbers.u64();
  head_.chain = numbers.u64();
  head_.bytes = numbers.i64();
  const std::uint64_t checksum = numbers.u64();
  const bool sound = format == kArchiveFormat && head_.first >= 1 && head_.last >= head_.first &&
                     checksum == archive_checksum(bytes.substr(0, kFileHeadBytes - 8), {});
  return sound ? Result<>() : damaged("the checksum of its head does not match");
}

Result<ArchiveFile::Block> ArchiveFile::block_at(std::int64_t at) const {
  auto found = bytes_at(at, kBlockHeadBytes);
  if (!found) return found.failure();
  Block block;
  block.head = std::move(found).value();
  ByteReader numbers(block.head);
  block.first = numbers.i64();
  block.count = numbers.i64();
  block.before = numbers.u64();
  block.unpacked_bytes = numbers.i64();
  block.packed_bytes = numbers.i64();
  block.checksum = numbers.u64();
  block.head.resize(kBlockHeadBytes - 8);
  block.at = at + kBlockHeadBytes;
  // Before anything else is believed: what decides how much memory is taken, and where the next block is.
  const bool sound = block.count >= 1 && block.first >= head_.first &&
                     block.count <= head_.last - block.first + 1 && block.packed_bytes >= 1 &&
                     block.packed_bytes <= size_ - block.at && block.unpacked_bytes >= 1 &&
                     block.unpacked_bytes <= kMostEntryBytes + static_cast<std::int64_t>(kBlockBytes + kLengthBytes);
  if (!sound) return damaged(fmt::format("there is no block at byte {}", at));
  return block;
}

Result<std::string> ArchiveFile::unpacked(const Block& block) const {
  const auto bytes = bytes_at(block.at, block.packed_bytes);
  if (!bytes) return bytes.failure();
  if (archive_checksum(block.head, bytes.value()) != block.checksum) {
    return damaged(fmt::format("the checksum of its block at entry {} does not match", block.first));
  }
  auto size = static_cast<uLongf>(block.unpacked_bytes);
  std::string out(size, '\0');
  const int code = uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                              reinterpret_cast<const Bytef*>(bytes.value().data()), bytes.value().size());
  if (code == Z_OK && size == out.size()) return out;
  return damaged(fmt::format("its block at entry {} cannot be unpacked", block.first));
}

Result<ArchiveFile::Proved> ArchiveFile::proved(const Block& block) const {
  auto bytes = unpacked(block);
  if (!bytes) return bytes.failure();
  Proved found{.bytes = std::make_unique<const std::string>(std::move(bytes).value()), .entries = {}, .chains = {}};
  std::string_view rest = *found.bytes;
  std::uint64_t chain = block.before;
  std::int64_t number = block.first;
  while (rest.size() >= kLengthBytes && rest.size() - kLengthBytes >= length_at(rest)) {
    const std::string_view entry = rest.substr(kLengthBytes, length_at(rest));
    rest.remove_prefix(kLengthBytes + entry.size());
    chain = chained(chain, number++, entry);
    found.entries.push_back(entry);
    found.chains.push_back(chain);
  }
  if (!rest.empty() || number != block.first + block.count) {
    return damaged(fmt::format("its block at entry {} has other entries than it says", block.first));
  }
  if (number > head_.last && (chain != head_.chain || block.at + block.packed_bytes != size_)) {
    return damaged(fmt::format("it does not end with entry {} as its head says", head_.last));
  }
  return found;
}

Result<bool> ArchiveFile::read(std::int64_t from, std::int64_t to, const std::uint64_t* before,
                               std::uint64_t& chain, const Journal::Each& each) const {
  std::int64_t next = head_.first;
  std::optional<std::uint64_t> end = head_.before;  // chain value at next - 1, where it is known
  for (std::int64_t at = kFileHeadBytes; next <= to;) {
    const auto found = block_at(at);
    if (!found) return found.failure();
    const Block& block = found.value();
    if (block.first != next || (end && block.before != *end)) {
      return damaged(fmt::format("the block of entry {} is missing", next));
    }
    at = block.at + block.packed_bytes;
    next = block.first + block.count;
    end.reset();
    if (next <= from) continue;
    // The whole block is proved before an entry of it is passed on.
    const auto whole = proved(block);
    if (!whole) return whole.failure();
    const std::vector<std::uint64_t>& chains = whole.value().chains;
    end = chains.back();
    for (std::size_t i = 0; i < chains.size(); ++i) {
      const std::int64_t number = block.first + static_cast<std::int64_t>(i);
      if (number < from) continue;
      if (number > to) break;
      const std::uint64_t ahead = i == 0 ? block.before : chains[i - 1];
      if (number == from && before != nullptr && ahead != *before) {
        return damaged(fmt::format("its entry {} does not continue the entry before it", from));
      }
      chain = chains[i];
      auto more = each(number, whole.value().entries[i]);
      if (!more || !more.value()) return more;
    }
  }
  return true;
}

}  // namespace rein
