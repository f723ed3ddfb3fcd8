// lincbwk by hand: its dual, its bounds, and its first stage.
#include <gtest/gtest.h>

#include <cmath>

#include "policy/by_hand.h"

namespace rein {
namespace {

// No features: a mean of its own for every action, d = 1. After n plays with sum y the ridge mean
// is y / (1 + n) and w = 1 / (1 + n).
double radius(int t) { return std::sqrt(std::log((1.0 + t) / 0.05)) + 1.0; }

// b = 25 / 100, Z = 2, step = sqrt(ln 2 / 100). Round 1: action 0 gives 1/2 and costs 1. Round 2:
// action 1 gives 0.2 and costs nothing.
TEST(LinCbwk, TwoRoundsByHand) {
  Hand hand(two_actions("lincbwk(budget=25,z=2)", {{0.0, 1.0}}));
  const double step = std::sqrt(std::log(2.0) / 100.0);
  EXPECT_NEAR(hand.decide().prices[0], 1.0, 1e-14);  // theta = 1/2
  EXPECT_NEAR(hand.game.decision.scores()[0], 2.0 * radius(0), 1e-12);
  EXPECT_EQ(hand.game.decision.probability, 0.5);  // a tie
  hand.learn(0, {.reward = 0.5, .costs = {1.0}});

  double w = std::exp(step * 0.75);
  double price = 2.0 * w / (1.0 + w);
  const Decision& d = hand.decide();
  double scale = std::exp(d.log_scale);
  EXPECT_NEAR(d.prices[0], price, 1e-14);
  EXPECT_NEAR(d.scores()[0] * scale,
              0.25 - price * 0.5 + radius(1) * (1.0 + price) * std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(d.scores()[1] * scale, radius(1) * (1.0 + price), 1e-12);
  EXPECT_EQ(d.best, 1);
  EXPECT_NEAR(d.estimates.mean(0)[0], 0.25, 1e-15);  // estimates are means, not bounds
  hand.learn(1, {.reward = 0.2, .costs = {0.0}});

  w = std::exp(step * 0.5);
  price = 2.0 * w / (1.0 + w);
  scale = std::exp(hand.decide().log_scale);
  EXPECT_NEAR(d.prices[0], price, 1e-14);
  const double wide = radius(2) * (1.0 + price) * std::sqrt(0.5);
  EXPECT_NEAR(d.scores()[0] * scale, 0.25 - price * 0.5 + wide, 1e-12);
  EXPECT_NEAR(d.scores()[1] * scale, 0.1 + wide, 1e-12);
}

// The same two rounds as a first stage. Then the means are (1/4, 1/10) at costs (1/2, 0), and with
// 1/4 a round to spend the best is half of each: OPT / T = 0.175, Z = 0.175 / 0.25 + 1 = 1.7.
TEST(LinCbwk, AFirstStageFindsZByHand) {
  Hand hand(two_actions("lincbwk(budget=25,explore=2)", {{0.0, 1.0}}));
  hand.decide();
  EXPECT_DOUBLE_EQ(hand.game.decision.scores()[0], 1.0);  // sqrt(w) and nothing else
  hand.learn(0, {.reward = 0.5, .costs = {1.0}});
  EXPECT_EQ(hand.decide().best, 1);  // what is less known
  EXPECT_DOUBLE_EQ(hand.game.decision.scores()[0], std::sqrt(0.5));
  hand.learn(1, {.reward = 0.2, .costs = {0.0}});
  const double w = std::exp(std::sqrt(std::log(2.0) / 100.0) * 0.5);
  EXPECT_NEAR(hand.decide().prices[0], 1.7 * w / (1.0 + w), 1e-12);
}

TEST(LinCbwk, TheFirstStageIsDRootTRoundsAndAtMostHalf) {
  const auto ends_after = [](int rounds, int limit) {
    Hand hand(
        two_actions("lincbwk(budget=25,rounds=" + std::to_string(rounds) + ")", {{0.0, 1.0}}));
    for (int t = 0; t < limit; ++t) {
      const Decision& d = hand.decide();
      const double width = d.estimates.width()[0];
      if (std::abs(d.scores()[0] - std::sqrt(width / (1.0 - width))) > 1e-9) return t;
      hand.learn(t % 2, {.reward = 0.1, .costs = {0.1}});
    }
    return limit;
  };
  EXPECT_EQ(ends_after(400, 100), 20);  // d = 1
  EXPECT_EQ(ends_after(6, 100), 3);
}

TEST(LinCbwk, StopsAtTheBudgetWhereANullActionIsNamed) {
  Hand hand(two_actions("lincbwk(budget=2.5,null=1,z=1,rounds=100)", {{0.0, 1.0}}));
  for (int t = 0; t < 40; ++t) {
    const int action = hand.decide().action;
    hand.learn(action, {.reward = 0.1, .costs = {action == 0 ? 1.0 : 0.0}});
  }
  EXPECT_LE(hand.state().spent[0], 2.5);
  EXPECT_EQ(hand.decide().probabilities()[1], 1.0);
}

TEST(LinCbwk, SaysWhatItIsMeasuredBy) {
  EXPECT_EQ(Hand(two_actions("lincbwk(budget=25)", {{0.0, 1.0}})).state().setting,
            Setting::kKnapsack);
  EXPECT_EQ(Hand(two_actions("lincbwk", {{-1.0, 1.0}})).state().setting, Setting::kExpectation);
  EXPECT_EQ(Hand(two_actions("lincbwk(rate=0.1)", {{-1.0, 1.0}})).state().setting,
            Setting::kLinearConstraints);
}

TEST(LinCbwk, RefusesWhatItCannotUse) {
  const Shape shape = two_actions("", {{0.0, 1.0}}).shape;
  EXPECT_EQ(make_policy("lincbwk(oracle=adagrad)", shape).error(),
            "policy spec: confidence bounds need an oracle with widths, and adagrad has none; "
            "accepted: ridge, vaw");
  EXPECT_EQ(make_policy("lincbwk(explore=5,z=1)", shape).error(),
            "policy spec: both \"z\" and \"explore\" are given; accepted: one of them");
  EXPECT_EQ(make_policy("lincbwk(budget=0)", shape).ok(), false);
}

}  // namespace
}  // namespace rein
