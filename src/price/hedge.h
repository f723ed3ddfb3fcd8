// hedge: exponential weights over the costs and one extra resource that is always exactly on
// budget.
//
//     w_i = exp(step sum_t (c_i - b)),  w_0 = 1          c, b in knapsack form (price/forms.h)
//     lambda_i = w_i / (w_0 + w_1 + ... + w_m)
//     price_i = reach lambda_i per unit of c_i
//
// With resource 0 (time, or slack) lambda ranges over {lambda >= 0, sum <= 1}. So this covers two
// methods: Hedge over m + 1 resources (the dual player of LagrangeCBwLC), and exponentiated
// gradient with slack on {lambda >= 0, sum <= reach} (of SquareCBwK). They differ only in reach and
// step:
//
//     reach = 1 / b = T / B,  step = sqrt(ln(m + 1) / T) / (1 + b)      unless given
//
// These defaults are LagrangeCBwLC's with eta = 1. A first stage that finds OPT / T (Books::opt, 1
// until then) sets the reach to OPT / B, the Z of linCBwK. While Books::opt is 0 nothing is priced
// and nothing is learned. Weights depend only on sums of costs, so
// outcomes may come in any order. Reserved amounts count as paid.
#pragma once

#include "price/forms.h"
#include "rein/pricer.h"

namespace rein {

class SpecReader;

// The largest price and the step of the dual player, in knapsack form.
struct DualKeys {
  static Result<DualKeys> read(SpecReader& read, const Terms& terms);
  // The largest possible price of each cost, in units.
  Costs most() const;
  Form form;
  double reach = 0.0;
  double step = 0.0;
};

// Converts shares of the reach, one per cost, to Prices.
void price_shares(const DualKeys& keys, const Costs& shares, Prices& out);

class HedgePrice final : public Pricer {
 public:
  static Result<std::unique_ptr<Pricer>> make(const Spec& spec, const Terms& terms);
  explicit HedgePrice(const DualKeys& keys) : keys_(keys), queues_(keys.form.size()) {}

  void price(const Books& books, Prices& out) const override;
  void learn(const Books& books, const Paid& paid) override;
  void restart(double reach) override;
  Costs queues() const override { return queues_; }
  Costs parameters() const override { return keys_.most(); }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  DualKeys keys_;
  Costs queues_;  // sum of cost - b_i, in units
};

}  // namespace rein
