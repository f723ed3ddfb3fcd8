// adagrad: a linear model trained by diagonal AdaGrad, a first-order method for many features. For
// every head and coordinate i, with p = theta . phi clipped to the range of the head,
//
//     g_i     = 2 (p - y) phi_i
//     G_i    += g_i^2
//     theta_i = clamp(theta_i - rate g_i / sqrt(G_i), -radius, radius)
//
// One round costs K d multiply-adds to predict and d to learn. Sparse rounds touch only their
// nonzeros. (Duchi, Hazan, Singer 2011; McMahan, Streeter 2010.) No widths.
//
// Assumes means linear in phi, |theta*_i| <= radius, |phi| <= norm. U: where p was clipped, p - y
// points the same way and |theta . phi - theta* . phi| only grows, so g is still a gradient of a
// bound: (p - y)^2 - (theta* . phi - y)^2 <= g . (theta - theta*). Each coordinate is online
// gradient descent with steps rate / sqrt(G_i) in an interval of length 2 radius, so
//
//     regret <= sum_i [(2 radius)^2 / (2 rate) + rate] sqrt(G_i)
//            <= (2 radius^2 / rate + rate) 4 L sqrt(n T),    n = d times the sets of parameters,
//
// by Cauchy and Schwarz with sum_i G_i <= 16 T L^2; and never more than 4 T. The best rate for the
// bound is sqrt(2) radius. regret() returns the first line as observed, or the loss if that is
// smaller.
#pragma once

#include <vector>

#include "base/aligned.h"
#include "estimate/abilities.h"
#include "estimate/feature_map.h"
#include "estimate/heads.h"
#include "estimate/linear.h"
#include "estimate/weights.h"
#include "rein/oracle.h"

namespace rein {

class Adagrad final : public Oracle, public OracleAbilities {
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
    double radius;
    double rate;
  };
  Adagrad(const FeatureMap& map, const Shape& shape, const Options& options);

  // The update of one head, whose parameters start at `at`.
  void step_dense(std::size_t at, const double* phi, double slope);
  void step_sparse(std::size_t at, const Round& round, int action, double slope);
  double factor() const {
    return 2.0 * options_.radius * options_.radius / options_.rate + options_.rate;
  }

  FeatureMap map_;
  Heads heads_;
  Options options_;
  LinearScores scores_;
  AlignedDoubles theta_;      // sets x heads x d
  AlignedDoubles squares_;    // G, the same
  std::vector<double> loss_;  // sum of (prediction - y)^2 in units, one per head
  std::vector<double> work_;  // phi, and working memory of scores_
};

}  // namespace rein
