#include "evaluate/reference.h"

#include "base/math.h"
#include "base/size.h"
#include "evaluate/benchmark.h"
#include "evaluate/fixed_mix.h"
#include "evaluate/full_information.h"
#include "base/pool.h"

namespace rein {
namespace {

struct Line {
  double reward = kNan;
  Costs spend;
};

// The references of one seed, in the order of the header.
struct ReferenceLines {
  Line informed, mix, hindsight;
};

Setting setting_of(const Shape& shape) {
  return shape.budgets.empty() ? Setting::kExpectation : Setting::kKnapsack;
}

Line scaled(const FixedMix& mix, std::int64_t rounds) {
  Line line{.reward = mix.reward * static_cast<double>(rounds), .spend = mix.costs};
  for (double& cost : line.spend) cost *= static_cast<double>(rounds);
  return line;
}

// Hindsight over the rounds of a world that does not adapt.
class Hindsight {
 public:
  Hindsight(const Shape& shape, const RunOptions& options)
      : shape_(shape),
        rounds_(options.rounds),
        benchmark_(shape, {.setting = setting_of(shape),
                           .budgets = shape.budgets,
                           .rounds = options.rounds,
                           .long_term = options.long_term}),
        sums_(as_size(shape.heads()) * as_size(shape.actions)),
        means_(sums_.size()) {}

  void add(const World& world, const Round& round) {
    world.means(means_);
    benchmark_.best(world, means_, round.actions);
    all_offered_ = all_offered_ && round.actions == shape_.actions && round.ids.empty();
    for (std::size_t j = 0; j < sums_.size(); ++j) sums_[j] += means_[j];
  }
  void finish(ReferenceLines& lines) {
    lines.hindsight.reward = benchmark_.best_long_term();
    if (!all_offered_) return;
    const auto rounds = static_cast<double>(rounds_);
    for (double& sum : sums_) sum /= rounds;
    std::vector<double> rates(shape_.costs.size());
    for (std::size_t i = 0; i < shape_.budgets.size(); ++i) rates[i] = shape_.budgets[i] / rounds;
    const FixedMix mix = best_fixed_mix(sums_, shape_.actions, rates);
    if (mix.feasible) lines.mix = scaled(mix, rounds_);
  }

 private:
  const Shape& shape_;
  std::int64_t rounds_;
  Benchmark benchmark_;
  std::vector<double> sums_, means_;
  bool all_offered_ = true;
};

// One pass over the rounds of a seed, for all references.
Result<ReferenceLines> measure(const Run& run, std::uint64_t seed) {
  auto made = run.make_world(seed);
  if (!made) return made.failure();
  World& world = *made.value();
  auto spec = parse_spec(run.options.learner);
  if (!spec) return spec.failure();
  auto oracle = make_oracle(spec.value(), world.shape());
  if (!oracle) return oracle.failure();
  FullInformation learner(world.shape(), std::move(oracle).value());
  ReferenceLines lines;
  Line& informed = lines.informed;
  informed = {.reward = 0.0, .spend = Costs(static_cast<int>(world.shape().costs.size()))};
  Hindsight hindsight(world.shape(), run.options);
  Outcome outcome;
  for (std::int64_t t = 0; t < run.options.rounds; ++t) {
    const Round& round = world.next();
    if (!run.adapts) hindsight.add(world, round);
    const int action = learner.decide(round);
    world.outcome(action, outcome);
    informed.reward += outcome.reward;
    for (int i = 0; i < informed.spend.size(); ++i) informed.spend[i] += outcome.costs[i];
    learner.learn(round, world, action);
    world.observe(action, outcome);
  }
  if (!run.adapts) hindsight.finish(lines);
  return lines;
}

Reference collect(const char* name, const std::string& about, const std::vector<ReferenceLines>& seeds,
                  Line ReferenceLines::*member) {
  Reference reference{.name = name, .about = about, .reward = {}, .spend = {}};
  for (const ReferenceLines& lines : seeds) {
    const Line& line = lines.*member;
    reference.reward.push_back(line.reward);
    if (!line.spend.empty()) reference.spend.push_back(line.spend);
  }
  return reference;
}

}  // namespace

Result<std::vector<Reference>> references(const Run& run) {
  std::vector<ReferenceLines> seeds(as_size(run.options.seeds));
  std::vector<Result<>> done(seeds.size());
  run_jobs(run.options.seeds, threads_of(run.options.threads), [&](std::int64_t index) {
    const auto at = as_size(index);
    auto lines = measure(run, run.options.first_seed + at);
    if (lines) {
      seeds[at] = std::move(lines).value();
    } else {
      done[at] = lines.failure();
    }
    return done[at].ok();
  });
  for (const Result<>& outcome : done) {
    if (!outcome) return outcome.failure();
  }
  std::vector<Reference> found;
  const bool usual = run.options.learner == "vaw";
  const std::string about =
      (usual ? "ccb's oracle" : run.options.learner) + " and price, shown every outcome";
  found.push_back(collect("full information", about, seeds, &ReferenceLines::informed));
  if (run.adapts) return found;
  found.push_back(collect("best fixed mix", "one distribution over actions for all rounds", seeds,
                          &ReferenceLines::mix));
  found.push_back(collect("best in hindsight", "the most that meets the budget over all rounds",
                          seeds, &ReferenceLines::hindsight));
  return found;
}

}  // namespace rein
