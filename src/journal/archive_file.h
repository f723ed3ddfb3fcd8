// A file of an archive: entries that have left their journal, in compressed blocks, with what proves
// them. It is named entries-FIRST-LAST.rein and never changes.
//
// It holds, as 64-bit little-endian numbers: "reinarch", the version of the format, the numbers of the
// first and of the last entry, the chain values before the first and at the last, the bytes of all
// entries, and a checksum. Then come the blocks. Each has the number of its first entry, the number of
// its entries, the chain value before the first, its bytes unpacked and packed, a checksum of all of
// this, and the packed bytes (zlib). Unpacked, a block has the length (32 bits) and the bytes of each
// entry.
//
// Readers compute the chain (chain.h) of every block again. So a file proves its entries as the journal
// did, and an entry is read without unpacking more than its block.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "journal/chain.h"
#include "journal/journal.h"
#include "rein/result.h"

namespace rein {

inline constexpr std::int64_t kArchiveFormat = 1;

struct ArchiveHead {
  std::int64_t first = 1, last = 0;
  std::uint64_t before = kChainStart;  // chain value before the first entry
  std::uint64_t chain = kChainStart;   // at the last
  std::int64_t bytes = 0;              // of all entries
};

// Makes the bytes of a file.
class ArchivePacker {
 public:
  ArchivePacker(std::int64_t first, std::uint64_t before);
  // The next entry, in order.
  void add(std::string_view entry);
  const ArchiveHead& head() const { return head_; }
  // The whole file. REQUIRES at least one entry. The packer is of no use afterwards.
  std::string finish();

 private:
  void end_block();

  ArchiveHead head_;
  std::string block_;  // unpacked
  std::int64_t block_first_ = 1;
  std::uint64_t block_before_ = kChainStart;
  std::string blocks_;
};

// Reads a file. Nothing in it is believed before its checksum was computed.
class ArchiveFile {
 public:
  // kFailed: it cannot be read. kCorrupt: its head is damaged.
  static Result<ArchiveFile> open(const std::string& path);
  ArchiveFile(ArchiveFile&& other) noexcept;
  ArchiveFile& operator=(ArchiveFile&&) = delete;
  ~ArchiveFile();

  const ArchiveHead& head() const { return head_; }
  // Entries from `from` to `to`, in order, until `each` returns false. The result is what `each` returned
  // last. REQUIRES that the file has both. `chain` becomes the chain value at the last entry that was
  // passed on; `before` is the one before `from`, and is checked unless it is null.
  Result<bool> read(std::int64_t from, std::int64_t to, const std::uint64_t* before, std::uint64_t& chain,
                    const Journal::Each& each) const;

 private:
  struct Block;
  struct Proved;
  ArchiveFile(std::string path, int file) : path_(std::move(path)), file_(file) {}
  Error damaged(const std::string& what) const;
  Result<std::string> bytes_at(std::int64_t at, std::int64_t count) const;
  Result<> read_head();
  Result<Block> block_at(std::int64_t at) const;
  Result<std::string> unpacked(const Block& block) const;
  Result<Proved> proved(const Block& block) const;

  std::string path_;
  int file_ = -1;
  std::int64_t size_ = 0;
  ArchiveHead head_;
};

}  // namespace rein
