// Stage: a limit on what every single round may be expected to cost, and an action that is known to
// keep it. What `safe` and `oplb` share: the keys, and upper confidence bounds of costs.
//
//     u_i(a) = min(largest value of cost i, g^_i(a) + r sqrt(w(a)))       what is known of the safe action: its cost
//
// r is the radius of policy/confidence.h (ellipsoid): with probability 1 - delta, u_i(a) is at least
// the mean cost in every round, for all actions and costs at once, if the truth is linear. So a
// distribution with <p, u_i> <= limit_i keeps the limit in expectation, in every round.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/confidence.h"

namespace rein {

class Stage {
 public:
  // Reads action, cost and limit.
  explicit Stage(SpecReader& read);
  // Checks the keys against the problem. The limit is, unless given, the budget per round; 0 without
  // a budget. REQUIRES one call before any other method.
  Result<> fit(const Shape& shape);

  // The place of the safe action in the round; refuses a round that does not offer it.
  Result<int> place(const Round& round) const;
  double limit(int cost) const { return limits_[static_cast<std::size_t>(cost)]; }
  double known(int cost) const { return known_[static_cast<std::size_t>(cost)]; }
  // Writes u, one row per cost, in the units of the shape. `said` are the oracle's estimates.
  void upper(const Shape& shape, const Estimates& said, double radius, int place,
             std::span<double> out) const;

 private:
  std::int64_t action_;
  std::vector<double> known_;   // the mean costs of the safe action
  std::vector<double> limits_;  // per round
};

}  // namespace rein
