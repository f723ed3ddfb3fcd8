// LongTerm: the best possible reward over all rounds together.
//
//     max sum_t <p_t, f_t>   s.t.  sum_t <p_t, g_{t,i}> <= budget_i + v  for every cost i
//
// v is the smallest number >= 0 for which a choice exists: 0 if the budgets can be met. This is one
// LP over all rounds, without a duality gap; its dual has one price per cost. Numbers must be in
// units.
//
// One cost (segments): every round is its cheapest action plus the segments of the upper hull of
// its (cost, reward) points, steeper ones first. The budget buys the steepest segments of all
// rounds, and a part of the last one. This is exact.
//
// Several costs (columns): Dantzig-Wolfe decomposition (Oper. Res. 8, 1960). A price per cost
// selects one action in every round. The totals of such selections are columns of a small master
// LP, whose duals are the next prices. Upper and lower bound agree to 1e-9 of the scale of the
// value.
//
// Several costs need CLP: LongTerm::check_solver(costs).
//
// The limit is memory: kMaxLongTermDoubles numbers for all rounds. Beyond it, it discards
// everything and has no answer.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "rein/costs.h"
#include "rein/result.h"

namespace rein {

// 512 MiB. One cost takes 2 numbers per segment, with a few segments per round. Several costs take
// m + 1 numbers per action that is not dominated in its round.
inline constexpr std::size_t kMaxLongTermDoubles = std::size_t{1} << 26;

struct LongTermAnswer {
  double value = 0.0;    // NaN if the limit was exceeded
  double relaxed = 0.0;  // v; 0 if the budgets can be met
  Costs prices;          // the dual: reward per unit of cost
  double gap = 0.0;      // largest error of the value, per round; 0 if exact
  int steps = 0;         // passes over all rounds
};

class LongTerm {
 public:
  // Refuses several costs if the library was built without CLP. `what` starts the message.
  static Result<> check_solver(int costs, std::string_view what);

  LongTerm(int most_actions, int costs, std::size_t most_doubles = kMaxLongTermDoubles);

  // Adds a round: values[head * actions + action], as in Mixture.
  void add(std::span<const double> values, int actions);
  // REQUIRES one budget per cost. May be called again with other budgets.
  LongTermAnswer solve(std::span<const double> budgets);

 private:
  void add_segments(std::span<const double> values, int actions);
  void add_points(std::span<const double> values, int actions);
  LongTermAnswer buy_segments(double budget);

  int costs_;
  std::size_t most_doubles_;
  bool over_limit_ = false;

  // One cost: the totals of the cheapest actions, and the segments beyond them.
  struct Segment {
    double reward = 0.0;
    double cost = 0.0;
    double slope() const { return reward / cost; }
  };
  double base_reward_ = 0.0;
  double base_cost_ = 0.0;
  std::vector<Segment> segments_;

  // Several costs: counts_[t] points of round t, each a reward and m costs.
  std::vector<double> points_;
  std::vector<std::int32_t> counts_;
  std::vector<char> beaten_;
};

}  // namespace rein
