// What least and most shares, the holdout and explorers without a kernel pay, in the rehearsal of a price.
#include <algorithm>

#include "base/size.h"
#include "policy/common.h"
#include "policy/window.h"

namespace rein {

void DecisionWindow::add_shares(const Estimates& estimates, std::span<const double> units,
                                const Round& round) {
  const int offered = estimates.actions();
  kept_[as_size(at_)] = shares_.kept(round);
  for (int i = 0; i < costs_; ++i) {
    double paid = 0.0;
    for (int a = 0; a < offered; ++a) {
      paid += shares_.forced(round, a) * estimates.mean(i + 1)[a] / units[as_size(i + 1)];
    }
    shared_[as_size(i * size_ + at_)] = paid;
  }
  if (!shares_.capped()) return;
  const std::span<double> rooms = std::span(work_).first(as_size(offered));
  shares_.rooms(round, rooms);
  for (int a = 0; a < actions_; ++a) {
    rooms_[as_size(a * size_ + at_)] = a < offered ? rooms[as_size(a)] : 0.0;
  }
}

double DecisionWindow::kept() const {
  double sum = 0.0;
  for (int r = 0; r < used_; ++r) sum += kept_[as_size(r)];
  return used_ > 0 ? sum / used_ : 1.0;
}

// Adds what the forced plays cost. `paid` counts per play that the policy chooses; the mean share of
// such plays is kept(). The result is exact if all rounds keep the same share.
Costs DecisionWindow::with_shares(Costs paid) const {
  const Costs forced = mean_of(shared_);
  const double chosen = kept();
  for (int i = 0; i < costs_; ++i) paid[i] = chosen * paid[i] + forced[i];
  return paid;
}

// The mean cost per play that the policy chooses freely: what these plays cost in all rounds of the
// window, divided by the sum of their probabilities (`kept`).
Costs DecisionWindow::spend_by_rounds(const Costs& prices) {
  const auto k = as_size(actions_);
  const std::span<double> work(work_);
  const auto scores = work.subspan(0, k), p = work.subspan(k, k), rooms = work.subspan(2 * k, k);
  Costs paid(costs_);
  double all = 0.0;
  for (int r = 0; r < used_; ++r) {
    std::size_t offered = 0;
    for (int a = 0; a < actions_ && reward(a)[r] > kBarredScore; ++a, ++offered) {
      scores[offered] = reward(a)[r];
      for (int i = 0; i < costs_; ++i) scores[offered] -= prices[i] * cost(i, a)[r];
      if (shares_.capped()) rooms[offered] = rooms_[as_size(a * size_ + r)];
    }
    const double kept = shares_.active() ? kept_[as_size(r)] : 1.0;
    explorer_.explore(scores.first(offered), gamma_, p.first(offered));
    if (shares_.capped()) {
      fill_rooms(explorer_, scores.first(offered), gamma_, kept, rooms.first(offered),
                 work.subspan(3 * k, 2 * k), p.first(offered));
    } else {
      for (double& x : p.first(offered)) x *= kept;
    }
    for (int i = 0; i < costs_; ++i) {
      for (std::size_t a = 0; a < offered; ++a) paid[i] += p[a] * cost(i, static_cast<int>(a))[r];
    }
    all += kept;
  }
  for (double& x : paid) x = all > 0.0 ? x / all : 0.0;
  return paid;
}

}  // namespace rein
