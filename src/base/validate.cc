// Validation of shapes, rounds and outcomes. This is a hot path: valid input allocates nothing and
// every number is read once.
#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <cmath>

#include "base/within.h"
#include "rein/round.h"

namespace rein {
namespace {

Result<> check_range(std::string_view field, std::string_view name, const Range& range) {
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  if (range.low < range.high && size <= kMaxNumber && size >= kMinUnit) return {};
  return Error::of(field, fmt::format("shape: {} has range [{}, {}]; accepted: low below high, the "
                                      "larger in size from {} to {}",
                                      name, range.low, range.high, kMinUnit, kMaxNumber));
}

Result<> check_count(std::string_view field, std::string_view what, std::int64_t found,
                     std::int64_t expected) {
  if (found == expected) return {};
  return Error::of(field, fmt::format("round: found {} {}; accepted: {}", found, what, expected));
}

Result<> check_numbers(std::string_view field, std::string_view what,
                       std::span<const double> numbers) {
  if (all_within(numbers, kMaxNumber)) return {};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!(std::abs(numbers[i]) <= kMaxNumber)) {
      return Error::of(field, fmt::format("round: {}[{}] is {}; accepted: {} to {}", what, i,
                                          numbers[i], -kMaxNumber, kMaxNumber));
    }
  }
  return {};  // at the limit itself
}

Result<> check_sparse(const Shape& shape, const Round& round) {
  const SparseRows& rows = round.sparse;
  const auto stored = static_cast<std::int64_t>(rows.value.size());
  if (auto ok = check_count("features", "sparse row starts",
                            static_cast<std::int64_t>(rows.begin.size()), round.actions + 1);
      !ok) {
    return ok;
  }
  if (auto ok = check_count("features", "sparse columns",
                            static_cast<std::int64_t>(rows.index.size()), stored);
      !ok) {
    return ok;
  }
  if (rows.begin.front() != 0 || rows.begin.back() != stored) {
    return Error::of("features",
                     fmt::format("round: sparse rows run from {} to {}; accepted: from 0 to {}",
                                 rows.begin.front(), rows.begin.back(), stored));
  }
  for (int a = 0; a < round.actions; ++a) {
    if (rows.begin[a] > rows.begin[a + 1]) {
      return Error::of("features", fmt::format("round: sparse row {} ends before it begins", a));
    }
  }
  for (int a = 0; a < round.actions; ++a) {
    std::int32_t previous = -1;
    for (int j = rows.begin[a]; j < rows.begin[a + 1]; ++j) {
      if (rows.index[j] <= previous || rows.index[j] >= shape.features) {
        return Error::of(
            "features",
            fmt::format("round: sparse row {} has column {}; accepted: ascending, 0 to {}", a,
                        rows.index[j], shape.features - 1));
      }
      previous = rows.index[j];
    }
  }
  return check_numbers("features", "sparse.value", rows.value);
}

Result<> check_expected(const Shape& shape, const Round& round) {
  if (round.expected_costs.empty()) return {};
  const std::size_t costs = shape.costs.size();
  const auto found = static_cast<std::int64_t>(round.expected_costs.size());
  const auto wanted = round.actions * static_cast<std::int64_t>(costs);
  if (auto ok = check_count("expected_costs", "expected costs", found, wanted); !ok) return ok;
  for (std::size_t j = 0; j < round.expected_costs.size(); ++j) {
    const Range& range = shape.expected_range(j % costs);
    const double cost = round.expected_costs[j];
    if (cost >= range.low && cost <= range.high) continue;  // false if not a number
    return Error::of("expected_costs",
                     fmt::format("round: expected_costs[{}] is {}; accepted: {} to {}", j, cost,
                                 range.low, range.high));
  }
  return {};
}

