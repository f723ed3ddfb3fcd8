// Form: maps a problem between the two forms used in the literature. No other file does this.
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

#include <optional>
#include <span>
#include <vector>

#include "rein/estimates.h"
#include "rein/explanation.h"
#include "rein/pricer.h"
#include "rein/round.h"
#include "rein/shape.h"

namespace rein {

class Form {
 public:
  // Both REQUIRE terms.rounds >= 1, and terms.lowest with one number per cost or none. If it has
  // none, the lowest value of a cost with a budget is taken as 0, as in a knapsack.
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

// Goal: what is wanted of the heads of a problem (head 0 is the reward, head i is cost i), mapped to
// what policies do: maximise a reward while every cost keeps its limit.
//
//     maximise or minimise head h     the reward is  s head_h,  s = 1 or -1
//     at least b on head h            a cost  b - head_h  with the limit 0
//     at most b on head h             a cost  head_h - b  with the limit 0
//     no limit on head h              a cost  head_h - b, where b is the top of its range
//
// So this is the zero-threshold form. The form needs no scale of its own. An oracle that estimates
// 0 for an unknown action says that the limit is met, so the action is tried. Without a lower limit
// costs that are never negative stay as they are, with budgets b per round: a knapsack.
//
// The objective changes places with the reward; every other head keeps its place.
class Goal {
 public:
  struct Limit {
    int head = 0;
    bool below = false;  // at least, otherwise at most
    double mean = 0.0;
  };
  // Refuses limits on the objective, two limits on one head, and limits outside of a head's range.
  // Budgets of the shape limit their costs, unless a cost has a limit or is the objective.
  static Result<Goal> make(const Shape& shape, int objective, bool minimise,
                           std::span<const Limit> limits);

  int objective() const { return objective_; }
  const Shape& mapped() const { return mapped_; }  // the problem that a policy solves
  // Its budgets per round; all 0 in zero-threshold form.
  const std::vector<double>& rates() const { return rates_; }
  bool zero_threshold() const { return zero_threshold_; }

  // From the heads of the user to those of the policy, and back. Parts that have not come stay
  // missing: each head is mapped alone.
  Outcome map(const Outcome& outcome) const;
  // Differences of heads that came before.
  Outcome map_change(const Outcome& change) const;
  void map(Estimates& estimates) const;
  void unmap(Estimates& estimates) const;
  // A shift becomes part of the constant.
  void unmap(Explanation& explanation) const;
  // Totals; head h came in counts[h] rounds.
  void unmap(std::span<const std::int64_t> counts, double& reward, Costs& costs) const;
  // The reserved amounts of open decisions for costs that are costs on both sides; 0 for the
  // others.
  Costs reserved(std::span<const double> given) const;

 private:
  void place(const Shape& shape, std::span<const double> rates);
  template <class Map>
  Outcome map_by(const Outcome& outcome, Map map) const;  // each head, then the places
  double to(int head, double x) const;                    // s (x - b)
  double from(int head, double x) const;                  // b + s x

  int objective_ = 0;
  bool zero_threshold_ = false;
  std::vector<double> signs_;  // s and b of the heads of the user
  std::vector<double> shifts_;
  std::vector<double> rates_;
  Shape mapped_;
};

// "reward", or the name of the cost.
std::string_view head_name(const Shape& shape, int head);

}  // namespace rein
