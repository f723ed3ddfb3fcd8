// Goals: any head as the objective, limits from above and below on the means of others.
#include "policy/toward.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "policy/play.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

// Three models: quality is the reward; context 0 says how hard the prompt is.
const Shape kTowardShape{.actions = 3,
                         .context = 2,
                         .reward = {0.0, 1.0},
                         .costs = {{"dollars", {0.0, 1.0}}, {"seconds", {0.0, 2.0}}},
                         .rounds = 8000};
constexpr double kTowardDollars[] = {0.02, 0.2, 1.0};

double toward_quality(int action, double hard) {
  return action == 2 ? 0.97 : 1.0 - (action == 0 ? 0.6 : 0.25) * hard;
}

struct TowardPlayed {
  double quality = 0.0, dollars = 0.0, seconds = 0.0;
  PolicyState state;
  Decision last;
};

TowardPlayed play_toward(const std::string& spec, int rounds = 8000) {
  Game game({.spec = spec, .shape = kTowardShape});
  Rng rng(4);
  TowardPlayed sums;
  for (int t = 0; t < rounds; ++t) {
    const std::array<double, 2> x = {rng.uniform(), 1.0};
    const Round round{.actions = 3, .context = x};
    game.policy->decide(round, game.rng, game.scratch, game.decision).check();
    const int a = game.decision.action;
    const double seen = rng.uniform() < toward_quality(a, x[0]) ? 1.0 : 0.0;
    const Outcome outcome{.reward = seen, .costs = {kTowardDollars[a], 0.5 + 0.5 * a}};
    game.policy->learn(round, game.decision, outcome).check();
    sums.quality += seen / rounds;
    sums.dollars += kTowardDollars[a] / rounds;
    sums.seconds += (0.5 + 0.5 * a) / rounds;
  }
  sums.state = game.policy->state();
  sums.last = game.decision;
  return sums;
}

TEST(Toward, TheStatusIsAboutTheLimitedHead) {
  const PolicyState state = play_toward("ccb(at_least=[reward,0.99],minimize=dollars)", 400).state;
  EXPECT_TRUE(state.status == Status::kInfeasible || state.status == Status::kOver)
      << name_of(state.status);
  EXPECT_EQ(state.status_head, 0) << "the reward, not dollars in its place";
  EXPECT_TRUE(state.status_goal);
  const PolicyState slow = play_toward("ccb(at_most=[seconds,0.3])", 400).state;
  EXPECT_EQ(slow.status_head, 2);
}

TEST(Toward, TheFloorIsMetAtALowCost) {
  const TowardPlayed got = play_toward("ccb(at_least=[reward,0.92],minimize=dollars)");
  EXPECT_NEAR(got.quality, 0.92, 0.006);
  // The best rule that knows all pays 0.40; the two larger models mixed at random 0.59.
  EXPECT_LT(got.dollars, 0.47);
}

TEST(Toward, ReportsInTheTermsOfTheUser) {
  const TowardPlayed got = play_toward("ccb(at_least=[reward,0.92],minimize=dollars)", 3000);
  EXPECT_NEAR(got.state.reward, 3000 * got.quality, 1e-6);
  ASSERT_EQ(got.state.spent.size(), 2);
  EXPECT_NEAR(got.state.spent[0], 3000 * got.dollars, 1e-6);
  EXPECT_NEAR(got.state.spent[1], 3000 * got.seconds, 1e-6);
  EXPECT_EQ(got.state.objective, 1);
  for (int a = 0; a < 3; ++a) {
    EXPECT_NEAR(got.last.estimates.mean(1)[a], kTowardDollars[a], 0.1) << a;
    EXPECT_GT(got.last.estimates.mean(0)[a], 0.3) << a;
    EXPECT_NEAR(got.last.estimates.mean(2)[a], 0.5 + 0.5 * a, 0.1) << a;
  }
  EXPECT_GT(got.last.prices[0], 0.1) << "dollars that one more unit of quality is worth";
  EXPECT_EQ(got.last.prices[1], 0.0) << "seconds have no limit";
}

TEST(Toward, AnUpperLimitOnAnotherCostHoldsToo) {
  const TowardPlayed free = play_toward("ccb(at_least=[reward,0.9],minimize=dollars)");
  ASSERT_GT(free.seconds, 0.85);
  const TowardPlayed got =
      play_toward("ccb(at_least=[reward,0.75],at_most=[seconds,0.7],minimize=dollars)");
  EXPECT_LT(got.seconds, 0.71);
  EXPECT_GT(got.quality, 0.74);
}

TEST(Toward, ACostCanBeMaximised) {
  const TowardPlayed got = play_toward("ccb(at_most=[dollars,0.3],maximize=seconds)");
  EXPECT_NEAR(got.dollars, 0.3, 0.003);
  EXPECT_GT(got.seconds, 1.0);
}

