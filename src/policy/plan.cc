#include "policy/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"

namespace rein {
namespace {

// Totals in the units of the shape, one per cost; empty where nothing says, or where a rate is
// given and nobody knows for how many rounds.
Result<std::vector<double>> total_budgets(const PlanKeys& keys, const Shape& shape) {
  if (!keys.budgets.empty() && !keys.rates.empty()) {
    return Error{"policy spec: both \"budget\" and \"rate\" are given; accepted: one of them"};
  }
  std::vector<double> totals = !keys.budgets.empty() ? keys.budgets : keys.rates;
  if (totals.empty()) return shape.budgets;
  if (totals.size() != shape.costs.size()) {
    return Error{fmt::format("policy spec: key \"{}\" has {} numbers; accepted: one per cost ({})",
                             keys.budgets.empty() ? "rate" : "budget", totals.size(),
                             shape.costs.size())};
  }
  if (!keys.rates.empty()) {
    const auto rounds = static_cast<double>(keys.rounds > 0 ? keys.rounds : shape.rounds);
    if (rounds == 0.0) return std::vector<double>();
    for (double& total : totals) total *= rounds;
  }
  return totals;
}

// What the oracle learns: in the settings of costs that are never negative, only their positive
// part. A range that has none keeps its unit, so that the head of zeros has something to divide by.
Result<> keep_positive_part(Setting setting, std::vector<CostShape>& costs) {
  if (!is_nonnegative(setting)) return {};
  for (CostShape& cost : costs) {
    Range& range = cost.range;
    if (range.high <= 0.0 && setting == Setting::kKnapsack) {
      return Error{fmt::format(
          "policy spec: setting knapsack needs costs of at least 0; cost \"{}\" has range [{}, {}]",
          cost.name, range.low, range.high)};
    }
    range.high = positive_unit(range);
    range.low = std::max(range.low, 0.0);
  }
  return {};
}

// Totals in units, as the theorem wants them.
Result<Costs> budgets_in_units(Setting setting, const Shape& shape) {
  if (shape.budgets.empty()) {
    return Error{fmt::format(
        "policy spec: setting {} needs a budget; accepted: budget=TOTAL or rate=PER_ROUND",
        name_of(setting))};
  }
  Costs budgets(shape.budgets);
  const double least = setting == Setting::kKnapsack ? 0.0 : -kMaxTotal;
  for (int i = 0; i < budgets.size(); ++i) {
    const double unit = unit_of(shape.costs[i].range);
    budgets[i] /= unit;
    if (!(budgets[i] >= least && budgets[i] <= kMaxTotal)) {
      return Error{fmt::format(
          "policy spec: the budget of cost \"{}\" is {} in all; setting {} "
          "accepts {} to {}",
          shape.costs[i].name, shape.budgets[i], name_of(setting), least * unit, kMaxTotal * unit)};
    }
  }
  return budgets;
}

}  // namespace

PlanKeys::PlanKeys(SpecReader& read, std::string_view usual_oracle, Classes classes)
    : rounds(read.integer("rounds", 0, 1, kMaxHorizon)),
      budgets(classes == Classes::kReward ? std::vector<double>() : read.numbers("budget")),
      rates(classes == Classes::kReward ? std::vector<double>() : read.numbers("rate")),
      u(read.number("u", {.above = 0.0, .high = kMaxParameter})),
      oracle(read.spec("oracle", usual_oracle)) {
  if (classes != Classes::kTwo) return;
  const bool differ = read.has("reward_oracle") || read.has("cost_oracle");
  const Spec reward = read.spec("reward_oracle", oracle.str());
  const SpecValue* of = oracle.name == "optimistic" ? oracle.find("of") : nullptr;
  const Spec cost = read.spec("cost_oracle", of == nullptr ? oracle.str() : of->str());
  if (!differ) return;
  oracle = Spec("pair");
  oracle.set("reward", {.is = reward});
  oracle.set("cost", {.is = cost});
}

bool knows_budget(const PlanKeys& keys, const Shape& shape) {
  return !keys.budgets.empty() || !keys.rates.empty() || !shape.budgets.empty();
}

Result<Plan> make_plan(const PlanKeys& keys, const Shape& shape, Setting setting, bool reward_only,
                       const Own& own, bool totals) {
  Plan plan;
  plan.shape = shape;
  if (keys.rounds > 0) plan.shape.rounds = keys.rounds;
  auto budgets = total_budgets(keys, shape);
  if (!budgets) return budgets.failure();
  plan.shape.budgets = budgets.value();

  Shape learned = plan.shape;  // what the oracle sees
  if (reward_only) learned.costs.clear();
  if (auto kept = keep_positive_part(setting, learned.costs); !kept) return kept.failure();
  if (setting == Setting::kKnapsack) plan.shape.costs = learned.costs;  // others are refused

  auto oracle = make_oracle(keys.oracle, learned, own);
  if (!oracle) return oracle.failure();
  plan.oracle = std::move(oracle).value();

  Terms& terms = plan.terms;
  terms.setting = setting;
  terms.actions = shape.actions;
  terms.costs = static_cast<int>(learned.costs.size());
  terms.rounds = plan.shape.rounds;
  terms.lowest = Costs(terms.costs);
  for (int i = 0; i < terms.costs; ++i) {
    const Range& range = plan.shape.costs[i].range;
    terms.lowest[i] = range.low / unit_of(range);
  }
  const double u = keys.u ? *keys.u : plan.oracle->bound(std::max<std::int64_t>(terms.rounds, 1));
  if (!(u <= kMaxParameter)) {  // or not a number
    return Error{
        fmt::format("policy spec: the oracle {} has the bound U = {}; accepted: up to {}, "
                    "or a bound of your own, u=U",
                    keys.oracle.str(), u, kMaxParameter)};
  }
  terms.u = std::max(1.0, u);
  if (has_budget(setting) && (totals || !plan.shape.budgets.empty())) {
    auto in_units = budgets_in_units(setting, plan.shape);
    if (!in_units) return in_units.failure();
    terms.budgets = in_units.value();
  }
  return plan;
}

}  // namespace rein
