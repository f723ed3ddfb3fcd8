// The declared largest costs of actions, and the coins in which costs are counted.
#include <algorithm>
#include <cmath>

#include "base/size.h"
#include "engine/config.h"

namespace rein {
Costs safe_cost_of(const Shape& shape, const EngineOptions& options) {
  if (!options.safe_cost.empty()) return options.safe_cost;
  if (!options.safe_action || options.largest_costs.empty()) return Costs(cost_count(shape));
  return options.largest_costs[as_size(*options.safe_action)];
}

Coins coins_of(const Shape& shape, const EngineOptions& options) {
  Coins coins;
  const std::vector<Budget> all = budgets_of(shape, options);
  for (std::size_t i = 0; i < shape.costs.size(); ++i) {
    const CostShape& cost = shape.costs[i];
    double least = INFINITY, largest = 0.0;
    for (const Budget& budget : all) {
      if (budget.cost != cost.name || !(budget.amount > 0.0)) continue;
      if (budget.kind == BudgetKind::kHard && cost.range.has_top()) {
        largest = std::max(largest, std::abs(cost.range.high));
      }
      least = std::min(least, budget.amount);
      largest = std::max(largest, budget.amount);
      for (const KeyAmount& own : budget.amounts) {
        if (own.amount > 0.0) least = std::min(least, own.amount);
        largest = std::max(largest, own.amount);
      }
    }
    for (const Costs& row : options.largest_costs) {
      largest =
          std::max(largest, row.size() > static_cast<int>(i) ? row[static_cast<int>(i)] : 0.0);
    }
    if (least < INFINITY) coins.in_one[i] = coins_for(least, largest);
  }
  return coins;
}

LargestCosts::LargestCosts(const Shape& shape, const EngineOptions& options)
    : common_(cost_count(shape)),
      by_id_(options.largest_costs),
      safe_(options.safe_action.value_or(-1)),
      coins_(coins_of(shape, options)) {
  const Costs safe_cost = safe_cost_of(shape, options);
  for (int i = 0; i < common_.size(); ++i) {
    common_[i] = shape.costs[as_size(i)].range.high;
    safe_holds_[as_size(i)] = hold(i, safe_cost[i]);
  }
  if (by_id_.empty()) add_holds(common_);
  for (const Costs& largest : by_id_) add_holds(largest);
}

void LargestCosts::add_holds(const Costs& largest) {
  for (int i = 0; i < common_.size(); ++i) {
    holds_.push_back(hold(i, largest[i]));
    Micro& any = hold_of_any_[as_size(i)];
    any = std::max({any, holds_.back(), safe_holds_[as_size(i)]});
  }
}

// 0 if it is never positive.
Micro LargestCosts::hold(int cost, double largest) const {
  return std::max<Micro>(0, nearest_micros_up(largest, coins_.of(cost)));
}

void LargestCosts::add(const Costs& largest) {
  if (by_id_.empty()) return;
  by_id_.push_back(largest);
  add_holds(largest);
}

void LargestCosts::replace(std::int32_t id, const Costs& largest) {
  if (by_id_.empty()) return;
  by_id_[as_size(id)] = largest;
  holds_.clear();
  hold_of_any_ = {};
  for (const Costs& each : by_id_) add_holds(each);
}

bool LargestCosts::declared(std::int32_t id, int cost) const {
  return id == safe_ || !by_id_.empty() || common_[cost] != kUnknownEnd;
}

}  // namespace rein
