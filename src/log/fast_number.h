// Reads a decimal number from the middle of a line, exactly as std::from_chars does. Most numbers in
// logs have few digits, and these need no more than a multiplication or a division.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>

namespace rein {

// Bytes that can be read after the end of a line, whatever they are.
inline constexpr std::size_t kLinePadding = 64;

// Exact powers of ten.
inline constexpr double kTens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Reads a number at `at` and returns its end; nullptr if there is none, or if it is not finite.
inline const char* read_number(const char* at, const char* end, double& out) {
  const char* const start = at;
  const bool minus = at < end && *at == '-';
  if (minus || (at < end && *at == '+')) ++at;
  std::uint64_t digits = 0;
  const char* const first = at;
  while (at < end && static_cast<unsigned char>(*at - '0') < 10) {
    digits = digits * 10 + static_cast<unsigned char>(*at++ - '0');
  }
  auto count = at - first;
  std::ptrdiff_t decimals = 0;
  if (at < end && *at == '.') {
    const char* const point = ++at;
    while (at < end && static_cast<unsigned char>(*at - '0') < 10) {
      digits = digits * 10 + static_cast<unsigned char>(*at++ - '0');
    }
    decimals = at - point;
    count += decimals;
  }
  const bool exponent = at < end && (*at == 'e' || *at == 'E');
  // Up to 2^53 the digits are exact; so are the powers of ten, and one division rounds once.
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  if (count > 0 && count <= 19 && digits <= kExact && !exponent) [[likely]] {
    const double value = static_cast<double>(static_cast<std::int64_t>(digits)) / kTens[decimals];
    out = minus ? -value : value;
    return at;
  }
  const char* from = start < end && *start == '+' ? start + 1 : start;
  if (from > start && from < end && *from == '-') return nullptr;
  const auto [stop, code] = std::from_chars(from, end, out);
  return code == std::errc() && std::isfinite(out) ? stop : nullptr;
}

}  // namespace rein
