// pgd by hand, and what only it promises: a price that moves by clipped lower bounds.
#include <gtest/gtest.h>

#include <cmath>

#include "policy/by_hand.h"

namespace rein {
namespace {

// Means for bounds. T = 100, b = 1/4: steps of 0.1, a margin of 0.1.
TEST(Pgd, ThePriceMovesByWhatWasPredicted) {
  Hand hand(two_actions("pgd(budget=25,radius_scale=0)", {{0.0, 1.0}}));
  hand.decide();
  hand.learn(0, {.reward = 0.5, .costs = {1.0}});  // nothing was known: 0 was predicted
  const Decision& d = hand.decide();
  EXPECT_EQ(d.prices[0], 0.0);
  EXPECT_NEAR(d.scores()[0], 0.25, 1e-15);
  EXPECT_NEAR(hand.state().queues[0], 1.0 - 0.15, 1e-15);  // what was paid
  hand.learn(0, {.reward = 0.5, .costs = {0.0}});          // 1/2 was predicted
  hand.decide();
  EXPECT_NEAR(d.prices[0], 0.1 * (0.5 - 0.15), 1e-15);
  EXPECT_EQ(hand.state().setting, Setting::kKnapsack);
}

// With the radius as it is, bounds say nothing in the first rounds: both rewards may be 1, both
// costs 0 (or -1 where they may be), and no action is better than another.
TEST(Pgd, BoundsAreClippedToTheRanges) {
  for (double low : {0.0, -1.0}) {
    Hand hand(two_actions("pgd(budget=25,step_scale=10)", {{low, 1.0}}));
    hand.decide();
    hand.learn(0, {.reward = 0.5, .costs = {1.0}});
    const Decision& d = hand.decide();
    EXPECT_EQ(d.scores()[0], 1.0);
    EXPECT_EQ(d.scores()[1], 1.0);
    EXPECT_EQ(d.probabilities()[0], 0.5);
    EXPECT_EQ(d.prices[0], 0.0);
  }
}

TEST(Pgd, WhatIsReservedRaisesThePriceItDecidesBy) {
  Hand hand(two_actions("pgd(budget=25,margin_scale=0,radius_scale=0)", {{0.0, 1.0}}));
  hand.decide();
  hand.learn(0, {.reward = 0.5, .costs = {1.0}});
  hand.decide();
  hand.learn(1, {.reward = 0.2, .costs = {0.0}});
  Game& game = hand.game;
  const std::vector<double> reserved = {20.0};  // a price of 2
  game.policy->decide(hand.round(), reserved, game.rng, game.scratch, game.decision).check();
  EXPECT_EQ(game.decision.prices[0], 2.0);
  EXPECT_EQ(game.decision.action, 1);
  EXPECT_NEAR(game.decision.scores()[0], 0.25 - 2.0 * 0.5, 1e-15);
  EXPECT_EQ(hand.decide().action, 0);
}

// Two actions, one dear and good. With steps that double the spend comes down to the budget; with
// one step that is too small it does not.
TEST(Pgd, DoublingFindsAStepThatIsLargeEnough) {
  const auto spend = [](const std::string& options) {
    Case c = two_actions("pgd(radius_scale=0.1," + options + ")", {{0.0, 1.0}});
    c.shape.rounds = 4000;
    c.shape.budgets = {400.0};
    Hand hand(c);
    for (int t = 0; t < 4000; ++t) {
      const int action = hand.decide().action;
      const double one = action == 0 ? 1.0 : 0.0;
      hand.learn(action, {.reward = one, .costs = {one}});
    }
    return hand.state().spent[0];
  };
  const std::string small = "step_scale=0.01,threshold_scale=0.1";
  const double doubling = spend(small), fixed = spend("adaptive=0," + small);
  EXPECT_GT(fixed, 2000.0);
  EXPECT_LT(doubling, 0.5 * fixed);
}

}  // namespace
}  // namespace rein
