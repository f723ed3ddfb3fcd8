// The mean of scores, rows x heads, with the covariance of the means.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "rein/offpolicy.h"

namespace rein {

// `weights`: how much each row counts; rows of weight 0 are left out. `units`: those of the rows, or
// empty. Intervals are 95 %; NaN unless `interval`.
PolicyValue row_means(std::string name, std::span<const double> scores,
                      std::span<const double> weights, int heads,
                      std::span<const std::int32_t> units, bool interval);

// The doubly robust score of every row: m + target(played) / propensity (y - predicted(played)).
// The weights are those of the rows; 0 where an outcome is missing.
struct RowScores {
  std::vector<double> scores;  // rows x heads
  std::vector<double> weights;
};
RowScores robust_rows(const OfflineRows& rows, std::span<const double> target,
                      std::span<const double> predicted);
// The outcomes themselves.
RowScores logged_rows(const OfflineRows& rows);

}  // namespace rein
