// Costs that the caller expects of every action.
#include <fmt/format.h>

#include "base/size.h"
#include "engine/heart.h"

namespace rein {

Result<> Engine::Heart::check_expected(std::span<const double> costs) const {
  const Shape& shape = policy->shape();
  const std::size_t m = shape.costs.size();
  const std::size_t all = as_size(shape.actions) * m;
  if (!costs.empty() && costs.size() != all) {
    return Error::of(
        "expected_costs",
        fmt::format("expected costs: found {} numbers; accepted: {} ({} actions, {} costs)",
                    costs.size(), all, shape.actions, m));
  }
  for (std::size_t j = 0; j < costs.size(); ++j) {
    const Range& range = shape.costs[j % m].range;
    if (costs[j] >= range.low && costs[j] <= range.high) continue;
    return Error::of(
        "expected_costs",
        fmt::format("expected costs: action {} has {} for cost \"{}\"; accepted: {} to {}",
                    action_words(roster.seat(static_cast<std::int32_t>(j / m)).id), costs[j], shape.costs[j % m].name, range.low, range.high));
  }
  return {};
}

Result<> Engine::Heart::expect(std::span<const double> costs) {
  change = Change::kNothing;
  if (auto ok = check_expected(costs); !ok) return ok;
  expected.assign(costs.begin(), costs.end());
  change = Change::kExpected;
  return {};
}

void Engine::Heart::fill_expected(const Round& round, std::vector<double>& rows) const {
  rows.clear();
  const std::size_t m = units.size();
  for (int a = 0; a < round.actions; ++a) {
    const bool has_id = round.ids.empty() || as_size(a) < round.ids.size();
    const std::int32_t place = has_id ? roster.place(round.id(a)) : -1;
    if (place < 0) return;  // the policy refuses the round
    const auto row = expected.begin() + static_cast<std::ptrdiff_t>(as_size(place) * m);
    rows.insert(rows.end(), row, row + static_cast<std::ptrdiff_t>(m));
  }
}

}  // namespace rein
