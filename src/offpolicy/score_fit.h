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
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rein {

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
