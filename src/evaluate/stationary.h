// Stationary: the best policy that depends only on the context, for contexts that are independent
// draws from one distribution.
//
//     OPT = max over pi of T E<pi(x), f*(x)>   s.t.  T E<pi(x), g_i*(x)> <= B_i for every cost i
//
// By duality OPT <= T E max_a (f* - sum_i price_i g_i*) + sum_i price_i B_i for any prices >= 0,
// with equality at the best prices. So a benchmark needs only prices. The sum of max_a (...) over
// the rounds played, plus price . B, is never below OPT in expectation.
//
// The prices come from N rounds of the same world after its horizon, which no policy plays. They
// are independent of the rounds played. The error of the prices enters squared, so the value
// exceeds OPT by a multiple of T / N. It equals OPT if there is only one context.
//
// In any run the value is at least the best in hindsight over all rounds: the same prices are
// feasible for the dual of that LP.
#pragma once

#include <memory>
#include <optional>

#include "evaluate/benchmark.h"
#include "rein/spec.h"

namespace rein {

// Rounds of the sample: as many as the run has, within these limits, and within a limit on the
// total count of numbers.
inline constexpr std::int64_t kFewestSampled = 4096;
inline constexpr std::int64_t kMostSampled = 65536;
inline constexpr std::int64_t kMostSampledNumbers = std::int64_t{1} << 22;

// The best prices in units; no value if no stationary policy keeps the budgets. REQUIRES an iid
// world with at least one cost.
Result<std::optional<Costs>> stationary_prices(const Spec& spec, std::uint64_t seed,
                                               const BenchmarkOptions& options);

// A benchmark for this seed of the world. It has the prices of the best stationary policy if the
// options ask for it and the world is iid. `made` is the world itself; it is not advanced.
Result<std::unique_ptr<Benchmark>> make_benchmark(const Spec& spec, std::uint64_t seed,
                                                  const World& made,
                                                  const BenchmarkOptions& options);

}  // namespace rein
