// Scores: what every estimator is a mean of, made once per policy from the complete rows. The estimators
// that are made of them, and which of these have an interval.
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

// The log itself as a policy: every ratio is 1, and the scores are the outcomes.
PolicyScores logged_scores(const OfflineRows& rows);

// The mean of scores (rows x heads) with its covariance and, if `interval`, its 95 % intervals.
PolicyValue mean_of(std::string name, std::span<const double> scores,
                    std::span<const double> weights, int heads, const Units& units, bool interval);
// sum(weight ratio outcome) / sum(weight ratio), with the errors of its linear expansion.
PolicyValue ratio_of(std::string name, const PolicyScores& scores);

// Doubly robust scores with the given weight on the residual of each row.
std::vector<double> robust_scores(const PolicyScores& scores, std::span<const double> ratio);

// The two control variates of a row and head: w - 1, and w predicted(played) - m.
std::array<double, 2> controls_of(const PolicyScores& scores, std::size_t i, std::size_t head);
// The doubly robust mean with control variates. See control_variates.cc. `errors` (rows x heads) gets what
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
// Predictions that also follow the squares of the features, as far as these help.
std::vector<double> with_squares(const OfflineRows& rows, std::span<const double> predicted);

// The mean of doubly robust scores with weights that stabilize their variance over time. See
// control_variates.cc.
PolicyValue stabilized_of(const PolicyScores& scores);

// The range of every head: as given, or 0 to 1 where all outcomes of the log are 0 or 1; NaN: unknown.
std::vector<OutcomeRange> ranges_of(const OfflineRows& rows, std::span<const OutcomeRange> given);

// Takes away the intervals that would not be true: the log never or not always could play what the policy
// plays, propensities are visibly wrong, or too few rows carry the estimate. Where few rows carry the
// error, or the tail of the outcomes is heavy (tail.h), and the range of the outcome is known, an interval from
// that range (bounded.h) takes the place of the interval from errors. Warnings say why a head has no interval.
void set_intervals(const OfflineRows& rows, const PolicyScores& scores, const ValueOptions& options,
                   Evaluation& out);
// The same for the mean outcome of the log itself.
void set_logged_interval(const OfflineRows& rows, const PolicyScores& logged,
                         const ValueOptions& options, PolicyValue& value, Evaluation& out);

// Sensitivity bands (rein/offpolicy.h, sensitivity_band). `propensity`: of the log's rows, into which
// scores.row points. The ends are NaN if the log never played an action that the policy plays.
SensitivityBand sensitivity_of(const PolicyScores& scores, std::span<const double> propensity,
                               int head, double lambda);

class PropensityModel;
// As the public evaluate_policy(), with the model of these rows, which is the same for all policies.
Result<Evaluation> evaluate_policy(const OfflineRows& rows, std::span<const double> target,
                                   std::span<const double> predicted, const ValueOptions& options,
                                   const PropensityModel& model);

}  // namespace rein
