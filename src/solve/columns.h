// Columns: Dantzig-Wolfe decomposition of the long-term LP with several costs.
#pragma once

#include <cstdint>
#include <span>

#include "solve/long_term.h"

namespace rein {

// Rounds in the form of LongTerm: counts[t] points of round t, each a reward and m costs.
struct RoundPoints {
  std::span<const double> points;
  std::span<const std::int32_t> counts;
  int costs = 0;
};

// The gap between upper and lower bound at which the solver stops, relative to the larger of the
// value and 1 per round.
inline constexpr double kLongTermGap = 1e-9;
// If the budgets cannot be met, they are widened by this much per round beyond v, because prices
// are unbounded at the exact edge.
inline constexpr double kLongTermSlack = 1e-7;

// REQUIRES one budget per cost.
LongTermAnswer solve_by_columns(const RoundPoints& rounds, std::span<const double> budgets);

}  // namespace rein
