// Which actions of a round may be played, and what bars the others: the only place that compares what an
// action holds with what is left of the hard budgets and with the request's own limit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/size.h"
#include "engine/heart.h"

namespace rein {
namespace {

Result<> check_numbers(std::string_view name, std::span<const double> numbers, std::size_t size) {
  if (!numbers.empty() && numbers.size() != size) {
    return Error::of(name, fmt::format("decide: {} has {} numbers; accepted: {}, or none", name,
                                       numbers.size(), size));
  }
  for (double number : numbers) {
    if (number >= 0.0 && micros_up(number)) continue;  // false for NaN
    return Error::of(name, fmt::format("decide: {} has {}; accepted: 0 to {}", name, number,
                                       static_cast<double>(kMaxMicro) / kMicrosInOne));
  }
  return {};
}

bool fits(const Micros& holds, const Micros& left, std::size_t costs) {
  for (std::size_t i = 0; i < costs; ++i) {
    if (holds[i] > left[i]) return false;
  }
  return true;
}

}  // namespace

Result<> Engine::Heart::find_places(const Round& round, const DecideOptions& options,
                                    Scratch& working, DecideRecord& out,
                                    std::vector<BarredAction>& barred) const {
  const ScopeKeys& keys = out.keys;
  out.places.clear();
  barred.clear();
  const std::size_t m = units.size();
  const bool own = !options.largest_costs.empty();
  if (auto ok = check_numbers("largest_costs", options.largest_costs, as_size(round.actions) * m);
      !ok) {
    return ok;
  }
  if (auto ok = check_numbers("most_costs", options.most_costs, m); !ok) return ok;
  const bool in_run = out.run != 0;
  if (budgets.empty() && options.most_costs.empty() && !in_run) return {};
  if (const int i = budgets.needs_window(now); i >= 0) {
    return Error::of(
        "budgets",
        fmt::format("budget \"{}\": its window follows the calendar, and the clock has not "
                    "been set; accepted: tick(UTC seconds) before the first decision",
                    budgets.budget(i).name));
  }
  if (auto room = budgets.has_room(keys); !room) return room;
  if (!budgets.any_hard() && options.most_costs.empty() && !in_run) return {};
  Free left{.largest = budgets.left(keys), .learned = {}};
  if (in_run) {
    const Micros of_run = left_in_run(out.run);
    for (std::size_t i = 0; i < m; ++i) left.largest[i] = std::min(left.largest[i], of_run[i]);
  }
  const bool any_learned = budgets.any_learned();
  if (any_learned) left.learned = budgets.left_for_learned(keys);
  if (!own && options.most_costs.empty() && fits(largest.hold_of_any(), left.largest, m) &&
      (!any_learned || fits(largest.hold_of_any(), left.learned, m))) {
    return {};
  }
  if (auto ok = validate(policy->shape(), in_places(round, out.seats)); !ok) return ok;
  const Estimates* estimates = nullptr;
  for (int a = 0; any_learned && estimates == nullptr && a < round.actions; ++a) {
    const auto given = own ? options.largest_costs.subspan(as_size(a) * m, m) : std::span<const double>();
    if (!needs_estimates({roster.place(round.id(a)), given, options.most_costs, a}, left)) continue;
    Rng rng(config.options.seed);  // what is drawn here is not kept
    rng.set_counter(draws);
    if (auto done = ask_policy(round, working, rng, out); !done) return done;
    estimates = &out.decision.estimates;
  }
  for (int a = 0; a < round.actions; ++a) {
    const auto given =
        own ? options.largest_costs.subspan(as_size(a) * m, m) : std::span<const double>();
    const Play play{roster.place(round.id(a)), given, options.most_costs, a, estimates};
    auto plays = may_play(play, left);
    if (!plays) return plays.failure();
    if (plays.value()) {
      out.places.push_back(a);
    } else {
      barred.push_back(what_bars(round.id(a), play, out));
    }
  }
  if (out.places.empty()) return nothing_fits(round.actions);
  if (barred.empty()) out.places.clear();
  return {};
}

// As the caller knows it: by its name, or its id.
std::string Engine::Heart::action_words(std::int32_t id) const {
  const std::string_view name = roster.name(id);
  return name.empty() ? fmt::format("id {}", id) : fmt::format("\"{}\"", name);
}

Error Engine::Heart::nothing_fits(int actions) const {
  const auto& safe = config.options.safe_action;
  return {fmt::format("hard budget: none of the {} actions fits what is left of it, or of the run{}", actions,
                      safe ? fmt::format("; accepted: a round that offers the safe action, "
                                         "{}, while that fits",
                                         action_words(*safe))
                           : "; a safe_action would be played here"),
          Reason::kBudget};
}

bool Engine::Heart::declared(const Play& play, int cost) const {
  return !play.largest.empty() || largest.declared(play.place, cost);
}

Micro Engine::Heart::hold_of(const Play& play, int cost) const {
  return play.largest.empty() ? largest.hold_of(play.place, cost)
                              : nearest_micros_up(play.largest[as_size(cost)], budgets.coins(cost));
}

// An action without a learned cost may be played.
bool Engine::Heart::within_request(const Play& play, int cost) const {
  if (play.limits.empty()) return true;
  const double limit = play.limits[as_size(cost)];
  if (!declared(play, cost)) return !(seen.bound(play.place, cost) > limit);  // true for NaN
  return hold_of(play, cost) <= nearest_micros_down(limit, budgets.coins(cost));
}

Result<bool> Engine::Heart::may_play(const Play& play, const Free& left) const {
  bool plays = true;
  for (int i = 0; i < billed.size(); ++i) {
    const bool known = declared(play, i);
    if (!known && left.largest[as_size(i)] != kNoLimit) {
      return Error::of(
          "largest_costs",
          fmt::format("hard budget: nothing says what action {} can cost in \"{}\"; accepted: "
                      "largest_costs, per action or with the round, or a range of the cost with a "
                      "largest value",
                      action_words(roster.seat(play.place).id), policy->shape().costs[as_size(i)].name));
    }
    plays = plays && within_request(play, i) && (!known || hold_of(play, i) <= left.largest[as_size(i)]);
    if (plays && budgets.quantile(i) != 0.0) plays = learned_hold_of(play, i) <= left.learned[as_size(i)];
  }
  return plays;
}

BarredAction Engine::Heart::what_bars(std::int32_t id, const Play& play,
                                      const DecideRecord& decided) const {
  const ScopeKeys& keys = decided.keys;
  BarredAction found{.action = id};
  bool in_time = true;  // whether time alone makes room in every budget that bars the action
  for (int i = 0; i < budgets.size(); ++i) {
    if (!budgets.limits(i, keys)) continue;
    Micro hold = hold_of(play, budgets.cost(i));
    if (budgets.budget(i).hold_quantile != 0.0) {
      hold = std::max(hold, as_micro(MicroSum{learned_hold_of(play, budgets.cost(i))} + budgets.reserve(i, keys)));
    }
    if (hold <= budgets.left(i, keys)) continue;
    if (found.budget.empty()) found.budget = budgets.budget(i).name;
    const std::int64_t at = budgets.fits_at(i, keys, hold);
    in_time = in_time && at >= 0;
    found.until = std::max(found.until, at);
  }
  const Micros of_run = left_in_run(decided.run);
  for (int i = 0; i < billed.size(); ++i) {
    in_time = in_time && within_request(play, i);
    if (of_run[as_size(i)] == kNoLimit || hold_of(play, i) <= of_run[as_size(i)]) continue;
    if (found.budget.empty()) found.budget = "run";
    in_time = false;
  }
  if (!in_time) found.until = -1;
  return found;
}

// The decision of a record holds what it will hold.
Result<> Engine::Heart::check_fits(const DecideRecord& decided) const {
  Holds holds;
  find_holds(decided, holds);
  const std::size_t m = units.size();
  const bool in_run = decided.run == 0 || fits(run_claim_of(decided).holds, left_in_run(decided.run), m);
  if (in_run && fits(holds.largest, budgets.left(decided.keys), m) &&
      (!budgets.any_learned() || fits(holds.learned, budgets.left_for_learned(decided.keys), m))) {
    return {};
  }
  return Error{fmt::format("hard budget: action {} could exceed it",
                           action_words(decided.round.view().id(decided.decision.action))),
               Reason::kBudget};
}

}  // namespace rein
