// tuning=auto: how a budget may be given, what is refused, and what it keeps track of.
#include <gtest/gtest.h>

#include "engine/small.h"
#include "policy/play.h"
#include "rein/world.h"

namespace rein {
namespace {

const Shape kShape{.actions = 3, .context = 2, .costs = {{"dollars", {0.0, 1.0}}}};

std::string refusal(const std::string& spec, const Shape& shape = kShape) {
  const auto made = make_policy(spec, shape);
  return made.ok() ? "" : made.error();
}

TEST(Auto, TakesABudgetAsATotalARateOrBoth) {
  for (const char* spec :
       {"ccb(budget=100,rounds=1000,tuning=auto)", "ccb(rate=0.1,tuning=auto)",
        "ccb(rate=0.1,rounds=1000,tuning=auto)", "ccb(budget=100,rate=0.1,tuning=auto)"}) {
    EXPECT_EQ(refusal(spec), "") << spec;
  }
}

TEST(Auto, SaysWhatItNeeds) {
  EXPECT_EQ(
      refusal("ccb(budget=100,tuning=auto)"),
      "policy spec: tuning=auto in setting knapsack needs to know how fast to spend; accepted: "
      "rate=PER_ROUND, or budget=TOTAL with rounds=N");
  EXPECT_EQ(refusal("ccb(rate=[0.1,0.2],tuning=auto)"),
            "policy spec: key \"rate\" has 2 numbers; accepted: one per cost (1)");
  Shape two = kShape;
  two.costs.push_back({"grams", {0.0, 1.0}});
  EXPECT_EQ(
      refusal("ccb(budget=[100,100],rate=[0.1,0.2],tuning=auto)", two),
      "policy spec: \"budget\" and \"rate\" together say how long a budget lasts, and these do not "
      "agree; accepted: budget = rate x rounds for every cost");
}

TEST(Auto, NeedsNoRoundsWithoutABudget) {
  EXPECT_EQ(refusal("ccb(setting=expectation,tuning=auto)"), "");
}

// The two ways to say the same budget make the same decisions.
TEST(Auto, ATotalAndARateAreTheSameBudget) {
  Game total({.spec = "ccb(budget=30,rounds=300,tuning=auto)", .shape = kShape});
  Game both({.spec = "ccb(budget=30,rate=0.1,tuning=auto)", .shape = kShape});
  for (int t = 0; t < 300; ++t) {
    total.play(t);
    both.play(t);
    ASSERT_EQ(copy(total.decision.probabilities()), copy(both.decision.probabilities()));
  }
}

TEST(Auto, CertifiesItsOwnUUnlessOneIsGiven) {
  Game own({.spec = "ccb(rate=0.1,tuning=auto)", .shape = kShape});
  Game given({.spec = "ccb(rate=0.1,tuning=auto,u=77)", .shape = kShape});
  double last = 1.0;
  for (int t = 0; t < 100; ++t) {
    own.play(t);
    given.play(t);
    EXPECT_GE(own.policy->state().u, last);  // never falls
    last = own.policy->state().u;
  }
  EXPECT_GT(last, 1.0);
  EXPECT_EQ(given.policy->state().u, 77.0);
}

TEST(Auto, PromisesNoBound) {
  EXPECT_FALSE(make_policy("ccb(rate=0.1,tuning=auto)", kShape).value()->state().theorem);
}

// What is left of a budget is not risked on one action.
TEST(Auto, ABudgetOfFiveActionsIsNotPassedByMany) {
  Game game({.spec = "ccb(budget=5,rounds=200,tuning=auto)", .shape = kShape});
  Rng rng(6);
  double spent = 0.0;
  for (int t = 0; t < 200; ++t) {
    const std::vector<double> x = {rng.uniform(), rng.uniform()};
    const Round round{.actions = 3, .context = x};
    game.policy->decide(round, game.rng, game.scratch, game.decision).check();
    const double cost = 0.5 * game.decision.action;  // 0, 0.5 or 1
    spent += cost;
    game.policy->learn(round, game.decision, {.reward = cost, .costs = {cost}}).check();
  }
  EXPECT_LE(spent, 5.5);
  EXPECT_GE(spent, 3.5);
}

// One seed says little. With a first price after eight rounds, and nothing played that costs over a
// quarter of what is left, 0.81 of the budget was spent.
TEST(Auto, TheLastOfABudgetOfFiveActionsIsSpent) {
  double spent = 0.0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Game game({.spec = "ccb(budget=5,rounds=200)", .shape = kShape});
    Rng draws(seed), rng(100 + seed);
    double one = 0.0;
    for (int t = 0; t < 200; ++t) {
      const std::vector<double> x = {rng.uniform(), rng.uniform()};
      const Round round{.actions = 3, .context = x};
      game.policy->decide(round, draws, game.scratch, game.decision).check();
      const double cost = 0.5 * game.decision.action;
      one += cost;
      game.policy->learn(round, game.decision, {.reward = cost, .costs = {cost}}).check();
    }
    EXPECT_LE(one, 5.5);
    spent += one / 30.0;
  }
  EXPECT_GE(spent, 0.84 * 5.0);
}

// The budget is what the cheapest action costs; one play of the last takes 30 % of it. The first
// plays used to be drawn from all actions.
TEST(Auto, AToldPriceIsUsedFromTheFirstRound) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Game game(
        {.spec = "ccb(budget=1,expected_costs=[0.001,0.02,0.3],rounds=1000)", .shape = kShape});
    Rng draws(seed), rng(100 + seed);
    double spent = 0.0;
    for (int t = 0; t < 1000; ++t) {
      const std::vector<double> x = {rng.uniform(), rng.uniform()};
      const Round round{.actions = 3, .context = x};
      game.policy->decide(round, draws, game.scratch, game.decision).check();
      const int a = game.decision.action;
      const double cost = a == 0 ? 0.001 : a == 1 ? 0.02 : 0.3;
      spent += cost;
      game.policy->learn(round, game.decision, {.reward = 0.7 + 0.1 * a, .costs = {cost}}).check();
    }
    EXPECT_LE(spent, 1.01) << seed;
  }
}

