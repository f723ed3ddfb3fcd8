// Floor: a lower limit on probabilities, so that decisions can be evaluated afterwards.
//
//     p_a <- (1 - f) p_a + f / n        for the n actions that fit; p_a <- (1 - f) p_a for others
//
// An action fits if no rule of the budget barred it, and if f times its estimated cost is at most a
// quarter of the budget per round. So p_a >= f / n >= f / K for actions that fit, and the floor by
// itself spends at most a quarter of a budget. A barred action gets exactly 0.
#pragma once

#include <span>
#include <vector>

#include "rein/policy.h"

namespace rein {

class Floor {
 public:
  Floor() = default;
  // `share` is f. `rates` are budgets per round in units, `refunds` says which costs may be
  // negative: those limit nothing. Empty rates: there is no budget.
  Floor(double share, const Costs& rates, const std::vector<bool>& refunds);

  double share() const { return share_; }
  bool active() const { return share_ > 0.0; }
  // Changes the probabilities of a decision that has scores and estimates. `units` of all heads.
  void mix(std::span<const double> units, Decision& decision) const;
  // The mean of a cost over the actions that fit, in units, barred actions included, because bars
  // are not known yet. 0 if no action fits.
  double mean_cost(const Estimates& estimates, std::span<const double> units, int cost) const;

 private:
  bool fits(const Estimates& estimates, std::span<const double> units, int action) const;

  double share_ = 0.0;
  Costs most_;  // largest estimated cost of an action that fits, in units
};

// The expected square of the importance weight of the policy that plays the n covered actions of a
// round uniformly: (1 / n^2) sum 1 / p_a. Covered: not barred, and p_a >= floor / K. The effective
// sample size of a log is rounds^2 over the sum of these. Infinite if a covered action has p_a = 0.
double squared_weight(const Decision& decision, double floor);

}  // namespace rein
