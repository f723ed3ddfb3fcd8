// fixed_share: hedge with forgetting, for contexts that change.
//
//     v_i = w_i exp(step (c_i - b)) / sum          over the costs and the resource 0, as in hedge
//     w_i = (1 - share) v_i + share / (m + 1)      share = 1 / T unless given
//     price_i = reach w_i
//
// No weight falls below share / (m + 1). So a cost that was cheap for long becomes expensive after
// an excess of ln((m + 1) / share) / step. The dual player competes with sequences of prices, not
// only with the best fixed price. The result depends on the order of outcomes: late ones are
// learned as they arrive. (Herbster, Warmuth, Tracking the best expert, 1998.)
#pragma once

#include <array>

#include "price/hedge.h"

namespace rein {

class FixedSharePrice final : public Pricer {
 public:
  static Result<std::unique_ptr<Pricer>> make(const Spec& spec, const Terms& terms);

  void price(const Books& books, Prices& out) const override;
  void learn(const Books& books, const Paid& paid) override;
  Costs queues() const override { return queues_; }
  Costs parameters() const override { return keys_.most(); }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  using Weights = std::array<double, 1 + kMaxCosts>;
  FixedSharePrice(const DualKeys& keys, double share);
  std::span<double> used(Weights& weights) const;
  void pay(std::span<const double> costs, Weights& weights) const;
  void mix(Weights& weights) const;

  DualKeys keys_;
  double share_;
  Costs queues_;     // sum of cost - b_i, in units; for reports only
  Weights weights_;  // v: the weights before mixing, resource 0 first
};

}  // namespace rein
