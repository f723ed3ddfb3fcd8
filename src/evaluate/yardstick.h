// Yardstick: the benchmark of one seed, computed once for all policies that it measures.
//
// In a world that does not adapt, all policies meet the same rounds of a seed, with the same OPT in
// every round. So one pass over the rounds is enough. With several costs this halves the time of a
// comparison. The values have the same bits as those of a separate benchmark.
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

// 32 MiB per benchmark and seed in use. Longer runs compute one benchmark per policy instead.
inline constexpr std::int64_t kMaxSharedRounds = std::int64_t{1} << 22;

struct Yardstick {
  std::vector<double> best;  // OPT_t, one per round
  double long_term = 0.0;
  double stationary = 0.0;
  std::int64_t infeasible_rounds = 0;
};

class Yardsticks {
 public:
  // REQUIRES a world that does not adapt. done() will be called `jobs[seed]` times for each seed.
  Yardsticks(const Spec& world, std::map<std::uint64_t, int> jobs)
      : world_(world), jobs_(std::move(jobs)) {}

  // Computed by the first caller; other callers wait for it.
  Result<std::shared_ptr<const Yardstick>> of(std::uint64_t seed, const BenchmarkOptions& options);
  // Call when a job of this seed has ended. After the last one its yardsticks are freed.
  void done(std::uint64_t seed);

 private:
  struct Slot {
    std::mutex mutex;
    std::shared_ptr<const Yardstick> value;
  };

  const Spec& world_;
  std::mutex mutex_;
  std::map<std::uint64_t, int> jobs_;  // number of jobs that have not ended
  std::map<std::uint64_t, std::map<std::string, std::shared_ptr<Slot>>> slots_;
};

// Two benchmarks with the same key give the same values.
std::string key_of(const BenchmarkOptions& options);

}  // namespace rein
