// Times as texts: exact to the nanosecond.
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "log/row_buffer.h"

namespace rein {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kLastSecond = 9'000'000'000;  // the year 2255

// Up to nine digits after the point, as nanoseconds. False for anything else.
bool read_fraction(std::string_view digits, std::int64_t& out) {
  if (digits.empty() || digits.size() > 9) return false;
  out = 0;
  for (std::size_t i = 0; i < 9; ++i) {
    const char c = i < digits.size() ? digits[i] : '0';
    if (c < '0' || c > '9') return false;
    out = out * 10 + (c - '0');
  }
  return true;
}

bool read_whole(std::string_view text, std::int64_t& out) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  return code == std::errc() && end == text.data() + text.size();
}

// Days since 1970 of a date of the Gregorian calendar.
std::int64_t days_of(std::int64_t year, std::int64_t month, std::int64_t day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t of_era = year - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

std::string fraction_text(std::int64_t nanoseconds) {
  if (nanoseconds == 0) return {};
  std::string text = fmt::format(".{:09}", nanoseconds);
  while (text.back() == '0') text.pop_back();
  return text;
}

// Seconds, rounded down, and the rest.
std::array<std::int64_t, 2> split(std::int64_t nanoseconds) {
  std::int64_t seconds = nanoseconds / kSecond;
  if (nanoseconds % kSecond < 0) --seconds;
  return {seconds, nanoseconds - seconds * kSecond};
}

}  // namespace

bool read_seconds(std::string_view text, std::int64_t& nanoseconds) {
  const std::size_t point = text.find('.');
  std::int64_t seconds = 0, rest = 0;
  if (!read_whole(text.substr(0, point), seconds) || seconds > kLastSecond ||
      seconds < -kLastSecond) {
    return false;
  }
  if (point != std::string_view::npos && !read_fraction(text.substr(point + 1), rest)) return false;
  nanoseconds = seconds * kSecond + (text.starts_with('-') ? -rest : rest);
  return true;
}

bool read_timestamp(std::string_view text, std::int64_t& nanoseconds) {
  constexpr std::size_t kHead = 19;  // 2026-01-01T00:00:00
  if (text.size() < kHead + 1 || text.back() != 'Z') return false;
  if (text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != ' ') || text[13] != ':' ||
      text[16] != ':') {
    return false;
  }
  std::array<std::int64_t, 6> part{};
  constexpr std::array<std::size_t, 6> kAt = {0, 5, 8, 11, 14, 17};
  constexpr std::array<std::int64_t, 6> kLow = {1700, 1, 1, 0, 0, 0};
  constexpr std::array<std::int64_t, 6> kHigh = {2250, 12, 31, 23, 59, 60};
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (!read_whole(text.substr(kAt[i], i == 0 ? 4 : 2), part[i])) return false;
    if (part[i] < kLow[i] || part[i] > kHigh[i]) return false;
  }
  const std::string_view rest = text.substr(kHead, text.size() - kHead - 1);
  std::int64_t fraction = 0;
  if (!rest.empty() && (rest[0] != '.' || !read_fraction(rest.substr(1), fraction))) return false;
  const std::int64_t day = days_of(part[0], part[1], part[2]);
  nanoseconds = (day * 86400 + part[3] * 3600 + part[4] * 60 + part[5]) * kSecond + fraction;
  return true;
}

std::string write_seconds(std::int64_t nanoseconds) {
  if (nanoseconds < 0) {
    return fmt::format("-{}{}", -(nanoseconds / kSecond), fraction_text(-(nanoseconds % kSecond)));
  }
  return fmt::format("{}{}", nanoseconds / kSecond, fraction_text(nanoseconds % kSecond));
}

std::string write_timestamp(std::int64_t nanoseconds) {
  const auto [seconds, rest] = split(nanoseconds);
  std::int64_t days = seconds / 86400;
  if (seconds % 86400 < 0) --days;
  const std::int64_t of_day = seconds - days * 86400;
  const std::int64_t z = days + 719468;
  const std::int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  const std::int64_t of_era = z - era * 146097;
  const std::int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const std::int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
  const std::int64_t m = (5 * of_year + 2) / 153;
  const std::int64_t month = m < 10 ? m + 3 : m - 9;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}Z",
                     year + era * 400 + (month <= 2 ? 1 : 0), month,
                     of_year - (153 * m + 2) / 5 + 1, of_day / 3600, of_day / 60 % 60, of_day % 60,
                     fraction_text(rest));
}

}  // namespace rein
