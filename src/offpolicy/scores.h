// Scores: what every estimator is a mean of. Made once per policy from the complete rows.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/math.h"
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

// How many standard errors the 95 % interval of a mean with this skewness reaches to both sides. The
// mean divided by its standard error has lighter and heavier sides than a normal law. Together they
// leave out skewness^2 (z^4 + 2 z^2 - 3) z / 9 times the density at z more of it, to the second order
// (Hall, The Bootstrap and Edgeworth Expansion, 1992, section 2.6).
double quantile95(double skewness);

// covariance += sum of outer products of deviations(row, head) / total^2, times n / (n - 1) if
// `factor`; and the skewness of the sum.
template <class Deviations>
void add_covariance(PolicyValue& value, int heads, std::size_t n, double total, bool factor,
                    const Deviations& deviations) {
  const std::size_t size = static_cast<std::size_t>(heads);
  value.covariance.assign(size * size, 0.0);
  std::vector<double> now(size);
  std::vector<double> third(size, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t h = 0; h < size; ++h) now[h] = deviations(i, static_cast<int>(h));
    for (std::size_t h = 0; h < size; ++h) third[h] += now[h] * now[h] * now[h];
    for (std::size_t g = 0; g < size; ++g) {
      for (std::size_t h = 0; h < size; ++h) value.covariance[g * size + h] += now[g] * now[h];
    }
  }
  for (std::size_t h = 0; h < size; ++h) {
    const double square = value.covariance[h * size + h];
    value.skewness.push_back(square > 0.0 ? third[h] / (square * std::sqrt(square)) : 0.0);
  }
  const double count = static_cast<double>(n);
  const double times = !factor ? 1.0 : n > 1 ? count / (count - 1.0) : kNan;
  for (double& c : value.covariance) c *= times / (total * total);
}

// Adds the ends of the 95 % intervals from covariance and skewness; NaN unless `interval`.
void add_interval(PolicyValue& value, bool interval);

// The mean of scores (rows x heads) with its covariance and, if `interval`, its 95 % intervals.
PolicyValue mean_of(std::string name, std::span<const double> scores,
                    std::span<const double> weights, int heads, bool interval);
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
