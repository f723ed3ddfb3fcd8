// loe2d: two rounds worked by hand, and its constants.
#include <gtest/gtest.h>

#include <cmath>

#include "policy/by_hand.h"

namespace rein {
namespace {

constexpr Range kLoe2dSigned{-1.0, 1.0};
constexpr Range kLoe2dPositive{0.0, 1.0};

// T = 100, U = 4, K = 2: V = sqrt(100 * 4 * ln 100) = 42.9193..., gamma = 2 sqrt(100 / 4) = 10.
TEST(Loe2d, TwoRoundsByHand) {
  const double v = std::sqrt(400.0 * std::log(100.0));
  Hand hand(two_actions("loe2d(u=4)", {kLoe2dSigned, kLoe2dSigned}));
  EXPECT_EQ(hand.decide().prices, Costs({0.0, 0.0}));
  EXPECT_NEAR(hand.decide().gamma, 10.0, 1e-12);  // beta = 1
  hand.learn(0, {.reward = 0.5, .costs = {1.0, -0.5}});
  EXPECT_EQ(hand.state().queues, Costs({1.0, 0.0}));  // slack is not banked

  const Decision& second = hand.decide();
  EXPECT_NEAR(second.prices[0], 1.0 / v, 1e-15);
  EXPECT_EQ(second.prices[1], 0.0);
  EXPECT_NEAR(second.gamma, 10.0 * v / (v + 1.0), 1e-12);
  // Two actions: 1 / eta + 1 / (eta + c) = 1, c = 2 gamma beta gap.
  const double c = 2.0 * second.gamma * gap_of(second);
  const double eta = 0.5 * (2.0 - c + std::sqrt(c * c + 4.0));
  EXPECT_GT(c, 0.0);
  EXPECT_NEAR(second.probabilities()[second.best], 1.0 / eta, 1e-12);
  hand.learn(1, {.reward = 0.0, .costs = {0.25, 0.75}});
  EXPECT_EQ(hand.state().queues, Costs({1.25, 0.75}));
  const Decision& third = hand.decide();
  EXPECT_NEAR(third.prices[0], 1.25 / v, 1e-15);
  EXPECT_NEAR(third.prices[1], 0.75 / v, 1e-15);
  EXPECT_NEAR(third.gamma, 10.0 * v / (v + 2.0), 1e-12);  // sum Q = 2
}

TEST(Loe2d, ABudgetIsAThresholdARound) {
  Hand hand(two_actions("loe2d(budget=25,u=4)", {kLoe2dPositive}));
  hand.decide();
  hand.learn(0, {.reward = 0.5, .costs = {1.0}});
  EXPECT_EQ(hand.state().queues, Costs({0.75}));
  EXPECT_EQ(hand.state().setting, Setting::kKnapsack);
  EXPECT_EQ(Hand(two_actions("loe2d", {kLoe2dSigned})).state().setting, Setting::kExpectation);
  EXPECT_EQ(Hand(two_actions("loe2d(rate=0.1)", {kLoe2dSigned})).state().setting,
            Setting::kLinearConstraints);
}

TEST(Loe2d, BalancedAndScalesMultiplyWhatIsPrinted) {
  Hand balanced(two_actions("loe2d(balanced=1,u=4)", {kLoe2dSigned}));
  EXPECT_NEAR(balanced.decide().gamma, std::sqrt(2.0 * 100.0 / 4.0), 1e-12);
  Hand scaled(two_actions("loe2d(gamma_scale=3,u=4,v_scale=0.1)", {kLoe2dSigned}));
  EXPECT_NEAR(scaled.decide().gamma, 30.0, 1e-12);
  scaled.learn(0, {.costs = {1.0}});
  EXPECT_NEAR(scaled.decide().prices[0], 10.0 / std::sqrt(400.0 * std::log(100.0)), 1e-14);
}

TEST(Loe2d, NeedsTheHorizon) {
  EXPECT_EQ(make_policy("loe2d", Shape{.actions = 2}).error(),
            "policy spec: loe2d needs the number of rounds; accepted: rounds=N");
}

}  // namespace
}  // namespace rein
