// Stationary: the best policy that looks at the context and at nothing else, where contexts are
// independent draws of one law.
//
//     OPT = max over pi of T E<pi(x), f*(x)>   s.t.  T E<pi(x), g_i*(x)> <= B_i for every cost i
//
// By duality OPT <= T E max_a (f* - sum_i price_i g_i*) + sum_i price_i B_i for any prices >= 0,
// with equality at the best ones. So a benchmark needs only prices: the sum over the rounds played
// of max_a (...), plus price . B, is in the mean never below OPT. Prices come from rounds of the
// same world past its horizon, N of them, which nobody plays: independent of the rounds played. The
// error of prices enters squared, so the value is above OPT by a multiple of T / N, and by nothing
// where the law is a single context.
//
// In any run it is at least the best in hindsight over all rounds: the same prices are feasible for
// the dual of that LP.
#pragma once

#include <memory>
#include <optional>

#include "evaluate/benchmark.h"
#include "rein/spec.h"

namespace rein {

// Rounds of the sample: as many as the run has, within these, and no more than keep to so many
// numbers in all.
inline constexpr std::int64_t kFewestSampled = 4096;
inline constexpr std::int64_t kMostSampled = 65536;
inline constexpr std::int64_t kMostSampledNumbers = std::int64_t{1} << 22;

// Prices in units; none where no stationary policy keeps to the budgets. REQUIRES a world that is
// iid, and a cost.
Result<std::optional<Costs>> stationary_prices(const Spec& world, std::uint64_t seed,
                                               const BenchmarkOptions& options);

// A benchmark of this seed of the world, with the prices of the best stationary policy where the
// options ask for it and the world is iid. `made` is the world itself; it is not played.
Result<std::unique_ptr<Benchmark>> make_benchmark(const Spec& spec, std::uint64_t seed,
                                                  const World& made,
                                                  const BenchmarkOptions& options);

}  // namespace rein
