// LongTerm: the best that could have been done over all rounds together.
//
//     max sum_t <p_t, f_t>   s.t.  sum_t <p_t, g_{t,i}> <= budget_i + v  for every cost i
//
// v is the least number >= 0 that leaves any choice at all: 0 where the budgets can be met. One LP
// over all rounds, with no duality gap; its dual has one price a cost. Give it numbers in units.
//
// One cost (segments): every round is its cheapest action plus the segments of the upper hull of
// its (cost, reward) points, steeper ones first. The budget buys the steepest segments of all
// rounds, a part of the last one. Exact.
// Several costs (columns): Dantzig and Wolfe's decomposition (Oper. Res. 8, 1960). A price per cost
// picks one action in every round; the totals of such picks are columns of a small master LP, whose
// duals are the next prices. Upper and lower bound meet within 1e-9 of the scale of the value.
//
// Memory is what limits it: kMaxLongTermDoubles numbers for all rounds. Past that it forgets
// everything and has no answer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rein/costs.h"

namespace rein {

// 512 MiB. One cost takes 2 numbers a segment, a few segments a round; several take m + 1 numbers
// an action that no other action of its round beats on every count.
inline constexpr std::size_t kMaxLongTermDoubles = std::size_t{1} << 26;

struct LongTermAnswer {
  double value = 0.0;    // NaN where the limit was passed
  double relaxed = 0.0;  // v; 0 where the budgets can be met
  Costs prices;          // the dual: reward per cost
  double gap = 0.0;      // what the value may be short by, a round; 0 where it is exact
  int steps = 0;         // passes over all rounds
};

class LongTerm {
 public:
  LongTerm(int most_actions, int costs, std::size_t most_doubles = kMaxLongTermDoubles);

  // One more round: values[head * actions + action], as in Mixture.
  void add(std::span<const double> values, int actions);
  // REQUIRES one budget a cost. May be asked again, with other budgets.
  LongTermAnswer solve(std::span<const double> budgets);

 private:
  void add_segments(std::span<const double> values, int actions);
  void add_points(std::span<const double> values, int actions);
  LongTermAnswer buy_segments(double budget);

  int costs_;
  std::size_t most_doubles_;
  bool over_limit_ = false;

  // One cost: what the cheapest actions give, and the segments beyond them.
  struct Segment {
    double reward = 0.0;
    double cost = 0.0;
    double slope() const { return reward / cost; }
  };
  double base_reward_ = 0.0;
  double base_cost_ = 0.0;
  std::vector<Segment> segments_;

  // Several: counts_[t] points of round t, each a reward and m costs.
  std::vector<double> points_;
  std::vector<std::int32_t> counts_;
  std::vector<char> beaten_;
};

}  // namespace rein
