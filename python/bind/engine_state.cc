// rein/engine.h: what can be read of an engine
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "engine.h"
#include "rein/bounds.h"

namespace rein::bind {

nb::list budgets_of(const std::vector<BudgetState>& all) {
  nb::list list;
  for (const BudgetState& one : all) {
    list.append(nb::make_tuple(one.name, one.limit, one.spent, one.held, one.window, one.first,
                               one.last, one.over_holds, one.passed_holds, one.reserve, one.pace, one.rounds_left, one.past));
  }
  return list;
}

namespace {

Numbers numbers_of(const Costs& costs) { return {costs.begin(), costs.end()}; }

nb::dict state(Shared& shared) {
  Shared::Hold engine(shared);
  const EngineState now = engine->state();
  const PolicyState policy = engine->policy_state();
  nb::dict out;
  out["now"] = now.now;
  out["decided"] = now.decided;
  out["open"] = now.open;
  out["learned"] = now.learned;
  out["rewarded"] = now.rewarded;
  out["expired"] = now.expired;
  out["gave_way"] = now.gave_way;
  out["remembered"] = now.remembered;
  out["reserved"] = numbers_of(now.reserved);
  out["cancelled"] = now.cancelled;
  out["late"] = now.late;
  out["too_late"] = now.too_late;
  out["clipped"] = now.clipped;
  out["partly"] = now.partly;
  out["without_reward"] = now.without_reward;
  out["without_cost"] = now.without_cost;
  out["open_since"] = now.open_since;
  out["budgets"] = budgets_of(now.budgets);
  out["rounds"] = policy.rounds;
  out["warm"] = policy.warm;
  out["reward"] = policy.reward;
  out["spent"] = numbers_of(now.billed);
  out["queues"] = numbers_of(policy.queues);
  out["allowed"] = numbers_of(policy.allowed);
  out["u"] = policy.u;
  out["oracle_regret"] = policy.oracle_regret;
  out["alarm"] = nb::none();
  if (const auto& alarm = policy.alarm) {
    out["alarm"] =
        nb::make_tuple(alarm->ringing, std::string(alarm->why), alarm->head, alarm->round);
  }
  out["status"] =
      nb::make_tuple(std::string(name_of(policy.status)),
                     std::string(advice(policy.status, policy.status_goal)), policy.status_head);
  out["effective_size"] = policy.effective_size;
  out["objective"] = policy.objective;
  out["change"] = nb::none();
  if (const auto& change = policy.change) {
    out["change"] = nb::make_tuple(change->times, change->round, change->head);
  }
  out["certificate"] = nb::none();
  if (const auto& certified = policy.certified) {
    out["certificate"] = nb::make_tuple(certified->regret, certified->regret_long_term,
                                        certified->rounds, std::string(why(certified->none)));
  }
  out["setting"] = policy.setting ? nb::cast(std::string(name_of(*policy.setting))) : nb::none();
  return out;
}

// Rows of rein/history.h, one tuple per point.
nb::list history(Shared& shared) {
  nb::list list;
  for (const HistoryPoint& one : Shared::Hold(shared)->history()) {
    list.append(nb::make_tuple(one.decided, one.learned, one.rewarded, one.now, one.reward, numbers_of(one.spent),
                               numbers_of(one.allowed), numbers_of(one.prices), one.plays));
  }
  return list;
}

nb::list learned_largest(Shared& shared) {
  nb::list list;
  Shared::Hold engine(shared);
  const auto bounds = engine->learned_largest_costs();
  const std::size_t costs = bounds.empty() ? 0 : engine->policy().shape().costs.size();
  for (std::int32_t id = 0; id < engine->ids(); ++id) {  // the engine has them by place
    const auto first = static_cast<std::size_t>(std::max(engine->place_of(id), 0)) * costs;
    for (std::size_t i = first; i < first + costs; ++i) {
      const bool known = engine->place_of(id) >= 0 && i < bounds.size() && !std::isnan(bounds[i]);
      list.append(known ? nb::cast(bounds[i]) : nb::none());
    }
  }
  return list;
}

nb::tuple promised(Shared& shared, double margin) {
  Shared::Hold engine(shared);
  const Bounds found = bounds(engine->policy(), {.margin = margin});
  return nb::make_tuple(found.regret, numbers_of(found.ccv), found.regret_margin,
                        numbers_of(found.ccv_max));
}

}  // namespace

void bind_state(nb::class_<Shared>& engine) {
  engine.def("state", &state)
      .def("history", &history)
      .def("bounds", &promised)
      .def("learned_largest_costs", &learned_largest);
}

}  // namespace rein::bind
