// optimistic: another oracle with its own uncertainty added to the reward,
//
//     f^(a) + alpha sqrt(phi' A^-1 phi),   clipped;   costs as they are.
//
// It is still a regression oracle: U' <= 2 U + 2 alpha^2 sum w, and the sum of widths is O(U) by
// the elliptical potential lemma. What it buys: an action that shrinkage hides is not forgotten.
// Optimism about costs overspends and pessimism starves, so costs are left alone. Needs an oracle
// with widths. alpha = min(1, 3 / sqrt(d)) unless given.
#pragma once

#include "rein/oracle.h"

namespace rein {

class Optimistic final : public Oracle {
 public:
  static Result<std::unique_ptr<Oracle>> make(const Spec& spec, const Shape& shape);
  Optimistic(std::unique_ptr<Oracle> of, double alpha, const Range& reward);

  void predict(const Round& round, Scratch& scratch, Estimates& estimates) const override;
  std::size_t scratch() const override { return of_->scratch(); }
  void learn(const Round& round, int action, std::span<const double> outcomes) override {
    of_->learn(round, action, outcomes);
  }
  double bound(std::int64_t rounds) const override;
  double regret() const override { return of_->regret(); }
  // What is added to a reward of this width, in units, before clipping.
  double bonus(double width) const;
  int dimension() const override { return of_->dimension(); }
  void save(ByteWriter& out) const override { of_->save(out); }
  Result<> load(ByteReader& in) override { return of_->load(in); }

 private:
  std::unique_ptr<Oracle> of_;
  double alpha_;
  Range reward_;
  double unit_;
};

}  // namespace rein
