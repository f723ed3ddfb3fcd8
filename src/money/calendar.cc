#include "money/calendar.h"

#include <date/date.h>

#include <chrono>
#include <tuple>
#include <utility>

#include "money/zone.h"

namespace rein {
namespace {

using std::chrono::seconds;

// The first local day of the period that contains a day, and the first day of the next period.
std::pair<date::local_days, date::local_days> period_of(Window::Kind kind, date::local_days day) {
  if (kind == Window::Kind::kDay) return {day, day + date::days{1}};
  if (kind == Window::Kind::kWeek) {
    const date::local_days monday = day - (date::weekday{day} - date::Monday);
    return {monday, monday + date::weeks{1}};
  }
  const date::year_month_day found{day};
  const date::year_month month{found.year(), found.month()};
  return {date::local_days{month / 1}, date::local_days{(month + date::months{1}) / 1}};
}

// How many periods lie between two local days, each the first of its period.
std::int64_t periods_between(Window::Kind kind, date::local_days from, date::local_days to) {
  if (kind == Window::Kind::kDay) return (to - from).count();
  if (kind == Window::Kind::kWeek) return (to - from).count() / 7;
  const date::year_month_day a{from}, b{to};
  return (b.year() / b.month() - a.year() / a.month()).count();
}

// The second at which a local day begins. Where the clock jumps over midnight, the day begins with
// the jump; where midnight comes twice, with the first.
std::int64_t begins(const Zone& zone, date::local_days day) {
  return zone.first_second_of(date::local_seconds{day}.time_since_epoch().count());
}

}  // namespace

Result<> check_zone(const std::string& zone) {
  if (auto found = Zone::named(zone); !found) return found.failure();
  return {};
}

Result<CalendarWindow> calendar_window(const Window& window, std::int64_t now,
                                       const CalendarWindow* before) {
  const auto zone = Zone::named(window.zone);
  if (!zone) return zone.failure();
  const auto local_day = [&](std::int64_t second) {
    const seconds local{second + zone.value().offset_at(second)};
    return date::floor<date::days>(date::local_seconds{local});
  };
  auto [first, next] = period_of(window.kind, local_day(now));
  // Where midnight comes twice, the hours between belong to the day that has begun.
  if (begins(zone.value(), next) <= now) std::tie(first, next) = period_of(window.kind, next);
  CalendarWindow found{0, begins(zone.value(), first), begins(zone.value(), next) - 1};
  if (before != nullptr) {
    const auto was = period_of(window.kind, local_day(before->first)).first;
    found.number = before->number + periods_between(window.kind, was, first);
  }
  return found;
}

}  // namespace rein
