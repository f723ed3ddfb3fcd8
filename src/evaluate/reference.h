// Reference: what other ways of choosing would have earned on the same worlds, for comparison.
// None of them is a policy that could be used: each sees more than a policy does.
#pragma once

#include <vector>

#include "evaluate/run.h"

namespace rein {

// Computes the references on every seed of the run, with the world's own budgets. Without
// budgets the limit of every cost is 0.
//
//   full information  the oracle and the causal price of ccb, shown the outcome of every action
//   best fixed mix    the best single distribution over actions, the same in every round
//   best in hindsight the best that meets the budget over all rounds (docs/comparators.md)
//
// A world that adapts has only the first, because its rounds depend on what was played. The second
// needs rounds that offer all actions, and a budget that some mix keeps.
Result<std::vector<Reference>> references(const Run& run);

}  // namespace rein
