// vaw: the Vovk-Azoury-Warmuth forecaster: ridge regression that includes the example to be
// predicted. With A = reg I + sum phi phi' over the rounds learned and b_h = sum phi y_h,
//
//     prediction_h(a) = phi_a' (A + phi_a phi_a')^-1 b_h
//                     = phi_a' A^-1 b_h / (1 + phi_a' A^-1 phi_a)
//
// clipped to the range of the head. Assumes means linear in phi with |theta| <= 1, |phi| <= norm. U
// = reg + d ln(1 + T L^2 / (reg d)) for shared parameters, K reg + K d ln(1 + T L^2 / (reg K d))
// for parameters per action. (Vovk 2001; Azoury, Warmuth 2001.)
//
// ridge: the same without the example to be predicted, phi_a' A^-1 b_h, for policies with
// confidence bounds. Its U has 4 d instead of d.
//
// With memory=N, an outcome weighs 1 / e after N others. With memory=auto nothing is forgotten until
// a change is noticed (change.h): then what was learned before it is given up, for one set of
// parameters or for all. U is not certified once something was forgotten.
//
// features=both: parameters per action, around parameters theta_0 that actions share (centre.h):
//
//     prediction = theta_0 . phi + phi' A^-1 (b - (A - reg I) theta_0) / (1 + w)
//
// A and b are those of features=per_action. An unknown action is predicted by theta_0. What theta_0
// adds to the prediction q of per_action vanishes as A grows: each direction of phi is shrunk by its
// own evidence. Widths are those of per_action. With (p - f)^2 <= 2 (p - q)^2 + 2 (q - f)^2 the
// squared error is at most 2 U + 4 (reg + L^2) |theta|^2 ln det(A / reg), U and A of per_action.
// regret() is exact, against the class of per_action.
//
// The forecaster itself is in ridge.h. One round costs K d^2 / 2 multiply-adds to predict and 1.5
// d^2 to learn.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "estimate/abilities.h"
#include "estimate/centre.h"
#include "estimate/change.h"
#include "estimate/feature_map.h"
#include "estimate/free_regret.h"
#include "estimate/ridge.h"
#include "estimate/weights.h"
#include "rein/oracle.h"

namespace rein {

class Vaw final : public Oracle, public OracleAbilities {
 public:
  static Result<std::unique_ptr<Oracle>> make(const Spec& spec, const Shape& shape);
  static Result<std::unique_ptr<Oracle>> make_ridge(const Spec& spec, const Shape& shape);
  // The same as make(), for those who need more than an Oracle.
  // `often`: with memory=auto, changes are looked for in every outcome where d is small (change.h).
  static Result<std::unique_ptr<Vaw>> make_vaw(const Spec& spec, const Shape& shape,
                                               bool often = true) {
    return make_kind(spec, shape, Ridge::Kind::kForward, often);
  }

  void predict(const Round& round, Scratch& scratch, Estimates& estimates) const override;
  std::size_t scratch() const override;
  void learn(const Round& round, int action, std::span<const double> outcomes) override;
  double bound(std::int64_t rounds) const override;
  double regret() const override;
  std::optional<double> free_regret() const override;
  WidthSum width_sum(std::int64_t rounds) const override;
  int dimension() const override { return map_.size(); }
  bool forgets() const override { return memory_ > 0.0 || seen_.times > 0; }
  double memory() const override { return memory_; }
  std::optional<Changes> change() const override;
  bool weights(const Round& round, int action, int head, std::vector<Term>& out) const override;
  // What predict() says with the centre is another prediction than the one that is kept.
  std::span<const double> predicted() const override {
    return centre_ && !plain_ ? std::span<const double>() : predicted_;
  }
  const OracleAbilities& abilities() const override { return *this; }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

  // The oracle that features=both makes of what this one learns, or null with another map. It borrows
  // this one, and has nothing to learn or to save.
  std::unique_ptr<Oracle> around() const;
  // Predicts around the centre. REQUIRES features=both.
  void predict_both(const Round& round, Scratch& scratch, Estimates& estimates) const;
  // weights() of these predictions.
  void weights_both(const Round& round, int action, int head, std::vector<Term>& out) const;
  // From now on predict() leaves the centre out: it is that of features=per_action, to the bit.
  void leave_out_centre() { plain_ = true; }

  // Number of doubles of learned state.
  std::size_t state_size() const { return ridge_.state_size(); }

 private:
  static Result<std::unique_ptr<Vaw>> make_kind(const Spec& spec, const Shape& shape,
                                                Ridge::Kind kind, bool often);
  Vaw(const FeatureMap& map, const Shape& shape, double reg, Ridge::Kind kind, double memory,
      double forward, bool level);

  // `around` the centre, or without it.
  void write_weights(const Round& round, int action, int head, bool around,
                     std::vector<Term>& out) const;
  void predict_shared(const Round& round, Scratch& scratch, Estimates& estimates) const;
  void predict_per_action(const Round& round, Scratch& scratch, Estimates& estimates) const;
  void add_loss(const Round& round, int action, std::span<const double> outcomes);

  void notice(int set, std::span<const double> outcomes);

  const char* name_;
  FeatureMap map_;
  std::vector<double> units_;  // of the heads
  Ridge ridge_;
  std::vector<double> phi_;       // of the round being learned
  double memory_;                 // 0: no fixed one
  std::optional<Change> change_;  // with memory=auto
  std::optional<Centre> centre_;  // with features=both
  bool plain_ = false;            // it is not played
  double reg_ = 0.0;              // with features=both, as the next one
  double theta_squared_ = 0.0;
  std::vector<double> loss_;      // with features=both, by head: of what was predicted, in units
  std::vector<double> work_;      // for learn()
  Estimates one_;                 // the same
  Changes seen_;
  double learned_ = 0.0;  // outcomes
  std::vector<double> predicted_;  // before the last outcome, by head
};

}  // namespace rein
