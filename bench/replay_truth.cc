// Whether replays of learning policies tell the truth (docs/lab/replays.md): logs of a known problem, and
// real runs of the same learner with the same horizon.
//
//     replay_truth [LOGS] [SEED]
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "../tests/offpolicy/linear_log.h"
#include "rein/replay.h"

namespace {

using namespace rein;

constexpr int kRows = 3000;
constexpr int kRuns = 5;  // real runs per log, of the horizon that the log gave its learner
constexpr int kActions = 4;

struct Learner {
  const char* spec;
  double budget;  // per round; NaN: none
};

struct Sums {
  double count = 0.0, sum = 0.0, square = 0.0;
  void add(double value) {
    count += 1.0;
    sum += value;
    square += value * value;
  }
  double mean() const { return sum / count; }
  double error() const { return std::sqrt((square / count - mean() * mean()) / (count - 1.0)); }
};

// One real run: the mean over its rounds of the true reward and cost of what it would play.
void run_once(const LinearTruth& truth, const Learner& learner, int rounds, std::uint64_t seed,
              Sums* heads) {
  Rng rng(seed, 77);
  Shape shape{.actions = kActions, .context = kLogFeatures, .reward = {0.0, 1.0}};
  shape.rounds = rounds;
  shape.costs.push_back({.name = "cost", .range = {0.0, 1.0}});
  if (!std::isnan(learner.budget)) shape.budgets.push_back(learner.budget * rounds);
  auto policy = make_policy(learner.spec, shape).value();
  Scratch scratch(*policy);
  Decision decision(*policy);
  double value[2] = {0.0, 0.0};
  for (int t = 0; t < rounds; ++t) {
    double x[kLogFeatures];
    for (double& each : x) each = 2.0 * rng.uniform() - 1.0;
    const Round round{.actions = kActions, .context = x};
    policy->decide(round, rng, scratch, decision).check();
    Outcome outcome{.costs = Costs(1)};
    for (int h = 0; h < 2; ++h) {
      for (int a = 0; a < kActions; ++a) {
        value[h] += decision.probabilities()[static_cast<std::size_t>(a)] * truth.mean(h, a, x);
      }
      const double y = truth.mean(h, decision.action, x) + 0.1 * (2.0 * rng.uniform() - 1.0);
      (h == 0 ? outcome.reward : outcome.costs[0]) = y;
    }
    policy->learn(round, decision, outcome).check();
  }
  for (int h = 0; h < 2; ++h) heads[h].add(value[h] / rounds);
}

// The mean over rows of the true value of what the learner would have played there.
double path_of(const LinearTruth& truth, const OwnedLog& log, const LogReplay& replay, int head) {
  double sum = 0.0;
  for (std::int64_t row = 0; row < replay.rows; ++row) {
    for (int a = 0; a < kActions; ++a) {
      sum += replay.target[static_cast<std::size_t>(row * kActions + a)] *
             truth.mean(head, a, log.context.data() + row * kLogFeatures);
    }
  }
  return sum / static_cast<double>(replay.rows);
}

void one(const LinearTruth& truth, const Learner& learner, const char* name, double quantile,
         int logs, std::uint64_t seed) {
  Sums rejection[2], robust[2], lived, real[2];
  double square[2][2] = {};
  int covered = 0, with_interval = 0;
  std::vector<double> found[2][2];
  for (int i = 0; i < logs; ++i) {
    const OwnedLog log = draw_log(truth, name, kRows, seed + static_cast<std::uint64_t>(i));
    ReplayOptions options{.learner = {.ranges = {{0.0, 1.0}, {0.0, 1.0}},
                                      .seed = seed + static_cast<std::uint64_t>(i)},
                          .quantile = quantile};
    if (!std::isnan(learner.budget)) options.learner.budgets = {learner.budget};
    const LogReplay replay = replay_policy(log.rows(), learner.spec, options).value();
    for (int run = 0; run < kRuns; ++run) {
      run_once(truth, learner, static_cast<int>(replay.horizon),
               seed + 500'000 + static_cast<std::uint64_t>(i * kRuns + run), real);
    }
    lived.add(static_cast<double>(replay.accepted));
    const OfflineRows rows = slice(log.rows(), 0, replay.rows);
    const auto predicted = cross_fit(rows).value();
    const Evaluation value =
        evaluate_policy(rows, replay.target, predicted, {.adaptive = Adaptive::kNo}).value();
    const PolicyValue& dr = value.values[value.recommended];  // of all rows
    for (int h = 0; h < 2; ++h) {
      const std::size_t head = static_cast<std::size_t>(h);
      rejection[h].add(replay.rejection.value[head]);
      robust[h].add(dr.value[head]);
      found[h][0].push_back(replay.rejection.value[head]);
      found[h][1].push_back(dr.value[head]);
      if (std::isnan(dr.low[head])) continue;
      ++with_interval;
      const double path = path_of(truth, log, replay, h);
      covered += dr.low[head] <= path && path <= dr.high[head] ? 1 : 0;
    }
  }
  for (int h = 0; h < 2; ++h) {
    for (int e = 0; e < 2; ++e) {
      for (const double value : found[h][e]) {
        square[h][e] += (value - real[h].mean()) * (value - real[h].mean()) / logs;
      }
    }
    const Sums* both[2] = {&rejection[h], &robust[h]};
    fmt::print("| {} | {} | {} | {} | {:.0f} | {:.4f} |", learner.spec, name, quantile,
               h == 0 ? "reward" : "cost", lived.mean(), real[h].mean());
    for (int e = 0; e < 2; ++e) {
      const double error = std::hypot(both[e]->error(), real[h].error());
      fmt::print(" {:+.4f} +- {:.4f} | {:.4f} |", both[e]->mean() - real[h].mean(), error,
                 std::sqrt(square[h][e]));
    }
    if (with_interval > logs) {
      fmt::print(" {:.1f} |\n", 100.0 * covered / with_interval);
    } else {
      fmt::print("  |\n");
    }
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int logs = argc > 1 ? std::atoi(argv[1]) : 200;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const LinearTruth truth(kActions, 2, false, 17);
  fmt::print(
      "| learner | log | quantile | head | lived | real runs | rejection: bias | rmse | all rows: "
      "bias | "
      "rmse | interval holds, % |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const Learner& learner : {Learner{"squarecb", NAN}, Learner{"ccb", 0.45}}) {
    for (const char* log : {"uniform", "softmax", "epsilon"}) {
      one(truth, learner, log, 0.0, logs, seed);
      if (std::string(log) == "softmax") one(truth, learner, log, 0.1, logs, seed);
    }
  }
  return 0;
}
