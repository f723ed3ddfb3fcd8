// optimistic: wraps another oracle and adds its uncertainty to the reward,
//
//     f^(a) + alpha sqrt(w),  w = phi' A^-1 phi,   clipped;   costs as they are.
//
// The result is still a regression oracle. The range contains the truth, so clipping never
// increases an error. By Minkowski's inequality
//
//     sqrt U' <= sqrt U + sqrt(sum of min(alpha^2 w, 4))        (hence U' <= 2 U + 2 alpha^2 sum w)
//     sum of min(alpha^2 w, 4) <= (alpha^2 + min(alpha^2 W, 4)) sum of w / (1 + w),   w <= W
//
// and the elliptical potential lemma (widths.h) bounds the last sum by O(U). For min(.., 4): if
// alpha^2 w <= 4, then alpha^2 w = alpha^2 (1 + w) w / (1 + w) <= (alpha^2 + 4) w / (1 + w).
// Otherwise 4 is at most (alpha^2 + 4) w / (1 + w).
//
// Purpose: an action whose estimate is shrunk towards 0 is still tried. Costs are not changed:
// optimism about costs overspends, and pessimism stops all spending. Needs an oracle with widths.
// alpha = min(1, 3 / sqrt(d)) unless given.
//
// regret() is unknown, because the loss of its predictions is not summed. A policy certifies what
// it plays from the regret of the inner oracle and from the bonuses (policy/certificate.h).
#pragma once

#include "estimate/abilities.h"
#include "estimate/weights.h"
#include "rein/oracle.h"

namespace rein {

class Optimistic final : public Oracle, public OracleAbilities {
 public:
  static Result<std::unique_ptr<Oracle>> make(const Spec& spec, const Shape& shape, const Own& own);
  Optimistic(std::unique_ptr<Oracle> of, double alpha, const Range& reward);

  void predict(const Round& round, Scratch& scratch, Estimates& estimates) const override;
  std::size_t scratch() const override { return of_->scratch(); }
  void learn(const Round& round, int action, std::span<const double> outcomes) override {
    of_->learn(round, action, outcomes);
  }
  double bound(std::int64_t rounds) const override;
  double regret() const override;
  // The amount added to a reward of this width, in units, before clipping.
  double bonus(double width) const;
  // The oracle without optimism.
  const Oracle& inside() const { return *of_; }
  int dimension() const override { return of_->dimension(); }
  WidthSum width_sum(std::int64_t rounds) const override { return rein::width_sum(*of_, rounds); }
  bool weights(const Round& round, int action, int head, std::vector<Term>& out) const override {
    return weights_of(*of_, round, action, head, out);
  }
  const OracleAbilities& abilities() const override { return *this; }
  const Optimistic* optimistic() const override { return this; }
  void save(ByteWriter& out) const override { of_->save(out); }
  Result<> load(ByteReader& in) override { return of_->load(in); }

 private:
  std::unique_ptr<Oracle> of_;
  double alpha_;
  Range reward_;
  double unit_;
};

// The oracle without optimism: the one inside an optimistic oracle, or the oracle itself.
inline const Oracle& plain(const Oracle& oracle) {
  const Optimistic* optimistic = oracle.abilities().optimistic();
  return optimistic == nullptr ? oracle : optimistic->inside();
}

}  // namespace rein
