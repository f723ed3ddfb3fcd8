// Scores: what every estimator is a mean of. Made once per policy from the complete rows.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/math.h"
#include "offpolicy/errors.h"
#include "rein/offpolicy.h"

namespace rein {

struct PolicyScores {
  int heads = 1;
  std::vector<std::int64_t> row;  // the complete rows
  std::vector<double> weight;     // how much the row counts
  std::vector<double> ratio;      // w = target(played) / propensity
  std::vector<double> outcome;    // rows x heads
  std::vector<double> direct;     // rows x heads: sum over a of target(a) predicted(a)
  std::vector<double> residual;   // rows x heads: outcome - predicted(played)
  Units units;

  std::size_t size() const { return row.size(); }
};

// REQUIRES sizes that fit, and propensities.
PolicyScores policy_scores(const OfflineRows& rows, std::span<const double> target,
                           std::span<const double> predicted);

// The mean of scores (rows x heads) with its covariance and, if `interval`, its 95 % intervals.
PolicyValue mean_of(std::string name, std::span<const double> scores,
                    std::span<const double> weights, int heads, const Units& units, bool interval);
// sum(weight score) / sum(weight ratio), linearized.
PolicyValue ratio_of(std::string name, const PolicyScores& scores);

// Doubly robust scores with the given weight on the residual of each row.
std::vector<double> robust_scores(const PolicyScores& scores, std::span<const double> ratio);

// The two control variates of a row and head: w - 1, and w predicted(played) - m.
std::array<double, 2> controls_of(const PolicyScores& scores, std::size_t i, std::size_t head);
// The doubly robust mean with control variates. See efficient.cc. `errors` (rows x heads) gets what
// every row adds to its error.
PolicyValue efficient_of(const PolicyScores& scores, std::vector<double>& errors);

// A mixture of efficient_dr with an estimate of less variance. See blend.cc.
struct BlendParts {
  const PolicyValue& efficient;
  std::span<const double> errors;  // of efficient, rows x heads
  const PolicyValue& shrunk;       // dros
  std::span<const double> scores;  // of dros, rows x heads
  bool adaptive = false;
};
PolicyValue blend_of(const OfflineRows& rows, std::span<const double> target,
                     std::span<const double> predicted, const PolicyScores& scores,
                     const BlendParts& parts);
// Predictions that also follow the squares of the features, as far as these help. See squares.cc.
std::vector<double> with_squares(const OfflineRows& rows, std::span<const double> predicted);

// The mean of doubly robust scores with weights that stabilize their variance over time. See
// stabilized.cc.
PolicyValue stabilized_of(const PolicyScores& scores);

class PropensityModel;  // support.h
// `adaptive`: a learner made the log.
Overlap overlap_of(const OfflineRows& rows, std::span<const double> target,
                   const PolicyScores& scores, const PropensityModel& model, bool adaptive);
// As the public one, with the model of these rows: it is the same for all policies.
Result<Evaluation> evaluate_policy(const OfflineRows& rows, std::span<const double> target,
                                   std::span<const double> predicted, const ValueOptions& options,
                                   const PropensityModel& model);
// Per action, whether the mean of [played] / propensity is too far from 1 for propensities to be right
// and the action to have been possible in all rows: by more than 5 standard errors.
std::vector<std::uint8_t> miscalibrated(const Overlap& overlap);
// Whether the mean weight is too far from 1 for propensities to be right.
bool off_balance(const Overlap& overlap);
// Whether weighted actions and contexts are those that the policy meets, within chance.
bool balanced(const Overlap& overlap);
// The size that decides whether there is an interval: of the log, or the one to expect if that is
// less. In a log of a learner neither, but what the least propensity grants.
double size_for_interval(const Overlap& overlap);
// Only the calibration of the propensities, over the complete rows.
Overlap calibration_of(const OfflineRows& rows);
// What the reader must know before using the estimates. Actions are named by their numbers where
// there are no names.
std::vector<std::string> warnings_of(const OfflineRows& rows, const Overlap& overlap,
                                     std::int64_t missing, std::span<const std::string> actions);

}  // namespace rein
