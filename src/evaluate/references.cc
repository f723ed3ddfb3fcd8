#include "evaluate/references.h"

#include <algorithm>
#include <thread>

#include "base/math.h"
#include "base/size.h"
#include "evaluate/benchmark.h"
#include "evaluate/fixed_mix.h"
#include "evaluate/full_information.h"
#include "evaluate/pool.h"

namespace rein {
namespace {

struct Line {
  double reward = kNan;
  Costs spend;
};

// The references of one seed, in the order of the header.
struct Lines {
  Line informed, mix, hindsight;
};

Line play_informed(World& world, std::int64_t rounds) {
  FullInformation learner(world.shape());
  Line line{.reward = 0.0, .spend = Costs(static_cast<int>(world.shape().costs.size()))};
  Outcome outcome;
  for (std::int64_t t = 0; t < rounds; ++t) {
    const Round& round = world.next();
    const int action = learner.decide(round);
    world.outcome(action, outcome);
    line.reward += outcome.reward;
    for (int i = 0; i < line.spend.size(); ++i) line.spend[i] += outcome.costs[i];
    learner.learn(round, world, action);
    world.observe(action, outcome);
  }
  return line;
}

Setting setting_of(const Shape& shape) {
  return shape.budgets.empty() ? Setting::kExpectation : Setting::kKnapsack;
}

Line scaled(const FixedMix& mix, std::int64_t rounds) {
  Line line{.reward = mix.reward * static_cast<double>(rounds), .spend = mix.costs};
  for (double& cost : line.spend) cost *= static_cast<double>(rounds);
  return line;
}

// One pass over the rounds, for the references that need hindsight.
void look_back(World& world, const RunOptions& options, Lines& lines) {
  const Shape& shape = world.shape();
  Benchmark benchmark(shape, {.setting = setting_of(shape),
                              .budgets = shape.budgets,
                              .rounds = options.rounds,
                              .long_term = options.long_term});
  const auto k = as_size(shape.actions);
  std::vector<double> sums(as_size(shape.heads()) * k), means(sums.size());
  bool all_offered = true;
  for (std::int64_t t = 0; t < options.rounds; ++t) {
    const Round& round = world.next();
    world.means(means);
    benchmark.best(world, means, round.actions);
    all_offered = all_offered && round.actions == shape.actions && round.ids.empty();
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += means[j];
  }
  lines.hindsight.reward = benchmark.best_long_term();
  if (!all_offered) return;
  const auto rounds = static_cast<double>(options.rounds);
  for (double& sum : sums) sum /= rounds;
  std::vector<double> rates(shape.costs.size());
  for (std::size_t i = 0; i < shape.budgets.size(); ++i) rates[i] = shape.budgets[i] / rounds;
  const FixedMix mix = best_fixed_mix(sums, shape.actions, rates);
  if (mix.feasible) lines.mix = scaled(mix, options.rounds);
}

Result<> measure(const Spec& spec, const RunOptions& options, std::uint64_t seed, Lines& lines) {
  auto made = make_world(spec, seed, options.rounds, options.own);
  if (!made) return made.failure();
  lines.informed = play_informed(*made.value(), options.rounds);
  if (made.value()->adapts()) return {};
  made = make_world(spec, seed, options.rounds, options.own);
  if (!made) return made.failure();
  look_back(*made.value(), options, lines);
  return {};
}

Reference collect(const char* name, const char* about, const std::vector<Lines>& seeds,
                  Line Lines::*member) {
  Reference reference{.name = name, .about = about, .reward = {}, .spend = {}};
  for (const Lines& lines : seeds) {
    const Line& line = lines.*member;
    reference.reward.push_back(line.reward);
    if (!line.spend.empty()) reference.spend.push_back(line.spend);
  }
  return reference;
}

}  // namespace

Result<std::vector<Reference>> references(const Spec& world, const RunOptions& given) {
  RunOptions options = given;
  auto made = make_world(world, options.first_seed, options.rounds, options.own);
  if (!made) return made.failure();
  if (options.rounds == 0) options.rounds = made.value()->shape().rounds;

  std::vector<Lines> seeds(as_size(options.seeds));
  std::vector<Result<>> done(seeds.size());
  const int threads =
      options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
  run_jobs(options.seeds, std::max(threads, 1), [&](std::int64_t index) {
    const auto at = as_size(index);
    done[at] = measure(world, options, options.first_seed + at, seeds[at]);
    return done[at].ok();
  });
  for (const Result<>& outcome : done) {
    if (!outcome) return outcome.failure();
  }
  std::vector<Reference> found;
  found.push_back(collect("full information", "ccb's oracle and price, shown every outcome", seeds,
                          &Lines::informed));
  if (!made.value()->adapts()) {
    found.push_back(collect("best fixed mix", "one distribution over actions for all rounds", seeds,
                            &Lines::mix));
    found.push_back(collect("best in hindsight", "the most that meets the budget over all rounds",
                            seeds, &Lines::hindsight));
  }
  return found;
}

}  // namespace rein
