// ema: a pacer. The price of a cost rises while its moving average is above the budget per round,
// and falls while it is below (knapsack form, price/forms.h):
//
//     ema_i <- (1 - weight) ema_i + weight c_i          starts at b
//     lam_i <- clip(lam_i + lr (ema_i / b - 1), 0, cap) starts at 0
//     price_i = scale lam_i
//
// weight 0.05, lr 0.05, cap 5, scale 1. There is no queue: overspending is not paid back later.
// What open decisions have reserved moves the price by its share of one round: lr weight reserved /
// b.
//
// After ParetoBandit (Taberner-Miller, arXiv 2604.00136). The start values of the averages are
// inferred.
#pragma once

#include "price/forms.h"
#include "rein/pricer.h"

namespace rein {

class EmaPrice final : public Pricer {
 public:
  static Result<std::unique_ptr<Pricer>> make(const Spec& spec, const Terms& terms);

  void price(const Books& books, Prices& out) const override;
  void learn(const Books& books, const Paid& paid) override;
  // ema / b - 1. There is no queue; this is what moves the price.
  Costs queues() const override { return over_; }
  Costs parameters() const override { return lam_; }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  struct Options {
    double weight, lr, cap, scale;
  };
  EmaPrice(const Form& form, const Options& options)
      : form_(form), options_(options), over_(form.size()), lam_(form.size()) {}

  Form form_;
  Options options_;
  Costs over_;  // ema / b - 1
  Costs lam_;
};

}  // namespace rein
