#include "rein/replay.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/small.h"
#include "linear_log.h"

namespace rein {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

TEST(Replay, LivesOneRowInKOfAUniformLog) {
  const LinearTruth truth(4, 2, false, 1);
  const OwnedLog log = draw_log(truth, "uniform", 8000, 1);
  const LogReplay found = replay_policy(log.rows(), "uniform", {.rounds = 100'000}).value();
  EXPECT_EQ(found.least, 0.25);
  EXPECT_NEAR(static_cast<double>(found.accepted), 2000.0, 5.0 * std::sqrt(8000 * 0.25 * 0.75));
  EXPECT_EQ(found.rows, 8000);
  EXPECT_EQ(found.target.size(), 32'000u);
  ASSERT_FALSE(found.warnings.empty());
  EXPECT_NE(found.warnings[0].find("the log ended after"), std::string::npos);
}

// The log's propensities differ by row, and so do the learner's; what is lived does not depend on
// either.
TEST(Replay, LivesTheLeastPropensityOfEveryOtherLog) {
  const LinearTruth truth(3, 2, false, 2);
  const OwnedLog log = draw_log(truth, "epsilon", 9000, 3);
  const LogReplay found = replay_policy(log.rows(), "squarecb", {.rounds = 100'000}).value();
  EXPECT_NEAR(found.least, 0.1, 1e-12);
  EXPECT_NEAR(static_cast<double>(found.accepted), 900.0, 5.0 * std::sqrt(900.0));
  const LogReplay more =
      replay_policy(log.rows(), "squarecb", {.rounds = 100'000, .quantile = 0.5}).value();
  EXPECT_GT(more.least, 0.5);
  EXPECT_GT(more.accepted, 2 * found.accepted);
  EXPECT_NE(more.warnings[0].find("lived too rarely"), std::string::npos);
}

TEST(Replay, EndsAtTheHorizon) {
  const LinearTruth truth(3, 2, false, 2);
  const OwnedLog log = draw_log(truth, "uniform", 3000, 3);
  const LogReplay usual = replay_policy(log.rows(), "squarecb").value();
  EXPECT_EQ(usual.horizon, static_cast<std::int64_t>(1000.0 - 2.0 * std::sqrt(1000.0)));
  EXPECT_EQ(usual.accepted, usual.horizon);
  EXPECT_TRUE(usual.warnings.empty());
  const LogReplay brief = replay_policy(log.rows(), "squarecb", {.rounds = 250}).value();
  EXPECT_EQ(brief.accepted, 250);
  EXPECT_LT(brief.rows, 1000);
  EXPECT_EQ(brief.target.size(), static_cast<std::size_t>(brief.rows) * 3);
  EXPECT_FALSE(std::isnan(brief.rejection.low[0]));
  // The spec's own horizon counts.
  EXPECT_EQ(replay_policy(log.rows(), "squarecb(rounds=77)", {.rounds = 250}).value().accepted, 77);
}

TEST(Replay, SameSeedGivesTheSameBits) {
  const LinearTruth truth(3, 2, true, 5);
  const OwnedLog log = draw_log(truth, "softmax", 2000, 9);
  const auto of = [&](std::uint64_t seed) {
    return replay_policy(log.rows(), "squarecb", {.learner = {.seed = seed}, .rounds = 60}).value();
  };
  EXPECT_EQ(of(4).target, of(4).target);
  EXPECT_NE(of(4).target, of(5).target);
}

TEST(Replay, PacesItsBudgetOnTheRowsThatItLived) {
  const LinearTruth truth(4, 2, false, 7);
  const OwnedLog log = draw_log(truth, "uniform", 12'000, 11);
  const ReplayOptions free{.learner = {.budgets = {kNone}}};
  const ReplayOptions tight{.learner = {.budgets = {0.42}}};
  const LogReplay rich = replay_policy(log.rows(), "squarecb", free).value();
  const LogReplay poor = replay_policy(log.rows(), "ccb", tight).value();
  EXPECT_GT(rich.rejection.value[1], 0.46);
  EXPECT_LT(poor.rejection.value[1], 0.44);
  EXPECT_NE(replay_policy(log.rows(), "ccb").error().find("accepted: a budget per round"),
            std::string::npos);
  const Result<LogReplay> none = replay_policy(log.rows(), "ccb(setting=knapsack)");
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().find("how fast to spend"), std::string::npos) << none.error();
  EXPECT_NE(none.error().find("or a budget per round for the replay"), std::string::npos);
}

// A learner's own life, again and again: the mean over runs of its reward per round.
double lived_reward(const LinearTruth& truth, const char* spec, int rounds, int runs) {
  double sum = 0.0;
  for (int run = 0; run < runs; ++run) {
    Rng rng(static_cast<std::uint64_t>(run), 77);
    Shape shape{.actions = truth.actions, .context = kLogFeatures, .reward = {0.0, 1.0}};
    shape.rounds = rounds;
    shape.costs.push_back({.name = "cost1", .range = {0.0, 1.0}});
    auto policy = make_policy(spec, shape).value();
    Scratch scratch(*policy);
    Decision decision(*policy);
    for (int t = 0; t < rounds; ++t) {
      double x[kLogFeatures];
      for (double& value : x) value = 2.0 * rng.uniform() - 1.0;
      const Round round{.actions = truth.actions, .context = x};
      policy->decide(round, rng, scratch, decision).check();
      Outcome outcome{.costs = Costs(1)};
      for (int a = 0; a < truth.actions; ++a) {  // less noise than the reward itself
        sum += decision.probabilities()[static_cast<std::size_t>(a)] * truth.mean(0, a, x);
      }
      outcome.reward = truth.mean(0, decision.action, x) + 0.1 * (2.0 * rng.uniform() - 1.0);
      outcome.costs[0] = truth.mean(1, decision.action, x) + 0.1 * (2.0 * rng.uniform() - 1.0);
      policy->learn(round, decision, outcome).check();
    }
  }
  return sum / (static_cast<double>(runs) * rounds);
}

struct Mean {
  double count = 0.0, sum = 0.0, square = 0.0;
  void add(double value) {
    count += 1.0;
    sum += value;
    square += value * value;
  }
  double mean() const { return sum / count; }
  double error() const { return std::sqrt((square / count - mean() * mean()) / count); }
};

// 300 logs by a policy that is far from uniform: the estimates have the mean of real runs, and the
// one that uses all rows has the smaller error.
TEST(Replay, BothEstimatesAreUnbiased) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  const LinearTruth truth(3, 2, false, 21);
  constexpr int kRounds = 60;
  const double real = lived_reward(truth, "epsilon", kRounds, 2000);
  ASSERT_GT(real, true_value(truth, "uniform", 20'000)[0] + 0.003);  // where it started
  Mean rejection, robust, ratio;
  int covered = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const OwnedLog log = draw_log(truth, "epsilon", 1000, 1000 + seed);
    const LogReplay found =
        replay_policy(log.rows(), "epsilon",
                      {.learner = {.ranges = {{0.0, 1.0}, {0.0, 1.0}}, .seed = seed}, .rounds = 60})
            .value();
    ASSERT_EQ(found.accepted, kRounds);
    rejection.add(found.rejection.value[0]);
    const OfflineRows rows = slice(log.rows(), 0, found.rows);
    const auto predicted = cross_fit(rows).value();
    const Evaluation value =
        evaluate_policy(rows, found.target, predicted, {.adaptive = Adaptive::kNo}).value();
    // The mean over rows is a ratio, and nearly unbiased. The sum, with a known divisor, is exactly.
    ratio.add(value.find("dr")->value[0]);
    robust.add(value.find("dr")->value[0] * static_cast<double>(found.rows) * found.least / 60.0);
    double path = 0.0;
    for (std::int64_t row = 0; row < rows.rows; ++row) {
      for (int a = 0; a < 3; ++a) {
        path += found.target[static_cast<std::size_t>(row * 3 + a)] *
                truth.mean(0, a, log.context.data() + row * kLogFeatures);
      }
    }
    const PolicyValue& dr = *value.find("dr");
    const double reach = 1.96 * std::sqrt(dr.covariance[0]);
    covered += std::abs(dr.value[0] - path / static_cast<double>(rows.rows)) <= reach ? 1 : 0;
  }
  EXPECT_NEAR(rejection.mean(), real, 4.0 * rejection.error());
  EXPECT_NEAR(robust.mean(), real, 4.0 * robust.error());
  EXPECT_NEAR(ratio.mean(), real, 4.0 * ratio.error());
  EXPECT_LT(ratio.error(), rejection.error());
  EXPECT_GE(covered, 270);  // of the learner's own path, in 95 % of 300
}

TEST(Replay, WeightTwoIsLivedTwiceAsOften) {
  const LinearTruth truth(2, 2, false, 3);
  const OwnedLog log = draw_log(truth, "uniform", 8000, 5);
  OfflineRows rows = log.rows();
  std::vector<double> weights(8000, 1.0);
  for (std::size_t i = 0; i < 4000; ++i) weights[i] = 0.0;
  rows.weights = weights;
  EXPECT_NEAR(
      static_cast<double>(replay_policy(rows, "uniform", {.rounds = 100'000}).value().accepted),
      2000.0, 170.0);
  for (std::size_t i = 0; i < 4000; ++i) weights[i] = 0.5;
  EXPECT_NEAR(
      static_cast<double>(replay_policy(rows, "uniform", {.rounds = 100'000}).value().accepted),
      3000.0, 200.0);
}

TEST(Replay, RefusesWhatItCannotAnswer) {
  const LinearTruth truth(3, 2, false, 2);
  const OwnedLog log = draw_log(truth, "uniform", 300, 3);
  OfflineRows blind = log.rows();
  blind.propensity = {};
  EXPECT_NE(replay_policy(blind, "squarecb").error().find("no propensities"), std::string::npos);
  EXPECT_NE(replay_policy(log.rows(), "sqarecb").error().find("sqarecb"), std::string::npos);
  EXPECT_NE(
      replay_policy(log.rows(), "squarecb", {.quantile = 1.0}).error().find("found quantile 1"),
      std::string::npos);
  EXPECT_NE(replay_policy(log.rows(), "ccb", {.learner = {.budgets = {1.0, 2.0}}})
                .error()
                .find("found 2 budgets"),
            std::string::npos);
  const auto narrow = replay_policy(
      log.rows(), "squarecb", {.learner = {.ranges = {{0.0, 0.3}, {0.0, 1.0}}}, .rounds = 50});
  EXPECT_NE(narrow.error().find("row "), std::string::npos);
  EXPECT_NE(narrow.error().find("outcome: reward is"), std::string::npos);
  const auto stopped = replay_policy(log.rows(), "squarecb",
                                     {.learner = {.progress = [](double) { return false; }}});
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.reason(), Reason::kFailed);
}

// Learned by hand: the same probabilities.
TEST(FrozenPolicy, IsWhatAWarmStartGives) {
  const LinearTruth truth(3, 2, false, 4);
  const OwnedLog log = draw_log(truth, "softmax", 900, 6);
  const OfflineRows train = slice(log.rows(), 0, 400);
  const OfflineRows rows = slice(log.rows(), 400, 900);
  const std::vector<double> found =
      frozen_policy(train, rows, "squarecb", {.ranges = {{0.0, 1.0}, {0.0, 1.0}}}).value();
  Shape shape{.actions = 3, .context = kLogFeatures, .reward = {0.0, 1.0}, .rounds = 500};
  shape.costs.push_back({.name = "cost1", .range = {0.0, 1.0}});
  auto policy = make_policy("squarecb", shape).value();
  Rng rng(9);
  Scratch scratch(*policy);
  Decision decision(*policy);
  const auto round_at = [&](std::size_t i) {
    return Round{.actions = 3, .context = std::span(log.context).subspan(i * 3, 3)};
  };
  for (std::size_t i = 0; i < 400; ++i) {
    decision.action = log.played[i];
    const Outcome outcome{.reward = log.outcomes[2 * i], .costs = {log.outcomes[2 * i + 1]}};
    policy->learn(round_at(i), decision, outcome, Part::kWarm).check();
  }
  for (std::size_t i = 0; i < 500; ++i) {
    policy->decide(round_at(400 + i), rng, scratch, decision).check();
    for (std::size_t a = 0; a < 3; ++a) {
      EXPECT_EQ(found[i * 3 + a], std::as_const(decision).probabilities()[a]);
    }
  }
  EXPECT_NE(frozen_policy(train, rows, "banditq").error().find("policy banditq"),
            std::string::npos);
}

}  // namespace
}  // namespace rein