Result<> check_baseline(const Round& round) {
  if (round.baseline.empty()) return {};
  const auto found = static_cast<std::int64_t>(round.baseline.size());
  if (auto ok = check_count("baseline", "baseline probabilities", found, round.actions); !ok)
    return ok;
  double sum = 0.0;
  for (std::size_t a = 0; a < round.baseline.size(); ++a) {
    const double p = round.baseline[a];
    sum += p;
    if (p >= 0.0 && p <= 1.0) continue;  // false if not a number
    return Error::of("baseline", fmt::format("round: baseline[{}] is {}; accepted: 0 to 1", a, p));
  }
  if (sum == 0.0 || std::abs(sum - 1.0) <= kBaselineSlack) return {};
  return Error::of(
      "baseline",
      fmt::format("round: the baseline sums to {}; accepted: probabilities that sum to 1, or all 0",
                  sum));
}

// The first action whose id an earlier one has; -1 if all differ. Ids that ascend, the usual case,
// take one pass. Other ids are tested in blocks that fit a small set on the stack.
int find_repeated(const Shape& shape, const Round& round) {
  constexpr std::int32_t kBlock = 1 << 14;
  if (std::ranges::adjacent_find(round.ids, std::ranges::greater_equal{}) == round.ids.end()) {
    return -1;
  }
  for (std::int32_t first = 0; first < shape.actions; first += kBlock) {
    std::bitset<kBlock> seen;
    for (int a = 0; a < round.actions; ++a) {
      const std::int32_t at = round.ids[a] - first;
      if (at < 0 || at >= kBlock) continue;
      if (seen[static_cast<std::size_t>(at)]) return a;
      seen.set(static_cast<std::size_t>(at));
    }
  }
  return -1;
}

Result<> check_ids(const Shape& shape, const Round& round) {
  if (round.ids.empty()) return {};
  if (auto ok =
          check_count("actions", "ids", static_cast<std::int64_t>(round.ids.size()), round.actions);
      !ok)
    return ok;
  for (int a = 0; a < round.actions; ++a) {
    if (round.ids[a] < 0 || round.ids[a] >= shape.actions) {
      return Error::of("actions", fmt::format("round: ids[{}] is {}; accepted: 0 to {}", a,
                                              round.ids[a], shape.actions - 1));
    }
  }
  if (const int a = find_repeated(shape, round); a >= 0) {
    return Error::of("actions",
                     fmt::format("round: ids[{}] is {}, as that of an action before it; accepted: "
                                 "different ids",
                                 a, round.ids[a]));
  }
  return {};
}

Result<> check_outcome(std::string_view field, std::string_view name, double value,
                       const Range& range) {
  if (value >= range.low && value <= range.high) return {};  // false for NaN
  return Error::of(field, fmt::format("outcome: {} is {}; accepted: {} to {}", name, value,
                                      range.low, range.high));
}

}  // namespace

Result<> validate(const Shape& shape) {
  if (shape.actions < 1 || shape.actions > kMaxActions) {
    return Error::of("actions", fmt::format("shape: found {} actions; accepted: 1 to {}",
                                            shape.actions, kMaxActions));
  }
  if (shape.context < 0 || shape.context > kMaxFeatures || shape.features < 0 ||
      shape.features > kMaxFeatures) {
    return Error::of("context",
                     fmt::format("shape: found context {} and features {}; accepted: 0 to {} each",
                                 shape.context, shape.features, kMaxFeatures));
  }
  if (shape.costs.size() > static_cast<std::size_t>(kMaxCosts)) {
    return Error::of("costs", fmt::format("shape: found {} costs; accepted: 0 to {}",
                                          shape.costs.size(), kMaxCosts));
  }
  if (auto ok = check_range("reward", "reward", shape.reward); !ok) return ok;
  for (const CostShape& cost : shape.costs) {
    if (auto ok = check_range("costs", "cost \"" + cost.name + "\"", cost.range); !ok) return ok;
  }
  if (shape.rounds < 0 || shape.rounds > kMaxHorizon) {
    return Error::of("rounds", fmt::format("shape: found {} rounds; accepted: 0 (unknown) to {}",
                                           shape.rounds, kMaxHorizon));
  }
  if (!shape.budgets.empty() && shape.budgets.size() != shape.costs.size()) {
    return Error::of("budgets",
                     fmt::format("shape: found {} budgets; accepted: none, or one per cost ({})",
                                 shape.budgets.size(), shape.costs.size()));
  }
  for (double budget : shape.budgets) {
    if (!std::isfinite(budget)) {
      return Error::of(
          "budgets", fmt::format("shape: found a budget of {}; accepted: finite numbers", budget));
    }
  }
  return {};
}

