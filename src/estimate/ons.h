// ons: the online Newton step on the clipped square loss. Every head has its own matrix, because
// its gradients are its own. With p = theta . phi clipped to [low, high], the range of the head,
//
//     theta  := the nearest theta, in the norm of A, with low <= theta . phi <= high
//             = theta - (theta . phi - p) A^-1 phi / (phi' A^-1 phi)
//     g       = 2 (p - y) phi
//     A      += sigma g g',  sigma = 1/8
//     theta  -= A^-1 g
//
// Assumes means linear in phi with |theta*| <= 1, |phi| <= norm. (Hazan, Agarwal, Kale 2007; the
// projection in closed form: Luo, Agarwal, Cesa-Bianchi, Langford 2016.)
//
// U. The loss f(theta) = (theta . phi - y)^2 is a parabola along phi, so for every theta* that
// keeps theta* . phi in range
//
//     f(theta) - f(theta*) = g . (theta - theta*) - (phi . (theta - theta*))^2
//                         <= g . (theta - theta*) - sigma/2 (g . (theta - theta*))^2,
//
// since (p - y)^2 <= 4 makes (g . z)^2 <= 16 (phi . z)^2. A projection in the norm of A brings
// theta nearer to theta* in that norm, so the step gives
//
//     2 g . (theta - theta*) <= |theta - theta*|^2_A - |theta_next - theta*|^2_A + g' A^-1 g,
//
// with A after the round. Summed, A's growth sigma g g' cancels the squares, and from theta = 0
//
//     regret <= reg/2 |theta*|^2 + 1/2 sum g' A^-1 g
//            <= reg/2 + 1/(2 sigma) ln det(A / reg)
//            <= reg/2 + 4 d ln(1 + 2 T L^2 / (d reg)),
//
// as sigma g' A^-1 g <= ln det A - ln det A_before, and the trace of A - reg I is at most sigma 16
// L^2 T = 2 L^2 T. Parameters per action add up: K reg/2 + 4 K d ln(1 + 2 T L^2 / (K d reg)).
// regret() gives the first line as observed, or the loss where that is less.
//
// An example with very large numbers counts s^2 (estimate/tame.h): phi, the prediction and the
// outcome are multiplied by s, to which all of the above applies. Its regret in full is at most
// s^2 of it and (1 - s^2) of its loss more, which squares_ counts.
//
// State: a packed Cholesky factor of A and theta, d (d + 1) / 2 + d numbers for every head and
// parameter set. One round costs K d a head to predict, 1.5 d^2 a head to learn, d^2 more where p
// was clipped. No widths: A weighs rounds by how wrong they were.
#pragma once

#include <vector>

#include "base/aligned.h"
#include "estimate/factors.h"
#include "estimate/feature_map.h"
#include "estimate/heads.h"
#include "estimate/linear.h"
#include "estimate/tame.h"
#include "rein/oracle.h"

namespace rein {

class Ons final : public Oracle {
 public:
  static Result<std::unique_ptr<Oracle>> make(const Spec& spec, const Shape& shape);

  void predict(const Round& round, Scratch& scratch, Estimates& estimates) const override;
  std::size_t scratch() const override { return scores_.scratch(); }
  void learn(const Round& round, int action, std::span<const double> outcomes) override;
  double bound(std::int64_t rounds) const override;
  double regret() const override;
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  struct Options {
    double reg;
  };
  Ons(const FeatureMap& map, const Shape& shape, const Options& options);

  // Moves theta by -A^-1 phi excess / (phi' A^-1 phi).
  void project(const double* factor, double* theta, const double* phi, double excess);
  // Grows A and takes the step; returns g' A^-1 g.
  double step(double* factor, double* theta, const double* phi, double miss);

  FeatureMap map_;
  Heads heads_;
  Options options_;
  Tame tame_;
  LinearScores scores_;
  Factors factors_;              // sets x heads
  AlignedDoubles theta_;         // sets x heads x d
  std::vector<double> loss_;     // sum of (prediction - y)^2 in units, one a head
  std::vector<double> squares_;  // sum of g' A^-1 g, one a head
  std::vector<double> work_;
};

}  // namespace rein
