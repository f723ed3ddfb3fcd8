// weights: multiplicative weights on {theta >= 0, sum theta <= 1}, in knapsack form
// (price/forms.h):
//
//     w_i = exp(step sum_t (c_i - b))      theta_i = w_i / (1 + sum_j w_j)      price_i = Z theta_i
//
// The 1 is the weight of spending nothing: with every budget kept, prices fall to 0. step =
// sqrt(ln(m + 1) / T), and Z, which should be about OPT / B (what a unit of budget is
// worth), is `z` where it is given. Otherwise Z = opt / b, opt the most reward a round that
// Books knows of: 1 to begin with, so that Z is T / B, and what a first stage found after that.
//
// linCBwK's dual (Agrawal, Devanur, NeurIPS 2016). exp(step x) for the paper's (1 + step)^x: alike
// to second order, and weights are then a function of the sum, whatever order outcomes come in.
#pragma once

#include "price/forms.h"
#include "rein/pricer.h"

namespace rein {

class WeightsPrice final : public Pricer {
 public:
  static Result<std::unique_ptr<Pricer>> make(const Spec& spec, const Terms& terms);

  void price(const Books& books, Prices& out) const override;
  void learn(const Books& books, std::span<const double> costs) override;
  Costs queues() const override { return queues_; }
  Costs parameters() const override { return Costs(queues_.size(), step_); }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  WeightsPrice(const Form& form, double step, double z)
      : form_(form), step_(step), z_(z), queues_(form.size()) {}

  Form form_;
  double step_;
  double z_;      // below 0: from the books
  Costs queues_;  // sum of c - b, in the form
};

}  // namespace rein
