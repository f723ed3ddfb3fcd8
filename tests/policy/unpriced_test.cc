// squarecb, greedy, epsilon and uniform: their formulas, and that costs leave them cold.
#include <gtest/gtest.h>

#include <cmath>

#include "policy/play.h"

namespace rein {
namespace {

Case problem(const std::string& spec, std::int64_t rounds) {
  return {.spec = spec, .shape = {.actions = 4, .context = 2, .costs = {{}, {}}, .rounds = rounds}};
}

TEST(SquareCb, GammaByHand) {
  Game game(problem("squarecb(u=9)", 100));
  for (int t = 0; t < 5; ++t) {
    game.play(t);
    EXPECT_NEAR(game.decision.gamma, std::sqrt(400.0 / (9.0 + std::log(2.0 / 0.05))), 1e-12);
  }
  Game sharper(problem("squarecb(delta=0.5,gamma_scale=3,rounds=25,u=9)", 100));
  sharper.play(0);
  EXPECT_NEAR(sharper.decision.gamma, 3.0 * std::sqrt(100.0 / (9.0 + std::log(4.0))), 1e-12);
}

TEST(SquareCb, WithoutAHorizonGammaGrowsAsTheRootOfTheRounds) {
  Game game(problem("squarecb", 0));
  for (int t = 0; t < 10; ++t) {
    game.play(t);
    EXPECT_NEAR(game.decision.gamma, 10.0 * std::sqrt(t + 1.0), 1e-12);
  }
}

TEST(SquareCb, ProbabilitiesAreItsFormula) {
  Game game(problem("squarecb(u=9)", 100));
  game.play(0, 31);
  const Decision& d = game.decision;  // of round 30, which offers all four
  const auto reward = d.estimates.mean(0);
  for (int a = 0; a < 4; ++a) {
    if (a == d.best) continue;
    EXPECT_NEAR(d.probabilities()[a], 1.0 / (4.0 + d.gamma * (reward[d.best] - reward[a])), 1e-14);
  }
}

TEST(Greedy, TakesTheBestEstimate) {
  Game game(problem("greedy", 100));
  game.play(0, 40);
  for (int t = 40; t < 60; ++t) {
    game.play(t);
    EXPECT_EQ(game.decision.action, game.decision.best);
    EXPECT_EQ(game.decision.probability, 1.0);
  }
}

TEST(Epsilon, LeavesItsShareToEveryAction) {
  Game game(problem("epsilon(epsilon=0.4)", 100));
  game.play(0, 31);
  for (int a = 0; a < 4; ++a) {
    EXPECT_NEAR(game.decision.probabilities()[a], a == game.decision.best ? 0.7 : 0.1, 1e-14);
  }
  EXPECT_EQ(make_policy("epsilon(epsilon=2)", problem("", 9).shape).error(),
            "policy spec: key \"epsilon\" has 2 at 16; accepted: a number from 0 to 1");
}

TEST(Uniform, LearnsNothingAndShowsNoStaleEstimates) {
  Game game(problem("uniform", 0));
  Game other(problem("greedy", 0));
  other.play(0, 31);
  const OwnedRound round = round_of(game.policy->shape(), 0);
  game.policy->decide(round.view(), game.rng, game.scratch, other.decision).check();
  for (int a = 0; a < 4; ++a) {
    EXPECT_EQ(other.decision.probabilities()[a], 0.25);
    EXPECT_EQ(other.decision.estimates.mean(0)[a], 0.0);
    EXPECT_EQ(other.decision.estimates.width()[a], 0.0);
  }
  EXPECT_TRUE(std::isnan(game.policy->state().oracle_regret));
}

TEST(Unpriced, CostsAreCountedAndChangeNothing) {
  for (const char* spec : {"squarecb", "greedy", "epsilon", "uniform"}) {
    Game cheap(problem(spec, 100)), dear(problem(spec, 100));
    for (int t = 0; t < 50; ++t) {
      const OwnedRound round = round_of(cheap.policy->shape(), t);
      for (Game* game : {&cheap, &dear}) {
        game->policy->decide(round.view(), game->rng, game->scratch, game->decision).check();
        const double cost = game == &dear ? 1.0 : 0.0;
        game->policy
            ->learn(round.view(), game->decision,
                    {.reward = 0.1 * game->decision.action, .costs = {cost, -cost}})
            .check();
      }
      ASSERT_EQ(cheap.decision.action, dear.decision.action) << spec;
    }
    EXPECT_EQ(dear.policy->state().spent, Costs({50.0, -50.0})) << spec;
    EXPECT_TRUE(dear.policy->state().queues.empty()) << spec;
  }
}

TEST(Unpriced, ABudgetThatWouldHaveNoEffectIsRefused) {
  const Shape shape = problem("", 0).shape;
  for (const std::string name : {"squarecb", "greedy", "epsilon", "uniform"}) {
    for (const std::string key : {"budget", "rate"}) {
      const auto made = make_policy(name + "(" + key + "=[1,2],rounds=10)", shape);
      ASSERT_FALSE(made.ok());
      EXPECT_EQ(made.error().find("policy spec: " + name + " ignores costs, and \"" + key + "\""),
                0U)
          << made.error();
    }
  }
  EXPECT_TRUE(make_policy("stop(at=5,null=0,of=squarecb)", Shape{.actions = 2, .costs = {{"c"}}}));
}

}  // namespace
}  // namespace rein
