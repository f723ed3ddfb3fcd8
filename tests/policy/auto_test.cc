// tuning=auto: how a budget may be given, what is refused, and what it keeps track of.
#include <gtest/gtest.h>

#include "policy/play.h"

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
  EXPECT_GE(spent, 4.0);
}

}  // namespace
}  // namespace rein
