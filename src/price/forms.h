// Form: one problem, said in the two ways that the literature says it, and the only place that maps
// one onto the other.
//
//     zero-threshold   sum_t g_i <= 0 for every cost        g in [-1, 1], no budget
//     knapsack         sum_t c_i <= B for every cost        c in [0, 1], one budget B for all
//
// In units, with b_i = B_i / T of the problem as it was given (0 where it has no budget):
//
//     knapsack -> zero-threshold    g_i = c_i - b_i
//     zero-threshold -> knapsack    c_i = (g_i + 1) / 2,  B = T / 2
//     signed costs with a budget    c_i -> (c_i + 1) / 2,  b_i -> (b_i + 1) / 2   (the two above)
//     several budgets               c_i -> c_i b / b_i,  b the smallest b_i: one budget for all
//
// All four are affine, and none moves the threshold relative to the cost:
//
//     cost in the form - b of the form  =  scale_i (cost - b_i)
//
// So a dual update, which only sees costs less their threshold, needs the scale and no more; and a
// price of the form is scale_i times that price per unit of the cost as it was given. Oracles learn
// the costs as they were given: a class that contains g need not contain (g + 1) / 2.
#pragma once

#include "rein/pricer.h"

namespace rein {

class Form {
 public:
  // Both REQUIRE terms.rounds >= 1, and one lowest value a cost or none (then 0 where there is a
  // budget, as in a knapsack).
  static Form zero_threshold(const Terms& terms);
  // Refuses a budget of a non-negative cost that is not above 0: T / B would have no value.
  static Result<Form> knapsack(const Terms& terms);

  int size() const { return scales_.size(); }
  // b of the form, the same for all costs; 0 in zero-threshold form.
  double rate() const { return rate_; }
  // B = T b of the form.
  double budget() const { return budget_; }
  // b_i of the problem as given, in units: what Rules::rate takes off before a pricer sees a cost.
  const Costs& rates() const { return rates_; }

  // A cost in units, as the form counts it; and back.
  double cost(int i, double units) const { return scales_[i] * (units - rates_[i]) + rate_; }
  double units(int i, double cost) const { return (cost - rate_) / scales_[i] + rates_[i]; }
  double scale(int i) const { return scales_[i]; }
  // A price per unit of the form's cost, per unit of the cost as given; and back.
  double price(int i, double price) const { return price * scales_[i]; }

 private:
  Costs scales_;
  Costs rates_;
  double rate_ = 0.0;
  double budget_ = 0.0;
};

}  // namespace rein
