#include "rein/bytes.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace rein {

static_assert(std::endian::native == std::endian::little, "state is written as it lies in memory");

void ByteWriter::u64(std::uint64_t value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes_.append(raw, sizeof value);
}

void ByteWriter::f64(double value) { u64(std::bit_cast<std::uint64_t>(value)); }

void ByteWriter::f64s(std::span<const double> values) {
  bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

void ByteWriter::text(std::string_view value) {
  u64(value.size());
  bytes_.append(value);
}

std::uint64_t ByteReader::u64() {
  std::uint64_t value = 0;
  if (rest_.size() < sizeof value) {
    fail("saved state ends too early");
    return 0;
  }
  std::memcpy(&value, rest_.data(), sizeof value);
  rest_.remove_prefix(sizeof value);
  return value;
}

std::int64_t ByteReader::count() {
  const std::int64_t value = i64();
  if (value >= 0 && value <= std::int64_t{1} << 53) return value;
  fail(fmt::format("saved state has a count of {}; accepted: 0 to 2^53", value));
  return 0;
}

double ByteReader::f64() { return std::bit_cast<double>(u64()); }

void ByteReader::f64s(std::span<double> out) {
  if (rest_.size() < out.size_bytes()) {
    fail("saved state ends too early");
    for (double& x : out) x = 0.0;
    return;
  }
  if (!out.empty()) std::memcpy(out.data(), rest_.data(), out.size_bytes());
  rest_.remove_prefix(out.size_bytes());
}

std::string ByteReader::text() {
  const std::uint64_t size = u64();
  if (size > rest_.size()) {
    fail("saved state ends too early");
    return {};
  }
  std::string value(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return value;
}

void ByteReader::tag(std::string_view name) {
  const std::string found = text();
  if (found != name) fail(fmt::format("saved state is of \"{}\", expected \"{}\"", found, name));
}

void ByteReader::expect(std::string_view what, std::int64_t found, std::int64_t expected) {
  if (found != expected) {
    fail(fmt::format("saved state has {} = {}, expected {}", what, found, expected));
  }
}

std::int64_t ByteReader::between(std::string_view what, std::int64_t low, std::int64_t high) {
  const std::int64_t found = i64();
  if (ok() && found >= low && found <= high) return found;
  fail(fmt::format("saved state has {} = {}; accepted: {} to {}", what, found, low, high));
  return low;
}

void ByteReader::read_version(std::string_view what, int oldest, int newest) {
  const std::int64_t found = i64();
  if (!ok()) return;
  if (found >= oldest && found <= newest) {
    version_ = static_cast<int>(found);
    return;
  }
  const std::string_view why = found > newest ? " (a newer program wrote it)" : "";
  fail(fmt::format("{}: found version {}{}; accepted: version {}", what, found, why,
                   oldest == newest ? fmt::format("{}", newest)
                                    : fmt::format("{} to {}", oldest, newest)));
}

void ByteReader::fail(std::string message) {
  if (error_.empty()) error_ = std::move(message);
  rest_ = {};
}

Result<> ByteReader::status() const {
  if (!ok()) return Error{error_};
  return {};
}

Result<> ByteReader::finish() const {
  if (ok() && !rest_.empty()) {
    return Error{fmt::format("saved state has {} bytes too many", rest_.size())};
  }
  return status();
}

}  // namespace rein
