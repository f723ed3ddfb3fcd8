// ons: the online Newton step on the clipped square loss. Every head has its own matrix, because
// its gradients differ. With p = theta . phi clipped to [low, high], the range of the head,
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
// U. The loss f(theta) = (theta . phi - y)^2 is a parabola along phi. So for every theta* with
// theta* . phi in range
//
//     f(theta) - f(theta*) = g . (theta - theta*) - (phi . (theta - theta*))^2
//                         <= g . (theta - theta*) - sigma/2 (g . (theta - theta*))^2,
//
// since (p - y)^2 <= 4 gives (g . z)^2 <= 16 (phi . z)^2. A projection in the norm of A brings
// theta nearer to theta* in that norm, so the step gives
//
//     2 g . (theta - theta*) <= |theta - theta*|^2_A - |theta_next - theta*|^2_A + g' A^-1 g,
//
// with A after the round. In the sum, A's growth sigma g g' cancels the squares, and from theta = 0
//
//     regret <= reg/2 |theta*|^2 + 1/2 sum g' A^-1 g
//            <= reg/2 + 1/(2 sigma) ln det(A / reg)
//            <= reg/2 + 4 d ln(1 + 2 T L^2 / (d reg)),
//
// as sigma g' A^-1 g <= ln det A - ln det A_before, and the trace of A - reg I is at most sigma 16
// L^2 T = 2 L^2 T. With parameters per action the terms add up: K reg/2 + 4 K d ln(1 + 2 T L^2 / (K
// d reg)). regret() returns the first line as observed, or the loss if that is smaller.
//
// An example with very large numbers gets the weight s^2 (estimate/tame.h): phi, the prediction and
// the outcome are multiplied by s, and all of the above applies. Its full regret is at most s^2 of
// it plus (1 - s^2) of its loss, which squares_ counts.
//
// State: a packed Cholesky factor of A and theta, d (d + 1) / 2 + d numbers per head and parameter
// set. One round costs K d per head to predict and 1.5 d^2 per head to learn, d^2 more if p was
// clipped. No widths: A weights rounds by their errors.
#pragma once

#include <vector>

#include "base/aligned.h"
#include "estimate/abilities.h"
#include "estimate/factors.h"
#include "estimate/feature_map.h"
#include "estimate/heads.h"
#include "estimate/linear.h"
#include "estimate/tame.h"
#include "estimate/weights.h"
#include "rein/oracle.h"

namespace rein {

class Ons final : public Oracle, public OracleAbilities {
 public:
  static Result<std::unique_ptr<Oracle>> make(const Spec& spec, const Shape& shape);

  void predict(const Round& round, Scratch& scratch, Estimates& estimates) const override;
  std::size_t scratch() const override { return scores_.scratch(); }
  void learn(const Round& round, int action, std::span<const double> outcomes) override;
  double bound(std::int64_t rounds) const override;
  double regret() const override;
  bool weights(const Round& round, int action, int head, std::vector<Term>& out) const override;
  const OracleAbilities& abilities() const override { return *this; }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  struct Options {
    double reg;
  };
  Ons(const FeatureMap& map, const Shape& shape, const Options& options);

  // Moves theta by -A^-1 phi excess / (phi' A^-1 phi).
  void project(const double* factor, double* theta, const double* phi, double excess);
  // Updates A and makes the step; returns g' A^-1 g.
  double step(double* factor, double* theta, const double* phi, double miss);

  FeatureMap map_;
  Heads heads_;
  Options options_;
  Tame tame_;
  LinearScores scores_;
  Factors factors_;              // sets x heads
  AlignedDoubles theta_;         // sets x heads x d
  std::vector<double> loss_;     // sum of (prediction - y)^2 in units, one per head
  std::vector<double> squares_;  // sum of g' A^-1 g, one per head
  std::vector<double> work_;
};

}  // namespace rein
