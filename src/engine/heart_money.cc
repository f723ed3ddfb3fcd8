// The budgets of an engine: what a decision holds, windows and changes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/size.h"
#include "engine/heart.h"
#include "money/calendar.h"

namespace rein {
void Engine::Heart::find_holds(const DecideRecord& decided, Holds& holds) const {
  const auto& ids = decided.round.ids;
  const int action = decided.decision.action;
  const std::int32_t place = roster.place(ids.empty() ? action : ids[as_size(action)]);
  for (int i = 0; i < billed.size(); ++i) {
    holds.largest[as_size(i)] = budgets.any_hard() ? largest.hold_of(place, i) : 0;
    holds.expected[as_size(i)] = 0;
  }
  for (int i = 0; i < decided.largest.size(); ++i) {
    holds.largest[as_size(i)] =
        std::max<Micro>(0, nearest_micros_up(decided.largest[i], budgets.coins(i)));
  }
  for (int i = 0; budgets.any_learned() && i < billed.size(); ++i) {
    const Micro most = holds.largest[as_size(i)];
    const bool is_learned = budgets.quantile(i) != 0.0 && !decided.holds.empty();
    holds.learned[as_size(i)] = is_learned ? std::min(most, decided.holds[as_size(i)].hold) : most;
  }
  if (!budgets.any_steered()) return;
  const Estimates& estimates = decided.decision.estimates;
  for (int i = 0; i + 1 < estimates.heads(); ++i) {
    const double mean = estimates.mean(i + 1)[as_size(decided.decision.action)] * budgets.coins(i);
    const double hold = std::clamp(mean, 0.0, static_cast<double>(kMaxMicro));
    holds.expected[as_size(i)] = static_cast<Micro>(std::ceil(hold));
  }
}

Result<std::int64_t> Engine::Heart::tick(std::int64_t to) {
  TickRecord ticked{.now = to, .opened = {}};
  for (int i = 0; budgets.any_calendar() && i < budgets.size(); ++i) {
    if (!budgets.needs_window(i, to)) continue;
    const WindowClock& clock = budgets.clock(i);
    const CalendarWindow before{clock.period(), clock.first(), clock.last()};
    auto window = calendar_window(budgets.budget(i).window, to, clock.opened() ? &before : nullptr);
    if (!window) return window.failure();
    ticked.opened.push_back({i, window.value()});
  }
  return fold(ticked);
}

Result<> Engine::Heart::check_opened(const TickRecord& ticked) const {
  std::uint32_t opened = 0;
  for (const TickRecord::Opened& opening : ticked.opened) {
    const bool known = opening.budget >= 0 && opening.budget < budgets.size();
    if (!known || (opened >> opening.budget & 1U) != 0 ||
        !budgets.needs_window(opening.budget, ticked.now)) {
      return Error{
          fmt::format("tick: found a window of budget {}; accepted: those that end",
                      opening.budget)};
    }
    opened |= 1U << opening.budget;
    if (auto ok = budgets.check_window(opening.budget, opening.window, ticked.now); !ok) return ok;
  }
  for (int i = 0; budgets.any_calendar() && i < budgets.size(); ++i) {
    if (budgets.needs_window(i, ticked.now) && (opened >> i & 1U) == 0) {
      return Error{fmt::format("tick: the window of budget \"{}\" ends; accepted: its next one",
                               budgets.budget(i).name)};
    }
  }
  return {};
}

Result<> Engine::Heart::change_budget(std::string_view name, std::span<const Scope> scopes,
                                      BudgetRecord record) {
  if (budgets.empty() && !policy->shape().budgets.empty()) {
    return Error::of("budget",
                     fmt::format("budget: found \"{}\", and the budget is in the policy's spec, which "
                                 "cannot be changed while it runs; accepted: a Budget of the engine "
                                 "instead (in Python rein.Budget)",
                                 name));
  }
  const auto found = budget_named(name);
  if (!found) return found.failure();
  record.budget = found.value();
  auto keys = budgets.keys_of(scopes);
  if (!keys) return keys.failure();
  record.keys = keys.value();
  for (const Scope& scope : scopes) {
    if (record.change != BudgetRecord::Change::kKeyAmount) break;
    const bool of_this = scope.dimension == budgets.budget(record.budget).scope;
    if (of_this && scope.key.size() <= kMaxKeyName) record.name = scope.key;
  }
  if (auto done = fold(record); !done) return done.failure().about("budget");
  return {};
}

Result<> Engine::Heart::fold(const BudgetRecord& record) {
  change = Change::kNothing;
  const int i = record.budget;
  if (i < 0 || i >= budgets.size()) {
    return Error::of(
        "budget", fmt::format("budget: found number {}; accepted: 0 to {}", i, budgets.size() - 1));
  }
  const bool own = record.change == BudgetRecord::Change::kKeyAmount;
  const bool for_one = own || record.change == BudgetRecord::Change::kTopUp;
  if (own && budgets.budget(i).scope.empty()) {
    return Error::of("budget", fmt::format("budget \"{}\": it is for everybody; accepted: an amount "
                                           "without scopes",
                                           budgets.budget(i).name));
  }
  if (for_one && !budgets.applies(i, record.keys)) {
    return Error::of("budget", fmt::format("budget \"{}\": it is per {}; accepted: a key of it",
                                           budgets.budget(i).name, budgets.budget(i).scope));
  }
  if (record.change == BudgetRecord::Change::kTopUp) {
    auto micros = micros_down(record.amount, budgets.coins(budgets.cost(i)));
    if (!micros) return micros.failure();
    if (auto room = budgets.has_room(record.keys); !room) return room;
    budgets.top_up(i, record.keys, micros.value());
  } else if (own) {
    if (auto ok = budgets.set_key_amount(i, record.keys, record.amount, record.name); !ok) return ok;
  } else if (record.change == BudgetRecord::Change::kRounds) {
    if (auto ok = budgets.set_rounds(i, record.amount); !ok) return ok;
  } else if (record.change == BudgetRecord::Change::kAmount) {
    if (auto ok = budgets.set_amount(i, record.amount); !ok) return ok;
  } else {
    if (auto ok = budgets.begin_anew(i, static_cast<std::int64_t>(decided_count), now); !ok)
      return ok;
  }
  last_budget = record;
  change = Change::kBudget;
  return {};
}

Costs Engine::Heart::allowed_by(const PolicyState& known) const {
  if (budgets.empty() || (!known.allowed.empty() && !policy->shape().paced)) return known.allowed;
  Costs allowed(billed.size(), kNan);
  bool any = false;
  for (int i = 0; i < budgets.size(); ++i) {
    const MicroSum planned = budgets.allowed(i);
    if (planned < 0) continue;
    double& least = allowed[budgets.cost(i)];
    const double found = static_cast<double>(planned) / budgets.coins(budgets.cost(i));
    least = std::isnan(least) ? found : std::min(least, found);
    any = true;
  }
  return any ? allowed : Costs();
}

BudgetState Engine::Heart::balance_of(int i, const ScopeKeys& keys) const {
  const Accounts::Balance balance = budgets.balance(i, keys);
  const WindowClock& clock = budgets.clock(i);
  // In micro-units, so that spent + held <= limit stays true.
  const double coins = budgets.coins(budgets.cost(i));
  const MicroSum spent = whole_micros_up(balance.spent, coins);
  return {.name = budgets.budget(i).name,
          .limit = as_micro(whole_micros_up(balance.limit, coins)),
          .spent = as_micro(spent),
          .held = as_micro(whole_micros_up(balance.spent + balance.held, coins) - spent),
          .window = clock.period(),
          .first = clock.first(),
          .last = clock.last(),
          .over_holds = budgets.over_holds(i),
          .passed_holds = budgets.passed_holds(i),
          .reserve = as_micro(whole_micros_up(budgets.reserve(i, keys), coins))};
}

BudgetState Engine::Heart::state_of(int i, const ScopeKeys& keys) const {
  BudgetState state = balance_of(i, keys);
  if (!policy->shape().paced || budgets.needs_window(i, now)) return state;
  const Budgets::Pace pace = budgets.pace(i, keys, reserved_costs());
  state.pace = pace.pace;
  state.rounds_left = pace.rounds;
  state.past = pace.past;
  return state;
}

}  // namespace rein
