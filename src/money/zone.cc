#include "money/zone.h"

#include <date/tz.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <utility>

namespace rein {
namespace {

using std::chrono::seconds;
constexpr std::int64_t kHour = 3600, kDay = 24 * kHour;

// The last line of a file of the system's time zone database; empty if it has none.
std::string rule_of_file(const std::string& name) {
  for (const char* folder : {"/usr/share/zoneinfo/", "/usr/share/lib/zoneinfo/"}) {
    std::ifstream file(folder + name, std::ios::binary);
    if (!file) continue;
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    if (!bytes.starts_with("TZif") || !bytes.ends_with('\n')) return {};
    const std::size_t begin = bytes.rfind('\n', bytes.size() - 2);
    return begin == std::string::npos ? "" : bytes.substr(begin + 1, bytes.size() - begin - 2);
  }
  return {};
}

std::int64_t day_number(date::local_days day) { return day.time_since_epoch().count(); }

}  // namespace

// Reads a rule from left to right. After the first failure `sound` is false.
class PosixText {
 public:
  explicit PosixText(std::string_view text) : rest_(text) {}

  std::optional<PosixRule> rule() {
    PosixRule rule;
    name();
    rule.standard_ = -time();
    if (!rest_.empty()) {
      rule.has_summer_ = true;
      name();
      const bool given = !rest_.empty() && rest_.front() != ',';
      rule.summer_ = given ? -time() : rule.standard_ + kHour;
      rule.begins_ = moment();
      rule.ends_ = moment();
    }
    if (!sound_ || !rest_.empty()) return std::nullopt;
    return rule;
  }

 private:
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void name() {
    const bool quoted = take('<');
    std::size_t n = 0;
    const auto inside = [&](char c) {
      return quoted ? c != '>' : (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    };
    while (n < rest_.size() && inside(rest_[n])) ++n;
    sound_ = sound_ && n >= 3;
    rest_.remove_prefix(n);
    if (quoted) sound_ = take('>') && sound_;
  }
  int number() {
    std::size_t n = 0;
    int value = 0;
    for (; n < rest_.size() && n < 3 && rest_[n] >= '0' && rest_[n] <= '9'; ++n) {
      value = value * 10 + (rest_[n] - '0');
    }
    sound_ = sound_ && n > 0;
    rest_.remove_prefix(n);
    return value;
  }
  std::int64_t time() {
    const bool minus = take('-');
    if (!minus) take('+');
    std::int64_t value = number() * kHour;
    if (take(':')) value += number() * 60;
    if (take(':')) value += number();
    return minus ? -value : value;
  }
  PosixRule::Moment moment() {
    PosixRule::Moment found;
    sound_ = take(',') && sound_;
    if (take('M')) {
      found.month = number();
      sound_ = take('.') && sound_;
      found.week = number();
      sound_ = take('.') && sound_;
      found.day = number();
      const bool real = found.month >= 1 && found.month <= 12 && found.week >= 1 &&
                        found.week <= 5 && found.day <= 6;
      sound_ = sound_ && real;
    } else {
      found.form = take('J') ? 'J' : 'N';
      found.day = number();
      sound_ = sound_ && found.day <= 365 && (found.form == 'N' || found.day >= 1);
    }
    if (take('/')) found.second = time();
    return found;
  }

  std::string_view rest_;
  bool sound_ = true;
};

std::optional<PosixRule> PosixRule::parse(std::string_view text) { return PosixText(text).rule(); }

std::int64_t PosixRule::Moment::in_year(int year) const {
  using namespace date;
  const date::year y{year};
  local_days found{};
  if (form != 'M') {
    const bool leap_day_before = form == 'J' && y.is_leap() && day > 59;
    found = local_days{y / January / 1} + days{day - (form == 'J' ? 1 : 0) + leap_day_before};
  } else {
    const date::month m{static_cast<unsigned>(month)};
    const date::weekday w{static_cast<unsigned>(day)};
    found = week == 5 ? local_days{y / m / w[last]}
                      : local_days{y / m / w[static_cast<unsigned>(week)]};
  }
  return day_number(found) * kDay + second;
}

// The last change up to this second says what holds. Changes of the years around are looked at, so that
// neither hemispheres nor times outside of their day need a case of their own.
std::int64_t PosixRule::offset_at(std::int64_t second) const {
  if (!has_summer_) return standard_;
  const auto days = date::floor<date::days>(date::sys_seconds{seconds{second}});
  const int year = static_cast<int>(date::year_month_day{days}.year());
  std::pair<std::int64_t, std::int64_t> newest{INT64_MIN, standard_};
  for (const int y : {year - 1, year, year + 1}) {
    const std::pair summer{begins_.in_year(y) - standard_, summer_};
    const std::pair winter{ends_.in_year(y) - summer_, standard_};
    for (const auto& change : {summer, winter}) {
      if (change.first <= second && change.first > newest.first) newest = change;
    }
  }
  return newest.second;
}

Result<Zone> Zone::named(const std::string& name) {
  Zone zone;
  try {
    zone.listed_ = date::locate_zone(name);
  } catch (const std::exception&) {
    return Error::of(
        "budgets", fmt::format("window: found time zone \"{}\"; accepted: a name that the system's "
                               "time zone database has, such as UTC or Europe/Berlin",
                               name));
  }
  zone.rule_ = PosixRule::parse(rule_of_file(zone.listed_->name()));
  return zone;
}

std::int64_t Zone::offset_at(std::int64_t second) const {
  const date::sys_info info = listed_->get_info(date::sys_seconds{seconds{second}});
  // The end of what no listed change ends lies thousands of years ahead.
  constexpr std::int64_t kNoChange = std::int64_t{1} << 36;  // the year 4147
  const bool listed = info.end.time_since_epoch().count() < kNoChange;
  return listed || !rule_ ? info.offset.count() : rule_->offset_at(second);
}

// Offsets are at most 26 hours, and clocks move at most once within the two days around.
std::int64_t Zone::first_second_of(std::int64_t local) const {
  std::int64_t low = local - 2 * kDay, high = local + 2 * kDay;
  const std::int64_t before = offset_at(low), after = offset_at(high);
  if (before == after) return local - before;
  while (high - low > 1) {  // the second of the change
    const std::int64_t middle = low + (high - low) / 2;
    (offset_at(middle) == before ? low : high) = middle;
  }
  if (local - before < high) return local - before;
  return std::max(local - after, high);
}

}  // namespace rein