Result<> validate(const Shape& shape, const Round& round) {
  if (round.actions < 1 || round.actions > shape.actions) {
    return Error::of("actions", fmt::format("round: found {} actions; accepted: 1 to {}",
                                            round.actions, shape.actions));
  }
  if (auto ok = check_count("context", "context numbers",
                            static_cast<std::int64_t>(round.context.size()), shape.context);
      !ok) {
    return ok;
  }
  if (auto ok = check_numbers("context", "context", round.context); !ok) return ok;
  if (auto ok = check_ids(shape, round); !ok) return ok;
  if (auto ok = check_expected(shape, round); !ok) return ok;
  if (auto ok = check_baseline(round); !ok) return ok;
  if (!round.sparse.begin.empty()) {
    if (round.features.empty()) return check_sparse(shape, round);
    return Error::of("features",
                     "round: found both features and sparse rows; accepted: one of them");
  }
  if (auto ok = check_count("features", "feature numbers",
                            static_cast<std::int64_t>(round.features.size()),
                            static_cast<std::int64_t>(round.actions) * shape.features);
      !ok) {
    return ok;
  }
  return check_numbers("features", "features", round.features);
}

Result<> validate(const Shape& shape, const Outcome& outcome) {
  if (is_missing(outcome.reward)) {
    return Error::of("reward",
                     "outcome: the reward is missing; accepted: the reward and every cost");
  }
  if (auto ok = check_outcome("reward", "reward", outcome.reward, shape.reward); !ok) return ok;
  if (outcome.costs.size() != static_cast<int>(shape.costs.size())) {
    return Error::of("costs", fmt::format("outcome: found {} costs; accepted: {}",
                                          outcome.costs.size(), shape.costs.size()));
  }
  for (int i = 0; i < outcome.costs.size(); ++i) {
    const CostShape& cost = shape.costs[i];
    if (outcome.costs[i] >= cost.range.low && outcome.costs[i] <= cost.range.high) continue;
    if (is_missing(outcome.costs[i])) {
      return Error::of(
          "costs",
          fmt::format("outcome: cost \"{}\" is missing; accepted: the reward and every cost",
                      cost.name));
    }
    return check_outcome("costs", "cost \"" + cost.name + "\"", outcome.costs[i], cost.range);
  }
  return {};
}

Result<> validate_parts(const Shape& shape, const Outcome& outcome) {
  const int m = static_cast<int>(shape.costs.size());
  if (!outcome.costs.empty() && outcome.costs.size() != m) {
    return Error::of("costs", fmt::format("outcome: found {} costs; accepted: {}, or none",
                                          outcome.costs.size(), m));
  }
  bool any = !is_missing(outcome.reward);
  if (any) {
    if (auto ok = check_outcome("reward", "reward", outcome.reward, shape.reward); !ok) return ok;
  }
  for (int i = 0; i < outcome.costs.size(); ++i) {
    if (is_missing(outcome.costs[i])) continue;
    any = true;
    const CostShape& cost = shape.costs[i];
    if (outcome.costs[i] >= cost.range.low && outcome.costs[i] <= cost.range.high) continue;
    return check_outcome("costs", "cost \"" + cost.name + "\"", outcome.costs[i], cost.range);
  }
  if (any) return {};
  return Error::of("costs", "outcome: found no part; accepted: a reward, or a cost, or both");
}

}  // namespace rein
