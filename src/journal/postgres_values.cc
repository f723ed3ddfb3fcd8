#include "journal/postgres_values.h"

#include <cstdlib>

#include "base/check.h"

namespace rein::postgres {
namespace {

// Numbers of types in PostgreSQL's catalogue; they never change.
constexpr std::uint32_t kByteaType = 17, kBigintType = 20, kTextType = 25;

// The protocol has the most significant byte first.
template <class Number>
void put(std::string& out, Number value) {
  for (int shift = static_cast<int>(sizeof(Number)) * 8 - 8; shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> shift));
  }
}

std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t length) {
  check(at + length <= bytes.size(), "a value of PostgreSQL is shorter than its type");
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < length; ++i) {
    value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

// An array of one dimension: its head, and then for each element its length and its bytes.
std::string array_head(std::uint32_t type, std::size_t count) {
  std::string out;
  put<std::uint32_t>(out, count == 0 ? 0 : 1);  // dimensions
  put<std::uint32_t>(out, 0);                   // no element is null
  put<std::uint32_t>(out, type);
  if (count == 0) return out;
  put<std::uint32_t>(out, static_cast<std::uint32_t>(count));
  put<std::uint32_t>(out, 1);  // the index of the first
  return out;
}

template <class Texts>
std::string array_of(std::uint32_t type, const Texts& values) {
  std::string out = array_head(type, values.size());
  std::size_t bytes = out.size();
  for (const std::string_view value : values) bytes += 4 + value.size();
  out.reserve(bytes);
  for (const std::string_view value : values) {
    put<std::uint32_t>(out, static_cast<std::uint32_t>(value.size()));
    out += value;
  }
  return out;
}

template <class Take>
void elements(std::string_view array, const Take& take) {
  if (number_at(array, 0, 4) == 0) return;
  const std::uint64_t count = number_at(array, 12, 4);
  std::size_t at = 20;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::size_t length = number_at(array, at, 4);
    check(at + 4 + length <= array.size(), "an array of PostgreSQL is shorter than it says");
    take(array.substr(at + 4, length));
    at += 4 + length;
  }
}

}  // namespace

Values& Values::add(std::string owned) {
  parts_.push_back({.owned = std::move(owned), .view = {}});
  return *this;
}

Values& Values::number(std::int64_t value) {
  std::string out;
  put(out, static_cast<std::uint64_t>(value));
  return add(std::move(out));
}

Values& Values::number_or_null(std::optional<std::int64_t> value) {
  if (value) return number(*value);
  parts_.push_back({.owned = {}, .view = {}, .is_view = false, .is_null = true});
  return *this;
}

Values& Values::text(std::string_view value) { return add(std::string(value)); }

Values& Values::bytes(std::string_view value) {
  parts_.push_back({.owned = {}, .view = value, .is_view = true});
  return *this;
}

Values& Values::numbers(std::span<const std::int64_t> values) {
  std::string out = array_head(kBigintType, values.size());
  for (const std::int64_t value : values) {
    put<std::uint32_t>(out, 8);
    put(out, static_cast<std::uint64_t>(value));
  }
  return add(std::move(out));
}

Values& Values::texts(std::span<const std::string> values) {
  return add(array_of(kTextType, values));
}

Values& Values::many_bytes(std::span<const std::string_view> values) {
  return add(array_of(kByteaType, values));
}

std::vector<const char*> Values::pointers() const {
  std::vector<const char*> found;
  for (const Part& part : parts_) {
    // An empty view may have no address, which would mean null.
    const char* at = part.is_view ? part.view.data() : part.owned.data();
    found.push_back(part.is_null ? nullptr : (at == nullptr ? "" : at));
  }
  return found;
}

std::vector<int> Values::lengths() const {
  std::vector<int> found;
  for (const Part& part : parts_) {
    found.push_back(static_cast<int>(part.is_view ? part.view.size() : part.owned.size()));
  }
  return found;
}

std::string_view Rows::bytes(int row, int column) const {
  check(!is_null(row, column), "a value of PostgreSQL is null");
  return {PQgetvalue(result_.get(), row, column),
          static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

std::int64_t Rows::number(int row, int column) const {
  return static_cast<std::int64_t>(number_at(bytes(row, column), 0, 8));
}

bool Rows::truth(int row, int column) const { return number_at(bytes(row, column), 0, 1) != 0; }

std::vector<std::int64_t> Rows::numbers(int row, int column) const {
  std::vector<std::int64_t> found;
  elements(bytes(row, column), [&](std::string_view value) {
    found.push_back(static_cast<std::int64_t>(number_at(value, 0, 8)));
  });
  return found;
}

std::vector<std::string> Rows::texts(int row, int column) const {
  std::vector<std::string> found;
  elements(bytes(row, column), [&](std::string_view value) { found.emplace_back(value); });
  return found;
}

std::int64_t Rows::touched() const {
  return result_ ? std::strtoll(PQcmdTuples(result_.get()), nullptr, 10) : 0;
}

}  // namespace rein::postgres
