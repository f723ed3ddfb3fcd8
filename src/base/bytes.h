// ByteWriter and ByteReader: exact state in, the same state out. Little-endian, doubles as their
// bits; every record opens with a tag, so that bytes of another kind are refused by name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "rein/result.h"

namespace rein {

class ByteWriter {
 public:
  ByteWriter() = default;
  // Writes into the room of this string, so that a string written again and again allocates once.
  explicit ByteWriter(std::string room) : bytes_(std::move(room)) { bytes_.clear(); }

  void u64(std::uint64_t value);
  void i64(std::int64_t value) { u64(static_cast<std::uint64_t>(value)); }
  void f64(double value);
  void f64s(std::span<const double> values);  // no length: the reader knows it
  void text(std::string_view value);          // length, then bytes
  void tag(std::string_view name) { text(name); }

  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// After the first failure every read gives zeros and finish() says what went wrong.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t u64();
  std::int64_t i64() { return static_cast<std::int64_t>(u64()); }
  double f64();
  void f64s(std::span<double> out);
  std::string text();
  // Fails unless the next text is this name.
  void tag(std::string_view name);
  // Fails unless a number just read is the one expected.
  void expect(std::string_view what, std::int64_t found, std::int64_t expected);

  // For readers that find something wrong in what they read.
  void fail(std::string message);
  // Bytes not read yet: what a count that was read must not promise more than.
  std::size_t left() const { return rest_.size(); }
  bool ok() const { return error_.empty(); }
  // The first failure, if any.
  Result<> status() const;
  // The same, and refuses bytes that are left over.
  Result<> finish() const;

 private:
  std::string_view rest_;
  std::string error_;
};

}  // namespace rein
