// Reads a decimal number from the middle of a line, exactly as std::from_chars does. Most numbers in
// logs have few digits, and these need no more than a multiplication or a division.
#pragma once

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace rein {

// Bytes that can be read after the end of a line, whatever they are.
inline constexpr std::size_t kLinePadding = 64;

// Exact powers of ten.
inline constexpr double kTens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

inline constexpr std::uint64_t kWholeTens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};

// 1 if the byte is a minus, else 0, without a branch: signs are as hard to predict as coins.
inline std::uint64_t is_minus(char c) {
  return ((static_cast<std::uint32_t>(static_cast<unsigned char>(c)) ^ std::uint32_t{'-'}) - 1U) >>
         31U;
}

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

inline const char* read_and_compare(const char* at, const char* end, double& out, bool& zero) {
  const char* const stop = read_number(at, end, out);
  zero = stop != nullptr && out == 0.0;
  return stop;
}

// Reads a number where kLinePadding bytes after `end` can be read, and *end is no part of a number.
// There are no branches for the sign and for up to seven digits after the point. `zero` says
// whether the number is 0, which is known before its value.
[[gnu::always_inline]] inline const char* read_padded(const char* at, const char* end, double& out,
                                                      bool& zero) {
  const char* const start = at;
  const std::uint64_t minus = is_minus(*at);
  at += minus;
  std::uint64_t whole = static_cast<unsigned char>(*at - '0');
  if (whole >= 10) return read_and_compare(start, end, out, zero);
  ++at;
  while (static_cast<unsigned char>(*at - '0') < 10) {
    whole = whole * 10 + static_cast<unsigned char>(*at++ - '0');
    if (at - start > 8) return read_and_compare(start, end, out, zero);
  }
  std::uint64_t digits = 0;
  std::size_t count = 0;
  if (std::endian::native == std::endian::little && *at == '.') {
    std::memcpy(&digits, at + 1, sizeof digits);
    digits ^= 0x3030303030303030U;  // a digit is now 0 to 9
    const std::uint64_t other = (digits + 0x7676767676767676U) | digits;
    count = static_cast<std::size_t>(std::countr_zero(other & 0x8080808080808080U)) / 8;
    if (count == 0 || count >= 8) return read_and_compare(start, end, out, zero);
    digits <<= 64 - 8 * count;  // the digits are the last bytes, zeros come before them
    digits = digits * 10 + (digits >> 8);
    digits = (((digits & 0x000000FF000000FFU) * 0x000F424000000064U) +
              (((digits >> 16) & 0x000000FF000000FFU) * 0x0000271000000001U)) >>
             32;
    at += count + 1;
  }
  if ((*at | 0x20) == 'e' || *at == '.') return read_and_compare(start, end, out, zero);
  digits += whole * kWholeTens[count];
  zero = digits == 0;
  const double value = static_cast<double>(static_cast<std::int64_t>(digits)) / kTens[count];
  out = std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) | (minus << 63));
  return at;
}

// Reads the whole word from `at` to `end` as a number; returns false if the word is no number. Most
// numbers are like `0.1234`, one digit and up to seven decimals, and need no loop. Eight bytes
// after `end` can be read.
[[gnu::always_inline]] inline bool read_word(const char* at, const char* end, double& out,
                                             bool& zero) {
  const std::uint64_t minus = is_minus(*at);
  const char* const first = at + minus;
  const auto decimals = static_cast<std::uint64_t>(end - first - 2);
  const auto whole = static_cast<unsigned char>(*first - '0');
  std::uint64_t digits = 0;
  std::memcpy(&digits, first + 2, sizeof digits);
  if (std::endian::native == std::endian::little && decimals - 1 < 7 && first[1] == '.' &&
      whole < 10) [[likely]] {
    digits = (digits ^ 0x3030303030303030U) << (64 - 8 * decimals);
    if ((((digits + 0x7676767676767676U) | digits) & 0x8080808080808080U) == 0) [[likely]] {
      digits = digits * 10 + (digits >> 8);
      digits = (((digits & 0x000000FF000000FFU) * 0x000F424000000064U) +
                (((digits >> 16) & 0x000000FF000000FFU) * 0x0000271000000001U)) >>
               32;
      digits += whole * kWholeTens[decimals];
      zero = digits == 0;
      const double value = static_cast<double>(static_cast<std::int64_t>(digits)) / kTens[decimals];
      out = std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) | (minus << 63));
      return true;
    }
  }
  return read_and_compare(at, end, out, zero) == end && at < end;
}

}  // namespace rein
