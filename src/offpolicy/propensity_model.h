// PropensityModel: how likely the log was to play each action, in every context of the log; and how much
// the log can therefore say about a policy.
//
// An action with a small propensity is mostly missing from a log. The weights of the rows that are there
// do not show what is missing: logs without the rare rows have a large effective size, and the values
// estimated from such logs are the wrong ones. All contexts are in the log, however. From the
// propensities of all actions in every context follows the effective size to expect:
//
//   n / mean of sum over a of target(a)^2 / propensity(a),
//
// This size does not depend on which actions the log happened to play. A log has the propensities of the
// played actions only. A model gives those of the other actions: p(a | x) is the softmax of a linear
// score per action, fitted to the logarithms of the known propensities. These have no noise, so few rows
// are enough.
//
// If the logging policy is not such a softmax, the answer is rough. Every modelled propensity is raised
// to the end of the tail of the known ones (PropensityTail), so that a floor of the log is kept.
//
// Without a floor, a few contexts may have very large terms in the mean. Logs that lack these contexts
// have the larger size, and would be the ones with an interval. So the mean is then taken 1.645 of its
// standard errors larger: with 95 % certainty such logs have at least this size.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "offpolicy/dense.h"
#include "offpolicy/rows.h"

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
  // Whether the ten smallest propensities are the same.
  bool has_floor() const {
    return smallest.size() == kRows && smallest.front() >= (1.0 - 1e-9) * smallest.back();
  }
};

class PropensityModel {
 public:
  PropensityModel() = default;
  // REQUIRES propensities.
  explicit PropensityModel(const OfflineRows& rows);
  // The model of a log with this tail, from a sample of its rows.
  PropensityModel(const OfflineRows& rows, const PropensityTail& tail);

  // Writes one propensity per action, 0 for an action that is not offered. A null `offered` means that
  // all actions are offered.
  void probabilities(const double* context, const std::uint8_t* offered, double* out) const;
  // Whether the propensities of the log have a floor.
  bool floor() const { return floor_; }

 private:
  // The softmax of the scores alone, without the least propensity; z as Standardizer::apply gives it.
  void softmax(std::span<const double> z, const std::uint8_t* offered, double* out) const;
  // Finds an approximate model, for any log.
  void approach(const OfflineRows& rows);
  // Replaces the approximate model by an exact one (score_fit.h), if the log was made by such a softmax.
  void sharpen(const OfflineRows& rows);
  // One step of least squares on the logarithms. Returns the sum of squares before the step. `renew`:
  // computes the curvature anew, into `factors` (actions x size x size Cholesky factors).
  double step(const OfflineRows& rows, bool renew, std::vector<double>& factors);

  int actions_ = 0;
  int size_ = 1;  // 1 + features
  double least_ = 1.0;
  bool floor_ = true;
  Standardizer scaling_;
  std::vector<double> theta_;  // actions x size
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
