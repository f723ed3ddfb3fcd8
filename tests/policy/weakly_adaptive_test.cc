// weakly_adaptive by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "policy/by_hand.h"

namespace rein {
namespace {

// K = 2, T = 100, u = 2: 1 / eta = sqrt(400) + sqrt(100 ln(100 / 0.05)), gamma = 10 / (1 + price).
TEST(WeaklyAdaptive, TwoRoundsByHand) {
  Hand hand(two_actions("weakly_adaptive(u=2)", {{-1.0, 1.0}}));
  const double eta = 1.0 / (20.0 + 10.0 * std::sqrt(std::log(2000.0)));
  EXPECT_NEAR(hand.decide().gamma, 10.0, 1e-13);
  EXPECT_EQ(hand.game.decision.prices[0], 0.0);
  hand.learn(0, {.reward = 0.5, .costs = {1.0}});
  const Decision& d = hand.decide();
  EXPECT_NEAR(d.prices[0], eta, 1e-15);
  EXPECT_NEAR(d.gamma, 10.0 / (1.0 + eta), 1e-13);
  hand.learn(1, {.reward = 0.2, .costs = {-1.0}});
  hand.decide();
  EXPECT_EQ(d.prices[0], 0.0);
  hand.learn(1, {.reward = 0.2, .costs = {-1.0}});  // never below 0
  EXPECT_EQ(hand.state().queues[0], 0.0);
}

TEST(WeaklyAdaptive, ScalesMultiplyEtaAndGamma) {
  Hand plain(two_actions("weakly_adaptive(rate=0.2,u=2)", {{0.0, 1.0}}));
  Hand scaled(two_actions("weakly_adaptive(eta_scale=5,gamma_scale=3,rate=0.2,u=2)", {{0.0, 1.0}}));
  for (Hand* hand : {&plain, &scaled}) {
    hand->decide();
    hand->learn(0, {.reward = 0.5, .costs = {0.7}});
    hand->decide();
  }
  const Decision &one = plain.game.decision, &five = scaled.game.decision;
  EXPECT_GT(one.prices[0], 0.0);
  EXPECT_NEAR(five.prices[0], 5.0 * one.prices[0], 1e-15);
  EXPECT_NEAR(five.gamma * (1.0 + five.prices[0]), 3.0 * one.gamma * (1.0 + one.prices[0]), 1e-12);
}

}  // namespace
}  // namespace rein
