#include "policy/stage.h"

#include <fmt/format.h>

#include "base/size.h"

namespace rein {

Stage::Stage(SpecReader& read)
    : action_(read.integer("action", -1, 0, kMaxActions - 1)),
      known_(read.numbers("cost")),
      limits_(read.numbers("limit")) {
  if (action_ < 0) read.refuse("a safe action is needed; accepted: action=ACTION_ID");
  if (known_.empty()) {
    read.refuse("the mean cost of the safe action is needed; accepted: cost=NUMBER, one per cost");
  }
}

Result<> Stage::fit(const Shape& shape) {
  if (action_ >= shape.actions) {
    return Error{fmt::format("policy spec: key \"action\" has {}; accepted: an action, 0 to {}",
                             action_, shape.actions - 1)};
  }
  const std::size_t m = shape.costs.size();
  if (m == 0) return Error{"policy spec: the problem has no costs; accepted: one or more"};
  if (limits_.empty()) {
    if (!shape.budgets.empty() && shape.rounds == 0) {
      return Error{
          "policy spec: a budget is no limit per round without the number of rounds; accepted: "
          "limit=NUMBER, one per cost"};
    }
    limits_.resize(m);
    for (std::size_t i = 0; i < shape.budgets.size(); ++i) {
      limits_[i] = shape.budgets[i] / static_cast<double>(shape.rounds);
    }
  }
  for (const auto& [key, numbers] : {std::pair{"cost", &known_}, std::pair{"limit", &limits_}}) {
    if (numbers->size() == m) continue;
    return Error{fmt::format("policy spec: key \"{}\" has {} numbers; accepted: one per cost ({})",
                             key, numbers->size(), m)};
  }
  for (std::size_t i = 0; i < m; ++i) {
    const CostShape& cost = shape.costs[i];
    if (!(known_[i] <= limits_[i] && known_[i] >= cost.range.low)) {
      return Error{fmt::format(
          "policy spec: the safe action costs {} of \"{}\" per round, where {} is the limit; "
          "accepted: {} to the limit",
          known_[i], cost.name, limits_[i], cost.range.low)};
    }
  }
  return {};
}

Result<int> Stage::place(const Round& round) const {
  for (int a = 0; a < round.actions; ++a) {
    if (round.id(a) == action_) return a;
  }
  return Error{fmt::format("round: it does not offer the safe action {}; accepted: rounds that do",
                           action_)};
}

void Stage::set_known(int place, std::size_t actions, std::span<double> upper) const {
  for (std::size_t i = 0; i < known_.size(); ++i) upper[i * actions + as_size(place)] = known_[i];
}

}  // namespace rein