// VAW's divisor counts from 40 rounds per feature on, in full from 80 on, or without a horizon.
TEST(Auto, TheDivisorOfTheOracleFollowsTheRoundsPerFeature) {
  struct Case {
    const char* rounds;
    const char* oracle;
  };
  for (const auto& [rounds, oracle] :
       {Case{"rounds=100", "vaw(forward=0,memory=auto)"},
        Case{"rounds=180", "vaw(forward=0.5,memory=auto)"}, Case{"rounds=240", "vaw(memory=auto)"},
        Case{"horizon=0,rounds=100", "vaw(memory=auto)"}}) {
    const std::string keys = std::string("rate=0.1,") + rounds;
    Game usual({.spec = "ccb(" + keys + ")", .shape = kShape});
    Game given({.spec = "ccb(" + keys + ",oracle=" + oracle + ")", .shape = kShape});
    Game other({.spec = "ccb(" + keys + ",oracle=vaw(forward=0.3,memory=auto))", .shape = kShape});
    bool differs = false;
    for (int t = 0; t < 90; ++t) {
      usual.play(t);
      given.play(t);
      other.play(t);
      ASSERT_EQ(copy(usual.decision.probabilities()), copy(given.decision.probabilities()));
      differs |= copy(usual.decision.probabilities()) != copy(other.decision.probabilities());
    }
    EXPECT_TRUE(differs) << rounds;
  }
}

// Where the curves would need over 16 MiB there are none.
TEST(Auto, TheDefaultOracleIsTheRaceOfOracles) {
  const auto size = [](const Shape& shape, const std::string& spec) {
    return make_policy(spec, shape).value()->save().size() - spec.size();  // it is saved too
  };
  Shape shape = kShape;
  EXPECT_EQ(size(shape, "ccb(rate=0.1)"), size(shape, "ccb(oracle=auto,rate=0.1)"));
  EXPECT_NE(size(shape, "ccb(rate=0.1)"), size(shape, "ccb(oracle=vaw(memory=auto),rate=0.1)"));
  shape.context = 4;
  shape.actions = 3063;
  EXPECT_EQ(size(shape, "ccb(rate=0.1)"), size(shape, "ccb(oracle=auto,rate=0.1)"));
  shape.actions = 3064;
  EXPECT_EQ(size(shape, "ccb(rate=0.1)"), size(shape, "ccb(oracle=vaw(memory=auto),rate=0.1)"));
  shape.features = 2;  // actions share what is learned
  EXPECT_EQ(size(shape, "ccb(rate=0.1)"), size(shape, "ccb(oracle=auto,rate=0.1)"));
}

// Unknown actions used to look free: 1.27 of the budget was spent.
TEST(Auto, ManyUnknownActionsDoNotBreakTheBudget) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  auto world = make_world(parse_spec("heavy(k=1000)").value(), 1, 1000).value();
  auto policy = make_policy("ccb", world->shape()).value();
  Scratch scratch(*policy);
  Decision decision(*policy);
  Rng rng(1);
  Outcome outcome;
  for (int t = 0; t < 1000; ++t) {
    const Round& round = world->next();
    policy->decide(round, rng, scratch, decision).check();
    world->outcome(decision.action, outcome);
    policy->learn(round, decision, outcome).check();
  }
  EXPECT_LE(policy->state().spent[0], 1.005 * 0.05 * 1000);
}

TEST(Auto, ExpectedCostsAreChecked) {
  EXPECT_EQ(refusal("ccb(expected_costs=[0.1,0.2,0.9],rate=0.1)"), "");
  EXPECT_EQ(refusal("ccb(expected_costs=[0.1,0.2],rate=0.1)"),
            "policy spec: key \"expected_costs\" has 2 numbers; accepted: one per action and cost "
            "(3 actions, 1 costs)");
  EXPECT_EQ(refusal("ccb(expected_costs=[0.1,0.2,7],rate=0.1)"),
            "policy spec: key \"expected_costs\" has 7 at 2; accepted: 0 to 1");
  EXPECT_EQ(
      refusal("ccb(expected_costs=[0.1,0.2,0.9],budget=10,rounds=100,tuning=theory)"),
      "policy spec: tuning=theory learns every cost; accepted: expected_costs with tuning=auto");
  Game game({.spec = "ccb(rate=0.1)", .shape = kShape});
  const std::vector<double> x{0.1, 0.2}, two{0.1, 0.2}, out{0.1, 0.2, 7.0};
  const Round few{.actions = 3, .context = x, .expected_costs = two};
  const Round over{.actions = 3, .context = x, .expected_costs = out};
  EXPECT_EQ(validate(kShape, few).error(), "round: found 2 expected costs; accepted: 3");
  EXPECT_EQ(validate(kShape, over).error(), "round: expected_costs[2] is 7; accepted: 0 to 1");
}

}  // namespace
}  // namespace rein
