// kernel: the forecaster of `vaw` on nonlinear features (curves), for nonlinear means.
//
//     z   = phi(x, a), the vector of FeatureMap
//     psi = (curves of z, and with linear=1 also z itself)
//     prediction_h = psi' (A + psi psi')^-1 b_h,  A = reg I + sum psi psi',  b_h = sum psi y_h
//
// The curves are random Fourier features of the Gaussian kernel, or features of a dictionary of
// past points that grows while points are new (see kernel_features.h). With parameters per action,
// every action has its own A, b_h and dictionary; frequencies are shared.
//
// Certified: for any outcomes in any order, the loss exceeds that of the best function theta . psi
// by at most reg |theta|^2 + ln det(A / reg), because psi of a round is known before its outcome. U
// = reg + D ln(1 + T L^2 / (reg D)), D = size (+ d), L^2 = 1 (+ norm^2); times sets as in vaw. Not
// certified: that the truth is such a function with |theta| <= 1. A smooth mean is close to one if
// the width fits its curvature and there are enough curves.
#pragma once

#include <memory>
#include <vector>

#include "estimate/abilities.h"
#include "estimate/feature_map.h"
#include "estimate/kernel_features.h"
#include "estimate/ridge.h"
#include "rein/oracle.h"

namespace rein {

class Kernel final : public Oracle, public OracleAbilities {
 public:
  static Result<std::unique_ptr<Oracle>> make(const Spec& spec, const Shape& shape);

  void predict(const Round& round, Scratch& scratch, Estimates& estimates) const override;
  std::size_t scratch() const override;
  void learn(const Round& round, int action, std::span<const double> outcomes) override;
  double bound(std::int64_t rounds) const override;
  double regret() const override { return ridge_.regret(); }
  WidthSum width_sum(std::int64_t rounds) const override;
  int dimension() const override { return ridge_.size(); }
  std::span<const double> predicted() const override { return predicted_; }
  const OracleAbilities& abilities() const override { return *this; }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  struct Options {
    int size;
    bool dictionary;
    bool linear;
    double reg;
    double width;  // 0: to be measured
    double novelty;
    std::uint64_t seed;
  };
  Kernel(const FeatureMap& map, const Shape& shape, const Options& options);

  // Whether the width is not known yet. Then all curves are 0.
  bool waits() const { return waves_ != nullptr && !widths_.known(); }
  double norm_squared() const;  // upper bound of |psi|^2
  // Working memory of row(): z, then what the curves need.
  std::size_t row_work() const { return static_cast<std::size_t>(map_.size()) + curves_->work(); }
  // Writes psi of one action. `work` holds row_work() doubles and starts with z afterwards.
  void row(const Round& round, int action, double* psi, double* work) const;
  void predict_shared(const Round& round, Scratch& scratch, Estimates& estimates) const;
  void predict_per_action(const Round& round, Scratch& scratch, Estimates& estimates) const;

  FeatureMap map_;
  Options options_;
  std::unique_ptr<KernelFeatures> curves_;
  Ridge ridge_;
  FourierFeatures* waves_ = nullptr;  // the curves, if their width is measured
  KernelWidths widths_;
  std::vector<double> predicted_;  // before the last outcome, by head
  std::vector<double> psi_;   // of the round being learned
  std::vector<double> work_;  // for row()
};

}  // namespace rein
