// Totals: what one play measured, and the list of all totals with their names and meanings.
//
// each_total() is the only list. JSON, CSV, the files of finished plays, the report page and Python
// are made from it. docs/metrics.md has the definitions.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "rein/bounds.h"
#include "rein/certified.h"
#include "rein/costs.h"
#include "rein/status.h"

namespace rein {

// How much of one budget of RunOptions::live was spent, by the costs of the decisions of each
// window, in the units of its cost. A last window that did not end counts for `over` only, unless
// there is no other window. A rolling window is measured at every decision.
struct BudgetTotals {
  double windows = 0.0;  // windows with decisions, of all keys
  double mean = 0.0;     // mean spend of a window
  double over = 0.0;     // the most that a window spent above its limit; 0: none did
  double under = 0.0;    // the most that a window left of its limit; 0: none did
};

// The totals of one play: one policy on one seed. each_total() says what they mean. Rewards, costs
// and regrets are in the units of the shape. NaN if a figure does not exist: no known means, no
// feasible comparator, no oracle.
struct Totals {
  std::uint64_t seed = 0;
  double reward = 0.0;            // as observed, with noise
  double regret = 0.0;            // against the best choice in each round (true means if known)
  double regret_average = 0.0;    // average of Regret_t over time
  double regret_long_term = 0.0;  // against the best choice that meets the budget over all rounds
  // Against the best stationary policy, if contexts are i.i.d. and part (f) applies.
  double regret_stationary = 0.0;
  Costs ccv;           // cumulative violation: the sum of costs
  Costs ccv_max;       // its largest value over time
  Costs ccv_average;   // its average over time, before each round
  Costs ccv_positive;  // sum of the positive parts of the costs
  Costs ccv_share;     // the CCV is at most this in a share RunOptions::share of the rounds
  Costs spend;         // consumption; the paper calls it CCV under a budget
  Costs excess;        // consumption above the budget, or above 0 without a budget; at least 0
  Costs queue_rms;     // root mean square over time of the CCV's positive part
  // Slater's margin of the run, in units: in every round some choice kept all costs this far below
  // 0. NaN in settings other than slater.
  double margin = 0.0;
  double reward_at_stop = 0.0;  // reward before the budget was first exceeded; NaN without a budget
  double explored = 0.0;        // share of rounds whose action did not have the top score
  double oracle_error = 0.0;    // largest cumulative squared error of any head, in units
  double u = 0.0;               // the U from which the policy's constants are computed
  double u_bound = 0.0;         // the error that the bounds assume at most; NaN without bounds
  double misspecified = 0.0;    // squared distance of the nearest functions of the class, if known
  double over_norm = 0.0;       // rounds whose features exceeded the norm that U assumes
  Bounds bounds;                // in the units of the shape, if the theorem covers this run
  NoBound no_bound = NoBound::kNone;  // why there is no bound
  // Part (e) of the theorem: the smallest c >= 0 for which its premises held in this run, and the
  // bounds that follow. NaN and empty if part (e) does not apply.
  double premise = 0.0;
  Bounds bounds_with_premise;
  // With RunOptions::certify: what the regrets above are at most, from the run itself, with
  // probability 1 - kCertificateDelta; NaN without, and why.
  double certified_regret = std::numeric_limits<double>::quiet_NaN();
  double certified_long_term = std::numeric_limits<double>::quiet_NaN();
  NoCertificate no_certificate = NoCertificate::kNotAsked;
  // If the world knows its means, the largest share of its certified radius by which one was missed,
  // and of its bound that the noise of rewards came to. Above 1 the certificate was false.
  double certified_means = std::numeric_limits<double>::quiet_NaN();
  double certified_noise = std::numeric_limits<double>::quiet_NaN();
  double alarm = 0.0;                  // 1 if the realizability alarm rang, else 0
  std::int64_t alarm_round = -1;       // when it rang; -1: never
  Status status = Status::kOk;         // of the policy at the end (docs/status.md)
  double effective_size = 0.0;         // effective sample size of its decisions
  // Rounds whose expected cost, by the true means, passed what a round may cost: B / T, or 0 without
  // a budget. NaN without true means.
  double unsafe_rounds = 0.0;
  std::int64_t infeasible_rounds = 0;  // rounds in which no distribution satisfies the constraint
  std::int64_t refused_rounds = 0;     // rounds in which no action fitted a hard budget
  std::vector<BudgetTotals> budgets;   // one per budget of RunOptions::live
  double cpu_seconds = 0.0;            // to decide and learn; may differ between equal runs
};

// How the totals grew: one entry per point of Curve::rounds.
struct Curve {
  std::vector<std::int64_t> rounds;
  std::vector<double> reward, regret, explored;
  std::vector<std::vector<double>> ccv, price;  // [cost][point]
};

// The name of a total everywhere, its meaning in one line, and its unit: if the rewards, or the
// costs, of a world are multiplied by a number, a total with that unit is multiplied too.
enum class Unit { kNone, kReward, kCost };
struct Total {
  std::string_view name;
  std::string_view meaning;
  Unit unit = Unit::kNone;
  bool is_late = false;  // plays of version 0.1.0 do not have it
};

// Calls visit(total, field) for every total of `totals` (Totals or const Totals). A field is a
// double, an optional double, an integer or one number per cost.
template <class Of, class Visit>
void each_total(Of& totals, Visit&& visit) {
  const auto reward = [&](auto name, auto meaning, auto& x) {
    visit(Total{name, meaning, Unit::kReward}, x);
  };
  const auto cost = [&](auto name, auto meaning, auto& x) {
    visit(Total{name, meaning, Unit::kCost}, x);
  };
  const auto plain = [&](auto name, auto meaning, auto& x) {
    visit(Total{name, meaning, Unit::kNone}, x);
  };
  const auto late = [&](auto name, auto meaning, auto& x, Unit unit) {
    visit(Total{name, meaning, unit, /*is_late=*/true}, x);
  };
  Of& t = totals;
  reward("reward", "sum of all rewards, with noise", t.reward);
  reward("regret", "reward lost against the best allowed choice of every round", t.regret);
  reward("regret_average", "average over time of the regret so far", t.regret_average);
  reward("regret_long_term", "regret against the best choice that meets the budget over all rounds",
         t.regret_long_term);
  reward("regret_stationary", "regret against the best stationary policy", t.regret_stationary);
  cost("ccv", "cumulative constraint violation: the sum of a cost", t.ccv);
  cost("ccv_max", "largest CCV over time", t.ccv_max);
  cost("ccv_average", "average CCV over time, before each round", t.ccv_average);
  cost("ccv_positive", "sum of the positive parts of a cost", t.ccv_positive);
  cost("ccv_share", "the CCV is at most this in most rounds (99 % by default)", t.ccv_share);
  cost("spend", "what was consumed of a cost", t.spend);
  cost("excess", "consumption above the budget, or above 0 without one", t.excess);
  cost("queue_rms", "root mean square over time of the positive part of the CCV", t.queue_rms);
  reward("reward_at_stop", "reward before the budget was first exceeded", t.reward_at_stop);
  plain("explored", "share of rounds whose action did not have the top score", t.explored);
  plain("oracle_error", "largest cumulative squared error of any head, in units", t.oracle_error);
  plain("u", "the U from which the constants of the policy are computed", t.u);
  plain("u_bound", "the error that the bounds assume at most", t.u_bound);
  plain("misspecified", "squared distance of the nearest functions of the class", t.misspecified);
  late("margin", "the margin that some choice kept in every round, in units", t.margin,
       Unit::kNone);
  plain("over_norm", "rounds whose features exceeded the norm that U assumes", t.over_norm);
  reward("bound_regret", "bound on the regret", t.bounds.regret);
  cost("bound_ccv", "bound on the CCV", t.bounds.ccv);
  cost("bound_ccv_average", "bound on the average CCV over time", t.bounds.ccv_average);
  cost("bound_ccv_share", "bound on the CCV in most rounds", t.bounds.ccv_share);
  late("bound_regret_margin", "bound on the regret by the margin", t.bounds.regret_margin,
       Unit::kReward);
  late("bound_ccv_max", "bound on the largest CCV over time, by the margin", t.bounds.ccv_max,
       Unit::kCost);
  plain("premise", "the smallest c for which the premise of part (e) held", t.premise);
  reward("bound_regret_premise", "bound on the regret that follows from the premise",
         t.bounds_with_premise.regret);
  cost("bound_ccv_premise", "bound on the CCV that follows from the premise",
       t.bounds_with_premise.ccv);
  cost("bound_queue_rms", "bound on queue_rms that follows from the premise",
       t.bounds_with_premise.queue_rms);
  late("certified_regret", "bound on the regret from the run itself", t.certified_regret,
       Unit::kReward);
  late("certified_long_term", "bound on regret_long_term from the run itself",
       t.certified_long_term, Unit::kReward);
  late("certified_means", "largest share of a certified radius by which a mean was missed",
       t.certified_means, Unit::kNone);
  late("certified_noise", "largest share of its bound that the noise of rewards came to",
       t.certified_noise, Unit::kNone);
  plain("alarm", "1 if the realizability alarm rang, else 0", t.alarm);
  plain("alarm_round", "the round in which the alarm rang", t.alarm_round);
  plain("effective_size", "effective sample size of the decisions", t.effective_size);
  late("unsafe_rounds", "rounds whose expected cost passed what a round may cost", t.unsafe_rounds,
       Unit::kNone);
  plain("infeasible_rounds", "rounds without a feasible choice", t.infeasible_rounds);
  plain("refused_rounds", "rounds in which no action fitted a hard budget", t.refused_rounds);
  plain("cpu_seconds", "processor time to decide and learn", t.cpu_seconds);
}

// Calls visit(name, field) for every field of a BudgetTotals, const or not.
template <class Of, class Visit>
void each_field(Of& totals, Visit&& visit) {
  visit("windows", totals.windows);
  visit("mean", totals.mean);
  visit("over", totals.over);
  visit("under", totals.under);
}

// Calls visit(name, line) for every line of a curve (Curve or const Curve).
template <class Of, class Visit>
void each_line(Of& curve, Visit&& visit) {
  visit("rounds", curve.rounds);
  visit("reward", curve.reward);
  visit("regret", curve.regret);
  visit("explored", curve.explored);
  visit("ccv", curve.ccv);
  visit("price", curve.price);
}

// A total as a list of numbers: a single number, or one number per cost. A total that does not
// exist is NaN, or an empty list.
struct TotalNumbers {
  Total total;
  bool per_cost = false;
  std::vector<double> numbers;
};
std::vector<TotalNumbers> numbers_of(const Totals& totals);

}  // namespace rein
