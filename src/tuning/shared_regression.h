// SharedRegression: one linear function for all actions, which differ by a constant only.
//
//     y = pooled + own_a + theta . x + noise
//
// For plays that are far fewer than the parameters of a regression per action. pooled is the mean
// over actions of their mean outcomes. own_a and theta are ridge estimates. Every theta_j has a prior
// variance of its own, and all own_a have one together. The variances start alike and take two steps
// of expectation maximisation,
//
//     variance = estimate^2 / noise + variance that is left after the plays,
//
// after which most of the weight lies on features that matter (MacKay 1992; Tipping 2001, who go on
// to convergence: with so few plays that keeps too few of them). Variances count in those of the
// noise, and start relative to the sizes of the numbers: nothing depends on units.
//
// State: sums over plays, in which own_a is eliminated when it is fitted. A play takes d^2 / 2
// multiply-adds, a fit about (K + d) d^2.
#pragma once

#include <span>
#include <vector>

namespace rein {

class ByteReader;
class ByteWriter;

class SharedRegression {
 public:
  SharedRegression(int actions, int features);
  // Whether a fit takes milliseconds at most.
  static bool fits(int actions, int features);

  double plays() const { return plays_; }
  double plays(int id) const { return counts_[static_cast<std::size_t>(id)]; }
  void add(int id, std::span<const double> x, double y);
  // REQUIRES a play.
  void fit();
  // By the last fit; 0 before it.
  double predict(int id, std::span<const double> x) const;

  std::span<const double> theta() const { return {theta_.data(), theta_.size() - 1}; }

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  void start();                // the first variances
  void eliminate();            // writes S to factor_ and t to right_
  void solve();                // S theta = t, by L L' = S; then own and noise_
  void expect();               // the next variances
  double left(int id) const;   // sum of y less pooled
  double known(int id) const;  // 1 / (plays + 1 / variance of own)
  const double* sums(int id) const { return x_.data() + static_cast<std::size_t>(id) * d_; }

  std::size_t d_;  // features and a constant
  double plays_ = 0.0;
  std::vector<double> counts_;  // of each action
  std::vector<double> x_;       // actions x d: sums of x
  std::vector<double> y_;       // of each action: sums of y
  std::vector<double> xx_;      // d x d, on and below the diagonal
  std::vector<double> xy_;
  double yy_ = 0.0;
  double pooled_ = 0.0;
  std::vector<double> theta_;
  std::vector<double> own_;
  // Of the fit at hand.
  double noise_ = 0.0;
  double spread_ = 0.0;  // of y around pooled and own, before theta
  double own_variance_ = 0.0;
  std::vector<double> variance_, factor_, inverse_, right_, column_;
};

}  // namespace rein
