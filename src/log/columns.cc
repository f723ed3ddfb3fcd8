#include "log/columns.h"

#include <bit>
#include <cmath>
#include <limits>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/kernels.h"
#include "log/fast_number.h"

namespace rein {
namespace {

static_assert(std::endian::native == std::endian::little, "blocks are read as they are");

// One value for all; 1, 2 or 4 bytes each; 8 bytes each.
enum Form : std::uint64_t { kSame = 0, kByte = 1, kShort = 2, kInt = 4, kFull = 8 };
constexpr std::uint64_t kMostDecimals = 9;

// Whether value * 10^decimals is a whole number of 4 bytes that gives the value back.
bool decimal(double value, std::uint64_t decimals, std::int64_t& out) {
  const double scaled = std::nearbyint(value * kTens[decimals]);
  if (!(std::abs(scaled) <= 2147483647.0)) return false;
  out = static_cast<std::int64_t>(scaled);
  const double back = static_cast<double>(out) / kTens[decimals];
  return std::bit_cast<std::uint64_t>(back) == std::bit_cast<std::uint64_t>(value);
}

// The fewest decimals that hold all values, and the largest whole number; false if none do.
bool all_decimal(std::span<const double> values, std::uint64_t& decimals, std::int64_t& largest) {
  decimals = 0;
  for (const double value : values) {
    std::int64_t whole = 0;
    while (!decimal(value, decimals, whole)) {
      if (++decimals > kMostDecimals) return false;
    }
  }
  largest = 0;
  for (const double value : values) {
    std::int64_t whole = 0;
    if (!decimal(value, decimals, whole)) return false;
    largest = std::max(largest, std::abs(whole));
  }
  return true;
}

Form form_of(std::int64_t largest) {
  return largest <= 127 ? kByte : largest <= 32767 ? kShort : largest <= 2147483647 ? kInt : kFull;
}

template <class To, class From>
std::vector<To> narrow(std::span<const From> values, double scale) {
  std::vector<To> out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if constexpr (std::is_same_v<From, double>) {
      out[i] = static_cast<To>(std::nearbyint(values[i] * scale));
    } else {
      out[i] = static_cast<To>(values[i]);
    }
  }
  return out;
}

template <class From>
void widen(const char* bytes, std::size_t count, double scale, double* out) {
  constexpr std::size_t kStep = 64;
  From piece[kStep];
  for (std::size_t i = 0; i < count; i += kStep) {
    const std::size_t n = std::min(kStep, count - i);
    std::memcpy(piece, bytes + i * sizeof(From), n * sizeof(From));
    for (std::size_t j = 0; j < n; ++j) out[i + j] = static_cast<double>(piece[j]) / scale;
  }
}

template <class From, class To>
void widen_whole(const char* bytes, std::size_t count, std::vector<To>& out) {
  for (std::size_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, bytes + i * sizeof(From), sizeof(From));
    out[i] = static_cast<To>(value);  // NOLINT(bugprone-signed-char-misuse): a number
  }
}

std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

}  // namespace

std::uint64_t block_checksum(std::string_view payload, std::uint64_t place) {
  return XXH3_64bits_withSeed(payload.data(), payload.size(), place);
}

void ColumnsOut::raw(const void* from, std::size_t bytes) {
  out_.append(static_cast<const char*>(from), bytes);
  out_.append(padded(bytes) - bytes, '\0');
}
void ColumnsOut::word(std::uint64_t value) { raw(&value, sizeof value); }
void ColumnsOut::text(std::string_view text) {
  word(text.size());
  raw(text.data(), text.size());
}
void ColumnsOut::head(std::uint64_t form, std::uint64_t decimals, std::uint64_t count) {
  word(form | decimals << 8 | count << 16);
}

void ColumnsOut::numbers(std::span<const double> values) {
  const auto bits = [](double v) { return std::bit_cast<std::uint64_t>(v); };
  bool same = !values.empty();
  for (const double value : values) same = same && bits(value) == bits(values[0]);
  std::uint64_t decimals = 0;
  std::int64_t largest = 0;
  const Form form = same                                     ? kSame
                    : all_decimal(values, decimals, largest) ? form_of(largest)
                                                             : kFull;
  const bool divided = form != kSame && form != kFull;
  head(form, divided ? decimals : 0, values.size());
  if (form == kSame) return raw(values.data(), sizeof(double));
  if (form == kFull) return raw(values.data(), values.size_bytes());
  const double scale = kTens[decimals];
  if (form == kByte) {
    raw(narrow<std::int8_t>(values, scale).data(), values.size());
  } else if (form == kShort) {
    raw(narrow<std::int16_t>(values, scale).data(), 2 * values.size());
  } else {
    raw(narrow<std::int32_t>(values, scale).data(), 4 * values.size());
  }
}

