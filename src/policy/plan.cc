#include "policy/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "estimate/heads.h"

namespace rein {
namespace {

// Costs that a setting takes to be at least 0.
bool is_nonnegative(Setting setting) {
  return setting == Setting::kKnapsack || setting == Setting::kAlmostSure;
}

bool needs_budget(Setting setting) {
  return setting == Setting::kKnapsack || setting == Setting::kLinearConstraints ||
         setting == Setting::kPacing;
}

// Totals in the units of the shape, one a cost; empty where nothing says.
Result<std::vector<double>> total_budgets(const PlanKeys& keys, const Shape& shape) {
  if (!keys.budgets.empty() && !keys.rates.empty()) {
    return Error{"policy spec: both \"budget\" and \"rate\" are given; accepted: one of them"};
  }
  std::vector<double> totals = !keys.budgets.empty() ? keys.budgets : keys.rates;
  if (totals.empty()) return shape.budgets;
  if (totals.size() != shape.costs.size()) {
    return Error{fmt::format("policy spec: key \"{}\" has {} numbers; accepted: one a cost ({})",
                             keys.budgets.empty() ? "rate" : "budget", totals.size(),
                             shape.costs.size())};
  }
  if (!keys.rates.empty()) {
    const auto rounds = static_cast<double>(keys.rounds > 0 ? keys.rounds : shape.rounds);
    for (double& total : totals) total *= rounds;
  }
  return totals;
}

}  // namespace

PlanKeys::PlanKeys(SpecReader& read)
    : rounds(read.integer("rounds", 0, 1, kMaxRounds)),
      budgets(read.numbers("budget")),
      rates(read.numbers("rate")),
      u(read.number("u", {.above = 0.0})),
      oracle(read.spec("oracle", "vaw")) {}

bool knows_budget(const PlanKeys& keys, const Shape& shape) {
  return !keys.budgets.empty() || !keys.rates.empty() || !shape.budgets.empty();
}

Result<Plan> make_plan(const PlanKeys& keys, const Shape& shape, Setting setting,
                       bool reward_only) {
  Plan plan;
  plan.shape = shape;
  if (keys.rounds > 0) plan.shape.rounds = keys.rounds;
  auto budgets = total_budgets(keys, shape);
  if (!budgets) return Error{budgets.error()};
  plan.shape.budgets = budgets.value();

  Shape learned = plan.shape;  // what the oracle sees
  if (reward_only) learned.costs.clear();
  if (is_nonnegative(setting)) {
    for (CostShape& cost : learned.costs) cost.range.low = std::max(cost.range.low, 0.0);
  }
  if (setting == Setting::kKnapsack) plan.shape.costs = learned.costs;  // others are refused

  auto oracle = make_oracle(keys.oracle, learned);
  if (!oracle) return Error{oracle.error()};
  plan.oracle = std::move(oracle).value();

  Terms& terms = plan.terms;
  terms.setting = setting;
  terms.actions = shape.actions;
  terms.costs = static_cast<int>(learned.costs.size());
  terms.rounds = plan.shape.rounds;
  terms.u =
      std::max(1.0, keys.u ? *keys.u : plan.oracle->bound(std::max<std::int64_t>(terms.rounds, 1)));
  if (needs_budget(setting)) {
    if (plan.shape.budgets.empty()) {
      return Error{fmt::format(
          "policy spec: setting {} needs a budget; accepted: budget=TOTAL or rate=PER_ROUND",
          name_of(setting))};
    }
    terms.budgets = Costs(plan.shape.budgets);
    for (int i = 0; i < terms.costs; ++i) terms.budgets[i] /= unit_of(plan.shape.costs[i].range);
  }
  return plan;
}

}  // namespace rein
