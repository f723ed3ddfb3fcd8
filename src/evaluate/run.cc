// The run loop: every policy on every seed, each pair a job of its own.
//
// A job makes its world from (spec, seed), its policy from (spec, shape) and draws the policy's
// chance from (seed, kPolicyStream), so nothing in it depends on other jobs or on threads.
#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>

#include "estimate/heads.h"
#include "evaluate/benchmark.h"
#include "evaluate/cpu_share.h"
#include "evaluate/late.h"
#include "evaluate/meter.h"
#include "evaluate/pool.h"
#include "evaluate/references.h"
#include "rein/evaluate.h"
#include "rein/policy.h"
#include "rein/world.h"

namespace rein {
namespace {

// Worlds draw from streams with a top byte (world/noise.h); this one has none.
constexpr std::uint64_t kPolicyStream = 1;
constexpr std::int64_t kProgressChunk = 1024;

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

Setting benchmark_of(const Policy& policy, const RunOptions& options) {
  if (options.benchmark) return *options.benchmark;
  if (const auto setting = policy.state().setting) return *setting;
  return policy.shape().budgets.empty() ? Setting::kExpectation : Setting::kKnapsack;
}

MeterOptions::Errors errors_of(const Policy& policy, const Shape& shape) {
  const PolicyState state = policy.state();
  if (std::isnan(state.u) || !shape.truth) return MeterOptions::Errors::kNone;
  // Its cost heads learn max(0, cost), whose mean the world does not tell.
  if (state.setting == Setting::kAlmostSure) return MeterOptions::Errors::kReward;
  return MeterOptions::Errors::kAll;
}

// What the theorem promises of this run, in the units of the shape. It speaks of the horizon that
// the policy was made for, and of no other.
void add_bounds(const Policy& policy, const RunOptions& options, Totals& totals) {
  const PolicyState state = policy.state();
  totals.u = state.u;
  if (!state.theorem || state.theorem->rounds != options.rounds) return;
  const Heads heads(policy.shape());
  const auto scaled = [&](Bounds found) {
    if (found.regret) *found.regret *= heads.unit(0);
    for (int i = 0; i < found.ccv.size(); ++i) found.ccv[i] *= heads.unit(i + 1);
    return found;
  };
  totals.bounds = scaled(bounds(*state.theorem, options.margin));
  if (state.theorem->setting != Setting::kExpectation) return;
  const double root = state.theorem->root() * heads.unit(0);
  totals.premise = std::max({0.0, -totals.regret_average / root, -totals.regret / root});
  totals.bounds_with_premise = scaled(bounds(*state.theorem, options.margin, totals.premise));
}

struct Job {
  const Spec& world;
  const Spec& policy;
  const RunOptions& options;
  std::uint64_t seed;
};

// Plays all rounds of one policy on one seed.
Result<> play(const Job& job, Ticker& ticker, Totals& totals, Curve& curve) {
  const RunOptions& options = job.options;
  auto made_world = make_world(job.world, job.seed, options.rounds);
  if (!made_world) return Error{made_world.error()};
  World& world = *made_world.value();
  const Shape& shape = world.shape();
  auto made_policy = make_policy(job.policy, shape);
  if (!made_policy) return Error{made_policy.error()};
  Policy& policy = *made_policy.value();
  const auto refused = [&](std::int64_t round, const std::string& why) {
    return Error{
        fmt::format("policy {}, seed {}, round {}: {}", job.policy.str(), job.seed, round, why)};
  };

  Benchmark benchmark(shape, {.setting = benchmark_of(policy, options),
                              .budgets = policy.shape().budgets,
                              .rounds = options.rounds,
                              .margin = options.margin,
                              .long_term = options.long_term});
  Meter meter(shape, {.rounds = options.rounds,
                      .curve_points = options.curve_points,
                      .errors = errors_of(policy, shape),
                      .budgets = policy.shape().budgets});
  Rng rng(job.seed, kPolicyStream);
  Scratch scratch(policy);
  Decision decision(policy);
  Outcome outcome;
  std::vector<double> means(static_cast<std::size_t>(shape.heads()) *
                            static_cast<std::size_t>(shape.actions));
  Late late(policy, options.delay);
  CpuShare cpu(options.rounds);
  for (std::int64_t t = 1; t <= options.rounds; ++t) {
    cpu.begin_round();
    const Round& round = world.next();
    cpu.begin();
    const Result<> decided = policy.decide(round, late.reserved(), rng, scratch, decision);
    cpu.end();
    if (!decided) return refused(t, decided.error());
    world.outcome(decision.action, outcome);
    world.means(means);
    meter.add({.decision = decision,
               .outcome = outcome,
               .means = means,
               .actions = round.actions,
               .best = benchmark.best(world, means, round.actions)});
    cpu.begin();
    const Result<> learned = late.learn(policy, round, decision, outcome);
    cpu.end();
    if (!learned) return refused(t, learned.error());
    world.observe(decision.action, outcome);
    cpu.end_round();
    if (t % kProgressChunk == 0) ticker.add(kProgressChunk);
  }
  ticker.add(options.rounds % kProgressChunk);

  totals = meter.totals();
  totals.cpu_seconds = cpu.seconds();
  totals.seed = job.seed;
  totals.regret_long_term = benchmark.best_long_term() - meter.mean_reward();
  totals.infeasible_rounds = benchmark.infeasible_rounds();
  add_bounds(policy, options, totals);
  curve = meter.take_curve();
  return {};
}

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

// Makes everything once, for the first seed: what does not fit is refused before the first round.
Result<RunResult> prepare(const Spec& world, const std::vector<Spec>& policies,
                          const RunOptions& options) {
  if (auto fine = check_options(policies, options); !fine) return Error{fine.error()};
  auto made_world = make_world(world, options.first_seed, options.rounds);
  if (!made_world) return Error{made_world.error()};
  const Shape& shape = made_world.value()->shape();
  RunResult result{.world = world, .rounds = options.rounds, .budgets = shape.budgets};
  for (const CostShape& cost : shape.costs) result.costs.push_back(cost.name);
  for (const Spec& spec : policies) {
    auto policy = make_policy(spec, shape);
    if (!policy) return Error{policy.error()};
    PolicyRun run{.spec = spec, .benchmark = benchmark_of(*policy.value(), options)};
    run.totals.resize(static_cast<std::size_t>(options.seeds));
    run.curves.resize(static_cast<std::size_t>(options.curve_points > 0 ? options.seeds : 0));
    result.policies.push_back(std::move(run));
  }
  return result;
}

}  // namespace

Result<RunResult> run(const Spec& world, const std::vector<Spec>& policies,
                      const RunOptions& given) {
  RunOptions options = given;
  if (options.rounds == 0) {  // as many as the world has: a table knows
    auto made = make_world(world, options.first_seed, 0);
    if (!made) return Error{made.error()};
    options.rounds = made.value()->shape().rounds;
  }
  auto prepared = prepare(world, policies, options);
  if (!prepared) return prepared;
  RunResult& result = prepared.value();

  // Seed by seed, so that the policies of one seed are done at about the same time.
  const auto per_seed = static_cast<std::int64_t>(policies.size());
  const std::int64_t jobs = per_seed * options.seeds;
  Ticker ticker(options, jobs);
  std::vector<Result<>> done(static_cast<std::size_t>(jobs));
  const int threads =
      options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
  run_jobs(jobs, std::max(threads, 1), [&](std::int64_t index) {
    const auto seed = static_cast<std::size_t>(index / per_seed);
    PolicyRun& run = result.policies[static_cast<std::size_t>(index % per_seed)];
    Curve curve;
    Result<>& outcome = done[static_cast<std::size_t>(index)];
    outcome = play({world, run.spec, options, options.first_seed + seed}, ticker, run.totals[seed],
                   curve);
    if (!run.curves.empty()) run.curves[seed] = std::move(curve);
    return outcome.ok();
  });
  for (const Result<>& outcome : done) {
    if (!outcome) return Error{outcome.error()};
  }
  ticker.finish();
  if (options.references) {
    auto found = references(world, options);
    if (!found) return Error{found.error()};
    result.references = std::move(found).value();
  }
  return prepared;
}

}  // namespace rein
