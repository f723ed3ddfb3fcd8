// Runs policies on worlds and measures them: the C++ form of `rein run`.
//
// A play is one policy on one seed. A run is every policy on every seed of one world. Every policy
// meets the same worlds: a seed gives the same contexts and the same noise for all policies.
// Results do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rein/costs.h"
#include "rein/figure.h"
#include "rein/live.h"
#include "rein/own.h"
#include "rein/result.h"
#include "rein/spec.h"
#include "rein/terms.h"
#include "rein/totals.h"

namespace rein {

// One policy on one seed.
struct Play {
  Spec policy;
  std::uint64_t seed = 0;
};

// All plays of one policy.
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
  // The largest possible regret of one round, in the unit of the reward, then the largest possible
  // cost of one round for each cost. A bound above T times this number is vacuous.
  std::vector<double> most;
  std::vector<PolicyRun> policies;
  std::vector<Reference> references;  // if they were asked for
  std::vector<Budget> live_budgets;   // of RunOptions::live
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
  // Bound the regret of every play from the play itself (docs/theory/certificate.md).
  bool certify = false;
  // The oracle of the reference that sees every outcome; vaw(memory=auto) forgets after a change.
  std::string learner = "vaw";
  // Delay of each outcome, in rounds. The predicted cost of open decisions is reserved.
  int delay = 0;
  // Budgets with windows, and parts of outcomes that come late or never. If used, plays go through
  // the Engine.
  Live live = {};
  // One benchmark for all policies. Not set: each policy is measured against the benchmark of its
  // own setting.
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

}  // namespace rein
