#include "evaluate/play.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "evaluate/cpu_share.h"
#include "evaluate/late.h"
#include "evaluate/meter.h"
#include "evaluate/premises.h"
#include "evaluate/stationary.h"
#include "policy/own_parts.h"
#include "rein/world.h"

namespace rein {
namespace {

// Worlds use streams with a nonzero top byte (world/noise.h); this one has a zero top byte.
constexpr std::uint64_t kPolicyStream = 1;
constexpr std::int64_t kProgressChunk = 1024;

MeterOptions::Errors errors_of(const Policy& policy, const Shape& shape) {
  const PolicyState state = policy.state();
  if (std::isnan(state.u) || !shape.truth) return MeterOptions::Errors::kNone;
  // Its cost heads learn max(0, cost), whose mean the world does not provide.
  if (state.setting == Setting::kAlmostSure) return MeterOptions::Errors::kReward;
  return MeterOptions::Errors::kAll;
}

// Part (f), and pacing, which is similar.
bool promises_stationary(Setting setting) {
  return setting == Setting::kLinearConstraints || setting == Setting::kPacing;
}

// OPT of every round: from the shared yardstick of the seed, or computed here.
class Best {
 public:
  static Result<Best> make(const Job& job, const World& world, const BenchmarkOptions& options) {
    Best best;
    if (job.shared == nullptr) {
      auto own = make_benchmark(job.world, job.seed, world, options);
      if (!own) return Error{own.error()};
      best.own_ = std::move(own).value();
      return best;
    }
    auto shared = job.shared->of(job.seed, options);
    if (!shared) return shared.failure();
    best.shared_ = std::move(shared).value();
    return best;
  }
  double of(std::int64_t t, const World& world, std::span<const double> means, int actions) {
    return shared_ ? shared_->best[static_cast<std::size_t>(t - 1)]
                   : own_->best(world, means, actions);
  }
  double long_term() { return shared_ ? shared_->long_term : own_->best_long_term(); }
  double stationary() { return shared_ ? shared_->stationary : own_->best_stationary(); }
  std::int64_t infeasible_rounds() const {
    return shared_ ? shared_->infeasible_rounds : own_->infeasible_rounds();
  }

 private:
  std::unique_ptr<Benchmark> own_;
  std::shared_ptr<const Yardstick> shared_;
};

}  // namespace

Result<> check_ranges(const Policy& policy, const Shape& world) {
  for (std::size_t i = 0; i < world.costs.size(); ++i) {
    const Range& taken = policy.shape().costs[i].range;
    const Range& given = world.costs[i].range;
    if (given.low >= taken.low && given.high <= taken.high) continue;
    return Error{fmt::format(
        "policy {}: it takes costs from {} to {}, and cost \"{}\" of the world lies in [{}, {}]; "
        "accepted: setting=linear_constraints, which takes negative costs, or a world whose costs "
        "are at least 0 (costs=positive)",
        policy.spec().str(), taken.low, taken.high, world.costs[i].name, given.low, given.high)};
  }
  return {};
}

BenchmarkOptions benchmark_options(const Policy& policy, const RunOptions& options) {
  const std::vector<double>& budgets = policy.shape().budgets;
  Setting setting = budgets.empty() ? Setting::kExpectation : Setting::kKnapsack;
  if (const auto own = policy.state().setting) setting = *own;
  setting = options.benchmark.value_or(setting);
  return {.setting = setting,
          .budgets = budgets,
          .rounds = options.rounds,
          .margin = options.margin,
          .long_term = options.long_term,
          .stationary = options.long_term && promises_stationary(setting)};
}

Own own_of(const Spec& policy, const RunOptions& options) {
  return uses_potential(policy) ? options.own : Own{};
}

Result<Finished> play(const Job& job, const std::function<void(std::int64_t)>& tick) {
  const RunOptions& options = job.options;
  auto made_world = make_world(job.world, job.seed, options.rounds);
  if (!made_world) return made_world.failure();
  World& world = *made_world.value();
  const Shape& shape = world.shape();
  auto made_policy = make_policy(job.policy, shape, own_of(job.policy, options));
  if (!made_policy) return made_policy.failure();
  Policy& policy = *made_policy.value();
  const auto refused = [&](std::int64_t round, const std::string& why) {
    return Error{
        fmt::format("policy {}, seed {}, round {}: {}", job.policy.str(), job.seed, round, why)};
  };
  auto made_best = Best::make(job, world, benchmark_options(policy, options));
  if (!made_best) return made_best.failure();
  Best& best = made_best.value();
  Meter meter(shape, {.rounds = options.rounds,
                      .curve_points = options.curve_points,
                      .errors = errors_of(policy, shape),
                      .budgets = policy.shape().budgets,
                      .share = options.share});
  Premises premises(policy, shape, options);
  Rng rng(job.seed, kPolicyStream);
  Scratch scratch(policy);
  Decision decision(policy);
  Outcome outcome;
  std::vector<double> means(static_cast<std::size_t>(shape.heads()) *
                            static_cast<std::size_t>(shape.actions));
  // Outcomes after the last round are never learned, so the delay can be capped.
  Late late(policy, static_cast<int>(std::min<std::int64_t>(options.delay, options.rounds)));
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
               .best = best.of(t, world, means, round.actions)});
    premises.add(world, round, decision, means);
    cpu.begin();
    const Result<> learned = late.learn(policy, round, decision, outcome);
    cpu.end();
    if (!learned) return refused(t, learned.error());
    world.observe(decision.action, outcome);
    cpu.end_round();
    if (t % kProgressChunk == 0) tick(kProgressChunk);
  }
  tick(options.rounds % kProgressChunk);

  Finished finished{.totals = meter.totals(), .curve = meter.take_curve()};
  Totals& totals = finished.totals;
  totals.cpu_seconds = cpu.seconds();
  totals.seed = job.seed;
  totals.regret_long_term = best.long_term() - meter.mean_reward();
  totals.regret_stationary = best.stationary() - meter.mean_reward();
  totals.infeasible_rounds = best.infeasible_rounds();
  premises.judge(policy, totals);
  const PolicyState state = policy.state();
  if (state.alarm) totals.alarm_round = state.alarm->round;
  totals.status = state.status;
  totals.effective_size = state.effective_size;
  return finished;
}

}  // namespace rein
