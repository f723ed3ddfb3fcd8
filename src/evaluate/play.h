// Play: all rounds of one policy on one seed.
//
// A play makes its world from (spec, seed), its policy from (spec, shape) and draws the policy's
// chance from (seed, kPolicyStream), so nothing in it depends on other plays or on threads.
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

// What a play leaves.
struct Finished {
  Totals totals;
  Curve curve;
};

// The pieces of the caller's own that this policy uses.
Own own_of(const Spec& policy, const RunOptions& options);

// Refuses a policy that would refuse some of the world's outcomes: in setting knapsack costs are at
// least 0.
Result<> check_ranges(const Policy& policy, const Shape& world);

// What the regret of this policy is against.
BenchmarkOptions benchmark_options(const Policy& policy, const RunOptions& options);

// `tick` is told of rounds done, now and then. What the policy refuses names it, the seed and the
// round.
Result<Finished> play(const Job& job, const std::function<void(std::int64_t)>& tick);

}  // namespace rein
