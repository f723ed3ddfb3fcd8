#include "evaluate/yardstick.h"

#include <fmt/format.h>

#include "evaluate/stationary.h"
#include "rein/world.h"

namespace rein {
namespace {

Result<std::shared_ptr<const Yardstick>> measure(const Spec& spec, std::uint64_t seed,
                                                 const BenchmarkOptions& options) {
  auto made = make_world(spec, seed, options.rounds, options.own);
  if (!made) return made.failure();
  World& world = *made.value();
  const Shape& shape = world.shape();
  auto made_benchmark = make_benchmark(spec, seed, world, options);
  if (!made_benchmark) return made_benchmark.failure();
  Benchmark& benchmark = *made_benchmark.value();
  std::vector<double> means(static_cast<std::size_t>(shape.heads()) *
                            static_cast<std::size_t>(shape.actions));
  auto yardstick = std::make_shared<Yardstick>();
  yardstick->best.reserve(static_cast<std::size_t>(options.rounds));
  for (std::int64_t t = 0; t < options.rounds; ++t) {
    const Round& round = world.next();
    world.means(means);
    yardstick->best.push_back(benchmark.best(world, means, round.actions));
  }
  yardstick->long_term = benchmark.best_long_term();
  yardstick->stationary = benchmark.best_stationary();
  yardstick->infeasible_rounds = benchmark.infeasible_rounds();
  return std::shared_ptr<const Yardstick>(std::move(yardstick));
}

}  // namespace

std::string key_of(const BenchmarkOptions& options) {
  std::string key = fmt::format("{} {} {} {} {}", name_of(options.setting), options.rounds,
                                options.margin, options.long_term, options.stationary);
  for (double budget : options.budgets) key += fmt::format(" {}", budget);
  return key;
}

Result<std::shared_ptr<const Yardstick>> Yardsticks::of(std::uint64_t seed,
                                                        const BenchmarkOptions& options) {
  std::shared_ptr<Slot> slot;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Slot>& found = slots_[seed][key_of(options)];
    if (!found) found = std::make_shared<Slot>();
    slot = found;
  }
  const std::lock_guard lock(slot->mutex);
  if (!slot->value) {
    auto measured = measure(world_, seed, options);
    if (!measured) return measured;
    slot->value = std::move(measured).value();
  }
  return slot->value;
}

void Yardsticks::done(std::uint64_t seed) {
  const std::lock_guard lock(mutex_);
  if (--jobs_[seed] <= 0) slots_.erase(seed);
}

}  // namespace rein
