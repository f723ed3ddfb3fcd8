#include "engine/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/size.h"
#include "engine/roster.h"
#include "policy/toward.h"

namespace rein {
namespace {

Result<> check_number(std::string_view name, std::int64_t found, std::int64_t low,
                      std::int64_t high) {
  if (found >= low && found <= high) return {};
  return Error::of(name,
                   fmt::format("engine: {} is {}; accepted: {} to {}", name, found, low, high));
}

Result<> check_costs(const Shape& shape, std::string_view name, const Costs& costs) {
  if (costs.size() != cost_count(shape)) {
    return Error::of(name, fmt::format("engine: {} has {} numbers; accepted: one per cost ({})",
                                       name, costs.size(), cost_count(shape)));
  }
  for (int i = 0; i < costs.size(); ++i) {
    const Range& range = shape.costs[as_size(i)].range;
    if (costs[i] >= range.low && costs[i] <= range.high) continue;  // false for NaN
    return Error::of(
        name, fmt::format("engine: {}[{}] is {}; accepted: {} to {}, the range in the shape", name,
                          i, costs[i], range.low, range.high));
  }
  return {};
}

// Refuses a budget whose costs cannot be counted. A cost without a known range is counted as it
// comes.
Result<> check_countable(const Shape& shape, const Budget& budget) {
  for (const CostShape& cost : shape.costs) {
    if (cost.name != budget.cost) continue;
    const auto countable = [](double end) {
      return std::abs(end) == kUnknownEnd || micros_up(end);
    };
    if (countable(cost.range.high) && countable(cost.range.low)) continue;
    return Error::of(
        "costs", fmt::format("engine: cost \"{}\" has range [{}, {}], more than can be counted in "
                             "millionths; accepted: smaller ranges under a budget of the engine",
                             cost.name, cost.range.low, cost.range.high));
  }
  return {};
}

Result<> check_budgets(const Shape& shape, const EngineOptions& options) {
  if (!options.hard_budget.empty() && options.hard_budget.size() != shape.costs.size()) {
    return Error::of("hard_budget",
                     fmt::format("engine: hard_budget has {} numbers; accepted: one per cost ({})",
                                 options.hard_budget.size(), shape.costs.size()));
  }
  for (double budget : options.hard_budget) {
    if (budget == INFINITY || (micros_down(budget) && budget >= 0.0)) continue;
    return Error::of("hard_budget",
                     fmt::format("engine: hard_budget has {}; accepted: 0 to {}, or infinity",
                                 budget, static_cast<double>(kMaxMicro) / kMicrosInOne));
  }
  const std::vector<Budget> all = budgets_of(shape, options);
  const BudgetOptions counted{.coins = coins_of(shape, options)};
  if (auto made = Budgets::make(all, shape, counted); !made) return made.failure().about("budgets");
  for (const Budget& budget : all) {
    if (auto ok = check_countable(shape, budget); !ok) return ok;
  }
  return {};
}

Result<> check_largest(const Shape& shape, const EngineOptions& options) {
  if (!options.largest_costs.empty() && options.largest_costs.size() != as_size(shape.actions)) {
    return Error::of(
        "largest_costs",
        fmt::format("engine: the size of largest_costs is {}; accepted: {}, one per action",
                    options.largest_costs.size(), shape.actions));
  }
  for (const Costs& largest : options.largest_costs) {
    if (auto ok = check_costs(shape, "largest_costs", largest); !ok) return ok;
  }
  if (!options.safe_cost.empty() && !options.safe_action) {
    return Error::of("safe_action",
                     "engine: safe_cost without a safe_action; accepted: both, or none");
  }
  if (!options.safe_action) return {};
  if (auto ok = check_number("safe_action", *options.safe_action, 0, shape.actions - 1); !ok) {
    return ok;
  }
  return check_costs(shape, "safe_cost", safe_cost_of(shape, options));
}

}  // namespace

Result<> check_limits(const EngineOptions& options) {
  if (auto ok = check_number("most_open", options.most_open, 1, kMaxOpen); !ok) return ok;
  if (auto ok = check_number("remember", options.remember, 0, kMaxRemember); !ok) return ok;
  return check_number("expire_after", options.expire_after, 0, kMaxClock);
}

Result<> validate(const Shape& shape, const EngineOptions& options) {
  if (auto ok = Roster::check_names(options.actions, shape.actions); !ok) return ok;
  if (options.schema && options.schema->size() != shape.context) {
    return Error::of(
        "schema",
        fmt::format("engine: the schema makes {} numbers, and the shape has a context of {}; "
                    "accepted: the same",
                    options.schema->size(), shape.context));
  }
  if (auto ok = check_limits(options); !ok) return ok;
  if (options.default_outcome) {
    if (auto ok = validate_parts(shape, *options.default_outcome); !ok) {
      return Error::of("default_outcome", "engine: default_outcome: " + ok.error());
    }
  }
  if (auto ok = check_number("most_keys", options.most_keys, 1, kMaxKeys); !ok) return ok;
  if (auto ok = check_budgets(shape, options); !ok) return ok;
  const bool hard = std::ranges::any_of(budgets_of(shape, options), [](const Budget& budget) {
    return budget.kind == BudgetKind::kHard;
  });
  if (hard) return check_largest(shape, options);
  if (options.safe_action || !options.safe_cost.empty() || !options.largest_costs.empty()) {
    return Error::of(
        "safe_action",
        "engine: safe_action, safe_cost and largest_costs are for a hard budget, and there is "
        "none; accepted: a budget of kind hard");
  }
  return {};
}

bool is_paced(const Config& config) {
  if (config.paced) return *config.paced;
  const bool steers = std::ranges::any_of(config.options.budgets, [](const Budget& budget) {
    return budget.kind == BudgetKind::kSteer;
  });
  if (steers) return true;
  const bool hard = !config.options.budgets.empty() || !config.options.hard_budget.empty();
  const auto has = [&](const char* key) { return config.policy.find(key) != nullptr; };
  const bool adaptive = !has("tuning") || config.policy.find("tuning")->str() == "auto";
  return hard && config.policy.name == "ccb" && adaptive && !has_goal(config.policy) &&
         config.shape.budgets.empty() && !has("budget") && !has("rate") && !has("setting") &&
         !config.shape.costs.empty();
}

Result<> check_has_budget(const Policy& policy) {
  const std::optional<Setting> setting = policy.state().setting;
  const Shape& shape = policy.shape();
  const bool unpriced = !setting || policy.spec().find("setting") != nullptr;
  if (unpriced || has_goal(policy.spec()) || has_budget(*setting) || !shape.budgets.empty())
    return {};
  for (const CostShape& cost : shape.costs) {
    if (!cost.range.known()) {
      return Error::of(
          "costs", fmt::format("engine: cost \"{}\" has no range and no budget, so nothing says "
                               "what is wanted of it; "
                               "accepted: budget=TOTAL or rate=PER_ROUND in the policy's spec, a "
                               "budget that steers, or "
                               "setting=expectation, in which the cost must not exceed 0 in all",
                               cost.name));
    }
    if (cost.range.low < 0.0 || cost.range.high <= 0.0) continue;
    return Error::of(
        "costs",
        fmt::format(
            "engine: cost \"{}\" has range [{}, {}] and no budget that the policy follows; "
            "accepted: budget=TOTAL or rate=PER_ROUND in its spec, a budget that steers, or "
            "setting=expectation, in which the cost must not exceed 0 in all",
            cost.name, cost.range.low, cost.range.high));
  }
  return {};
}

Result<> check_given_once(const Config& config, const Policy& policy) {
  const std::vector<double>& given = config.shape.budgets;
  const bool twice =
      config.policy.find("budget") != nullptr || config.policy.find("rate") != nullptr;
  const std::vector<double>& used = policy.shape().budgets;
  bool same = given.size() == used.size();
  for (std::size_t i = 0; same && i < given.size(); ++i) {
    same = std::abs(given[i] - used[i]) <= 1e-9 * std::abs(given[i]);
  }
  if (!twice || given.empty() || same) return {};
  return Error::of(
      "policy",
      fmt::format("engine: the budget is given twice: [{}], and {} in the spec; accepted: once, or "
                  "the same total",
                  fmt::join(given, ", "), config.policy.str()));
}

Result<> check_paced(const Shape& shape, const EngineOptions& options) {
  const std::vector<Budget> all = budgets_of(shape, options);
  for (const Budget& budget : all) {
    if (budget.window.kind != Window::Kind::kRun || budget.rounds > 0) continue;
    return Error::of(
        "budgets",
        fmt::format("budget \"{}\": how fast it may be spent depends on how long it must last; "
                    "accepted: rounds=N, a window, or a rate or budget of the policy",
                    budget.name));
  }
  for (const CostShape& cost : shape.costs) {
    if (std::ranges::any_of(all, [&](const Budget& b) { return b.cost == cost.name; })) continue;
    return Error::of(
        "costs",
        fmt::format("engine: cost \"{}\" has no budget, and others have; accepted: a budget for "
                    "every cost",
                    cost.name));
  }
  return {};
}

std::vector<Budget> budgets_of(const Shape& shape, const EngineOptions& options) {
  std::vector<Budget> all = options.budgets;
  for (Budget& budget : all) {
    if (budget.window.kind == Window::Kind::kRun && budget.rounds == 0)
      budget.rounds = shape.rounds;
  }
  for (std::size_t i = 0; i < options.hard_budget.size(); ++i) {
    if (options.hard_budget[i] == INFINITY) continue;
    const std::string& name = shape.costs[i].name;
    all.push_back({.name = name,
                   .cost = name,
                   .amount = options.hard_budget[i],
                   .kind = BudgetKind::kHard,
                   .rounds = shape.rounds});
  }
  return all;
}

}  // namespace rein
