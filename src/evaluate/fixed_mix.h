// The best fixed mix: the best single distribution over actions, the same in every round.
//
//     max <p, f>   s.t.  <p, g_i> <= rate_i  for every cost i,   p a distribution
//
// with f and g_i the mean reward and cost of every action over all rounds. It is what a person
// could do without looking at the context, given hindsight: the line that a contextual policy has
// to beat on a real table. At most m + 1 actions have a share.
#pragma once

#include <span>
#include <vector>

#include "rein/costs.h"

namespace rein {

struct FixedMix {
  std::vector<double> probabilities;
  double reward = 0.0;    // a round
  Costs costs;            // a round
  bool feasible = false;  // false: no mix keeps the rates; this one comes nearest to them
};

// means[head * actions + action], head 0 the reward; rates: the mean cost allowed a round, one a
// cost. Where no mix keeps them, every rate is widened by the same share of the largest mean of its
// cost, as little as helps.
FixedMix best_fixed_mix(std::span<const double> means, int actions, std::span<const double> rates);

}  // namespace rein
