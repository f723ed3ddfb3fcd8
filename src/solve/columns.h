// Columns: Dantzig and Wolfe's decomposition of the long-term LP with several costs.
#pragma once

#include <cstdint>
#include <span>

#include "solve/long_term.h"

namespace rein {

// Rounds as LongTerm keeps them: counts[t] points of round t, each a reward and m costs.
struct RoundPoints {
  std::span<const double> points;
  std::span<const std::int32_t> counts;
  int costs = 0;
};

// The gap between the bounds at which it stops, relative to the larger of the value and one a
// round.
inline constexpr double kLongTermGap = 1e-9;
// Where the budgets cannot be met they are widened by this much a round beyond v: at the very edge
// prices have no bound.
inline constexpr double kLongTermSlack = 1e-7;

// REQUIRES one budget a cost.
LongTermAnswer solve_by_columns(const RoundPoints& rounds, std::span<const double> budgets);

}  // namespace rein
