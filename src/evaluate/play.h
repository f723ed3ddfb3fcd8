// Play: all rounds of one policy on one seed.
//
// A play makes its world from (spec, seed) and its policy from (spec, shape). The policy's random
// numbers come from (seed, kPolicyStream). So nothing in a play depends on other plays or on
// threads.
#pragma once

#include <functional>

#include "evaluate/benchmark.h"
#include "evaluate/meter.h"
#include "rein/policy.h"
#include "rein/run.h"

namespace rein {

struct Run;
class SharedBenchmarks;

struct PlayResult {
  Totals totals;
  Curve curve;
};

// The pieces of the caller's that this policy uses.
Own own_of(const Spec& policy, const RunOptions& options);

// Refuses a policy that would refuse some of the world's outcomes: in setting knapsack, costs must
// be at least 0.
Result<> check_ranges(const Policy& policy, const Shape& world);

// The benchmark for the regret of this policy. `world` is the shape of its world.
BenchmarkOptions benchmark_options(const Policy& policy, const Shape& world,
                                   const RunOptions& options);
// The heads of the policy whose errors can be measured in this world, and all other measures.
MeterOptions meter_options(const Policy& policy, const Shape& world, const RunOptions& options);
// The result of a play that has ended; without what its premises say.
PlayResult result_of(Meter& meter, const BenchmarkTotals& best, const PolicyState& state);

// Plays a play of the run. `tick` is called from time to time with the rounds done. If the policy
// refuses, the message names the policy, the seed and the round.
Result<PlayResult> play(const Run& run, const Play& play, SharedBenchmarks& shared,
                        const std::function<void(std::int64_t)>& tick);
inline constexpr std::int64_t kProgressChunk = 1024;  // rounds between two calls of tick

}  // namespace rein
