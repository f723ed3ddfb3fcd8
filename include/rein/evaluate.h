// Running policies on worlds and measuring them: what `rein run` does, for programs.
//
// Every policy meets the same worlds: seed s gives the same contexts and the same noise for all.
// Results do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rein/costs.h"
#include "rein/own.h"
#include "rein/pricer.h"
#include "rein/result.h"
#include "rein/spec.h"

namespace rein {

class Policy;

// What the theorem promises; see docs/bounds.md. A bound above T says nothing: print it as vacuous.
// Costs hold one number per cost, or none where no bound applies.
struct Bounds {
  std::optional<double> regret;
  Costs ccv;          // of the sum of each cost
  Costs ccv_average;  // of its average over time; setting slater with its margin
  Costs ccv_share;    // of its value in a share of all rounds; setting slater with its margin
  Costs queue_rms;    // part (e): of the root mean square of Q+ over time
};

// What is known or assumed beside the terms. Everything in units.
struct BoundOptions {
  double margin = 0.0;  // Slater's eps; 0 where unknown
  // c of part (e): the time average of Regret_t is at least -c sqrt(K T U). Negative: not assumed.
  double premise = -1.0;
  // Sum over rounds of the squared distance of the nearest functions of the class to the truth.
  double misspecified = 0.0;
  double share = 0.99;  // of the rounds that ccv_share speaks of
  // The chance with which the bounds may fail in one run. 0: they are of means over runs, for
  // errors that never pass Terms::errors.
  double delta = kBoundDelta;
};
// In units. Empty where the exponential settings have multipliers other than 1, or terms so small
// that no bound follows.
Bounds bounds(const Terms& terms, const BoundOptions& options = {});
// What the theorem promises of this policy with probability 1 - kBoundDelta, in the units of its shape;
// empty where it does not speak of it (PolicyState::theorem). It assumes what docs/bounds.md lists:
// outcomes at once, functions in the oracle's class, a feasible problem.
Bounds bounds(const Policy& policy, const BoundOptions& options = {});
// What the errors of a head stay under: Terms::errors, and what a class that is only nearly right
// adds.
double error_bound(const Terms& terms, const BoundOptions& options = {});

// Why a run has no bound although its policy is the theorem's.
enum class NoBound {
  kNone,        // it has one, or its policy is not the theorem's
  kHorizon,     // the run has other rounds than the policy was made for
  kDelay,       // outcomes came late
  kMeans,       // the world knows no means: U cannot be checked, and OPT is luck
  kBenchmark,   // regret is measured against another setting's benchmark
  kInfeasible,  // in some round no choice keeps the constraint
  kPositive,    // almost_sure: nobody knows the means of the positive parts
  kNorm,        // features passed the norm that U assumes
  kErrors,      // the oracle's errors passed what the bound assumes
  kConstants,   // multipliers or sizes with which no bound follows
};
// One line for people: "outcomes came late". Empty for kNone.
std::string_view why(NoBound reason);

// The totals of one policy on one seed. Rewards, costs and regrets in the units of the shape; NaN
// where a figure does not exist (no known means, no feasible comparator, no oracle).
struct Totals {
  std::uint64_t seed = 0;
  double reward = 0.0;            // as it came, noise included
  double regret = 0.0;            // against the best of every round (true means where known)
  double regret_average = 0.0;    // of Regret_t over time
  double regret_long_term = 0.0;  // against the best that meets the budget over all rounds
  // Against the best stationary policy, where contexts are i.i.d. and part (f) speaks of it.
  double regret_stationary = 0.0;
  Costs ccv;                      // sum of costs
  Costs ccv_max;                  // its largest value over time
  Costs ccv_average;              // its average over time, before each round
  Costs ccv_positive;             // sum of positive parts
  Costs ccv_share;                // it is at most this before RunOptions::share of the rounds
  Costs spend;                    // consumption; what the paper calls CCV under a budget
  Costs excess;                   // consumption over the budget, or over 0; 0 where it was kept
  Costs queue_rms;                // root mean square of CCV's positive part over time
  double reward_at_stop = 0.0;    // what a hard stop at the budget would have left; NaN without one
  double explored = 0.0;          // share of rounds whose action was not the top score
  double oracle_error = 0.0;      // largest head's cumulative squared error, in units
  double u = 0.0;                 // the U that the policy's constants are made of
  double u_bound = 0.0;       // what the bounds take the error to stay under; NaN without bounds
  double misspecified = 0.0;  // squared distance of the nearest class functions, where known
  double over_norm = 0.0;     // rounds whose features passed the norm that U assumes
  Bounds bounds;              // in the units of the shape, where the theorem speaks of this run
  NoBound no_bound = NoBound::kNone;  // why there is none
  // Part (e) of the theorem: the least c >= 0 with which its premises held in this run, and what it
  // then promises. NaN and empty where it does not apply.
  double premise = 0.0;
  Bounds bounds_with_premise;
  std::int64_t alarm_round = -1;       // when the realizability alarm rang; -1: it did not, or none
  std::int64_t infeasible_rounds = 0;  // rounds in which no distribution meets the constraint
  double cpu_seconds = 0.0;            // deciding and learning; the one figure that may differ
};

// How totals grew, at Curve::rounds: one entry a point.
struct Curve {
  std::vector<std::int64_t> rounds;
  std::vector<double> reward, regret, explored;
  std::vector<std::vector<double>> ccv, price;  // [cost][point]
};

struct PolicyRun {
  Spec spec;
  Setting benchmark = Setting::kExpectation;  // what `regret` is against; see docs/comparators.md
  std::vector<Totals> totals;                 // one a seed
  std::vector<Curve> curves;                  // one a seed
};

// What another way of choosing would have earned on the same worlds, to hold policies against. None
// is a policy that could be used: each is shown more than a policy is (docs/comparators.md).
struct Reference {
  std::string name;            // full information, best fixed mix, best in hindsight
  std::string about;           // one line
  std::vector<double> reward;  // one a seed, in the units of the shape; NaN where there is none
  std::vector<Costs> spend;    // one a seed; empty where the reference has no costs of its own
};

struct RunResult {
  Spec world;
  std::int64_t rounds = 0;
  std::vector<std::string> costs;  // their names
  std::vector<double> budgets;     // totals, where the world has them
  // A round's largest regret and costs, the reward's unit and the high end of each cost: a bound
  // above T times this is vacuous.
  std::vector<double> most;
  std::vector<PolicyRun> policies;
  std::vector<Reference> references;  // where they were asked for
};

struct RunOptions {
  std::int64_t rounds = 10'000;  // 0: as many as the world has (tables)
  int seeds = 1;
  std::uint64_t first_seed = 1;
  int threads = 0;        // 0: as many as the machine has
  int curve_points = 64;  // 0 for no curves
  double margin = 0.0;    // Slater's eps in units, for the comparator and the bound of slater
  double share = 0.99;    // of the rounds that ccv_share speaks of, from 0 to below 1
  bool long_term = true;  // the long-term comparator needs the memory of all rounds
  bool references = false;
  // Rounds that an outcome comes late; what open decisions are predicted to cost is reserved.
  int delay = 0;
  // One benchmark for all policies; otherwise each is measured by its own setting.
  std::optional<Setting> benchmark;
  // Pieces of the caller's own, for the policies whose specs use them (rein/own.h).
  Own own = {};
  // Called now and then with rounds done and rounds in all, from one thread at a time.
  std::function<void(std::int64_t, std::int64_t)> progress;
};

// Runs every policy on every seed. Refuses specs that do not parse or do not fit each other before
// the first round. What a policy refuses later names the policy, the seed and the round; what is
// thrown in a thread is thrown here.
Result<RunResult> run(const Spec& world, const std::vector<Spec>& policies,
                      const RunOptions& options);

// Mean and 95 % t-interval of the mean; low and high are NaN at one seed.
struct Figure {
  double mean = 0.0;
  double low = 0.0;
  double high = 0.0;
};
Figure figure(const std::vector<double>& values);

// The object of docs/json.md.
std::string to_json(const RunResult& result);
// A header, then one row a policy and seed, one column a figure.
std::string to_csv(const RunResult& result);

}  // namespace rein
