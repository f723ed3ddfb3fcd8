// Support: how often the log was to play what a policy plays, also where no row shows it.
//
// Rows that the log hardly ever plays are mostly missing from it. So the weights of the rows that it
// has look better than they are: logs without the rare rows have a large effective size, and those
// are the ones whose values are wrong. The contexts of all rows are there, however. With the
// propensities of all actions in every row, the effective size to expect is
//
//   n / mean of sum over a of target(a)^2 / propensity(a),
//
// whatever the log happened to play. The log only has the propensities of the played actions. Those
// of the others come from a model, p(a | x) = softmax of a linear score per action, fitted to the
// logarithms of the propensities that are known. They have no noise, so few rows are enough.
//
// Where the model is not that of the log, the answer is rough. Propensities are at least the end of
// the tail of those that the log has, so a floor that the model does not know is kept.
//
// Without a floor the mean is over numbers that may be very large in a few contexts. Logs that lack
// these contexts have the larger size, and would be the ones with an interval. So the mean is then
// taken 1.645 of its standard errors larger: with 95 % certainty such logs have at least this size.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rein/offpolicy.h"

namespace rein {

// The smallest propensities of a log.
struct PropensityTail {
  static constexpr std::size_t kRows = 10;
  std::vector<double> smallest;  // at most kRows, ascending
  void add(std::span<const double> propensities);
  // The smallest propensity that the log may have, also where it never played: the smallest one of its
  // rows, times the cube of its ratio to the tenth. With a floor on the propensities all ten are the
  // same. Without a floor they fall on and on, about to a tenth over ten rows.
  double end() const;
  // Whether all ten are the same.
  bool has_floor() const {
    return smallest.size() == kRows && smallest.front() >= (1.0 - 1e-9) * smallest.back();
  }
};

class PropensityModel {
 public:
  PropensityModel() = default;
  // REQUIRES propensities.
  explicit PropensityModel(const OfflineRows& rows);
  // The same for rows that are a sample of a log with this tail.
  PropensityModel(const OfflineRows& rows, const PropensityTail& tail);

  // Of all actions; 0 for those that are not offered. `offered` may be null: all are.
  void probabilities(const double* context, const std::uint8_t* offered, double* out) const;
  // Whether the propensities of the log have a floor.
  bool floor() const { return floor_; }

 private:
  void describe(const OfflineRows& rows);
  // A fit that is near, for any log.
  void approach(const OfflineRows& rows);
  // Replaces it by an exact one (score_fit.h), if the log was made by such a softmax.
  void sharpen(const OfflineRows& rows);
  // Least squares of the logarithms; returns the sum of squares.
  double step(const OfflineRows& rows, bool renew);

  int actions_ = 0;
  int size_ = 1;  // 1 + features
  double least_ = 1.0;
  bool floor_ = true;
  std::vector<double> mean_, scale_;
  std::vector<double> theta_;    // actions x size
  std::vector<double> factors_;  // actions x size x size: Cholesky factors of the curvature
};

// The sum over actions of target^2 / propensity in one context: the mean square of the weights there.
double mean_square_weight(std::span<const double> target, std::span<const double> propensities);

// The mean of such numbers over the contexts of a log, and the effective size that follows from it.
class SquareMean {
 public:
  // A context whose row counts `weight`.
  void add(double weight, double mean_square);
  // Of a log of this many rows. `floor`: whether its propensities have one; else the mean is taken
  // larger (above). 0 without contexts.
  double size(double rows, bool floor) const;

 private:
  double count_ = 0.0, weight_ = 0.0, sum_ = 0.0, squares_ = 0.0;
};

// The effective size to expect of a log like this for the policy, over the rows that are used.
double expected_size(const PropensityModel& model, const OfflineRows& rows,
                     std::span<const double> target, std::span<const std::int64_t> used);

}  // namespace rein