void ColumnsOut::whole(std::span<const std::int64_t> values) {
  std::int64_t low = 0, high = 0;
  bool same = !values.empty();
  for (const std::int64_t value : values) {
    low = std::min(low, value);
    high = std::max(high, value);
    same = same && value == values[0];
  }
  const Form form = same ? kSame : low < -2147483647 ? kFull : form_of(std::max(-low, high));
  head(form, 0, values.size());
  if (form == kSame) return raw(values.data(), sizeof(std::int64_t));
  if (form == kFull) return raw(values.data(), values.size_bytes());
  if (form == kByte) {
    raw(narrow<std::int8_t>(values, 1.0).data(), values.size());
  } else if (form == kShort) {
    raw(narrow<std::int16_t>(values, 1.0).data(), 2 * values.size());
  } else {
    raw(narrow<std::int32_t>(values, 1.0).data(), 4 * values.size());
  }
}

void ColumnsOut::ids(std::span<const std::int32_t> values) {
  whole(std::vector<std::int64_t>(values.begin(), values.end()));
}

const char* ColumnsIn::take(std::size_t bytes) {
  if (!ok_ || rest_.size() < bytes || rest_.size() < padded(bytes)) {
    ok_ = false;
    return nullptr;
  }
  const char* const at = rest_.data();
  rest_.remove_prefix(padded(bytes));
  return at;
}

std::uint64_t ColumnsIn::word() {
  std::uint64_t value = 0;
  if (const char* at = take(sizeof value); at != nullptr) std::memcpy(&value, at, sizeof value);
  return value;
}

std::size_t ColumnsIn::length(std::size_t most) {
  const std::uint64_t found = word();
  if (found > most) ok_ = false;
  return ok_ ? static_cast<std::size_t>(found) : 0;
}

std::string_view ColumnsIn::text() {
  const std::size_t size = length(rest_.size());
  const char* const at = take(size);
  return at == nullptr ? std::string_view() : std::string_view(at, size);
}

bool ColumnsIn::head(std::size_t count, std::uint64_t& form, std::uint64_t& decimals) {
  const std::uint64_t found = word();
  form = found & 0xff;
  decimals = found >> 8 & 0xff;
  const bool known =
      form == kSame || form == kByte || form == kShort || form == kInt || form == kFull;
  if (found >> 16 != count || !known || decimals > kMostDecimals) ok_ = false;
  // Memory is only taken for what the payload can hold.
  if (form != kSame && count > rest_.size() / (form == kSame ? 1 : form)) ok_ = false;
  if (count > kMostBlockBytes / 8) ok_ = false;
  return ok_;
}

const char* ColumnsIn::column(std::size_t count, std::uint64_t& form, std::uint64_t& decimals) {
  if (!head(count, form, decimals)) return nullptr;
  return take(form == kSame ? sizeof(double) : form * count);
}

void ColumnsIn::numbers(std::size_t count, std::vector<double>& out, bool finite) {
  std::uint64_t form = 0, decimals = 0;
  const char* const at = column(count, form, decimals);
  out.resize(at == nullptr ? 0 : count);  // keeps the memory, whose numbers are all replaced
  if (at == nullptr) return;
  const double scale = kTens[decimals];
  if (form == kSame) {
    double value = 0.0;
    std::memcpy(&value, at, sizeof value);
    if (finite && !std::isfinite(value)) ok_ = false;
    std::fill(out.begin(), out.end(), value);
  } else if (form == kByte) {
    widen<std::int8_t>(at, count, scale, out.data());
  } else if (form == kShort) {
    kernels().divide_shorts(at, count, scale, out.data());
  } else if (form == kInt) {
    widen<std::int32_t>(at, count, scale, out.data());
  } else {
    std::memcpy(out.data(), at, count * sizeof(double));
    for (const double value : out) {
      if (finite && !std::isfinite(value)) ok_ = false;
    }
  }
}

void ColumnsIn::whole(std::size_t count, std::vector<std::int64_t>& out) {
  std::uint64_t form = 0, decimals = 0;
  const char* const at = column(count, form, decimals);
  out.resize(at == nullptr ? 0 : count);
  if (at == nullptr) return;
  if (form == kSame) {
    std::int64_t value = 0;
    std::memcpy(&value, at, sizeof value);
    std::fill(out.begin(), out.end(), value);
  } else if (form == kByte) {
    widen_whole<std::int8_t>(at, count, out);
  } else if (form == kShort) {
    widen_whole<std::int16_t>(at, count, out);
  } else if (form == kInt) {
    widen_whole<std::int32_t>(at, count, out);
  } else {
    std::memcpy(out.data(), at, count * sizeof(std::int64_t));
  }
}

void ColumnsIn::ids(std::size_t count, std::int64_t below, std::vector<std::int32_t>& out) {
  std::vector<std::int64_t> wide;
  whole(count, wide);
  out.resize(wide.size());
  for (std::size_t i = 0; i < wide.size(); ++i) {
    if (wide[i] < 0 || wide[i] >= below) ok_ = false;
    out[i] = static_cast<std::int32_t>(wide[i]);
  }
}

}  // namespace rein
