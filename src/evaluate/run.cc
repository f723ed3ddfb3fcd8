#include "evaluate/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "base/memory.h"
#include "base/own.h"
#include "base/size.h"
#include "base/units.h"
#include "evaluate/live.h"
#include "evaluate/play_file.h"
#include "base/pool.h"
#include "evaluate/reference.h"
#include "evaluate/shared_benchmark.h"
#include "policy/toward.h"
#include "solve/long_term.h"
#include "world/innermost.h"

namespace rein {
namespace {

constexpr int kMaxSeeds = 1'000'000;
constexpr int kMaxThreads = 1024;
constexpr int kMaxDelay = 1'000'000;
constexpr int kMaxCurvePoints = 1'000'000;
constexpr std::int64_t kMaxRunRounds = std::int64_t{1} << 40;

// Counts the rounds of all plays and reports them to the caller from time to time.
class Ticker {
 public:
  Ticker(const RunOptions& options, std::size_t plays)
      : progress_(options.progress), all_(options.rounds * static_cast<std::int64_t>(plays)) {}

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

Result<> check_options(const Spec& world, const std::vector<Spec>& policies,
                       const RunOptions& options) {
  if (policies.empty()) return Error{"run: no policy is given; accepted: one or more"};
  if (auto fine = check_different(policies); !fine) return fine;
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
  return check_used(options.own, own_uses(world, policies), "no spec uses");
}

RunResult empty_result(const Spec& world, const Shape& shape, std::int64_t rounds) {
  RunResult result{.world = world, .rounds = rounds, .budgets = shape.budgets};
  result.most.push_back(unit_of(shape.reward));
  for (const CostShape& cost : shape.costs) {
    result.costs.push_back(cost.name);
    result.most.push_back(std::max(cost.range.high, 0.0));
  }
  return result;
}

// With live budgets, the world's shape says what they allow in all.
std::unique_ptr<World> in_service(std::unique_ptr<World> world, const RunOptions& options) {
  if (options.live.budgets.empty()) return world;
  std::vector<double> all = allowed_in_all(options, world->shape());
  return with_budgets(std::move(world), std::move(all));
}

// A policy as its plays will have it: inside an engine, if the run has live conditions.
struct MadePolicy {
  std::unique_ptr<Policy> alone;
  std::optional<Engine> engine;
  const Policy& get() const { return engine ? engine->policy() : *alone; }
};

Result<MadePolicy> made_policy(const Spec& spec, const Shape& shape, const RunOptions& options) {
  MadePolicy made;
  if (options.live.used()) {
    auto engine = make_engine(spec, shape, options.first_seed, options);
    if (!engine) return engine.failure();
    made.engine.emplace(std::move(engine).value());
    return made;
  }
  auto policy = make_policy(spec, shape, own_of(spec, options));
  if (!policy) return policy.failure();
  made.alone = std::move(policy).value();
  return made;
}

// Returns what `play` returns. If memory runs out, the message names the options that use the most.
template <class Work>
auto in_memory(const Play& play, const RunOptions& options, const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc& thrown) {
    throw out_of_memory(
        thrown, fmt::format("policy {}, seed {}", play.policy.str(), play.seed),
        fmt::format("fewer threads (now {}, 0 means all cores), a shorter delay (now {}), fewer "
                    "rounds (now {}), no long-term benchmark, or a smaller world",
                    options.threads, options.delay, options.rounds));
  }
}

}  // namespace

Result<> check_different(const std::vector<Spec>& policies) {
  std::set<std::string> seen;
  for (const Spec& policy : policies) {
    if (seen.insert(policy.str()).second) continue;
    return Error{
        fmt::format("run: policy {} is given twice; accepted: different ones", policy.str())};
  }
  return {};
}

int threads_of(int asked) {
  return std::max(1, asked > 0 ? asked : static_cast<int>(std::thread::hardware_concurrency()));
}

Result<Run> Run::prepare(const Spec& world, const std::vector<Spec>& policies,
                         const RunOptions& given) {
  RunOptions options = given;
  if (options.rounds != 0) {
    if (auto fine = check_options(world, policies, options); !fine) return fine.failure();
  }
  auto made = rein::make_world(world, options.first_seed, options.rounds, options.own);
  if (!made) return made.failure();
  if (options.rounds == 0) {
    options.rounds = made.value()->shape().rounds;
    if (auto fine = check_options(world, policies, options); !fine) return fine.failure();
  }
  if (options.live.used()) {
    if (auto fine = check_live(options, made.value()->shape()); !fine) return fine.failure();
    made = in_service(std::move(made).value(), options);
  }
  const Shape& shape = made.value()->shape();
  if (options.long_term) {
    const int costs = static_cast<int>(shape.costs.size());
    auto solver = LongTerm::check_solver(costs, "run: regret over all rounds (long_term=true)");
    if (!solver) return solver.failure();
  }
  const std::vector<double> units = units_of(shape);
  Run run{.options = options,
          .empty = empty_result(world, shape, options.rounds),
          .units = {units.begin() + 1, units.end()},
          .adapts = made.value()->adapts()};
  // These worlds may declare more than they give.
  const std::string& kind = innermost(world).name;
  const bool exact = kind != "own" && kind != "table";
  run.empty.live_budgets = options.live.budgets;
  for (const Spec& spec : policies) {
    auto policy = made_policy(spec, shape, options);
    if (!policy) return policy.failure();
    if (exact) {
      if (auto fits = check_ranges(policy.value().get(), shape); !fits) return fits.failure();
    }
    const BenchmarkOptions benchmark = benchmark_options(policy.value().get(), shape, options);
    run.empty.policies.push_back({.spec = spec, .benchmark = benchmark.setting});
    run.benchmarks.push_back(key_of(benchmark));
    // Figures of a run are about the world's problem, and so are the bounds beside them.
    run.theorem.push_back(has_goal(spec) ? std::nullopt : policy.value().get().state().theorem);
  }
  return run;
}

Run Run::only(const std::vector<std::size_t>& policies) const {
  Run run = *this;
  run.empty.policies.clear();
  run.benchmarks.clear();
  run.theorem.clear();
  for (std::size_t p : policies) {
    run.empty.policies.push_back(empty.policies[p]);
    run.benchmarks.push_back(benchmarks[p]);
    run.theorem.push_back(theorem[p]);
  }
  return run;
}

Result<std::unique_ptr<World>> Run::make_world(std::uint64_t seed) const {
  auto world = rein::make_world(empty.world, seed, options.rounds, options.own);
  if (!world || !options.live.used()) return world;
  return in_service(std::move(world).value(), options);
}

Result<> Run::play_all(const std::vector<Play>& plays, const TakeResult& take) const {
  SharedBenchmarks shared(*this, plays);
  Ticker ticker(options, plays.size());
  std::vector<Result<>> done(plays.size());
  const auto job = [&](std::int64_t number) {
    const auto index = as_size(number);
    const Play& each = plays[index];
    auto played = in_memory(each, options, [&] {
      return play(*this, each, shared, [&](std::int64_t rounds) { ticker.add(rounds); });
    });
    shared.done(each.seed);
    done[index] = played ? take(index, std::move(played).value()) : played.failure();
    return done[index].ok();
  };
  run_jobs(static_cast<std::int64_t>(plays.size()), threads_of(options.threads), job);
  for (const Result<>& outcome : done) {
    if (!outcome) return outcome;
  }
  ticker.finish();
  return {};
}

Result<RunResult> Run::finish(PlayFile* kept) const {
  RunResult result = empty;
  const auto put = [&](std::size_t policy, PlayResult found) {
    PolicyRun& of = result.policies[policy];
    const std::size_t at = found.totals.seed - options.first_seed;
    of.totals[at] = std::move(found.totals);
    if (!of.curves.empty()) of.curves[at] = std::move(found.curve);
  };
  for (PolicyRun& of : result.policies) {
    of.totals.resize(as_size(options.seeds));
    of.curves.resize(as_size(options.curve_points > 0 ? options.seeds : 0));
  }
  // Ordered by seed, so that the policies of one seed finish at about the same time.
  std::vector<Play> plays;
  std::vector<std::size_t> policies;  // one per play
  for (std::size_t s = 0; s < as_size(options.seeds); ++s) {
    for (std::size_t p = 0; p < result.policies.size(); ++p) {
      const Play each{result.policies[p].spec, options.first_seed + s};
      const PlayResult* known = kept == nullptr ? nullptr : kept->find(each);
      if (known != nullptr) {
        put(p, *known);
        continue;
      }
      plays.push_back(each);
      policies.push_back(p);
    }
  }
  const TakeResult take = [&](std::size_t index, PlayResult found) -> Result<> {
    Result<> outcome;
    if (kept != nullptr) outcome = kept->keep(plays[index], found);
    put(policies[index], std::move(found));
    return outcome;
  };
  if (auto done = play_all(plays, take); !done) return done.failure();
  if (options.references) {
    auto found = references(*this);
    if (!found) return found.failure();
    result.references = std::move(found).value();
  }
  return result;
}

Result<RunResult> run(const Spec& world, const std::vector<Spec>& policies,
                      const RunOptions& options) {
  auto prepared = Run::prepare(world, policies, options);
  if (!prepared) return prepared.failure();
  return prepared.value().finish();
}

}  // namespace rein
