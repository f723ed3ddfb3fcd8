#include "evaluate/shared_benchmark.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/size.h"
#include "evaluate/run.h"
#include "evaluate/stationary.h"

namespace rein {

std::string key_of(const BenchmarkOptions& options) {
  std::string key = fmt::format("{} {} {} {} {}", name_of(options.setting), options.rounds,
                                options.margin, options.long_term, options.stationary);
  for (double budget : options.budgets) key += fmt::format(" {}", budget);
  return key;
}

SharedBenchmarks::SharedBenchmarks(const Run& run, const std::vector<Play>& plays) : run_(run) {
  for (const Play& play : plays) ++plays_[play.seed];
}

Result<PlayBenchmark> SharedBenchmarks::of(std::uint64_t seed, const World& world,
                                           const BenchmarkOptions& options) {
  const std::string key = key_of(options);
  const bool shares = !run_.adapts && options.rounds <= kMaxSharedRounds &&
                      std::count(run_.benchmarks.begin(), run_.benchmarks.end(), key) > 1;
  if (!shares) {
    auto own = make_benchmark(run_.empty.world, seed, world, options);
    if (!own) return own.failure();
    return PlayBenchmark(std::move(own).value());
  }
  const std::shared_ptr<Slot> slot = slot_of(seed, key);
  const std::lock_guard lock(slot->mutex);
  if (!slot->value) {
    auto computed = compute(seed, options);
    if (!computed) return computed.failure();
    slot->value = std::move(computed).value();
  }
  return PlayBenchmark(slot->value);
}

void SharedBenchmarks::done(std::uint64_t seed) {
  const std::lock_guard lock(mutex_);
  if (--plays_[seed] <= 0) slots_.erase(seed);
}

std::shared_ptr<SharedBenchmarks::Slot> SharedBenchmarks::slot_of(std::uint64_t seed,
                                                                  const std::string& key) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Slot>& slot = slots_[seed][key];
  if (!slot) slot = std::make_shared<Slot>();
  return slot;
}

Result<std::shared_ptr<const SharedBenchmark>> SharedBenchmarks::compute(
    std::uint64_t seed, const BenchmarkOptions& options) const {
  auto made = run_.make_world(seed);
  if (!made) return made.failure();
  World& world = *made.value();
  const Shape& shape = world.shape();
  auto made_benchmark = make_benchmark(run_.empty.world, seed, world, options);
  if (!made_benchmark) return made_benchmark.failure();
  Benchmark& benchmark = *made_benchmark.value();
  std::vector<double> means(as_size(shape.heads()) * as_size(shape.actions));
  auto shared = std::make_shared<SharedBenchmark>();
  shared->best.reserve(as_size(options.rounds));
  for (std::int64_t t = 0; t < options.rounds; ++t) {
    const Round& round = world.next();
    world.means(means);
    shared->best.push_back(benchmark.best(world, means, round.actions));
  }
  shared->totals = benchmark.totals();
  return std::shared_ptr<const SharedBenchmark>(std::move(shared));
}

}  // namespace rein
