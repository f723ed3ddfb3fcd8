// optimistic3 by hand: one context, its table, and the heuristic where there are too many.
#include <gtest/gtest.h>

#include <cmath>

#include "policy/by_hand.h"

namespace rein {
namespace {

double first_of(double log_ratio) { return 1.0 / (1.0 + std::exp(-log_ratio)); }

// alpha 2, means for bounds. Round 1: action 0 gives 1/2 and costs 1: means f = (1/4, 0), g = (1/2,
// 0). Then pi ~ exp(f / 2) and E = pi_0 / 2. Round 2: action 1 gives 0.2 and costs -1. Q = 2 E.
TEST(Optimistic3, TwoRoundsByHand) {
  Hand hand(two_actions("optimistic3(radius_scale=0)", {{-1.0, 1.0}}));
  EXPECT_EQ(hand.decide().probabilities()[0], 0.5);
  hand.learn(0, {.reward = 0.5, .costs = {1.0}});
  const Decision& d = hand.decide();
  const double p = first_of(0.125);
  EXPECT_NEAR(d.probabilities()[0], p, 1e-14);
  EXPECT_EQ(d.prices[0], 0.0);  // nothing was expected of round 1
  hand.learn(1, {.reward = 0.2, .costs = {-1.0}});
  const double q = 2.0 * 0.5 * p;
  hand.decide();
  EXPECT_NEAR(d.prices[0], q, 1e-14);
  // f = (1/4, 1/10), g = (1/2, -1/2): the step adds (0.15 - q) / 2 to the log of the ratio.
  const double next = first_of(0.125 + (0.15 - q) / 2.0);
  EXPECT_NEAR(d.probabilities()[0], next, 1e-14);
  hand.learn(1, {.reward = 0.2, .costs = {-1.0}});
  // Q - E_2 + 2 E_3, E_3 = 0.5 next - 0.5 (1 - next).
  EXPECT_NEAR(hand.decide().prices[0], q - 0.5 * p + 2.0 * (next - 0.5), 1e-14);
  EXPECT_EQ(hand.state().setting, Setting::kExpectation);
}

// The same without a table: t f - (Q_1 + ... + Q_t) g instead of a sum of steps.
TEST(Optimistic3, TheHeuristicByHand) {
  Hand hand(two_actions("optimistic3(classes=0,radius_scale=0)", {{-1.0, 1.0}}));
  hand.decide();
  hand.learn(0, {.reward = 0.5, .costs = {1.0}});
  const Decision& d = hand.decide();
  const double p = first_of(2.0 * 0.25 / 2.0);
  EXPECT_NEAR(d.probabilities()[0], p, 1e-14);
  hand.learn(1, {.reward = 0.2, .costs = {-1.0}});
  const double q = 2.0 * (0.5 * p / 2.0);  // E is the mean of 0 and p / 2
  hand.decide();
  EXPECT_NEAR(d.prices[0], q, 1e-14);
  EXPECT_NEAR(d.probabilities()[0], first_of((3.0 * 0.15 - q) / 2.0), 1e-14);
}

TEST(Optimistic3, BoundsAreUpperForTheRewardAndLowerForTheCost) {
  Hand hand(two_actions("optimistic3(rate=0.25)", {{0.0, 1.0}}));
  hand.decide();
  hand.learn(0, {.reward = 0.5, .costs = {1.0}});
  const double r = std::sqrt(2.0 * std::log(4.0 / 0.05) + std::log(1.0 + 2.0)) + 1.0;
  // Costs enter with Q = 0: E of round 1 was -b - r(0) at both actions, far below 0.
  const double ratio = (0.25 + r * (std::sqrt(0.5) - 1.0)) / 2.0;
  EXPECT_NEAR(hand.decide().probabilities()[0], first_of(ratio), 1e-13);
}

// Two contexts, e_1 and e_2; rows of their own, and both move in every round.
struct TwoContexts {
  explicit TwoContexts(const std::string& spec)
      : game({.spec = spec, .shape = {.actions = 2, .context = 2, .costs = {{}}, .rounds = 100}}) {}
  Round round(int which) const { return {.actions = 2, .context = which == 0 ? first : second}; }
  const Decision& decide(int which) {
    game.policy->decide(round(which), game.rng, game.scratch, game.decision).check();
    return game.decision;
  }
  void learn(int which, int action, const Outcome& outcome) {
    decide(which);
    game.decision.action = action;
    game.policy->learn(round(which), game.decision, outcome).check();
  }
  std::vector<double> first = {1.0, 0.0}, second = {0.0, 1.0};
  Game game;
};

// What is expected of a context counts as often as the context comes, or as its chance says.
TEST(Optimistic3, ExpectationsAreWeighedByTheLaw) {
  const auto queue_after = [](const std::string& options) {
    TwoContexts two("optimistic3(radius_scale=0,oracle=ridge(bias=0)" + options + ")");
    for (int t = 0; t < 3; ++t) two.learn(0, t % 2, {.reward = 0.0, .costs = {0.5}});
    for (int t = 0; t < 2; ++t) two.learn(1, t, {.reward = 0.0, .costs = {-0.25}});
    const double before = two.game.policy->state().queues[0];
    two.learn(0, 0, {.reward = 0.0, .costs = {0.5}});
    return two.game.policy->state().queues[0] - before;
  };
  const double likely = queue_after(",chances=[9,1]"), rare = queue_after(",chances=[1,9]");
  const double same = queue_after(",law=uniform"), seen = queue_after("");
  EXPECT_GT(likely, same);
  EXPECT_GT(same, rare);
  EXPECT_GT(likely, seen);  // 3 of 4, then 3 of 5
  EXPECT_GT(seen, rare);
}

TEST(Optimistic3, MoreContextsThanItMayRememberLeaveTheHeuristic) {
  const std::string options = "radius_scale=0.1)";
  const Shape shape{.actions = 3, .context = 2, .costs = {{}}, .rounds = 100};
  Game table({.spec = "optimistic3(classes=4," + options, .shape = shape});
  const auto size_after = [&](int rounds) {
    table.play(static_cast<int>(table.policy->state().rounds), rounds);
    return table.policy->save().size();
  };
  const std::size_t four = size_after(4);
  EXPECT_LT(size_after(9), four);  // forgot its four
  EXPECT_EQ(table.policy->save().size(), size_after(60));
}

TEST(Optimistic3, RefusesWhatItCannotUse) {
  const Shape shape{.actions = 2, .context = 2, .costs = {{}}, .rounds = 100};
  const std::string told =
      "policy spec: key \"chances\" has 3 numbers; accepted: one for every number of the context "
      "(2), and no \"law\"";
  EXPECT_EQ(make_policy("optimistic3(chances=[1,2,3])", shape).error(), told);
  EXPECT_FALSE(make_policy("optimistic3(chances=[1,2],law=uniform)", shape).ok());
  EXPECT_FALSE(make_policy("optimistic3(oracle=ons)", shape).ok());
}

}  // namespace
}  // namespace rein
