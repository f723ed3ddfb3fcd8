// The run loop: every policy on every seed, each pair a job of its own.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "evaluate/play.h"
#include "evaluate/pool.h"
#include "evaluate/references.h"
#include "evaluate/run_kept.h"
#include "rein/world.h"

namespace rein {
namespace {

constexpr int kMaxSeeds = 1'000'000;
constexpr int kMaxThreads = 1024;
constexpr int kMaxDelay = 1'000'000;
constexpr int kMaxCurvePoints = 1'000'000;
constexpr std::int64_t kMaxRunRounds = std::int64_t{1} << 40;

// Counts rounds of all jobs together, and tells the caller now and then.
class Ticker {
 public:
  Ticker(const RunOptions& options, std::int64_t jobs)
      : progress_(options.progress), all_(options.rounds * jobs) {}

  void add(std::int64_t rounds) {
    done_ += rounds;
    if (!progress_) return;
    const std::unique_lock lock(mutex_, std::try_to_lock);  // who is told already need not be again
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

// What is known before the first round.
struct Prepared {
  RunResult result;
  std::vector<std::string> yardsticks;  // which one each policy is measured by
  bool adapts = true;

  bool shares(std::size_t policy, const RunOptions& options) const {
    return !adapts && options.rounds <= kMaxSharedRounds &&
           std::count(yardsticks.begin(), yardsticks.end(), yardsticks[policy]) > 1;
  }
};

// Makes everything once, for the first seed: what does not fit is refused before the first round.
Result<Prepared> prepare(const Spec& world, const std::vector<Spec>& policies,
                         const RunOptions& options) {
  if (auto fine = check_options(policies, options); !fine) return Error{fine.error()};
  auto made_world = make_world(world, options.first_seed, options.rounds);
  if (!made_world) return Error{made_world.error()};
  const Shape& shape = made_world.value()->shape();
  Prepared prepared{.result = {.world = world, .rounds = options.rounds, .budgets = shape.budgets},
                    .adapts = made_world.value()->adapts()};
  for (const CostShape& cost : shape.costs) prepared.result.costs.push_back(cost.name);
  for (const Spec& spec : policies) {
    auto policy = make_policy(spec, shape);
    if (!policy) return Error{policy.error()};
    const BenchmarkOptions benchmark = benchmark_options(*policy.value(), options);
    PolicyRun run{.spec = spec, .benchmark = benchmark.setting};
    run.totals.resize(static_cast<std::size_t>(options.seeds));
    run.curves.resize(static_cast<std::size_t>(options.curve_points > 0 ? options.seeds : 0));
    prepared.result.policies.push_back(std::move(run));
    prepared.yardsticks.push_back(key_of(benchmark));
  }
  return prepared;
}

void put(Finished finished, std::size_t seed, PolicyRun& run) {
  run.totals[seed] = std::move(finished.totals);
  if (!run.curves.empty()) run.curves[seed] = std::move(finished.curve);
}

struct Place {
  std::size_t policy = 0;
  std::size_t seed = 0;  // counted from 0
};

// Fills in what the file holds; returns what is left to play, seed by seed, so that the policies of
// one seed are done at about the same time.
std::vector<Place> left_to_play(const RunOptions& options, const ResultFile* kept,
                                RunResult& result) {
  std::vector<Place> left;
  for (std::size_t seed = 0; seed < static_cast<std::size_t>(options.seeds); ++seed) {
    for (std::size_t p = 0; p < result.policies.size(); ++p) {
      PolicyRun& run = result.policies[p];
      const Finished* known =
          kept == nullptr ? nullptr : kept->find(run.spec.str(), options.first_seed + seed);
      if (known != nullptr) {
        put(*known, seed, run);
      } else {
        left.push_back({p, seed});
      }
    }
  }
  return left;
}

}  // namespace

Result<RunOptions> settle_rounds(const Spec& world, const RunOptions& given) {
  RunOptions options = given;
  if (options.rounds != 0) return options;
  auto made = make_world(world, options.first_seed, 0);
  if (!made) return Error{made.error()};
  options.rounds = made.value()->shape().rounds;
  return options;
}

Result<RunResult> run_kept(const Spec& world, const std::vector<Spec>& policies,
                           const RunOptions& given, ResultFile* kept) {
  auto settled = settle_rounds(world, given);
  if (!settled) return Error{settled.error()};
  const RunOptions& options = settled.value();
  auto made = prepare(world, policies, options);
  if (!made) return Error{made.error()};
  Prepared& prepared = made.value();
  RunResult& result = prepared.result;
  const std::vector<Place> left = left_to_play(options, kept, result);

  std::map<std::uint64_t, int> jobs_of_seed;
  for (const Place& place : left) ++jobs_of_seed[options.first_seed + place.seed];
  Yardsticks yardsticks(world, std::move(jobs_of_seed));

  Ticker ticker(options, static_cast<std::int64_t>(left.size()));
  std::vector<Result<>> done(left.size());
  const int threads =
      options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
  const auto job = [&](std::int64_t index) {
    const auto [p, seed] = left[static_cast<std::size_t>(index)];
    PolicyRun& run = result.policies[p];
    const std::uint64_t seed_number = options.first_seed + seed;
    auto played = play({world, run.spec, options, seed_number,
                        prepared.shares(p, options) ? &yardsticks : nullptr},
                       [&](std::int64_t rounds) { ticker.add(rounds); });
    yardsticks.done(seed_number);
    Result<>& outcome = done[static_cast<std::size_t>(index)];
    if (!played) {
      outcome = Error{played.error()};
      return false;
    }
    if (kept != nullptr) outcome = kept->keep(run.spec.str(), played.value());
    put(std::move(played).value(), seed, run);
    return outcome.ok();
  };
  run_jobs(static_cast<std::int64_t>(left.size()), std::max(threads, 1), job);
  for (const Result<>& outcome : done) {
    if (!outcome) return Error{outcome.error()};
  }
  ticker.finish();
  if (options.references) {
    auto found = references(world, options);
    if (!found) return Error{found.error()};
    result.references = std::move(found).value();
  }
  return std::move(result);
}

Result<RunResult> run(const Spec& world, const std::vector<Spec>& policies,
                      const RunOptions& options) {
  return run_kept(world, policies, options, nullptr);
}

}  // namespace rein
