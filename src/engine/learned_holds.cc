// What a decision holds of budgets with hold=quantile(q): learned from the bills of its action so far.
//
// A bill is compared with its base: the cost that the policy estimates for this context, so that the hold follows
// the context, but at least 2^-10 of the largest cost and at most that. Where the policy estimates no costs the
// base is the largest cost, which follows what the caller says for this decision.
#include <algorithm>
#include <cmath>

#include "base/came.h"
#include "base/size.h"
#include "engine/heart.h"

namespace rein {
namespace {

// Estimates below this share of the largest cost are taken for noise: a linear estimate may even be negative.
constexpr double kLeastBase = 0x1p-10;

}  // namespace

Micro Engine::Heart::base_of(const Estimates& estimates, int action, int cost, Micro most) const {
  if (cost + 1 >= estimates.heads()) return most;
  const double mean = estimates.mean(cost + 1)[as_size(action)] * budgets.coins(cost);
  const double highest = static_cast<double>(most);
  const double base = std::clamp(mean, kLeastBase * highest, highest);
  return std::clamp<Micro>(static_cast<Micro>(std::ceil(base)), most > 0 ? 1 : 0, most);
}

Micro Engine::Heart::learned_hold_of(const Play& play, int cost) const {
  const Micro most = hold_of(play, cost);
  if (play.estimates == nullptr) return most;
  return bills.hold(play.place, cost, base_of(*play.estimates, play.index, cost, most), most);
}

bool Engine::Heart::needs_estimates(const Play& play, const Free& left) const {
  bool undecided = false;
  for (int i = 0; i < billed.size(); ++i) {
    if (!declared(play, i)) continue;
    const Micro most = hold_of(play, i);
    if (most > left.largest[as_size(i)] || !within_request(play, i)) return false;
    undecided = undecided || most > left.learned[as_size(i)];
  }
  return undecided;
}

// The estimates of an action could differ from those that it was barred or played by, as another number of
// actions is summed in another order. The hold is then at most what is left.
void Engine::Heart::find_learned_holds(const DecideOptions& options, DecideRecord& out) const {
  const rein::Decision& d = out.decision;
  const std::int32_t place = roster.place(out.round.view().id(d.action));
  const Play play{.place = place, .largest = out.largest.span(), .limits = options.most_costs,
                  .index = d.action, .estimates = &d.estimates};
  const Micros left = budgets.left_for_learned(out.keys);
  for (int i = 0; i < billed.size(); ++i) {
    if (budgets.quantile(i) == 0.0 || !declared(play, i)) {
      out.holds.push_back({});
      continue;
    }
    const Micro most = hold_of(play, i);
    out.holds.push_back({.hold = std::min(learned_hold_of(play, i), left[as_size(i)]),
                         .base = base_of(d.estimates, d.action, i, most)});
  }
}

void Engine::Heart::learn_bills(const DecideRecord& decided, std::int32_t place, Came which,
                                const Costs& costs) {
  for (int i = 0; i < billed.size(); ++i) {
    if ((which & cost_came(i)) == 0 || decided.holds[as_size(i)].base == 0) continue;
    bills.add(place, i, bill_up(costs[i], budgets.coins(i)).value(), decided.holds[as_size(i)].base);
  }
}

}  // namespace rein
