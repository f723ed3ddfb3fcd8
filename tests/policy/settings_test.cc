// ccb: which potential and which constants follow from what the user knows, by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "policy/play.h"

namespace rein {
namespace {

// K = 4, m costs in [-1, 1]. With rounds=100 and u=9, sqrt(K T U) = 60.
Shape shape_of(int costs) {
  Shape shape{.actions = 4, .context = 2};
  shape.costs.resize(static_cast<std::size_t>(costs));
  return shape;
}

Costs parameters(const std::string& spec, int costs) {
  return make_policy(spec, shape_of(costs)).value()->state().parameters;
}

std::string settings_refusal(const std::string& spec, const Shape& shape) {
  const auto made = make_policy(spec, shape);
  return made.ok() ? "made" : made.error();
}

// The prices of a first round with this much reserved.
Costs prices(const Case& c, const std::vector<double>& reserved) {
  Game game(c);
  game.policy->decide(round_of(c.shape, 0).view(), reserved, game.rng, game.scratch, game.decision)
      .check();
  return game.decision.prices;
}

TEST(Settings, VByHand) {
  for (const char* setting : {"expectation", "slater"}) {
    const std::string spec =
        std::string("ccb(rounds=100,tuning=theory,setting=") + setting + ",u=9";
    EXPECT_EQ(parameters(spec + ")", 1), Costs({60.0}));
    EXPECT_EQ(parameters(spec + ")", 3), Costs({60.0, 60.0, 60.0}));
    EXPECT_EQ(parameters(spec + ",v_scale=0.5)", 1), Costs({30.0}));
  }
  EXPECT_EQ(parameters("ccb(budget=50,rounds=100,setting=pacing,u=9,tuning=theory)", 1),
            Costs({60.0}));
  EXPECT_EQ(parameters("ccb(budget=50,rounds=100,setting=linear_constraints,u=9,tuning=theory)", 1),
            Costs({110.0}));
  EXPECT_EQ(
      parameters(
          "ccb(budget=[30,40],rounds=100,setting=linear_constraints,u=9,v_scale=2,tuning=theory)",
          2),
      Costs({220.0, 220.0}));
}

TEST(Settings, LambdaByHand) {
  EXPECT_DOUBLE_EQ(parameters("ccb(rounds=100,setting=almost_sure,u=9,tuning=theory)", 1)[0],
                   1.0 / 480.0);
  EXPECT_DOUBLE_EQ(parameters("ccb(rounds=100,setting=almost_sure,u=9,tuning=theory)", 3)[2],
                   1.0 / 960.0);
  EXPECT_DOUBLE_EQ(parameters("ccb(budget=50,rounds=100,setting=knapsack,u=9,tuning=theory)", 1)[0],
                   1.0 / 580.0);
  const Costs two =
      parameters("ccb(budget=[50,7],lambda_scale=10,rounds=100,u=9,tuning=theory)", 2);
  EXPECT_DOUBLE_EQ(two[0], 10.0 / (720.0 + 100.0));
  EXPECT_DOUBLE_EQ(two[1], 10.0 / (720.0 + 14.0));
}

TEST(Settings, TheCapByHand) {
  const Case one{.spec = "ccb(budget=50,rounds=100,setting=knapsack,u=9,tuning=theory)",
                 .shape = shape_of(1)};
  EXPECT_NEAR(prices(one, {1e9})[0], 3.0 * (1 + 200 + 4 * 60.0) / 580.0, 1e-9);
  const Case three{.spec = "ccb(rounds=100,setting=almost_sure,u=9,tuning=theory)",
                   .shape = shape_of(3)};
  for (double price : prices(three, {1e9, 1e9, 1e9})) {
    EXPECT_NEAR(price, 3.0 * (3 + 200 + 8 * 60.0) / 960.0, 1e-9);
  }
  EXPECT_NEAR(prices(one, {0.0})[0], 1.0 / 580.0, 1e-15);  // before anything is spent: lambda
}

TEST(Settings, PricesAreInTheUnitsOfTheShape) {
  Case c{.spec = "ccb(pricer=quadratic(v=10),rounds=100,u=9,tuning=theory)", .shape = shape_of(1)};
  EXPECT_NEAR(prices(c, {4.0})[0], 0.8, 1e-14);
  c.shape.reward = {0.0, 5.0};           // one unit of reward is 5
  c.shape.costs[0].range = {0.0, 50.0};  // one unit of cost is 50, so 200 is 4 units
  EXPECT_NEAR(prices(c, {200.0})[0], 0.8 * 5.0 / 50.0, 1e-14);
}

TEST(Settings, UIsTheOraclesBoundUnlessGivenAndAtLeastOne) {
  const Shape shape = shape_of(1);
  const auto u = [&](const char* spec) { return make_policy(spec, shape).value()->state().u; };
  EXPECT_EQ(u("ccb(rounds=100,u=9,tuning=theory)"), 9.0);
  EXPECT_EQ(u("ccb(rounds=100,u=0.01,tuning=theory)"), 1.0);
  // per_action with bias: K reg + K d ln(1 + T L^2 / (reg K d)), d = 3, L^2 = 1 + 1
  EXPECT_NEAR(u("ccb(rounds=100,tuning=theory)"), 4.0 + 12.0 * std::log(1.0 + 200.0 / 12.0), 1e-9);
}

TEST(Settings, WithoutASettingABudgetMakesAKnapsack) {
  const auto terms = [](const char* spec, const Shape& shape) {
    return make_policy(spec, shape).value()->state().theorem.value();
  };
  Shape shape = shape_of(1);
  EXPECT_EQ(terms("ccb(rounds=100,tuning=theory)", shape).setting, Setting::kExpectation);
  EXPECT_EQ(terms("ccb(budget=5,rounds=100,tuning=theory)", shape).setting, Setting::kKnapsack);
  EXPECT_EQ(terms("ccb(rate=0.5,rounds=100,tuning=theory)", shape).budgets, Costs({50.0}));
  shape.budgets = {20.0};
  shape.rounds = 100;
  EXPECT_EQ(terms("ccb(tuning=theory)", shape).setting, Setting::kKnapsack);
  EXPECT_EQ(terms("ccb(tuning=theory)", shape).budgets, Costs({20.0}));
  EXPECT_EQ(terms("ccb(budget=5,tuning=theory)", shape).budgets,
            Costs({5.0}));  // the spec overrides
  EXPECT_EQ(terms("ccb(rounds=7,tuning=theory)", shape).rounds, 7);
  EXPECT_EQ(terms("ccb(rate=0.5,rounds=10,tuning=theory)", shape).budgets, Costs({5.0}));
  EXPECT_TRUE(terms("ccb(setting=slater,tuning=theory)", shape).budgets.empty());
  shape.costs[0].range = {0.0, 4.0};  // budgets in units
  EXPECT_EQ(terms("ccb(tuning=theory)", shape).budgets, Costs({5.0}));
}

TEST(Settings, TheTheoremSpeaksOnlyOfItsOwnParts) {
  const Shape shape = shape_of(1);
  const auto speaks = [&](const char* spec) {
    return make_policy(spec, shape).value()->state().theorem.has_value();
  };
  EXPECT_TRUE(speaks("ccb(gamma_scale=2,rounds=9,tuning=theory)"));
  EXPECT_FALSE(speaks("ccb(explorer=greedy,rounds=9,tuning=theory)"));
  EXPECT_FALSE(speaks("ccb(gain=root_t,rounds=9,tuning=theory)"));
  EXPECT_FALSE(speaks("ccb(pricer=none,rounds=9,tuning=theory)"));
  EXPECT_FALSE(speaks("squarecb(rounds=9)"));
}

TEST(Settings, WhatIsMissingOrWrongIsTold) {
  const Shape one = shape_of(1), two = shape_of(2);
  Shape losses = one;
  losses.costs[0].range = {-1.0, 0.0};
  const std::pair<std::string, std::string> table[] = {
      {"ccb(rounds=0,tuning=theory)",
       "key \"rounds\" has 0 at 11; accepted: a whole number from 1 to 9007199254740992"},
      {"ccb(rounds=1.5,tuning=theory)",
       "key \"rounds\" has 1.5 at 11; accepted: a whole number from 1 to 9007199254740992"},
      {"ccb(rounds=9,setting=knapsack,tuning=theory)",
       "setting knapsack needs a budget; accepted: budget=TOTAL or rate=PER_ROUND"},
      {"ccb(rounds=9,setting=pacing,tuning=theory)",
       "setting pacing needs a budget; accepted: budget=TOTAL or rate=PER_ROUND"},
      {"ccb(rounds=9,setting=linear_constraints,tuning=theory)",
       "setting linear_constraints needs a budget; accepted: budget=TOTAL or rate=PER_ROUND"},
      {"ccb(budget=1,rate=1,rounds=9,tuning=theory)",
       "both \"budget\" and \"rate\" are given; accepted: one of them"},
      {"ccb(budget=[1,2],rounds=9,tuning=theory)",
       "key \"budget\" has 2 numbers; accepted: one per cost (1)"},
      {"ccb(rate=[1,2],rounds=9,tuning=theory)",
       "key \"rate\" has 2 numbers; accepted: one per cost (1)"},
      {"ccb(budget=[],rounds=9,tuning=theory)",
       "key \"budget\" has [] at 11; accepted: one number per cost"},
      {"ccb(budget=-1,rounds=9,tuning=theory)",
       "the budget of cost \"cost\" is -1 in all; setting knapsack accepts 0 to 1e+100"},
      {"ccb(budget=1e200,rounds=9,setting=pacing,tuning=theory)",
       "the budget of cost \"cost\" is 1e+200 in all; setting pacing accepts -1e+100 to 1e+100"},
      {"ccb(rate=1e308,rounds=1000,tuning=theory)",
       "the budget of cost \"cost\" is inf in all; setting knapsack accepts 0 to 1e+100"},
      {"ccb(rounds=9,setting=hope,tuning=theory)",
       "key \"setting\" has hope at 21; accepted: expectation, slater, almost_sure, knapsack, "
       "linear_constraints, pacing"},
      {"ccb(rounds=9,tuning=best)", "key \"tuning\" has best at 20; accepted: auto, theory"},
      {"ccb(rounds=9,u=0,tuning=theory)",
       "key \"u\" has 0 at 15; accepted: a number above 0 and at most 1e+100"},
      {"ccb(rounds=9,v_scale=0,tuning=theory)",
       "key \"v_scale\" has 0 at 21; accepted: a number from 1e-12 to 1000000000000"},
  };
  for (const auto& [spec, message] : table) {
    EXPECT_EQ(settings_refusal(spec, one), "policy spec: " + message) << spec;
  }
  EXPECT_EQ(settings_refusal("ccb(budget=5,rounds=9,tuning=theory)", two),
            "policy spec: key \"budget\" has 1 numbers; accepted: one per cost (2)");
  EXPECT_EQ(settings_refusal("ccb(budget=5,rounds=9,tuning=theory)", losses),
            "policy spec: setting knapsack needs costs of at least 0; cost \"cost\" has range "
            "[-1, 0]");
}

TEST(Settings, KnapsackRefusesNegativeCosts) {
  Game game({.spec = "ccb(budget=5,rounds=100,tuning=theory)", .shape = shape_of(1)});
  const OwnedRound round = round_of(game.policy->shape(), 0);
  game.policy->decide(round.view(), game.rng, game.scratch, game.decision).check();
  EXPECT_EQ(
      game.policy->learn(round.view(), game.decision, {.reward = 0.5, .costs = {-0.1}}).error(),
      "outcome: cost \"cost\" is -0.1; accepted: 0 to 1");
  for (double cost : game.decision.estimates.mean(1)) EXPECT_GE(cost, 0.0);
}

// Under almost_sure the queue and the oracle see max(0, g); the books see g.
TEST(Settings, AlmostSureLearnsThePositivePart) {
  const Case c{
      .spec = "ccb(oracle=vaw(features=per_action),rounds=100,setting=almost_sure,tuning=theory)",
      .shape = {.actions = 1, .costs = {{}}}};
  Game signs(c), parts(c);
  const Round round{.actions = 1};
  double spent = 0.0;
  for (int t = 0; t < 50; ++t) {
    const double cost = t % 2 == 0 ? -0.8 : 0.4;
    for (Game* game : {&signs, &parts}) {
      game->policy->decide(round, game->rng, game->scratch, game->decision).check();
      const double shown = game == &parts ? std::max(cost, 0.0) : cost;
      game->policy->learn(round, game->decision, {.reward = 0.5, .costs = {shown}}).check();
    }
    spent += cost;
  }
  EXPECT_NEAR(signs.policy->state().spent[0], spent, 1e-12);
  EXPECT_NEAR(signs.policy->state().queues[0], 25 * 0.4, 1e-12);
  EXPECT_EQ(signs.decision.estimates.mean(1)[0], parts.decision.estimates.mean(1)[0]);
  EXPECT_NEAR(signs.decision.estimates.mean(1)[0], 0.2, 0.02);  // E[g+], where (E g)+ is 0
}

TEST(Settings, AlmostSureTakesCostsThatAreNeverPositive) {
  Case c{.spec = "ccb(rounds=100,setting=almost_sure,tuning=theory)", .shape = shape_of(1)};
  c.shape.costs[0].range = {-2.0, 0.0};
  Game game(c);
  game.play(0, 30);
  EXPECT_EQ(game.policy->state().queues[0], 0.0);
  EXPECT_LT(game.policy->state().spent[0], 0.0);
  for (double cost : game.decision.estimates.mean(1)) EXPECT_EQ(cost, 0.0);
}

TEST(Settings, PacingTakesTheRateFromEveryRound) {
  Case c{.spec = "ccb(budget=80,rounds=100,setting=pacing,u=9,tuning=theory)",
         .shape = shape_of(1)};
  c.shape.costs[0].range = {0.0, 4.0};  // 80 in all is 0.8 a round, 0.2 in units
  Game game(c);
  const OwnedRound round = round_of(c.shape, 0);
  double queue = 0.0;
  for (double cost : {0.0, 4.0, 2.0, 1.0}) {
    game.policy->decide(round.view(), game.rng, game.scratch, game.decision).check();
    EXPECT_NEAR(game.decision.prices[0], 2.0 * std::max(queue, 0.0) / 60.0 / 4.0, 1e-15);
    game.policy->learn(round.view(), game.decision, {.reward = 0.0, .costs = {cost}}).check();
    queue += cost / 4.0 - 0.2;
    EXPECT_NEAR(game.policy->state().queues[0], queue, 1e-15);
  }
  EXPECT_DOUBLE_EQ(game.policy->state().spent[0], 7.0);  // consumption, not the excess
}

// None: price 0, z = 1, and 1 for m + 1 in gamma.
TEST(Settings, WithoutPricesGammaIsThatOfOneHead) {
  const Shape shape = shape_of(3);
  for (const auto& [spec, costs] : std::vector<std::pair<std::string, double>>{
           {"ccb(rounds=100,u=9,tuning=theory)", 3.0},
           {"ccb(pricer=none,rounds=100,u=9,tuning=theory)", 0.0}}) {
    Game game({.spec = spec, .shape = shape});
    game.play(0);
    EXPECT_NEAR(game.decision.gamma, std::sqrt(4 / 9.0) / (costs + 1.0), 1e-15) << spec;
  }
}

}  // namespace
}  // namespace rein
