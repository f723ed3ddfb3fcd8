// squarecbwk: two rounds worked by hand, its constants, and the stage that estimates Z.
#include <gtest/gtest.h>

#include <cmath>

#include "policy/by_hand.h"

namespace rein {
namespace {

constexpr Range kSquarecbwkSigned{-1.0, 1.0};
constexpr Range kSquarecbwkPositive{0.0, 1.0};

// T = 100, B = 25, m = 2, U = 4, K = 2: Z = 4, step = ln 3 / 10, gradient c - 1/4, slack 0.
TEST(SquareCbwk, TwoRoundsByHand) {
  const double step = std::log(3.0) / 10.0;
  Hand hand(
      two_actions("squarecbwk(budget=[25,25],u=4)", {kSquarecbwkPositive, kSquarecbwkPositive}));
  const Decision& first = hand.decide();
  EXPECT_NEAR(first.prices[0], 4.0 / 3.0, 1e-12);
  EXPECT_NEAR(first.gamma, std::sqrt(200.0 / (4.0 + 25.0 * 4.0 + 4.0 * std::log(200.0))), 1e-12);
  hand.learn(0, {.reward = 0.5, .costs = {1.0, 0.0}});

  const double w0 = std::exp(step * 0.75), w1 = std::exp(step * -0.25);
  const Decision& second = hand.decide();
  EXPECT_NEAR(second.prices[0], 4.0 * w0 / (1.0 + w0 + w1), 1e-12);
  EXPECT_NEAR(second.prices[1], 4.0 * w1 / (1.0 + w0 + w1), 1e-12);
  const double other = second.probabilities()[1 - second.best];
  EXPECT_GT(gap_of(second), 0.0);
  EXPECT_NEAR(other, 1.0 / (2.0 + second.gamma * gap_of(second)), 1e-12);
  hand.learn(1, {.reward = 0.0, .costs = {0.5, 0.5}});
  const double v0 = std::exp(step * 1.0), v1 = 1.0;
  const Decision& third = hand.decide();
  EXPECT_NEAR(third.prices[0], 4.0 * v0 / (1.0 + v0 + v1), 1e-12);
  EXPECT_NEAR(third.prices[1], 4.0 * v1 / (1.0 + v0 + v1), 1e-12);
}

TEST(SquareCbwk, SeveralBudgetsBecomeTheSmallest) {
  // b = (1/2, 1/4): the first cost counts half, in units of b = 1/4.
  Hand hand(
      two_actions("squarecbwk(budget=[50,25],u=4)", {kSquarecbwkPositive, kSquarecbwkPositive}));
  EXPECT_NEAR(hand.decide().prices[0], 2.0 / 3.0, 1e-12);
  EXPECT_NEAR(hand.decide().prices[1], 4.0 / 3.0, 1e-12);
  EXPECT_EQ(hand.state().setting, Setting::kKnapsack);
  EXPECT_EQ(Hand(two_actions("squarecbwk", {kSquarecbwkSigned})).state().setting,
            Setting::kExpectation);
}

TEST(SquareCbwk, ZMayBeGivenAndScaled) {
  Hand hand(
      two_actions("squarecbwk(budget=25,gamma_scale=2,u=4,z=3,z_scale=2)", {kSquarecbwkPositive}));
  EXPECT_NEAR(hand.decide().prices[0], 3.0, 1e-12);  // 6 / 2
  EXPECT_NEAR(hand.decide().gamma,
              2.0 * std::sqrt(200.0 / (4.0 + 49.0 * 4.0 + 4.0 * std::log(200.0))), 1e-12);
}

// Action 1 earns 0.8 and costs 1, action 0 nothing: under b = 0.1 the LP is worth 0.08 a round.
TEST(SquareCbwk, TheFirstStageIsUniformAndItsLpGivesZ) {
  Hand hand(two_actions("squarecbwk(budget=10,explore=60,stages=2,u=1)", {kSquarecbwkPositive}));
  for (int t = 0; t < 60; ++t) {
    const Decision& d = hand.decide();
    EXPECT_EQ(d.probabilities()[0], 0.5);
    EXPECT_EQ(d.prices, Costs({0.0}));
    const bool plays = t % 2 == 1;
    hand.learn(plays ? 1 : 0, {.reward = plays ? 0.8 : 0.0, .costs = {plays ? 1.0 : 0.0}});
  }
  const double z = hand.game.policy->state().parameters[0];  // the largest price
  const double miss = std::sqrt(2.0 * 1.0 / 60.0);
  const double opt = z * 0.1 - miss;
  EXPECT_NEAR(opt, 0.08, 0.01);  // estimates shrink, of the reward and of the cost alike
  EXPECT_LT(z, 10.0);
  const Decision& d = hand.decide();
  EXPECT_NEAR(d.prices[0], 0.5 * z, 1e-12);  // the dual starts anew
  EXPECT_NEAR(d.gamma, std::sqrt(200.0 / (1.0 + (z + 1.0) * (z + 1.0) + 4.0 * std::log(200.0))),
              1e-12);
}

TEST(SquareCbwk, ItsStagesSurviveBeingSaved) {
  const Case c =
      two_actions("squarecbwk(budget=10,explore=10,stages=2,u=1)", {kSquarecbwkPositive});
  Game game(c), other(c);
  for (int t = 0; t < 25; ++t) {  // saved in the first stage, at its end, and after
    game.play(3 * t);
    ASSERT_TRUE(other.policy->load(game.policy->save()).ok());
    other.rng = game.rng;
    other.play(3 * t + 3);
    Game third(c);
    ASSERT_TRUE(third.policy->load(game.policy->save()).ok());
    third.rng = game.rng;
    third.play(3 * t + 3);
    ASSERT_EQ(third.policy->save(), other.policy->save());
  }
}

TEST(SquareCbwk, KeysOfStagesAreRefusedWithoutThem) {
  const Shape shape = two_actions("", {kSquarecbwkPositive}).shape;
  EXPECT_EQ(make_policy("squarecbwk(explore=9)", shape).error(),
            "policy spec: key \"explore\" needs two stages; accepted: stages=2");
  EXPECT_EQ(make_policy("squarecbwk(stages=2,z=1)", shape).error(),
            "policy spec: key \"z\" says what stages=2 estimates; accepted: one of them");
}

}  // namespace
}  // namespace rein
