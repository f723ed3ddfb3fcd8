#include "evaluate/meter.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rein {
namespace {

// Three rounds, two actions, one cost in [-2, 2] (so its unit is 2), reward in [-1, 1], a budget
// of 1. Worked by hand:
//
//   round  action  best  reward  cost   mean f  mean g   OPT_t  estimate f, g
//   1      0       0     1.0     1.0    0.5     1.0      0.75   0.25, 0.0
//   2      1       0     0.5     -2.0   0.5     -1.0     0.25   0.5, -1.0
//   3      0       0     -0.5    2.0    -0.25   1.5      0.5    0.25, 1.5
//
//   CCV 1, -1, 1;  before each round 0, 1, -1
//   Regret_t 0.25, 0, 0.75
class ThreeRounds : public testing::Test {
 protected:
  ThreeRounds() {
    play(meter_, 0, 0, {1.0, {1.0}}, {0.5, 0.0, 1.0, 0.0}, 0.75, {0.25, 0.0});
    play(meter_, 1, 0, {0.5, {-2.0}}, {0.0, 0.5, 0.0, -1.0}, 0.25, {0.5, -1.0});
    play(meter_, 0, 0, {-0.5, {2.0}}, {-0.25, 0.0, 1.5, 0.0}, 0.5, {0.25, 1.5});
  }

  static void play(Meter& meter, int action, int best, const Outcome& outcome,
                   const std::vector<double>& means, double benchmark,
                   const std::vector<double>& estimate) {
    Decision decision;
    decision.prepare(2, 2);
    decision.action = action;
    decision.best = best;
    decision.prices = {0.125};
    for (int h = 0; h < 2; ++h) {
      decision.estimates.mean(h)[static_cast<std::size_t>(action)] =
          estimate[static_cast<std::size_t>(h)];
    }
    meter.add({decision, outcome, means, 2, benchmark});
  }

  Shape shape_{.actions = 2, .costs = {{.range = {.low = -2.0, .high = 2.0}}}};
  Meter meter_{shape_, {.rounds = 3, .curve_points = 3, .budgets = {1.0}}};
};

TEST_F(ThreeRounds, RewardAndRegret) {
  const Totals t = meter_.totals();
  EXPECT_DOUBLE_EQ(t.reward, 1.0);
  EXPECT_DOUBLE_EQ(t.regret, 0.75);
  EXPECT_DOUBLE_EQ(t.regret_average, 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(meter_.mean_reward(), 0.75);
  EXPECT_DOUBLE_EQ(t.explored, 1.0 / 3.0);
}

TEST_F(ThreeRounds, Costs) {
  const Totals t = meter_.totals();
  EXPECT_DOUBLE_EQ(t.ccv[0], 1.0);
  EXPECT_DOUBLE_EQ(t.ccv_max[0], 1.0);
  EXPECT_DOUBLE_EQ(t.ccv_average[0], 0.0);
  EXPECT_DOUBLE_EQ(t.ccv_positive[0], 3.0);
  EXPECT_DOUBLE_EQ(t.spend[0], 1.0);
  EXPECT_DOUBLE_EQ(t.excess[0], 0.0);
  EXPECT_DOUBLE_EQ(t.queue_rms[0], std::sqrt(1.0 / 3.0));  // CCV+ before each round: 0, 1, 0
  EXPECT_DOUBLE_EQ(t.ccv_share[0], 1.0);                   // all of 99 % of three rounds
  EXPECT_DOUBLE_EQ(t.reward_at_stop, 1.0);                 // the budget was never passed
}

TEST_F(ThreeRounds, OracleErrorIsTheLargestHeads) {
  // Reward head: 1/16 + 0 + 1/4; cost head in units of 2: 1/4 + 0 + 0.
  EXPECT_DOUBLE_EQ(meter_.totals().oracle_error, 0.3125);
}

TEST_F(ThreeRounds, CurveHasAPointARound) {
  const Curve curve = meter_.take_curve();
  EXPECT_EQ(curve.rounds, (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(curve.reward, (std::vector<double>{1.0, 1.5, 1.0}));
  EXPECT_EQ(curve.regret, (std::vector<double>{0.25, 0.0, 0.75}));
  EXPECT_EQ(curve.explored, (std::vector<double>{0.0, 0.5, 1.0 / 3.0}));
  EXPECT_EQ(curve.ccv[0], (std::vector<double>{1.0, -1.0, 1.0}));
  EXPECT_EQ(curve.price[0], (std::vector<double>{0.125, 0.125, 0.125}));
}

TEST_F(ThreeRounds, AHardStopKeepsWhatCameBeforeTheBudgetWasPassed) {
  Meter tight(shape_, {.rounds = 3, .budgets = {0.5}});
  play(tight, 0, 0, {1.0, {0.5}}, {0.5, 0.0, 1.0, 0.0}, 0.75, {0.0, 0.0});
  play(tight, 0, 0, {0.25, {0.5}}, {0.5, 0.0, 1.0, 0.0}, 0.75, {0.0, 0.0});  // passes it
  play(tight, 0, 0, {0.125, {-1.0}}, {0.5, 0.0, 1.0, 0.0}, 0.75, {0.0, 0.0});
  EXPECT_DOUBLE_EQ(tight.totals().reward_at_stop, 1.0);
  EXPECT_DOUBLE_EQ(tight.totals().excess[0], 0.0);  // 0 spent in the end
  EXPECT_TRUE(tight.take_curve().rounds.empty());
}

TEST_F(ThreeRounds, WithoutABudgetOrAnOracleTheFiguresAreMissing) {
  Meter plain(shape_, {.rounds = 1, .errors = MeterOptions::Errors::kNone});
  play(plain, 0, 0, {1.0, {0.5}}, {0.5, 0.0, 1.0, 0.0}, 0.75, {0.0, 0.0});
  EXPECT_TRUE(std::isnan(plain.totals().reward_at_stop));
  EXPECT_TRUE(std::isnan(plain.totals().oracle_error));
  EXPECT_DOUBLE_EQ(plain.totals().excess[0], 0.5);
  Meter reward(shape_, {.rounds = 1, .errors = MeterOptions::Errors::kReward});
  play(reward, 0, 0, {1.0, {0.5}}, {0.5, 0.0, 1.0, 0.0}, 0.75, {0.5, -1.0});
  EXPECT_EQ(reward.totals().oracle_error, 0.0);
}

TEST(MeterTest, CurvesHaveAtMostThePointsAskedFor) {
  const Shape shape{.actions = 1};
  for (const auto& [rounds, points] : {std::pair{10, 3}, {3, 10}, {64, 64}, {1000, 7}}) {
    Meter meter(shape, {.rounds = rounds, .curve_points = points});
    Decision decision;
    decision.prepare(1, 1);
    decision.action = decision.best = 0;
    const std::vector<double> means = {0.0};
    for (int t = 0; t < rounds; ++t) meter.add({decision, {}, means, 1, 0.0});
    const Curve curve = meter.take_curve();
    EXPECT_EQ(static_cast<int>(curve.rounds.size()), std::min(rounds, points));
    EXPECT_EQ(curve.rounds.back(), rounds);
  }
}

}  // namespace
}  // namespace rein
