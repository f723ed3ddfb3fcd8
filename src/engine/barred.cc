// Why actions of a round cannot be played: for answers and explanations. Deciding itself asks only
// whether they can (heart_money.cc).
#include <cmath>

#include "base/size.h"
#include "engine/heart.h"

namespace rein {

std::vector<BarredAction> Engine::Heart::barred(const Round& round,
                                                const DecideOptions& options) const {
  std::vector<BarredAction> found;
  const auto keys = budgets.keys_of(options.scopes);
  if (!keys || (!budgets.any_hard() && options.most_costs.empty())) return found;
  const std::size_t m = units.size();
  const bool own = options.largest_costs.size() == as_size(round.actions) * m && m > 0;
  const Micros left = budgets.left(keys.value());
  for (int a = 0; a < round.actions; ++a) {
    const auto given =
        own ? options.largest_costs.subspan(as_size(a) * m, m) : std::span<const double>();
    const std::int32_t place = roster.place(round.id(a));
    if (place < 0) continue;  // decide() refuses the round
    const auto plays = may_play(place, given, left, options.most_costs);
    if (!plays || plays.value()) continue;
    found.push_back({round.id(a), barred_by(place, given, keys.value())});
  }
  return found;
}

// The first hard budget that the largest cost does not fit; "" if the limit of the request bars it.
std::string Engine::Heart::barred_by(std::int32_t place, std::span<const double> own,
                                     const ScopeKeys& keys) const {
  for (int i = 0; i < budgets.size(); ++i) {
    if (budgets.budget(i).kind != BudgetKind::kHard || !budgets.applies(i, keys)) continue;
    const int cost = budgets.cost(i);
    const Micro hold = own.empty() ? largest.hold_of(place, cost)
                                   : nearest_micros_up(own[as_size(cost)], budgets.coins(cost));
    if (hold > budgets.balance(i, keys).left()) return budgets.budget(i).name;
  }
  return "";
}

}  // namespace rein
