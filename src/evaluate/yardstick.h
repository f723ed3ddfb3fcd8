// Yardstick: the benchmark of one seed, computed once for every policy that it measures.
//
// In a world that does not adapt, the rounds of a seed are the same for all policies, and so is OPT
// of every round: one pass over the rounds serves them all. With several costs this halves the time
// of a comparison. What comes out has the same bits as a benchmark of one's own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "evaluate/benchmark.h"
#include "rein/result.h"
#include "rein/spec.h"

namespace rein {

// 32 MiB a benchmark and seed at work. Longer runs compute a benchmark a policy instead.
inline constexpr std::int64_t kMaxSharedRounds = std::int64_t{1} << 22;

struct Yardstick {
  std::vector<double> best;  // OPT_t, one a round
  double long_term = 0.0;
  double stationary = 0.0;
  std::int64_t infeasible_rounds = 0;
};

class Yardsticks {
 public:
  // REQUIRES a world that does not adapt. `jobs[seed]` jobs of a seed will say done().
  Yardsticks(const Spec& world, std::map<std::uint64_t, int> jobs)
      : world_(world), jobs_(std::move(jobs)) {}

  // Computed by who asks first; others wait for it.
  Result<std::shared_ptr<const Yardstick>> of(std::uint64_t seed, const BenchmarkOptions& options);
  // A job of this seed has ended; after the last one its yardsticks are forgotten.
  void done(std::uint64_t seed);

 private:
  struct Slot {
    std::mutex mutex;
    std::shared_ptr<const Yardstick> value;
  };

  const Spec& world_;
  std::mutex mutex_;
  std::map<std::uint64_t, int> jobs_;  // that have not ended
  std::map<std::uint64_t, std::map<std::string, std::shared_ptr<Slot>>> slots_;
};

// The same for benchmarks that give the same values.
std::string key_of(const BenchmarkOptions& options);

}  // namespace rein
