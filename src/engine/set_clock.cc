// Sets a wrong clock back, so that the open windows are those of the right time again.
//
// Decisions that were made under the wrong clock count as made now. What they spent and hold counts in
// the window of the new time, so that setting the clock back grants no money (money/set_back.cc).
#include <fmt/format.h>

#include <algorithm>

#include "base/size.h"
#include "engine/heart.h"
#include "money/calendar.h"

namespace rein {

Result<> Engine::Heart::set_clock(std::int64_t to) {
  change = Change::kNothing;
  ClockRecord record{.now = to, .opened = {}};
  for (int i = 0; i < budgets.size() && to < now; ++i) {
    const WindowClock& clock = budgets.clock(i);
    if (!budgets.budget(i).window.calendar() || !clock.opened() || clock.first() <= to) continue;
    const CalendarWindow before{clock.period(), clock.first(), clock.last()};
    auto window = calendar_window(budgets.budget(i).window, to, &before);
    if (!window) return window.failure();
    // Numbers begin with the first window. A window before it gets the same number 0.
    window.value().number = std::max<std::int64_t>(0, window.value().number);
    record.opened.push_back({i, window.value()});
  }
  return fold(record);
}

Result<> Engine::Heart::check_clock(const ClockRecord& record) const {
  if (record.now >= now || record.now < 0) {
    return Error{fmt::format("clock: found {}; accepted: 0 to {}; tick() moves it forward",
                             record.now, now - 1)};
  }
  std::uint32_t opened = 0;
  for (const TickRecord::Opened& opening : record.opened) {
    const bool known = opening.budget >= 0 && opening.budget < budgets.size() &&
                       budgets.budget(opening.budget).window.calendar() &&
                       (opened >> opening.budget & 1U) == 0;
    const bool right = known && opening.window.number >= 0 &&
                       opening.window.number <= budgets.clock(opening.budget).period() &&
                       opening.window.first <= record.now && record.now <= opening.window.last;
    if (!right) {
      return Error{fmt::format("clock: found a window of budget {} that does not contain {}",
                               opening.budget, record.now)};
    }
    opened |= 1U << opening.budget;
  }
  for (int i = 0; i < budgets.size(); ++i) {
    const WindowClock& clock = budgets.clock(i);
    const bool later =
        budgets.budget(i).window.calendar() && clock.opened() && clock.first() > record.now;
    if (later != ((opened >> i & 1U) != 0)) {
      return Error{fmt::format("clock: accepted: the window of budget \"{}\" if it is a later one",
                               budgets.budget(i).name)};
    }
  }
  return {};
}

Result<> Engine::Heart::fold(const ClockRecord& record) {
  change = Change::kNothing;
  if (auto ok = check_clock(record); !ok) return ok;
  now = record.now;
  open.set_back(now);
  runs.set_back(now);
  for (const TickRecord::Opened& opened : record.opened) {
    budgets.open_window(opened.budget, opened.window);
  }
  if (!budgets.empty()) {
    const Budgets::SetBack back = budgets.set_back(static_cast<std::int64_t>(decided_count), now);
    for (std::int32_t slot = open.oldest(); slot >= 0; slot = open[slot].newer) {
      budgets.put_back(back, open.claim(slot));
    }
    for (auto& [number, claim] : expired_claims) budgets.put_back(back, claim);
  }
  last_clock = record;
  change = Change::kClock;
  return {};
}

}  // namespace rein