// A floor under the reward by hand: the reward is what is saved, the cost is the quality that is
// missing. Later the last bits differ, and a price is solved to one percent.
TEST(Toward, IsTheProblemMappedByHand) {
  const Shape shape{
      .actions = 3, .context = 2, .reward = {0.0, 1.0}, .costs = {{"dollars", {0.0, 1.0}}}};
  const Shape by_hand{.actions = 3,
                      .context = 2,
                      .reward = {-1.0, 0.0},
                      .costs = {{"shortfall", {0.75 - 1.0, 0.75}}}};
  Game one({.spec = "ccb(at_least=[reward,0.75],minimize=dollars)", .shape = shape});
  Game other({.spec = "ccb(optimism=3.3333333333333335)", .shape = by_hand});
  Rng rng(4);
  for (int t = 0; t < 120; ++t) {
    const std::array<double, 2> x = {rng.uniform(), 1.0};
    const Round round{.actions = 3, .context = x};
    one.policy->decide(round, one.rng, one.scratch, one.decision).check();
    other.policy->decide(round, other.rng, other.scratch, other.decision).check();
    for (int i = 0; i < 3; ++i) {
      ASSERT_NEAR(one.decision.probabilities()[i], other.decision.probabilities()[i], 1e-9) << t;
    }
    const int a = one.decision.action;
    const double seen = toward_quality(a, x[0]);
    one.policy->learn(round, one.decision, {.reward = seen, .costs = {kTowardDollars[a]}}).check();
    other.policy
        ->learn(round, other.decision, {.reward = -kTowardDollars[a], .costs = {0.75 - seen}})
        .check();
  }
  EXPECT_NEAR(one.policy->state().queues[0], other.policy->state().queues[0], 1e-9);
  Game loaded({.spec = "ccb(at_least=[reward,0.75],minimize=dollars)", .shape = shape});
  loaded.policy->load(one.policy->save()).check();
  EXPECT_EQ(loaded.policy->state().reward, one.policy->state().reward);
}

TEST(Toward, TheTheoremCoversTheZeroThresholdForm) {
  const auto policy =
      make_policy("ccb(at_least=[reward,0.9],minimize=dollars,tuning=theory)", kTowardShape)
          .value();
  const PolicyState state = policy->state();
  ASSERT_TRUE(state.theorem.has_value());
  EXPECT_EQ(state.setting, Setting::kExpectation);
  const char* totals =
      "ccb(at_least=[reward,0.9],minimize=dollars,setting=linear_constraints,tuning=theory)";
  const PolicyState other = make_policy(totals, kTowardShape).value()->state();
  ASSERT_TRUE(other.theorem.has_value());
  EXPECT_EQ(other.theorem->budgets[0], 0.0);
}

TEST(Toward, BudgetsOfTheShapeStayLimits) {
  Shape shape = kTowardShape;
  shape.budgets = {4000.0, 6000.0};
  const Goal goal = Goal::make(shape, 1, true, std::array{Goal::Limit{0, true, 0.9}}).value();
  EXPECT_EQ(goal.rates(), (std::vector<double>{0.0, 0.0}));
  EXPECT_EQ(goal.mapped().costs[1].range, (Range{-0.75, 1.25}));
  EXPECT_EQ(goal.mapped().costs[0].name, "reward");
  EXPECT_EQ(goal.mapped().reward.low, -1.0);
}

TEST(Toward, WhatMakesNoSenseIsRefused) {
  const auto error = [](const char* spec) {
    auto made = make_policy(spec, kTowardShape);
    return made ? std::string("accepted") : made.error();
  };
  EXPECT_THAT(error("ccb(at_least=[reward,0.9],minimize=euros)"),
              HasSubstr("accepted: reward, dollars, seconds"));
  EXPECT_THAT(error("ccb(at_least=[euros,0.9],minimize=dollars)"), HasSubstr("at_least"));
  EXPECT_THAT(error("ccb(at_least=[reward],minimize=dollars)"), HasSubstr("[NAME,NUMBER,...]"));
  EXPECT_THAT(error("ccb(at_least=[reward,1.5],minimize=dollars)"), HasSubstr("accepted: 0 to 1"));
  EXPECT_THAT(error("ccb(at_least=[dollars,0.5],minimize=dollars)"), HasSubstr("is the objective"));
  EXPECT_THAT(error("ccb(at_least=[reward,0.5],at_most=[reward,0.9],minimize=dollars)"),
              HasSubstr("has two limits"));
  EXPECT_THAT(error("ccb(minimize=dollars,maximize=reward)"), HasSubstr("one of them"));
  EXPECT_THAT(error("ccb(at_least=[reward,0.9],minimize=dollars,rate=0.2)"), HasSubstr("at_most"));
  EXPECT_THAT(error("ccb(at_least=[reward,0.9],minimize=dollars,gama=1)"),
              HasSubstr("unknown key"));
}

}  // namespace
}  // namespace rein
