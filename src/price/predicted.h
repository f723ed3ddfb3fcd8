// predicted: the price at which this very policy would spend what is left over what is left.
//
//     price_i = mu_i + 2 max(Q_i, 0) / (V_t s_i^2),   V_t = v_scale sqrt(K t U_t)
//
// mu is found by rehearsing: the estimates that the last few hundred decisions were made from, with
// the present gamma and explorer, so that the cost of exploring is counted. It is re-solved every
// eighth round at first, every 64th later, so that the rehearsed spend meets the target
//
//     b_i - q_i / min(T - t, payback sqrt t)      T - t is infinite without a horizon
//
// q_i = consumption + reserved - b_i t: a debt is paid back over what is left, but soon. The target
// is never below the least that any choice could pay, plus 0.3 s / sqrt t for signed costs and 1 %
// of it for others: an infeasible target would drive the price up until nothing is ever tried again.
//
// s_i, the scale of a cost, is the largest absolute value of it that was paid, or b_i where that is
// more. All constants are in scales, and prices are scaled by what they make of one (log_scale is
// log max(1, largest price_i s_i)), so that nothing depends on the unit of a cost or on the width
// of its declared range. A price is at most 1e6 over the spread of its cost between the actions of a
// round, in the mean.
//
// Newton's steps on the rehearsed spend, each within a factor two of the price, shortened by a
// secant where they overshoot; for several costs the steps are solved together (Gauss-Seidel on the
// box). What it keeps of the theorem and what it trades is in docs/tuning.md.
#pragma once

#include "rein/pricer.h"

namespace rein {

class PredictedPrice final : public Pricer {
 public:
  static Result<std::unique_ptr<Pricer>> make(const Spec& spec, const Terms& terms);

  void price(const Books& books, Prices& out) const override;
  void learn(const Books& books, std::span<const double> costs) override;
  void foresee(const Books& books, Rehearsal& rehearsal) override;
  Costs queues() const override { return queues_; }
  Costs parameters() const override { return mu_; }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  PredictedPrice(const Terms& terms, bool signed_costs, double payback);
  bool is_due(std::int64_t rounds) const;
  double scale(int cost) const;
  Prices scaled(const Costs& plain) const;
  Costs targets(const Books& books, const Rehearsal& rehearsal) const;
  void set_caps(const Rehearsal& rehearsal);
  Costs step(const Costs& excess, std::span<const double> slopes) const;

  Terms terms_;
  bool signed_;
  double payback_;
  Costs caps_;  // of the present solve
  Costs queues_;
  Costs mu_;
  Costs seen_;  // the largest absolute value of each cost that was paid
};

}  // namespace rein
