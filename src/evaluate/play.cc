#include "evaluate/play.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/own.h"
#include "base/size.h"
#include "base/units.h"
#include "evaluate/cpu_share.h"
#include "evaluate/late.h"
#include "evaluate/live_play.h"
#include "evaluate/meter.h"
#include "evaluate/premises.h"
#include "evaluate/run.h"
#include "evaluate/shared_benchmark.h"
#include "policy/certifier.h"
#include "rein/world.h"

namespace rein {
namespace {

// Worlds use streams with a nonzero top byte (world/noise.h); this one has a zero top byte.
constexpr std::uint64_t kPolicyStream = 1;

MeterOptions::Errors errors_of(const Policy& policy, const Shape& shape) {
  const PolicyState state = policy.state();
  if (std::isnan(state.u) || !shape.truth) return MeterOptions::Errors::kNone;
  // Its cost heads learn max(0, cost), whose mean the world does not provide.
  if (state.setting == Setting::kAlmostSure) return MeterOptions::Errors::kReward;
  return MeterOptions::Errors::kAll;
}

// What every cost may be per round where regret is measured against this benchmark, in units.
Costs caps_of(const BenchmarkOptions& options, const Shape& shape) {
  Costs caps(static_cast<int>(shape.costs.size()));
  if (!has_budget(options.setting) || options.budgets.empty()) return caps;
  for (int i = 0; i < caps.size(); ++i) {
    const auto at = as_size(i);
    caps[i] = options.budgets[at] / unit_of(shape.costs[at].range) /
              static_cast<double>(options.rounds);
  }
  return caps;
}

// The certificate of a play that has ended, if its assumptions are not known to be false.
void add_certificate(const Certifier& certifier, const Shape& shape, Totals& totals) {
  const Certified found = certifier.now();
  totals.no_certificate = found.none;
  const bool alarmed = totals.alarm > 0.0;
  if (alarmed) totals.no_certificate = NoCertificate::kAlarm;
  if (totals.infeasible_rounds > 0) totals.no_certificate = NoCertificate::kInfeasible;
  if (totals.no_certificate != NoCertificate::kNone) return;
  totals.certified_regret = found.regret;
  totals.certified_long_term = found.regret_long_term;
  if (!shape.truth) return;
  totals.certified_means = certifier.means_missed();
  totals.certified_noise = certifier.noise_missed();
}

// Part (f), and pacing, which is similar.
bool promises_stationary(Setting setting) {
  return setting == Setting::kLinearConstraints || setting == Setting::kPacing;
}

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

BenchmarkOptions benchmark_options(const Policy& policy, const Shape& world,
                                   const RunOptions& options) {
  // Live budgets are kept by the engine; the world then has what they allow in all.
  const std::vector<double>& budgets =
      options.live.budgets.empty() ? policy.shape().budgets : world.budgets;
  Setting setting = budgets.empty() ? Setting::kExpectation : Setting::kKnapsack;
  if (const auto own = policy.state().setting) setting = *own;
  setting = options.benchmark.value_or(setting);
  return {.setting = setting,
          .budgets = budgets,
          .rounds = options.rounds,
          .margin = options.margin,
          .long_term = options.long_term,
          .stationary = options.long_term && promises_stationary(setting),
          .own = options.own};
}

MeterOptions meter_options(const Policy& policy, const Shape& world, const RunOptions& options) {
  return {.rounds = options.rounds,
          .curve_points = options.curve_points,
          .errors = errors_of(policy, world),
          .budgets = benchmark_options(policy, world, options).budgets,
          .share = options.share,
          .means_known = world.truth != nullptr};
}

PlayResult result_of(Meter& meter, const BenchmarkTotals& best, const PolicyState& state) {
  PlayResult result{.totals = meter.totals(), .curve = meter.take_curve()};
  Totals& totals = result.totals;
  totals.regret_long_term = best.long_term - meter.mean_reward();
  totals.regret_stationary = best.stationary - meter.mean_reward();
  totals.infeasible_rounds = best.infeasible_rounds;
  totals.margin = best.margin;
  if (state.alarm) totals.alarm_round = state.alarm->round;
  totals.status = state.status;
  totals.effective_size = state.effective_size;
  totals.alarm = totals.alarm_round >= 0 ? 1.0 : 0.0;
  return result;
}

Own own_of(const Spec& policy, const RunOptions& options) {
  return own_of(options.own, own_uses(policy, OwnKind::kPolicy));
}

Result<PlayResult> play(const Run& run, const Play& play, SharedBenchmarks& shared,
                        const std::function<void(std::int64_t)>& tick) {
  const RunOptions& options = run.options;
  if (options.live.used()) return play_live(run, play, shared, tick);
  auto made_world = run.make_world(play.seed);
  if (!made_world) return made_world.failure();
  World& world = *made_world.value();
  const Shape& shape = world.shape();
  auto made_policy = make_policy(play.policy, shape, own_of(play.policy, options));
  if (!made_policy) return made_policy.failure();
  Policy& policy = *made_policy.value();
  const auto refused = [&](std::int64_t round, const Error& why) {
    return why.in(
        fmt::format("policy {}, seed {}, round {}: ", play.policy.str(), play.seed, round));
  };
  // OPT of every round: shared with other policies of the seed, or computed here.
  auto made_benchmark = shared.of(play.seed, world, benchmark_options(policy, shape, options));
  if (!made_benchmark) return made_benchmark.failure();
  PlayBenchmark& benchmark = made_benchmark.value();
  Meter meter(shape, meter_options(policy, shape, options));
  Premises premises(policy, shape, options);
  std::optional<Certifier> certifier;
  if (options.certify) {
    certifier.emplace(shape, caps_of(benchmark_options(policy, shape, options), shape));
  }
  Rng rng(play.seed, kPolicyStream);
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
    const Money money{.reserved = late.reserved(), .open = late.open()};
    const Result<> decided = policy.decide(round, money, rng, scratch, decision);
    cpu.end();
    if (!decided) return refused(t, decided.failure());
    world.outcome(decision.action, outcome);
    world.means(means);
    meter.add({.decision = decision,
               .outcome = outcome,
               .means = means,
               .actions = round.actions,
               .best = benchmark.best(t, world, means, round.actions)});
    premises.add(world, round, decision, means);
    if (certifier) {
      if (shape.truth) certifier->check(round, decision.action, outcome, means);
      certifier->add(round, decision.action, outcome);
    }
    cpu.begin();
    const Result<> learned = late.learn(policy, round, decision, outcome);
    cpu.end();
    if (!learned) return refused(t, learned.failure());
    world.observe(decision.action, outcome);
    cpu.end_round();
    if (t % kProgressChunk == 0) tick(kProgressChunk);
  }
  tick(options.rounds % kProgressChunk);

  PlayResult result = result_of(meter, benchmark.totals(), policy.state());
  result.totals.cpu_seconds = cpu.seconds();
  result.totals.seed = play.seed;
  premises.judge(policy, result.totals);
  if (certifier) add_certificate(*certifier, shape, result.totals);
  return result;
}

}  // namespace rein
