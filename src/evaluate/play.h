// Play: all rounds of one policy on one seed.
//
// A play makes its world from (spec, seed) and its policy from (spec, shape). The policy's random
// numbers come from (seed, kPolicyStream). So nothing in a play depends on other plays or on
// threads.
#pragma once

#include <functional>

#include "evaluate/benchmark.h"
#include "evaluate/yardstick.h"
#include "rein/evaluate.h"
#include "rein/policy.h"

namespace rein {

struct Job {
  const Spec& world;
  const Spec& policy;
  const RunOptions& options;
  std::uint64_t seed;
  Yardsticks* shared = nullptr;  // null: the play computes its benchmark itself
};

// The result of a play.
struct Finished {
  Totals totals;
  Curve curve;
};

// The pieces of the caller's that this policy uses.
Own own_of(const Spec& policy, const RunOptions& options);

// Refuses a policy that would refuse some of the world's outcomes: in setting knapsack, costs must
// be at least 0.
Result<> check_ranges(const Policy& policy, const Shape& world);

// The benchmark for the regret of this policy.
BenchmarkOptions benchmark_options(const Policy& policy, const RunOptions& options);

// Runs the play. `tick` is called from time to time with the rounds done. If the policy refuses,
// the message names the policy, the seed and the round.
Result<Finished> play(const Job& job, const std::function<void(std::int64_t)>& tick);

}  // namespace rein
