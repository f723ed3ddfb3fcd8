// Runs policies on worlds and measures them: the C++ form of `rein run`.
//
// Every policy meets the same worlds: a seed gives the same contexts and the same noise for all
// policies. Results do not depend on the number of threads.
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
#include "rein/status.h"

namespace rein {

class Policy;

// What the theorem guarantees; see docs/bounds.md. A bound above T says nothing: print it as
// vacuous. Each Costs holds one number per cost, or is empty if no bound applies.
struct Bounds {
  std::optional<double> regret;
  Costs ccv;          // CCV: cumulative violation, the sum of each cost
  Costs ccv_average;  // average of the CCV over time; setting slater with its margin
  Costs ccv_share;    // the CCV stays under it in a share of the rounds; slater, with its margin
  Costs queue_rms;    // part (e): root mean square over time of the CCV's positive part
};

// What is known or assumed besides the terms. All numbers are in units.
struct BoundOptions {
  double margin = 0.0;  // Slater's eps; 0 if unknown
  // c of part (e): the time average of Regret_t is at least -c sqrt(K T U). Negative: not assumed.
  double premise = -1.0;
  // Sum over rounds of the squared distance from the nearest functions of the class to the truth.
  double misspecified = 0.0;
  double share = 0.99;  // share of the rounds for ccv_share
  // The probability that the bounds fail in one run. 0: bounds on means over runs, for errors that
  // never exceed Terms::errors.
  double delta = kBoundDelta;
};
// The bounds in units. Empty if the exponential settings have multipliers other than 1, or if the
// terms are too small for any bound.
Bounds bounds(const Terms& terms, const BoundOptions& options = {});
// What the theorem guarantees for this policy with probability 1 - kBoundDelta, in the units of its
// shape. Empty if the theorem does not cover the policy (PolicyState::theorem). The assumptions are
// in docs/bounds.md: immediate outcomes, functions in the oracle's class, a feasible problem.
Bounds bounds(const Policy& policy, const BoundOptions& options = {});
// The bound on the squared errors of one head: Terms::errors, plus the part that comes from a
// misspecified class.
double error_bound(const Terms& terms, const BoundOptions& options = {});

// Why a run has no bound although the theorem covers its policy.
enum class NoBound {
  kNone,        // the run has a bound, or the theorem does not cover its policy
  kHorizon,     // the policy was made for a different number of rounds
  kDelay,       // outcomes came late
  kMeans,       // the world has no known means: neither U nor the benchmark can be checked
  kBenchmark,   // regret is measured against the benchmark of another setting
  kInfeasible,  // in some round no choice satisfies the constraint
  kPositive,    // almost_sure: the means of the positive parts are unknown
  kNorm,        // features exceeded the norm that U assumes
  kErrors,      // the oracle's errors exceeded what the bound assumes
  kConstants,   // multipliers or sizes for which no bound exists
};
// One line for people, such as "outcomes came late". Empty for kNone.
std::string_view why(NoBound reason);

// The totals of one policy on one seed. Rewards, costs and regrets are in the units of the shape.
// NaN if a figure does not exist: no known means, no feasible comparator, no oracle.
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
  Costs excess;        // consumption above the budget, or above 0 without one; at least 0
  Costs queue_rms;     // root mean square over time of the CCV's positive part
  double reward_at_stop = 0.0;  // reward before the budget was first exceeded; NaN without one
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
  std::int64_t alarm_round = -1;       // when the realizability alarm rang; -1: never
  Status status = Status::kOk;         // of the policy at the end
  double effective_size = 0.0;         // effective sample size of its decisions
  std::int64_t infeasible_rounds = 0;  // rounds in which no distribution satisfies the constraint
  double cpu_seconds = 0.0;            // to decide and learn; may differ between equal runs
};

// How the totals grew: one entry per point of Curve::rounds.
struct Curve {
  std::vector<std::int64_t> rounds;
  std::vector<double> reward, regret, explored;
  std::vector<std::vector<double>> ccv, price;  // [cost][point]
};

struct PolicyRun {
  Spec spec;
  Setting benchmark = Setting::kExpectation;  // the benchmark of `regret`; see docs/comparators.md
  std::vector<Totals> totals;                 // one per seed
  std::vector<Curve> curves;                  // one per seed
};

// What another way of choosing would have earned on the same worlds, for comparison. A reference
// sees more than a policy may, so it is not a policy that could be used (docs/comparators.md).
struct Reference {
  std::string name;            // full information, best fixed mix, best in hindsight
  std::string about;           // one line
  std::vector<double> reward;  // one per seed, in the units of the shape; NaN if undefined
  std::vector<Costs> spend;    // one per seed; empty if the reference has no costs of its own
};

struct RunResult {
  Spec world;
  std::int64_t rounds = 0;
  std::vector<std::string> costs;  // their names
  std::vector<double> budgets;     // totals, if the world has budgets
  // The largest regret of one round (the reward's unit), then the largest of each cost. A bound
  // above T times this number is vacuous.
  std::vector<double> most;
  std::vector<PolicyRun> policies;
  std::vector<Reference> references;  // if they were asked for
};

struct RunOptions {
  std::int64_t rounds = 10'000;  // 0: as many as the world has (tables)
  int seeds = 1;
  std::uint64_t first_seed = 1;
  int threads = 0;        // 0: one per core
  int curve_points = 64;  // 0: no curves
  double margin = 0.0;    // Slater's eps in units, for the comparator and the bound of slater
  double share = 0.99;    // share of the rounds for ccv_share, from 0 to below 1
  bool long_term = true;  // compute the long-term comparator; it keeps all rounds in memory
  bool references = false;
  // Delay of each outcome, in rounds. The predicted cost of open decisions is reserved.
  int delay = 0;
  // One benchmark for all policies. Not set: each policy is measured against that of its own
  // setting.
  std::optional<Setting> benchmark;
  // Pieces that the caller brings, for the policies whose specs use them (rein/own.h).
  Own own = {};
  // Called from time to time with rounds done and rounds in all, by one thread at a time.
  std::function<void(std::int64_t, std::int64_t)> progress;
};

// Runs every policy on every seed. Before the first round it refuses specs that do not parse or do
// not fit together. If a policy refuses a round later, the message names policy, seed and round. An
// exception in a worker thread is thrown again here.
Result<RunResult> run(const Spec& world, const std::vector<Spec>& policies,
                      const RunOptions& options);

// Mean, and 95 % t-interval of the mean; low and high are NaN with one seed.
struct Figure {
  double mean = 0.0;
  double low = 0.0;
  double high = 0.0;
};
Figure figure(const std::vector<double>& values);

// The JSON object of docs/json.md.
std::string to_json(const RunResult& result);
// A header line, then one row per policy and seed, with one column per figure.
std::string to_csv(const RunResult& result);

}  // namespace rein
