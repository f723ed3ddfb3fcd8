// Stage: a limit on what every single round may be expected to cost, and an action that is known to
// keep it. What `safe` and `oplb` share: the keys. With upper confidence bounds u of the costs
// (policy/upper_bounds.h), and the known cost of the safe action in the place of its own, a distribution
// with <p, u_i> <= limit_i keeps the limit in expectation, in every round.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/spec_reader.h"
#include "rein/result.h"
#include "rein/round.h"
#include "rein/shape.h"

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
  // Puts what is known of the safe action, at this place, into the bounds of all actions, one row per
  // cost.
  void set_known(int place, std::size_t actions, std::span<double> upper) const;

 private:
  std::int64_t action_;
  std::vector<double> known_;   // the mean costs of the safe action
  std::vector<double> limits_;  // per round
};

}  // namespace rein
