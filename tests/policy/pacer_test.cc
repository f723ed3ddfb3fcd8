// pacer by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "policy/by_hand.h"

namespace rein {
namespace {

// b = 1/4. A cost of 1: ema / b - 1 = 0.05 * 3 = 0.15, lam = 0.0075. Then a cost of 0: 0.95 * 0.15
// - 0.05 = 0.0925, lam = 0.0075 + 0.004625.
TEST(Pacer, TwoRoundsByHand) {
  Hand hand(two_actions("pacer(rate=0.25)", {{0.0, 1.0}}));
  EXPECT_EQ(hand.decide().prices[0], 0.0);
  EXPECT_DOUBLE_EQ(hand.game.decision.scores()[0], 0.5);  // alpha sqrt(w)
  hand.learn(0, {.reward = 0.5, .costs = {1.0}});

  const Decision& d = hand.decide();
  EXPECT_NEAR(d.prices[0], 0.0075, 1e-15);
  EXPECT_NEAR(d.scores()[0], 0.25 + 0.5 * std::sqrt(0.5) - 0.0075 * 0.5, 1e-14);
  EXPECT_NEAR(d.scores()[1], 0.5, 1e-14);  // no bonus for the cost
  hand.learn(1, {.reward = 0.2, .costs = {0.0}});

  EXPECT_NEAR(hand.decide().prices[0], 0.012125, 1e-15);
  EXPECT_EQ(hand.state().setting, Setting::kKnapsack);
}

TEST(Pacer, EveryNumberIsAKey) {
  Hand hand(two_actions("pacer(rate=0.25,alpha=0,cap=0.1,ema=1,lam_scale=10,lr=2)", {{0.0, 1.0}}));
  hand.decide();
  hand.learn(0, {.reward = 0.5, .costs = {1.0}});  // 2 (1 / 0.25 - 1) = 6, capped at 0.1
  EXPECT_NEAR(hand.decide().prices[0], 1.0, 1e-14);
  EXPECT_NEAR(hand.game.decision.scores()[0], 0.25 - 0.5, 1e-14);
  hand.learn(0, {.reward = 0.5, .costs = {0.0}});  // down to nothing at once
  EXPECT_EQ(hand.decide().prices[0], 0.0);
}

}  // namespace
}  // namespace rein
