// A policy whose budgets are kept elsewhere: every decision comes with the pace it may spend at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "rein/policy.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

Shape paced_shape() {
  Shape shape{.actions = 2,
              .context = 2,
              .reward = {0, 1},
              .costs = {{.name = "dollars", .range = {0.0, 10.0}}}};
  shape.paced = true;
  return shape;
}

struct PacedGame {
  std::unique_ptr<Policy> policy = make_policy("ccb", paced_shape()).value();
  Rng rng{2}, world{7};
  Scratch scratch{*policy};
  Decision decision{*policy};
  double x[2] = {1.0, 0.0};

  Result<> decide(double pace, double left = 1e9) {
    const double paces[] = {pace}, lefts[] = {left};
    return policy->decide({.actions = 2, .context = x}, Money{.paces = paces, .left = lefts}, rng,
                          scratch, decision);
  }
  // Action 1 costs about 5 and is worth it in half of the rounds.
  double play(double pace) {
    x[1] = world.uniform();
    decide(pace).check();
    const double cost = decision.action == 1 ? 4.0 + 2.0 * world.uniform() : 0.0;
    const double reward = decision.action == 1 ? x[1] : 0.3;
    policy->learn({.actions = 2, .context = x}, decision, {.reward = reward, .costs = {cost}})
        .check();
    return cost;
  }
};

TEST(Paced, SpendsWhatEveryDecisionMay) {
  PacedGame game;
  double often = 0.0, seldom = 0.0;
  for (int t = 0; t < 6000; ++t) {
    const double little = game.play(0.5), more = game.play(2.0);
    if (t < 1000) continue;
    seldom += little;
    often += more;
  }
  EXPECT_NEAR(seldom / 5000, 0.5, 0.12);
  EXPECT_NEAR(often / 5000, 2.0, 0.25);
}

TEST(Paced, ThePriceFallsAsThePaceRises) {
  PacedGame game;
  for (int t = 0; t < 1500; ++t) {
    for (double pace : {0.25, 1.0, 3.0}) game.play(pace);
  }
  double before = 1e9;
  for (double pace : {0.0, 0.25, 0.5, 1.0, 2.0, 3.0}) {
    game.decide(pace).check();
    EXPECT_LE(game.decision.prices[0], before) << pace;
    EXPECT_EQ(game.decision.paces[0], pace);
    before = game.decision.prices[0];
  }
  game.decide(std::numeric_limits<double>::infinity()).check();
  EXPECT_EQ(game.decision.prices[0], 0.0) << "without limit";
}

TEST(Paced, NothingIsPlayedThatMightPassWhatIsLeft) {
  PacedGame game;
  for (int t = 0; t < 500; ++t) game.play(2.0);
  game.x[1] = 1.0;
  game.decide(2.0).check();
  EXPECT_GT(game.decision.probabilities()[1], 0.5);
  game.decide(2.0, 3.0).check();
  EXPECT_LT(game.decision.probabilities()[1], 1e-9);
}

TEST(Paced, BadPacesAreRefused) {
  PacedGame game;
  for (double pace : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(game.decide(pace).error(), HasSubstr("at least 0"));
    EXPECT_THAT(game.decide(1.0, pace).error(), HasSubstr("at least 0"));
  }
  EXPECT_EQ(game.rng.counter(), 0U);
  const double two[] = {1.0, 1.0};
  EXPECT_FALSE(game.policy
                   ->decide({.actions = 2, .context = game.x}, Money{.paces = two}, game.rng,
                            game.scratch, game.decision)
                   .ok());
}

TEST(Paced, SavedAndLoadedItGoesOnWithTheSameBits) {
  PacedGame game, copy;
  for (int t = 0; t < 700; ++t) game.play(t % 3 == 0 ? 0.4 : 1.7);
  copy.policy->load(game.policy->save()).check();
  copy.rng = game.rng;
  copy.world = game.world;
  for (int t = 0; t < 200; ++t) {
    EXPECT_EQ(game.play(0.9), copy.play(0.9));
    ASSERT_EQ(game.decision.prices, copy.decision.prices);
  }
  EXPECT_EQ(game.policy->save(), copy.policy->save());
}

}  // namespace
}  // namespace rein
