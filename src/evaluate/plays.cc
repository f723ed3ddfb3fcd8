#include "evaluate/plays.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "base/memory.h"
#include "base/own.h"
#include "base/units.h"
#include "evaluate/pool.h"
#include "rein/world.h"
#include "world/innermost.h"

namespace rein {
namespace {

constexpr int kMaxSeeds = 1'000'000;
constexpr int kMaxThreads = 1024;
constexpr int kMaxDelay = 1'000'000;
constexpr int kMaxCurvePoints = 1'000'000;
constexpr std::int64_t kMaxRunRounds = std::int64_t{1} << 40;

// Counts the rounds of all jobs and reports them to the caller from time to time.
class Ticker {
 public:
  Ticker(const RunOptions& options, std::int64_t jobs)
      : progress_(options.progress), all_(options.rounds * jobs) {}

  void add(std::int64_t rounds) {
    done_ += rounds;
    if (!progress_) return;
    const std::unique_lock lock(mutex_, std::try_to_lock);  // one report at a time is enough
    if (lock.owns_lock()) progress_(done_, all_);
  }
  void finish() {
    if (progress_) progress_(all_, all_);
  }

 private:
  const std::function<void(std::int64_t, std::int64_t)>& progress_;
  std::int64_t all_;
  std::atomic<std::int64_t> done_{0};
  std::mutex mutex_;
};

template <class T>
Result<> within(const char* what, T found, T low, T high) {
  if (found >= low && found <= high) return {};
  return Error{fmt::format("run: {} is {}; accepted: {} to {}", what, found, low, high)};
}

// Whether other policies use the same yardstick.
bool shares(const Prepared& prepared, std::size_t policy, const RunOptions& options) {
  const std::vector<std::string>& keys = prepared.yardsticks;
  return !prepared.adapts && options.rounds <= kMaxSharedRounds &&
         std::count(keys.begin(), keys.end(), keys[policy]) > 1;
}

// Returns what `play` returns. If memory runs out, the message names the options that use the most.
template <class Play>
auto in_memory(const Spec& policy, std::uint64_t seed, const RunOptions& options,
               const Play& play) {
  try {
    return play();
  } catch (const std::bad_alloc& thrown) {
    throw out_of_memory(
        thrown, fmt::format("policy {}, seed {}", policy.str(), seed),
        fmt::format("fewer threads (now {}, 0 means all cores), a shorter delay (now {}), fewer "
                    "rounds (now {}), no long-term benchmark, or a smaller world",
                    options.threads, options.delay, options.rounds));
  }
}

}  // namespace

Result<> check_options(const std::vector<Spec>& policies, const RunOptions& options) {
  if (policies.empty()) return Error{"run: no policy is given; accepted: one or more"};
  const Result<> checks[] = {
      within("rounds", options.rounds, std::int64_t{1}, kMaxRunRounds),
      within("seeds", options.seeds, 1, kMaxSeeds),
      within("delay", options.delay, 0, kMaxDelay),
      within("threads", options.threads, 0, kMaxThreads),
      within("curve_points", options.curve_points, 0, kMaxCurvePoints),
      within("margin", options.margin, 0.0, 1.0),
  };
  for (const Result<>& checked : checks) {
    if (!checked) return checked;
  }
  return {};
}

Result<Prepared> prepare(const Spec& world, const std::vector<Spec>& policies,
                         const RunOptions& options) {
  if (auto fine = check_options(policies, options); !fine) return fine.failure();
  if (auto used = check_used(options.own, own_uses(world, policies), "no spec uses"); !used) {
    return used.failure();
  }
  auto made_world = make_world(world, options.first_seed, options.rounds, options.own);
  if (!made_world) return made_world.failure();
  const Shape& shape = made_world.value()->shape();
  Prepared prepared{.result = {.world = world, .rounds = options.rounds, .budgets = shape.budgets},
                    .adapts = made_world.value()->adapts()};
  prepared.result.most.push_back(unit_of(shape.reward));
  for (const CostShape& cost : shape.costs) {
    prepared.result.costs.push_back(cost.name);
    prepared.result.most.push_back(std::max(cost.range.high, 0.0));
  }
  for (const Spec& spec : policies) {
    auto policy = make_policy(spec, shape, own_of(spec, options));
    if (!policy) return policy.failure();
    const std::string& kind = innermost(world).name;
    if (kind != "own" && kind != "table") {  // these may declare more than they give
      if (auto fits = check_ranges(*policy.value(), shape); !fits) return fits.failure();
    }
    const BenchmarkOptions benchmark = benchmark_options(*policy.value(), options);
    prepared.result.policies.push_back({.spec = spec, .benchmark = benchmark.setting});
    prepared.yardsticks.push_back(key_of(benchmark));
  }
  return prepared;
}

Result<> play_all(const Spec& world, const Prepared& prepared, const std::vector<Place>& places,
                  const RunOptions& options, const Take& take) {
  std::map<std::uint64_t, int> jobs_of_seed;
  for (const Place& place : places) ++jobs_of_seed[place.seed];
  Yardsticks yardsticks(world, std::move(jobs_of_seed));

  Ticker ticker(options, static_cast<std::int64_t>(places.size()));
  std::vector<Result<>> done(places.size());
  const int threads =
      options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
  const auto job = [&](std::int64_t number) {
    const auto index = static_cast<std::size_t>(number);
    const auto [policy, seed] = places[index];
    const Spec& spec = prepared.result.policies[policy].spec;
    auto played = in_memory(spec, seed, options, [&] {
      return play(
          {world, spec, options, seed, shares(prepared, policy, options) ? &yardsticks : nullptr},
          [&](std::int64_t rounds) { ticker.add(rounds); });
    });
    yardsticks.done(seed);
    done[index] = played ? take(index, std::move(played).value()) : played.failure();
    return done[index].ok();
  };
  run_jobs(static_cast<std::int64_t>(places.size()), std::max(threads, 1), job);
  for (const Result<>& outcome : done) {
    if (!outcome) return outcome.failure();
  }
  ticker.finish();
  return {};
}

}  // namespace rein
