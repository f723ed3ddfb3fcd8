// Scores: what every estimator is a mean of. Made once per policy from the complete rows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rein/offpolicy.h"

namespace rein {

inline constexpr double kNormal95 = 1.959963984540054;

struct PolicyScores {
  int heads = 1;
  std::vector<std::int64_t> row;  // the complete rows
  std::vector<double> weight;     // how much the row counts
  std::vector<double> ratio;      // w = target(played) / propensity
  std::vector<double> outcome;    // rows x heads
  std::vector<double> direct;     // rows x heads: sum over a of target(a) predicted(a)
  std::vector<double> residual;   // rows x heads: outcome - predicted(played)

  std::size_t size() const { return row.size(); }
};

// REQUIRES sizes that fit, and propensities.
PolicyScores policy_scores(const OfflineRows& rows, std::span<const double> target,
                           std::span<const double> predicted);

// The mean of scores (rows x heads) with its covariance and, if `interval`, its 95 % intervals.
PolicyValue mean_of(std::string name, std::span<const double> scores,
                    std::span<const double> weights, int heads, bool interval);
// sum(weight score) / sum(weight ratio), linearized.
PolicyValue ratio_of(std::string name, const PolicyScores& scores);

// Doubly robust scores with the given weight on the residual of each row.
std::vector<double> robust_scores(const PolicyScores& scores, std::span<const double> ratio);

// The mean of doubly robust scores with weights that stabilize their variance over time. See
// stabilized.cc.
PolicyValue stabilized_of(const PolicyScores& scores);

Overlap overlap_of(const OfflineRows& rows, std::span<const double> target,
                   const PolicyScores& scores);
// Per action, whether the mean of [played] / propensity is too far from 1 for propensities to be right
// and the action to have been possible in all rows: by more than 5 standard errors.
std::vector<std::uint8_t> miscalibrated(const Overlap& overlap);
// Only the calibration of the propensities, over the complete rows.
Overlap calibration_of(const OfflineRows& rows);
// What the reader must know before using the estimates.
std::vector<std::string> warnings_of(const OfflineRows& rows, const Overlap& overlap,
                                     std::int64_t missing);

}  // namespace rein
