// Assignment: one whole action for every round, so that totals over all rounds stay within limits.
//
//     max sum_t f_t(a_t)   s.t.  sum_t g_{t,i}(a_t) <= limit_i  for every cost i,   a_t one action
//
// The long-term LP (solve/long_term.h) gives a price per cost. Every round takes the action with the
// largest f - sum price g; of equal ones the cheaper. What is left of the limits then buys better
// actions in the order of what they lose at these prices, equal ones in the order of the rounds. So
// the value is at most that of the LP, and below it by at most what the last few rounds could gain.
//
// With one cost the limit is met up to one step of one round. With several costs the actions at the
// prices may pass a limit: then rounds go back to cheaper actions first, those that lose least.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rein/costs.h"
#include "rein/result.h"

namespace rein {

// values[(round * (1 + costs) + head) * actions + action]; NaN in head 0: the round does not offer it.
struct AssignmentInput {
  std::int64_t rounds = 0;
  int actions = 1;
  int costs = 0;
  std::span<const double> values;
  std::span<const double> limits;  // one per cost; infinite: none
};

struct AssignedActions {
  std::vector<std::int32_t> actions;  // one per round
  Costs prices;                       // reward per unit of each cost
  // Rounds that had two equal actions at these prices, and those of them that got the dearer one.
  std::int64_t ties = 0;
  std::int64_t raised = 0;
};

// Refuses limits that cannot be met, with the least that can. REQUIRES finite values of actions that
// are offered, and an action in every round.
Result<AssignedActions> assign_actions(const AssignmentInput& input,
                                       std::span<const std::string> names);

}  // namespace rein
