// rein's own file of a log: columns in blocks, little-endian, each block with a checksum.
//
//     file    := "REINLOG1" block* names end
//     block   := head payload                 rows, at most kBlockRows of them
//     names   := head payload                 the names of everything
//     head    := kind u32, rows u32, bytes u64, checksum u64 (XXH3 of the payload, seed: place in file)
//     end     := place of names u64, rows u64, checksum u64 of these two, "REINEND1"
//
// A column of numbers has the smallest form that holds all of them exactly: one value for all, whole
// numbers of 1, 2 or 4 bytes divided by a power of ten, or doubles. Rows with the same sparse features
// share their lists of indices.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rein {

inline constexpr std::string_view kColumnsMagic = "REINLOG1", kColumnsEnd = "REINEND1";
inline constexpr std::uint32_t kRowsBlock = 1, kNamesBlock = 2;
inline constexpr std::size_t kBlockRows = 4096;
inline constexpr std::size_t kBlockValues = 32768;  // a block ends after the row that reaches it
inline constexpr std::size_t kMostBlockBytes = std::size_t{1} << 30;
inline constexpr std::size_t kHeadBytes = 24, kEndBytes = 32;

std::uint64_t block_checksum(std::string_view payload, std::uint64_t place);

// Appends to a payload. Everything is aligned to 8 bytes.
class ColumnsOut {
 public:
  explicit ColumnsOut(std::string& out) : out_(out) {}
  void word(std::uint64_t value);
  void text(std::string_view text);
  void numbers(std::span<const double> values);
  void whole(std::span<const std::int64_t> values);
  void ids(std::span<const std::int32_t> values);

 private:
  void head(std::uint64_t form, std::uint64_t decimals, std::uint64_t count);
  void raw(const void* from, std::size_t bytes);
  std::string& out_;
};

// Reads a payload. After the first failure everything is empty, and ok() is false.
class ColumnsIn {
 public:
  explicit ColumnsIn(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t word();
  std::string_view text();
  // Each has `count` entries, or the payload is damaged.
  void numbers(std::size_t count, std::vector<double>& out, bool finite);
  void whole(std::size_t count, std::vector<std::int64_t>& out);
  void ids(std::size_t count, std::int64_t below, std::vector<std::int32_t>& out);
  // A length before a list, at most `most`.
  std::size_t length(std::size_t most);
  bool ok() const { return ok_; }
  bool done() const { return ok_ && rest_.empty(); }
  void fail() { ok_ = false; }

 private:
  const char* take(std::size_t bytes);
  bool head(std::size_t count, std::uint64_t& form, std::uint64_t& decimals);
  // The bytes of a column, after its head; null if it is damaged.
  const char* column(std::size_t count, std::uint64_t& form, std::uint64_t& decimals);
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace rein
