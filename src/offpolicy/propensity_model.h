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
  // The smallest propensity that the log may have, also for actions that it never played: the smallest
  // propensity of its rows, times the cube of its ratio to the tenth smallest. With a floor the ten
  // smallest are the same. Without a floor they keep falling, to about a tenth over ten rows.
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
  // Replaces the approximate model by an exact one (ScoreFit), if the log was made by such a softmax.
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
  // The effective size of a log of this many rows. `floor`: whether its propensities have a floor;
  // without a floor the mean is taken larger (above). 0 without contexts.
  double size(double rows, bool floor) const;

 private:
  double count_ = 0.0, weight_ = 0.0, sum_ = 0.0, squares_ = 0.0;
};

// The effective size to expect of a log like this for the policy, over the rows that are used.
double expected_size(const PropensityModel& model, const OfflineRows& rows,
                     std::span<const double> target, std::span<const std::int64_t> used);

// ScoreFit: the scores of a softmax whose propensities are known without noise, one per row.
//
// Finds theta (actions x size) that minimises
//
//   sum over rows of (log p - log softmax_a(theta z))^2 + ridge |theta|^2,
//
// a the played action and p its propensity, by Gauss-Newton steps with Levenberg's damping. The linear
// systems are solved by conjugate gradients with the blocks of the diagonal as preconditioner, so no
// matrix over all actions is stored. A log that plays an action rarely says little about its score, and
// a fit that is good where actions are played may still be off by a factor of 30 where they are not.
// So the steps go on until the fit is exact, or until it no longer improves.
struct ScoreRows {
  int actions = 0;
  int size = 0;                     // numbers in z
  std::vector<double> z;            // rows x size
  std::vector<int> played;          // rows
  std::vector<double> logs;         // rows; logarithms of the propensities
  std::vector<std::uint8_t> offered;  // rows x actions; empty: all are
};

class ScoreFit {
 public:
  // `theta` is where it starts. `work` limits the multiplications.
  ScoreFit(const ScoreRows& rows, std::vector<double> theta, std::int64_t work);
  const std::vector<double>& theta() const { return theta_; }
  double squares() const { return squares_; }  // what is minimised

 private:
  // Fills p_ and left_ for these scores; returns what is minimised.
  double evaluate(const std::vector<double>& theta);
  void set_blocks();
  // out = (J'J + ridge + damping) v.
  void multiply(const std::vector<double>& v, double damping, std::vector<double>& out);
  void slope(std::vector<double>& out);
  std::vector<double> solve(const std::vector<double>& slope, double damping);

  const ScoreRows& rows_;
  std::size_t count_, actions_, size_;
  std::int64_t left_work_;
  double squares_ = 0.0;
  std::vector<double> theta_;
  std::vector<double> p_;        // rows x actions: p, and then the derivatives of log p(played)
  std::vector<double> left_;     // rows
  std::vector<double> blocks_;   // actions x size x size
  std::vector<double> factors_;  // of the blocks with the damping
};

}  // namespace rein
