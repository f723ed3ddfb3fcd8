// What fits the budget, for AutoTuning.
#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/size.h"
#include "base/tuned.h"
#include "policy/auto_tuning.h"
#include "policy/common.h"

namespace rein {

// What may be spent above the cheapest action: what is left, less what that action will cost in the
// rounds to come, and what shares will force then. As long as no action is known, nothing is set aside.
double AutoTuning::free_of(const Round& round, const Books& books, int i,
                           std::span<const double> cost) const {
  if (terms_.paced) return std::max(books.left[i], 0.0);
  const double rest = terms_.budgets[i] - books.spent[i] - books.held(i);
  double least = prior_.least(round, i);
  // Shares force some plays whatever the price. Their cost is set aside here.
  if (shares_.active() && least <= kMaxTotal) {
    least *= shares_.kept(round);
    for (int a = 0; a < round.actions; ++a) {
      least += shares_.forced(round, a) * cost[as_size(a)] / units_[as_size(i + 1)];
    }
  }
  if (!(least > 0.0 && least <= kMaxTotal)) return std::max(rest, 0.0);
  const double rounds = static_cast<double>(terms_.rounds - books.rounds) - books.waiting();
  return std::max(rest - std::max(rounds, 0.0) * least, 0.0);
}

// Near the end of a budget a single expensive action could exceed the budget by more than the policy
// saved before. So an action whose cost, above that of the cheapest action, exceeds a share of the free
// money is barred (kFitShare). An action that was played twice may take a larger share
// (kFitPlayedShare), or all of the free money less some standard deviations of its cost
// (kFitDeviations). Where the caller knows the largest cost of an action, that cost must fit.
void AutoTuning::score(const Round& round, const Books& books, const Prices& prices,
                       Decision& decision) const {
  // Nothing is known of a cost that a budget limits. The action with the best reward may be the one that
  // takes all the money, so all actions get the same score.
  if (is_blind(round, books)) {
    std::ranges::fill(decision.scores(), 0.0);
  } else {
    hope(round, books, prices, decision);
  }
  if (!terms_.paced && (terms_.rounds == 0 || books.rounds >= terms_.rounds)) return;
  const std::span<double> scores = decision.scores();
  const int limits = terms_.paced ? books.left.size() : terms_.budgets.size();
  for (int i = 0; i < limits; ++i) {
    if (refunds_[as_size(i)]) continue;  // a signed cost: later rounds may pay it back
    const double unit = units_[as_size(i + 1)];
    const std::span<const double> cost = decision.estimates.mean(i + 1);
    const double left = free_of(round, books, i, cost) * unit;
    const double cheapest = *std::ranges::min_element(cost);
    const double above = terms_.paced ? 0.0 : std::max(cheapest, 0.0);
    const double least = std::max(cheapest, above + tuned::kFitShare * left);
    for (std::size_t a = 0; a < scores.size(); ++a) {
      if (cost[a] <= least) continue;
      const int id = round.id(static_cast<int>(a));
      const std::size_t place = as_size(id) * ranges_.size() + as_size(i);
      const double bound = place < books.bounds.size() ? books.bounds[place] : kNan;
      if (!std::isnan(bound)) {
        if (std::max(cost[a], bound) - above <= left) continue;
      } else {
        const double spread = calibration_.spread(id, i), more = cost[a] - above;
        if (more + tuned::kDeviations * spread * unit <= left) continue;
        if (std::isfinite(spread) && more <= tuned::kFitPlayedShare * left) continue;
      }
      scores[a] = std::min(scores[a], kBarredScore);
    }
  }
}

// Whether money limits this cost. No cost exceeds 1 in units, so a pace or a rate of 1
// allows all: such a cost may never be reported.
bool AutoTuning::is_limited(const Books& books, int cost) const {
  if (refunds_[as_size(cost)]) return false;
  if (terms_.paced) return cost < books.paces.size() && books.paces[cost] < 1.0;
  return cost < terms_.rates.size() && terms_.rates[cost] > 0.0 && terms_.rates[cost] < 1.0;
}

// Rewards have come and nothing is known of what they cost.
bool AutoTuning::is_blind(const Round& round, const Books& books) const {
  if (books.rounds == 0 || !waits_apart_) return false;
  for (int i = 0; i < static_cast<int>(ranges_.size()); ++i) {
    const bool silent = heard_[as_size(i + 1)] == 0.0 && books.warm == 0;
    if (silent && is_limited(books, i) && !prior_.declares_cost(round, i)) return true;
  }
  return false;
}

}  // namespace rein
