// A warm start: logged rounds teach a policy, and nothing is counted or spent.
#include <gtest/gtest.h>

#include "policy/play.h"

namespace rein {
namespace {

const Shape kWarmShape{.actions = 3, .context = 2, .costs = {{"dollars", {0.0, 1.0}}}};

// Rewards and costs are linear in the context. What a dollar brings is the first number.
Outcome linear_outcome(const Round& round, int action, int t) {
  Rng rng(5, static_cast<std::uint64_t>(t));
  const int id = round.id(action);
  const double x = round.context[0];
  return {.reward = 0.3 * id * x + 0.1 * (rng.uniform() - 0.5), .costs = {0.3 * id}};
}

OwnedRound context_round(int t) {
  Rng rng(3, static_cast<std::uint64_t>(t));
  OwnedRound round;
  round.actions = 3;
  round.context = {rng.uniform(), rng.uniform()};
  return round;
}

// Learns rows of a log whose actions were drawn at random, and rehearses on them.
void teach(Policy& policy, int rows, int first = 0) {
  Rng rng(17);
  Decision given;
  for (int t = first; t < first + rows; ++t) {
    const OwnedRound round = context_round(t);
    given.action = static_cast<int>(rng.below(3));
    policy.learn(round.view(), given, linear_outcome(round.view(), given.action, t), Part::kWarm)
        .check();
  }
  for (int t = first; t < first + rows; ++t) {
    policy.learn(context_round(t).view(), given, Outcome{}, Part::kWarm).check();
  }
}

TEST(Warm, TeachesTheOracleAndCountsNothing) {
  const auto policy = make_policy("ccb(budget=30,rounds=100)", kWarmShape).value();
  const PolicyState before = policy->state();
  teach(*policy, 300);
  const PolicyState after = policy->state();
  EXPECT_EQ(after.warm, 300);
  EXPECT_EQ(after.rounds, 0);
  EXPECT_EQ(after.reward, 0.0);
  EXPECT_EQ(after.spent[0], 0.0);
  EXPECT_EQ(after.queues[0], before.queues[0]);
  EXPECT_EQ(after.effective_size, 0.0);

  const OwnedRound round = context_round(1000);
  Scratch scratch(*policy);
  Decision decision(*policy);
  Rng rng(1);
  policy->decide(round.view(), rng, scratch, decision).check();
  for (int a = 0; a < 3; ++a) {
    EXPECT_NEAR(decision.estimates.mean(0)[a], 0.3 * a * round.context[0], 0.03);
    EXPECT_NEAR(decision.estimates.mean(1)[a], 0.3 * a, 0.02);
    EXPECT_LT(decision.estimates.width()[a], 0.1);
  }
}

// The price is solved on the log: a policy without one begins at 0.
TEST(Warm, ThereIsAPriceBeforeTheFirstRound) {
  const auto cold = make_policy("ccb(budget=10,rounds=100)", kWarmShape).value();
  EXPECT_EQ(cold->state().parameters[0], 0.0);
  const auto policy = make_policy("ccb(budget=10,rounds=100)", kWarmShape).value();
  teach(*policy, 640);
  Scratch scratch(*policy);
  Decision decision(*policy);
  Rng rng(1);
  double paid = 0.0;
  for (int t = 0; t < 200; ++t) {
    const OwnedRound next = context_round(2000 + t);
    policy->decide(next.view(), rng, scratch, decision).check();
    for (int a = 0; a < 3; ++a) paid += 0.3 * a * decision.probabilities()[a] / 200.0;
  }
  EXPECT_GT(decision.prices[0], 0.1);
  EXPECT_NEAR(paid, 0.1, 0.03) << "the budget per round, though nothing was spent yet";
}

TEST(Warm, SignedCostsHaveAPriceToo) {
  const Shape both{.actions = 2, .context = 1, .costs = {{"net", {-1.0, 1.0}}}};
  const auto policy = make_policy("ccb(setting=expectation)", both).value();
  Decision given;
  for (int t = 0; t < 640; ++t) {
    OwnedRound round;
    round.actions = 2;
    round.context = {1.0};
    given.action = t % 2;
    const Outcome outcome{.reward = given.action == 1 ? 0.8 : 0.1 + 0.01 * (t % 3),
                          .costs = {given.action == 1 ? 0.5 : -0.5}};
    policy->learn(round.view(), given, outcome, Part::kWarm).check();
    policy->learn(round.view(), given, Outcome{}, Part::kWarm).check();
  }
  EXPECT_GT(policy->state().parameters[0], 0.0);
  EXPECT_TRUE(std::isfinite(policy->state().parameters[0]));
}

TEST(Warm, IsSavedToTheBit) {
  const Case c{.spec = "ccb(budget=30,rounds=100)", .shape = kWarmShape};
  Game one(c), other(c);
  teach(*one.policy, 100);
  other.policy->load(one.policy->save()).check();
  EXPECT_EQ(other.policy->state().warm, 100);
  teach(*one.policy, 50, 100);
  teach(*other.policy, 50, 100);
  for (int t = 0; t < 50; ++t) {
    one.play(t);
    other.play(t);
    ASSERT_EQ(copy(one.decision.probabilities()), copy(other.decision.probabilities()));
  }
  EXPECT_EQ(one.policy->save(), other.policy->save());
}

TEST(Warm, MissingPartsAreLearnedByTheOtherHeads) {
  const auto policy = make_policy("ccb(budget=30,rounds=100)", kWarmShape).value();
  Decision given;
  for (int t = 0; t < 200; ++t) {
    const OwnedRound round = context_round(t);
    given.action = t % 3;
    Outcome outcome = linear_outcome(round.view(), given.action, t);
    if (t % 2 == 0) outcome.reward = kMissing;
    policy->learn(round.view(), given, outcome, Part::kWarm).check();
  }
  EXPECT_EQ(policy->state().warm, 200);
  policy->learn(context_round(0).view(), given, Outcome{}, Part::kWarm).check();
  EXPECT_EQ(policy->state().warm, 200) << "rehearsed, not learned";
}

// The theorem speaks of rounds that the policy decided. U of the certificate still holds.
TEST(Warm, ClaimsNoTheorem) {
  const auto theory = make_policy("ccb(budget=30,rounds=100,tuning=theory)", kWarmShape).value();
  EXPECT_TRUE(theory->state().theorem.has_value());
  teach(*theory, 10);
  EXPECT_FALSE(theory->state().theorem.has_value());
  EXPECT_TRUE(std::isnan(theory->state().u));
  const auto tuned = make_policy("ccb(budget=30,rounds=100)", kWarmShape).value();
  teach(*tuned, 100);
  EXPECT_GT(tuned->state().u, 1.0);
}

TEST(Warm, ADecisionThatWasOpenMeanwhileIsNotFresh) {
  const Case c{.spec = "ccb(budget=30,rounds=100)", .shape = kWarmShape};
  Game game(c);
  const OwnedRound round = context_round(1);
  game.policy->decide(round.view(), game.rng, game.scratch, game.decision).check();
  teach(*game.policy, 100);
  // Y of a decision that waited adds the distance to what the oracle says now.
  const double before = game.policy->state().u;
  game.policy
      ->learn(round.view(), game.decision, linear_outcome(round.view(), game.decision.action, 1))
      .check();
  EXPECT_GT(game.policy->state().u, before);
  EXPECT_EQ(game.policy->state().rounds, 1);
}

TEST(Warm, RefusesWhatDoesNotFit) {
  const auto policy = make_policy("ccb(budget=30,rounds=100)", kWarmShape).value();
  const std::string before = policy->save();
  const OwnedRound round = context_round(1);
  Decision given;
  for (int action : {-1, 3}) {
    given.action = action;
    EXPECT_FALSE(
        policy->learn(round.view(), given, {.reward = 0.1, .costs = {0.1}}, Part::kWarm).ok());
  }
  given.action = 0;
  EXPECT_FALSE(
      policy->learn(round.view(), given, {.reward = 7.0, .costs = {0.1}}, Part::kWarm).ok());
  EXPECT_EQ(policy->save(), before);
  const auto peer = make_policy("pgd(budget=30,rounds=100)", kWarmShape).value();
  const auto refused =
      peer->learn(round.view(), given, {.reward = 0.1, .costs = {0.1}}, Part::kWarm);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().find("made of parts"), std::string::npos) << refused.error();
}

// Wrappers pass it on: a hard stop pays nothing for it, and a goal maps it.
TEST(Warm, GoesThroughStopsAndGoals) {
  const auto stop =
      make_policy("stop(of=ccb(rate=0.1,rounds=100),null=0,at=1)", kWarmShape).value();
  teach(*stop, 100);
  EXPECT_EQ(stop->state().warm, 100);
  EXPECT_EQ(stop->state().spent[0], 0.0);
  Scratch scratch(*stop);
  Decision decision(*stop);
  Rng rng(1);
  stop->decide(context_round(1).view(), rng, scratch, decision).check();
  EXPECT_LT(decision.probabilities()[0], 1.0) << "its money is still there";

  const auto goal =
      make_policy("ccb(minimize=dollars,at_least=[reward,0.2],rounds=100)", kWarmShape).value();
  teach(*goal, 300);
  Decision made(*goal);
  Scratch room(*goal);
  goal->decide(context_round(1).view(), rng, room, made).check();
  EXPECT_NEAR(made.estimates.mean(1)[2], 0.6, 0.02);
}

// Every policy that is made of parts takes a log, and its decisions stay sound.
class WarmPolicy : public testing::TestWithParam<const char*> {};
TEST_P(WarmPolicy, DecidesAfterIt) {
  Shape shape = kWarmShape;
  shape.rounds = 100;
  shape.budgets = {30.0};
  Game game({.spec = GetParam(), .shape = shape});
  teach(*game.policy, 100);
  for (int t = 0; t < 30; ++t) game.play(t);
  EXPECT_EQ(game.policy->state().rounds, 30);
  EXPECT_EQ(game.policy->state().warm, 100);
}
INSTANTIATE_TEST_SUITE_P(All, WarmPolicy,
                         testing::Values("ccb", "ccb(tuning=theory)", "squarecb", "lincbwk",
                                         "squarecbwk", "loe2d", "greedy", "uniform",
                                         "ccb(oracle=forest)", "ccb(oracle=mlp)",
                                         "ccb(oracle=auto)", "ccb(baseline=0)",
                                         "ccb(holdout=0.1,control=0)"));

}  // namespace
}  // namespace rein
