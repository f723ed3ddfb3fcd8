// How fast the budgets let money be spent.
//
//     pace = what is left of the window / decisions that it still brings
//
// What is left is limit - spent - held. A rolling window has no end: within an eighth of it, it may
// spend what is left and what leaves it by then, but at most 1.25 times its amount over its length.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "money/budgets.h"

namespace rein {
namespace {

constexpr double kRecent = 200.0;      // decisions that a share is taken over
constexpr double kMostOfOthers = 8.0;  // times its pace that a budget for everybody may give
constexpr double kSoonest = 1.25;  // of its amount, that a rolling window may spend in its length
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double in_units(MicroSum sum, double coins) { return static_cast<double>(as_micro(sum)) / coins; }

}  // namespace

WindowPlace Budgets::place(const Line& line) const {
  const Window& window = line.budget.window;
  const WindowClock& clock = line.clock;
  switch (window.kind) {
    case Window::Kind::kRun:
      return {false, clock.period(), clock.first(), std::max<std::int64_t>(line.budget.rounds, 1),
              round_};
    case Window::Kind::kRounds:
      return {false, clock.period(), clock.first(), window.length, round_};
    case Window::Kind::kRolling:
      return {true, now_ / window.length, now_ / window.length * window.length, window.length,
              now_};
    case Window::Kind::kTicks:
      return {true, clock.period(), clock.first(), clock.last() - clock.first() + 1, now_};
    default:
      return {.timed = true,
              .period = clock.period(),
              .first = clock.first(),
              .length = clock.last() - clock.first() + 1,
              .at = now_,
              .calendar = true};
  }
}

Budgets::Pace Budgets::rolling_pace(const Line& line, int account, Micro amount, double left) const {
  const std::int64_t length = line.budget.window.length;
  const std::int64_t soon = std::max<std::int64_t>(length / 8, 1);
  const std::int64_t first = std::max<std::int64_t>(0, now_ + soon - length + 1);
  const WindowPlace place = this->place(line);
  const auto bring = [&](std::int64_t ticks) {
    return line.dimension < 0 ? line.arrivals.soon(place, ticks)
                              : line.arrivals.soon_of(account, place, ticks);
  };
  if (account != Keys::kNone) {
    left += in_units(line.accounts.leaving(account, first / line.clock.bucket_ticks()), line.coins);
  }
  const double all = kSoonest * in_units(amount, line.coins) / bring(length);
  const double rounds = bring(soon);
  return {std::clamp(left / rounds, 0.0, all), bring(length), kInfinity, false};
}

// With b times its pace for all but the decisions that are held back, all of it is spent:
// b (1 - tighter) + tighter_spend = 1.
double Budgets::share_of_others(const Line& line) {
  const double rest = std::max(1.0 - line.tighter, 1e-9);
  return std::clamp((1.0 - line.tighter_spend) / rest, 1.0, kMostOfOthers);
}

void Budgets::note_keys(const ScopeKeys& keys) {
  for (int i = 0; i < size(); ++i) {
    Line& all = lines_[at(i)];
    if (all.dimension >= 0) continue;
    double key = kInfinity;  // the tightest pace of a key
    for (int j = 0; j < size(); ++j) {
      if (cost(j) != all.cost || lines_[at(j)].dimension < 0 || !applies(j, keys)) continue;
      key = std::min(key, plain_pace(j, keys, Costs(kMaxCosts)).pace);
    }
    const double own = plain_pace(i, keys, Costs(kMaxCosts)).pace;
    const bool less = own > 0.0 && own < kInfinity && key < share_of_others(all) * own;
    all.tighter += ((less ? 1.0 : 0.0) - all.tighter) / kRecent;
    all.tighter_spend += ((less ? key / own : 0.0) - all.tighter_spend) / kRecent;
  }
}

Budgets::Pace Budgets::pace(int i, const ScopeKeys& keys, const Costs& expected) const {
  Pace found = plain_pace(i, keys, expected);
  if (nested_ && lines_[at(i)].dimension < 0) found.pace *= share_of_others(lines_[at(i)]);
  return found;
}

Budgets::Pace Budgets::plain_pace(int i, const ScopeKeys& keys, const Costs& expected) const {
  const Line& line = lines_[at(i)];
  const int account = slot(line, keys);
  const Micro amount =
      account == Keys::kNone ? amount_of(line, keys) : line.accounts.amount(account);
  Accounts::Balance balance = account == Keys::kNone ? Accounts::Balance{amount, 0, 0}
                                                     : line.accounts.balance(account);
  if (line.hard() && line.dimension < 0) {
    const double open = line.coins * std::clamp(expected[line.cost], 0.0,
                                                static_cast<double>(kMaxMicro) / line.coins);
    balance.held = std::min<MicroSum>(balance.held, static_cast<Micro>(open));
  }
  const double left = in_units(balance.left(), line.coins);
  if (line.budget.window.kind == Window::Kind::kRolling) return rolling_pace(line, account, amount, left);
  const WindowPlace place = this->place(line);
  const bool run = line.budget.window.kind == Window::Kind::kRun;
  if (run && line.budget.rounds == 0) return {kInfinity, kInfinity, left, false};
  if (run && place.at - place.first >= place.length) {
    // The run is longer than its number of rounds: the amount grows at the same rate, and debts are
    // paid within a quarter of the run.
    const auto length = static_cast<double>(place.length);
    const double rate = in_units(amount, line.coins) / length;
    const double amount_since = rate * (static_cast<double>(place.at - place.first) - length);
    return {std::max(0.0, rate + (left + amount_since) / (0.25 * length)), 0.0, kInfinity, true};
  }
  const double rounds =
      line.dimension < 0 ? line.arrivals.left(place) : line.arrivals.left_of(account, place);
  return {std::max(left, 0.0) / rounds, rounds, std::max(left, 0.0), false};
}

void Budgets::paces(const ScopeKeys& keys, const Costs& expected, Paces& out) const {
  std::fill_n(out.pace.begin(), costs_, kInfinity);
  std::fill_n(out.left.begin(), costs_, kInfinity);
  for (int i = 0; i < size(); ++i) {
    if (!applies(i, keys)) continue;
    const Pace found = pace(i, keys, expected);
    double& tightest = out.pace[at(cost(i))];
    double& left = out.left[at(cost(i))];
    tightest = std::min(tightest, found.pace);
    left = std::min(left, found.left);
  }
}

void Budgets::see_holes() {
  for (Line& line : lines_) line.arrivals.see_holes();
}

Result<> Budgets::set_rounds(int i, double rounds) {
  Line& line = lines_[at(i)];
  const bool whole = rounds >= 1.0 && rounds <= 0x1p53 && std::floor(rounds) == rounds;
  if (!options_.paced || line.budget.window.kind == Window::Kind::kRounds || !whole) {
    return Error::of(
        "budget",
        fmt::format(
            "budget \"{}\": found {} rounds; accepted: 1 to 2^53, for a window that does not count "
            "rounds itself, in an engine whose policy has no budget of its own",
            line.budget.name, rounds));
  }
  line.budget.rounds = static_cast<std::int64_t>(rounds);
  line.arrivals.expect(line.budget.rounds);
  return {};
}

}  // namespace rein
