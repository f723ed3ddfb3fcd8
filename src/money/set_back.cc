// A clock that was wrong is set back. Windows that opened under it are merged into the window of the
// right time: their decisions were made then.
//
// No account may have more left afterwards than its window's amount. So what was topped up in the
// merged windows is dropped, and where a place of the right window was used again, so that nobody
// knows what it had spent, a hard budget has nothing left in it.
#include <algorithm>

#include "money/budgets.h"

namespace rein {
namespace {

constexpr std::int64_t kNoPeriod = -1;

}  // namespace

void WindowClock::set_back(std::int64_t now) {
  if (kind_ == Window::Kind::kRolling) return advance(0, now);
  if (kind_ != Window::Kind::kTicks || now >= first_) return;
  const std::int64_t windows = (first_ - now + length_ - 1) / length_;
  number_ = std::max<std::int64_t>(0, number_ - windows);
  first_ = std::max<std::int64_t>(0, first_ - windows * length_);
}

bool Accounts::set_back_slot(int slot, std::int64_t period, std::int64_t oldest, bool hard) {
  Slot& account = slots_[at(slot)];
  const auto begin = periods_.begin() + slot * rule_.kept;
  const std::span<Period> kept(begin, begin + rule_.kept);
  if (account.open <= period) {
    for (Period& each : kept) each.held = 0;
    return false;
  }
  const Period newest = place(slot, account.open), there = place(slot, period);
  const bool known = there.number == period;
  Period merged{.number = period, .topped = newest.topped, .spent = known ? there.spent : 0};
  MicroSum held = known ? there.held : 0;
  MicroSum others = 0;  // what the other buckets of a rolling window leave of its amount
  for (Period& each : kept) {
    if (each.number > period) {
      merged.spent += each.spent;
      held += each.held;
      each = {.number = kNoPeriod};
    } else if (each.number >= oldest && each.number != period) {
      others += each.limit - amount(slot) - each.spent;
    }
    each.held = 0;
  }
  merged.limit = std::min<MicroSum>(known ? there.limit : amount(slot), amount(slot));
  if (rule_.carry) {
    // What the newest window had left, without what later windows added to the chain; or what the
    // window of this time has left, where the amount changed meanwhile.
    const MicroSum chain = newest.limit - newest.spent - newest.held -
                           MicroSum{account.open - period} * amount(slot);
    const MicroSum here = known ? there.limit - merged.spent - held : MicroSum{amount(slot)};
    merged.limit = std::min(chain, here) + merged.spent;
  } else if (hard && !known && account.first <= period &&
             (rule_.rolling || there.number > period)) {
    const MicroSum left = merged.limit - merged.spent + (rule_.rolling ? others : 0);
    merged.limit -= std::max<MicroSum>(0, left);
  }
  place(slot, period) = merged;
  account.open = period;
  account.first = std::min(account.first, period);
  return rule_.carry;
}

std::vector<bool> Accounts::set_back(std::int64_t period, std::int64_t oldest, bool hard) {
  std::vector<bool> counted(at(size()));
  for (int slot = 0; slot < size(); ++slot) {
    counted[at(slot)] = set_back_slot(slot, period, oldest, hard);
  }
  now_ = period;
  oldest_ = oldest;
  return counted;
}

void Accounts::put_back(int slot, std::int64_t period, Micro amount, bool counted) {
  Period* own = find(slot, period);
  if (own == nullptr) return;
  own->held += amount;
  if (counted && period == now_) own->limit += amount;
}

void WeekProfile::set_back(std::int64_t second) {
  if (second < first_) {
    *this = {};
  } else if (started_) {
    week_ = std::min(week_, (second - first_) / kWeek);
  }
}

void Arrivals::set_back(const WindowPlace& place) {
  period_ = place.period;
  parts_ = {};
  now_ = keys_ = begin_ = in_tick_ = 0.0;
  tick_ = -1;
  part_ = 0;
  holes_ = {};
  closed_ = std::min(closed_, period_ - 1);
  if (place.calendar) week_.set_back(WeekProfile::local(place.at, place.first));
}

Budgets::SetBack Budgets::set_back(std::int64_t round, std::int64_t now) {
  SetBack back;
  round_ = round;
  now_ = now;
  for (int i = 0; i < size(); ++i) {
    Line& line = lines_[at(i)];
    line.clock.set_back(now);
    back.period[at(i)] = line.clock.period();
    grant(line, line.clock.period() - line.accounts.period());
    back.counted[at(i)] =
        line.accounts.set_back(line.clock.period(), line.clock.oldest(), line.hard());
    if (options_.paced) line.arrivals.set_back(place(line));
  }
  for (Dimension& dimension : dimensions_) look_again(dimension);
  return back;
}

void Budgets::put_back(const SetBack& back, Claim& claim) {
  for (int i = 0; i < size(); ++i) {
    Line& line = lines_[at(i)];
    std::int64_t& period = claim.periods[at(i)];
    period = std::min(period, back.period[at(i)]);
    if ((claim.waiting & bit(line.cost)) == 0 || !applies(i, claim.keys)) continue;
    const int account = slot(line, claim.keys);
    line.accounts.put_back(account, period, held(line, claim),
                           back.counted[at(i)][at(account)]);
  }
}

}  // namespace rein
