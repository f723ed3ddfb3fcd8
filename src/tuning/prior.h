// Prior: what the outcomes of an action are taken to be before it was played often.
//
// A regression per action says 0 for an action that was never played. Then an unknown action looks
// free, and no price can hold it back. Prior adds what is missing. Per head, in units,
//
//     share    = 1 / (1 + plays of the action)
//     estimate = regression + share c
//
// Only plays in which the head was seen count, because outcomes may come in parts.
//
// Ridge regression with reg = 1 underestimates a constant mean by this share. Where actions have
// features they share parameters, and the number of plays does not say what is known: the share is 0.
//
// c starts at the pooled mean and moves to the mean of the action: c = (sum + pooled) / (1 + plays).
// The pooled mean is taken over the actions that were played, each counted once, however often it
// was played; for a cost the budget per round counts as one more action.
//
// Means are over about the last 200 plays of an action, as outcomes may change with time.
//
//   - An action that gave exactly 0 in all of its n plays may be a null action. It is not pooled,
//     and its c is multiplied by q^n, q the share of exact zeros in the plays of the others.
//   - While every known action costs more than the budget per round on average, an unknown action is
//     taken to cost at most the budget per round: if the budget can be kept at all, such an action
//     exists. For the same reason `pooled` never lifts an action whose own mean cost is within the
//     budget per round above that budget.
//
// Where actions have features, the width w of the estimate says what is known, and not the number of
// plays. Then a cost that cannot be negative is
//
//     estimate = regression + w / (1 + w) pooled
//
// With an oracle that forgets, plays count exp(-age / memory), the age in rounds since the action
// was played last. So an action that was not tried for a long time becomes unknown again.
//
// Declared costs are those that the caller expects (Round::expected_costs, or Options::declared for all
// rounds). They take the place of c, with a weight in plays:
//
//     estimate = (plays x estimate of the regression + weight x declared) / (plays + weight)
//
// The regression then learns a cost as a multiple of what was declared: cost x reference / declared. The
// reference is the first value that was declared for the action. So a new declared cost changes the
// estimate by the same factor at once. A factor stays within [2^-10, 2^10]. Where the reference is not
// positive, the difference between declared and reference is used in place of their ratio. Where a goal
// was mapped (Shape::expected), a declared cost may change the estimated reward; the factor is then
// still that of the cost.
//
// What the guarantees keep. The estimate differs from the regression by at most share |c|, with
// |c| <= 1. The share counts all plays, so the sum of share^2 over any number of rounds is at most
// K pi^2 / 6, and U' <= 2 U + K pi^2 / 3. A policy adds up the differences as they occur
// (policy/certificate.h). Nothing is assumed about c.
#pragma once

#include <span>
#include <vector>

#include "rein/costs.h"
#include "rein/oracle.h"

namespace rein {

class Prior {
 public:
  struct Options {
    bool pooled = true;            // false: only declared costs count
    std::vector<double> declared;  // by action id and cost, in the units of the shape; or empty
    double weight = 5.0;           // of a declared cost, in plays
    double memory = 0.0;           // of an oracle that forgets, in rounds; 0: it never forgets
    bool paced = false;            // each round brings its own budgets per round
    bool features = true;          // unknown features cost the pooled mean; false: nothing
  };
  // `units` has one unit per head, `rates` the budgets per round in units.
  Prior(const Shape& shape, std::vector<double> units, const Costs& rates, Options options);

