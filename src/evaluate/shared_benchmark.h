// SharedBenchmark: the benchmark of one seed, computed once for all policies that it measures.
//
// In a world that does not adapt, all policies meet the same rounds of a seed, with the same OPT in
// every round. So one pass over the rounds is enough. With several costs this halves the time of a
// comparison. The values have the same bits as those of a separate benchmark.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "evaluate/benchmark.h"
#include "rein/run.h"

namespace rein {

struct Run;

// 32 MiB per benchmark and seed in use. Longer runs compute one benchmark per policy instead.
inline constexpr std::int64_t kMaxSharedRounds = std::int64_t{1} << 22;

struct SharedBenchmark {
  std::vector<double> best;  // OPT_t, one per round
  BenchmarkTotals totals;
};

// The benchmark of a play: shared with other plays of the seed, or its own.
class PlayBenchmark {
 public:
  explicit PlayBenchmark(std::shared_ptr<const SharedBenchmark> shared)
      : shared_(std::move(shared)) {}
  explicit PlayBenchmark(std::unique_ptr<Benchmark> own) : own_(std::move(own)) {}

  // OPT_t of round t = 1, 2, ..., which is the world's current round.
  double best(std::int64_t t, const World& world, std::span<const double> means, int actions) {
    return shared_ ? shared_->best[static_cast<std::size_t>(t - 1)]
                   : own_->best(world, means, actions);
  }
  BenchmarkTotals totals() { return shared_ ? shared_->totals : own_->totals(); }

 private:
  std::shared_ptr<const SharedBenchmark> shared_;
  std::unique_ptr<Benchmark> own_;
};

class SharedBenchmarks {
 public:
  // done() will be called once for each of these plays.
  SharedBenchmarks(const Run& run, const std::vector<Play>& plays);

  // The benchmark for a play on `world`, which is not advanced. It is shared if several policies of
  // the run use it: computed by the first caller, while other callers wait for it.
  Result<PlayBenchmark> of(std::uint64_t seed, const World& world, const BenchmarkOptions& options);
  // Call when a play of this seed has ended. After the last one its benchmarks are freed.
  void done(std::uint64_t seed);

 private:
  struct Slot {
    std::mutex mutex;
    std::shared_ptr<const SharedBenchmark> value;
  };
  std::shared_ptr<Slot> slot_of(std::uint64_t seed, const std::string& key);
  Result<std::shared_ptr<const SharedBenchmark>> compute(std::uint64_t seed,
                                                         const BenchmarkOptions& options) const;

  const Run& run_;
  std::mutex mutex_;
  std::map<std::uint64_t, int> plays_;  // number of plays that have not ended
  std::map<std::uint64_t, std::map<std::string, std::shared_ptr<Slot>>> slots_;
};

// Two benchmarks with the same key give the same values.
std::string key_of(const BenchmarkOptions& options);

}  // namespace rein
