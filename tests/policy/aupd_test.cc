// aupd by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "policy/by_hand.h"

namespace rein {
namespace {

// b = 25 / 100, so V = 2.5. A cost of 1 puts 0.75 on the queue, a price of 0.3; a cost of 0 takes
// 0.25 off, a price of 0.2. The radius has d = 1, R = 1 (rewards in [-1, 1]), L^2 = 2 and four
// bounds: two heads of two actions.
TEST(Aupd, TwoRoundsByHand) {
  Hand hand(two_actions("aupd(budget=25)", {{0.0, 1.0}}));
  const auto radius = [](int t) {
    return std::sqrt(2.0 * std::log(4.0 / 0.05) + std::log(1.0 + 2.0 * t)) + 1.0;
  };
  EXPECT_EQ(hand.decide().prices[0], 0.0);
  EXPECT_NEAR(hand.game.decision.scores()[1], radius(0), 1e-12);
  hand.learn(0, {.reward = 0.5, .costs = {1.0}});

  const Decision& d = hand.decide();
  EXPECT_NEAR(d.prices[0], 0.3, 1e-15);
  EXPECT_NEAR(d.scores()[0], 0.25 - 0.3 * 0.5 + radius(1) * 1.3 * std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(d.scores()[1], radius(1) * 1.3, 1e-12);
  EXPECT_EQ(d.probabilities()[1], 1.0);
  hand.learn(1, {.reward = 0.2, .costs = {0.0}});

  hand.decide();
  EXPECT_NEAR(d.prices[0], 0.2, 1e-15);
  EXPECT_NEAR(hand.state().queues[0], 0.5, 1e-15);
  EXPECT_NEAR(d.scores()[0] - d.scores()[1], 0.25 - 0.2 * 0.5 - 0.1, 1e-12);
}

TEST(Aupd, ScalesMultiplyTheRadiusAndV) {
  Hand hand(two_actions("aupd(budget=25,radius_scale=0,v_scale=0.1)", {{0.0, 1.0}}));
  hand.decide();
  hand.learn(0, {.reward = 0.5, .costs = {0.5}});
  const Decision& d = hand.decide();
  EXPECT_NEAR(d.prices[0], 0.25 / 0.25, 1e-14);
  EXPECT_NEAR(d.scores()[0], 0.25 - 0.25, 1e-14);
  EXPECT_EQ(hand.state().setting, Setting::kKnapsack);
}

TEST(Aupd, StopsAtTheBudgetWhereANullActionIsNamed) {
  Hand hand(two_actions("aupd(budget=2.5,null=1,rounds=100)", {{0.0, 1.0}}));
  for (int t = 0; t < 40; ++t) {
    const int action = hand.decide().action;
    hand.learn(action, {.reward = 0.1, .costs = {action == 0 ? 1.0 : 0.0}});
  }
  EXPECT_LE(hand.state().spent[0], 2.5);
}

}  // namespace
}  // namespace rein
