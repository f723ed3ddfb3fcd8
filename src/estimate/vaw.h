// vaw: the Vovk-Azoury-Warmuth forecaster, ridge regression that counts the example it is about to
// predict. With A = reg I + sum phi phi' over the rounds learned and b_h = sum phi y_h,
//
//     prediction_h(a) = phi_a' (A + phi_a phi_a')^-1 b_h = phi_a' A^-1 b_h / (1 + phi_a' A^-1
//     phi_a)
//
// clipped to the range of the head. Assumes means linear in phi with |theta| <= 1, |phi| <= norm.
// U = reg + d ln(1 + T L^2 / (reg d)) for shared parameters, K reg + K d ln(1 + T L^2 / (reg K d))
// for parameters per action. (Vovk 2001; Azoury, Warmuth 2001.)
//
// State: the packed Cholesky factor L of A and c_h = L^-1 b_h, that is d (d + 1) / 2 + (m + 1) d
// doubles a parameter set; both are updated together in one pass. One round costs K d^2 / 2
// multiply-adds to predict and 1.5 d^2 to learn.
//
// ridge: the same without counting the example that is about to be predicted,
//
//     prediction_h(a) = phi_a' A^-1 b_h,
//
// what policies with confidence bounds are written for. U = reg + 4 d ln(1 + T L^2 / (reg d)): the
// least ridge loss is exactly sum (y - y^)^2 / (1 + w), w = phi' A^-1 phi, so what clipped
// predictions lose above it is at most sum (y - y^)^2 w / (1 + w) <= 4 ln det(A / reg).
#pragma once

#include <vector>

#include "estimate/factors.h"
#include "estimate/feature_map.h"
#include "estimate/heads.h"
#include "rein/oracle.h"

namespace rein {

class Vaw final : public Oracle {
 public:
  static Result<std::unique_ptr<Oracle>> make(const Spec& spec, const Shape& shape);
  static Result<std::unique_ptr<Oracle>> make_ridge(const Spec& spec, const Shape& shape);

  void predict(const Round& round, Scratch& scratch, Estimates& estimates) const override;
  std::size_t scratch() const override;
  void learn(const Round& round, int action, std::span<const double> outcomes) override;
  double bound(std::int64_t rounds) const override;
  double regret() const override;
  int dimension() const override { return map_.size(); }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

  // Doubles of learned state.
  std::size_t state_size() const { return factors_.size() + heads_rows_.size(); }

 private:
  struct Options {
    double reg = 1.0;
    bool ridge = false;
  };
  static Result<std::unique_ptr<Oracle>> make(const Spec& spec, const Shape& shape, bool ridge);
  Vaw(const FeatureMap& map, const Shape& shape, const Options& options);

  void predict_shared(const Round& round, Scratch& scratch, Estimates& estimates) const;
  void predict_per_action(const Round& round, Scratch& scratch, Estimates& estimates) const;
  // What a least-squares prediction is divided by, w = phi' A^-1 phi.
  double shrink(double w) const { return options_.ridge ? 1.0 : 1.0 + w; }
  const char* name() const { return options_.ridge ? "ridge" : "vaw"; }
  double* rows(int set);
  const double* rows(int set) const;

  FeatureMap map_;
  Heads heads_;
  Options options_;
  Factors factors_;                 // one L a parameter set
  std::vector<double> heads_rows_;  // c_h, heads x d a parameter set
  // Per head: sum of (prediction - y)^2, and of the best fit's own square loss, both in units.
  std::vector<double> loss_;
  std::vector<double> best_loss_;
  std::vector<double> work_;
};

}  // namespace rein
