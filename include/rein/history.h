// History: what an engine did over time, in at most kHistoryPoints points. A point is kept every so
// many decisions. When all points are in use, every second one is dropped and the distance doubles.
#pragma once

#include <cstdint>
#include <vector>

#include "rein/costs.h"

namespace rein {

inline constexpr int kHistoryPoints = 256;
inline constexpr int kHistoryActions = 64;  // with more actions than this, plays are not kept

// Totals up to a decision.
struct HistoryPoint {
  std::int64_t decided = 0;
  std::int64_t learned = 0;         // rounds that the policy learned
  std::int64_t rewarded = 0;        // those whose reward came
  std::int64_t now = 0;             // the logical clock
  double reward = 0.0;              // of the rounds learned
  Costs spent;                      // costs that were reported
  // By the budgets so far: their windows that have ended, and of the open ones the part that has passed. NaN
  // for a cost without such a plan; empty if no cost has one.
  Costs allowed;
  Costs prices;                     // of the last decision
  std::vector<std::int64_t> plays;  // how often each action was chosen, by id; or empty
};

}  // namespace rein
