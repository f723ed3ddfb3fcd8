// Form: maps a problem between the two forms used in the literature. It is the only place that
// does.
//
//     zero-threshold   sum_t g_i <= 0 for every cost        g in [-1, 1], no budget
//     knapsack         sum_t c_i <= B for every cost        c in [0, 1], one budget B for all
//
// In units, with b_i = B_i / T of the original problem (0 if it has no budget):
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
// A dual update sees only costs minus their threshold, so it needs only the scale. A price in the
// form is multiplied by scale_i to get the price per unit of the original cost. Oracles learn the
// original costs, because a class that contains g need not contain (g + 1) / 2.
#pragma once

#include "rein/pricer.h"

namespace rein {

class Form {
 public:
  // Both REQUIRE terms.rounds >= 1, and one lowest value per cost or none. Without one it is 0 for
  // a cost with a budget, as in a knapsack.
  static Form zero_threshold(const Terms& terms);
  // Refuses a budget of a non-negative cost that is not above 0, since T / B would be undefined.
  static Result<Form> knapsack(const Terms& terms);

  int size() const { return scales_.size(); }
  // b of the form, the same for all costs; 0 in zero-threshold form.
  double rate() const { return rate_; }
  // B = T b of the form.
  double budget() const { return budget_; }
  // b_i of the original problem, in units. Rules::rate subtracts it before a pricer sees a cost.
  const Costs& rates() const { return rates_; }

  // Converts a cost in units to the form, and back.
  double cost(int i, double units) const { return scales_[i] * (units - rates_[i]) + rate_; }
  double units(int i, double cost) const { return (cost - rate_) / scales_[i] + rates_[i]; }
  double scale(int i) const { return scales_[i]; }
  // Converts a price per unit of the form's cost to a price per unit of the original cost, and
  // back.
  double price(int i, double price) const { return price * scales_[i]; }

 private:
  Costs scales_;
  Costs rates_;
  double rate_ = 0.0;
  double budget_ = 0.0;
};

}  // namespace rein