  // Corrects the estimates of every action, and clips rewards to their range. Costs are not
  // clipped.
  void apply(const Round& round, Estimates& estimates) const;
  // What apply() adds to a reward that is not declared, in units, before clipping.
  double lift(int id) const;
  // Whether any cost is declared; whether a declared cost changes the estimated reward; whether
  // this cost is declared.
  bool declares(const Round& round) const { return is_declared(round); }
  bool declares_reward(const Round& round) const { return is_declared(round, 0); }
  bool declares_cost(const Round& round, int cost) const { return is_declared(round, cost + 1); }
  // How far apply() can have moved a declared reward that is played as `mean`, as it is learned; in
  // units. REQUIRES declares_reward().
  double moved_reward(const Round& round, int action, double mean) const;
  // The corrected estimate of a cost of an action, whose estimate is `mean`, in units.
  double corrected(const Round& round, int action, int cost, double mean) const;
  // What apply() adds to a cost in addition where actions have features, in units. `width` is the
  // width of the estimate.
  double unknown(const Round& round, int cost, double width) const;
  // The estimate of a cost without a regression, from the declared cost and the mean of the action.
  // REQUIRES declares_cost().
  double without_regression(const Round& round, int action, int cost) const;
  // The mean cost of the cheapest action of the round that was played or has a declared cost, in
  // units; infinite if there is none.
  double least(const Round& round, int cost) const;
  // The least of each cost that Options::declared has, in units; empty: none is declared there.
  Costs least_declared() const;
  // The number that the regression must learn in place of this cost, or of the reward, in units.
  double to_learn(const Round& round, int action, int cost, double outcome) const;
  double to_learn_reward(const Round& round, int action, double outcome) const;
  // Learns an outcome: the reward, and the costs as they were paid, in units. NaN: the part has not
  // come.
  void learn(const Round& round, int action, double reward, const Costs& costs);
  // Replaces the budgets per round. REQUIRES the option paced.
  void set_rates(const Costs& rates);

  // The pooled mean of a head, in units.
  double pooled(int head) const;

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Cell {          // of an action and a head
    double sum = 0.0;    // of the outcomes as they are learned: the mean times at most 200 plays
    double plays = 0.0;  // that still counted when the last came,
    double last = 0.0;   // which was in this round
    double reference = 0.0;  // the first declared cost
    bool zero = true;        // every outcome so far was exactly 0
    bool declared = false;   // `reference` is set
    double mean() const;     // REQUIRES a play
  };
  struct Pool {            // of a head
    double means = 0.0;    // sum of the means of the actions that are not null
    double actions = 0.0;  // how many those are
    double zeros = 0.0;    // plays of those with outcome 0
    double plays = 0.0;
    double fit = 0.0;  // actions whose mean is within the budget per round, null actions included
  };
  // Which declared cost speaks of a head: head = sign x cost + zero, in units.
  struct Told {
    int cost = -1;  // -1: none
    double sign = 1.0;
    double zero = 0.0;
  };
  bool is_declared(const Round& round) const {
    return !round.expected_costs.empty() || !options_.declared.empty();
  }
  bool is_declared(const Round& round, int head) const {
    return is_declared(round) && told_[static_cast<std::size_t>(head)].cost >= 0;
  }
  // The declared head, in units. REQUIRES is_declared().
  double declared(const Round& round, int action, int head) const;
  double estimate(const Round& round, int action, int head, double mean) const;
  double mean_told(const Round& round, int action, int head) const;  // as it is learned
  // The outcome of a head as the regression learns it, and the inverse.
  double learned(const Round& round, int action, int head, double outcome) const;
  double from_learned(const Round& round, int action, int head, double estimate) const;
  void take(const Round& round, int action, int head, double outcome);
  std::size_t at(int id, int head) const {
    return static_cast<std::size_t>(id) * units_.size() + static_cast<std::size_t>(head);
  }
  // Plays of an action, with this head, that still count.
  double plays(int id, int head) const;
  double share(int id, int head) const;
  double guess(int id, int head) const;  // c
  void add(int id, int head, double outcome);

  bool per_action_;
  std::vector<bool> fills_;  // by cost: what features leave unknown
  Range reward_;
  std::vector<double> units_;
  std::vector<Told> told_;  // by head
  Costs rates_;
  Options options_;
  double rounds_ = 0.0;      // outcomes so far; a part counts as its share of the heads
  std::vector<Cell> cells_;  // by action id and head
  std::vector<Pool> pools_;  // by head
};

}  // namespace rein
