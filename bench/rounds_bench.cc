// The time of a round: decide and learn, over a grid of K, d and m. `make bench` fits the growth.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <vector>

#include "rein/rein.h"

namespace {

// Rounds made in advance, so that only rein is timed.
struct Ring {
  static constexpr int kRounds = 64;
  Ring(int k, int d, int m) : actions(k), size(static_cast<std::size_t>(k) * d) {
    rein::Rng rng(1);
    for (std::size_t i = 0; i < kRounds * size; ++i) {
      features.push_back((2.0 * rng.uniform() - 1.0) / d);
    }
    for (int i = 0; i < kRounds; ++i) {
      rein::Outcome outcome{.reward = rng.rademacher(), .costs = rein::Costs(m)};
      for (double& cost : outcome.costs) cost = rng.rademacher();
      outcomes.push_back(outcome);
    }
  }
  rein::Round round(int i) const {
    return {.actions = actions, .features = {features.data() + i * size, size}};
  }
  int actions;
  std::size_t size;
  std::vector<double> features;
  std::vector<rein::Outcome> outcomes;
};

void rounds(benchmark::State& state, const char* oracle, const char* features) {
  const int k = static_cast<int>(state.range(0)), d = static_cast<int>(state.range(1)),
            m = static_cast<int>(state.range(2));
  const rein::Shape shape{.actions = k,
                          .features = d,
                          .costs = std::vector<rein::CostShape>(static_cast<std::size_t>(m)),
                          .rounds = 1'000'000};
  const std::string spec = fmt::format(
      "ccb(tuning=theory,setting=expectation,oracle={}(features={}))", oracle, features);
  auto policy = rein::make_policy(spec, shape).value();
  const Ring ring(k, d, m);
  rein::Rng rng(7);
  rein::Scratch scratch(*policy);
  rein::Decision decision(*policy);
  int i = 0;
  for (auto _ : state) {
    policy->decide(ring.round(i), rng, scratch, decision).check();
    policy->learn(ring.round(i), decision, ring.outcomes[i]).check();
    i = (i + 1) % Ring::kRounds;
  }
  state.counters["rounds"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void grid(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"K", "d", "m"});
  for (int k : {2, 8, 16, 64}) {
    for (int d : {8, 32, 64, 128, 256}) bench->Args({k, d, 1});
  }
  bench->Args({10, 99, 0});
  bench->Args({10, 99, 4});
  bench->Args({1000, 32, 1});
}

// Oracles that take more time per round: the two sizes on their pages.
void two_sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"K", "d", "m"});
  bench->Args({10, 10, 1});
  bench->Args({10, 99, 1});
}

BENCHMARK_CAPTURE(rounds, vaw, "vaw", "joint")->Apply(grid);
BENCHMARK_CAPTURE(rounds, vaw_per_action, "vaw", "per_action")->Apply(grid);
BENCHMARK_CAPTURE(rounds, ons, "ons", "joint")->Apply(grid);
BENCHMARK_CAPTURE(rounds, adagrad, "adagrad", "joint")->Apply(grid);
BENCHMARK_CAPTURE(rounds, vaw_two_sizes, "vaw", "joint")->Apply(two_sizes);
BENCHMARK_CAPTURE(rounds, forest, "forest", "joint")->Apply(two_sizes);
BENCHMARK_CAPTURE(rounds, mlp, "mlp", "joint")->Apply(two_sizes);

}  // namespace

BENCHMARK_MAIN();
