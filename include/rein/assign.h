// Assigning: one action for each of many rounds at once, so that the total costs of all stay within
// budgets. For a campaign whose customers are all known before the first one is written to.
//
//     auto engine = rein::Engine::restore(bytes_of_model).value();
//     auto found = rein::assign(engine, rounds, {.totals = {1666.0}}).value();
//     // found.actions[t], found.probability[t]; found.spent[0] is at most 1666
//
// The estimates are those that the engine's policy would decide by; nothing is learned, no decision is
// made, and the engine stays as it was. The price of a cost is the one at which this file meets the
// budget (src/solve/assignment.h), whatever price the policy has come to.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "rein/batch.h"
#include "rein/costs.h"
#include "rein/engine.h"

namespace rein {

struct AssignOptions {
  // Total of each cost over all rounds, in the units of the shape. Infinite: no limit. Empty: none has one.
  std::vector<double> totals;
  // Share of the rounds whose action is drawn uniformly from those on offer, for the next log: 0 to 1.
  // The budgets are then met in expectation over the draw.
  double explore = 0.0;
  std::uint64_t seed = 1;  // of that draw
};

// What the same action for every round would earn and spend, by the estimates.
struct OneForAll {
  std::int32_t action = 0;  // its id
  double reward = 0.0;
  Costs spent;
  bool offered = true;  // in every round; otherwise the sums are over the rounds that offer it
};

struct Assignment {
  std::vector<std::int32_t> actions;  // ids, one per round
  std::vector<double> probability;    // with which each of them was assigned
  std::vector<double> estimates;      // rounds x (reward, cost, ...) of these actions
  Costs prices;                       // reward per unit of each cost at which the budgets are met
  // Totals of the estimates: of these actions, and expected over the draw of AssignOptions::explore.
  double reward = 0.0, expected_reward = 0.0;
  Costs spent, expected_spent;
  // Rounds that had two equal actions at these prices. Those `raised` of them that come first got the
  // dearer one: nothing that the model sees tells them from the others.
  std::int64_t ties = 0, raised = 0;
  std::vector<OneForAll> one_for_all;  // per action on offer, in the order of ids
};

// Refuses rounds that do not fit the shape, a policy that estimates no costs, and budgets that cannot be
// met. `go_on` as in decide_many().
Result<Assignment> assign(const Engine& engine, const RoundBatch& rounds,
                          const AssignOptions& options, const GoOn& go_on = {});

}  // namespace rein
