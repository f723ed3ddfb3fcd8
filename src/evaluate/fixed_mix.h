// The best fixed mix: the best single distribution over actions, the same in every round.
//
//     max <p, f>   s.t.  <p, g_i> <= rate_i  for every cost i,   p a distribution
//
// where f and g_i are the mean reward and cost of every action over all rounds. This mix is the
// best choice that ignores the context, in hindsight. A contextual policy should beat it on a real
// table. At most m + 1 actions have a positive share.
#pragma once

#include <span>
#include <vector>

#include "rein/costs.h"

namespace rein {

struct FixedMix {
  std::vector<double> probabilities;
  double reward = 0.0;    // per round
  Costs costs;            // per round
  bool feasible = false;  // false: no mix keeps the rates, and this mix exceeds them least
};

// means[head * actions + action], where head 0 is the reward. rates: the mean cost allowed per
// round, one per cost. If no mix keeps the rates, each rate is raised by the same share of the
// largest mean of its cost, and this share is as small as possible.
FixedMix best_fixed_mix(std::span<const double> means, int actions, std::span<const double> rates);

}  // namespace rein
