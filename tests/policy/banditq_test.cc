// banditq by hand, and what its targets are for.
#include <gtest/gtest.h>

#include <cmath>

#include "policy/by_hand.h"

namespace rein {
namespace {

// V = sqrt(100) = 10. Round 1, action 1 gives 0.4: s = 4, L_1 = (10 - 4) / 0.5 = 12; action 0 is
// owed 0.5. Round 2: M = 10.5, eta = sqrt(ln 2 / (2 (100 + 10.5^2))).
TEST(BanditQ, TwoRoundsOfTargetsByHand) {
  Hand hand(two_actions("banditq(targets=[0.5,0])", {}));
  EXPECT_EQ(hand.decide().probabilities()[0], 0.5);
  hand.learn(1, {.reward = 0.4});
  double eta = std::sqrt(std::log(2.0) / (2.0 * (100.0 + 10.5 * 10.5)));
  const Decision& d = hand.decide();
  const double p = 1.0 / (1.0 + std::exp(-12.0 * eta));
  EXPECT_NEAR(d.gamma, eta, 1e-15);
  EXPECT_NEAR(d.probabilities()[0], p, 1e-14);
  hand.game.decision.probability = p;
  hand.learn(0, {.reward = 0.6});  // s = 10.5 * 0.6 = 6.3: L_0 = 4.2 / p; owed 0.5 + 0.5 - 0.6
  eta = std::sqrt(std::log(2.0) / (2.0 * (100.0 + 10.5 * 10.5 + 10.4 * 10.4)));
  hand.decide();
  EXPECT_NEAR(d.gamma, eta, 1e-15);
  EXPECT_NEAR(d.probabilities()[0], 1.0 / (1.0 + std::exp(eta * (4.2 / p - 12.0))), 1e-13);
}

// b = 1/4. Round 1, action 0 gives 0.5 and costs 1: P = 0 as yet, L_0 = (10 - 5) / 0.5 = 10. Then
// P = 0.75 and M = 10 + 0.75 * 1.25. Round 2, action 1 gives 0.2 and costs 0: s = 2 + 0.75 * 0.25.
TEST(BanditQ, TwoRoundsOfABudgetByHand) {
  Hand hand(two_actions("banditq(budget=25)", {{0.0, 1.0}}));
  EXPECT_EQ(hand.decide().prices[0], 0.0);
  hand.learn(0, {.reward = 0.5, .costs = {1.0}});
  const Decision& d = hand.decide();
  EXPECT_NEAR(d.prices[0], 0.075, 1e-15);
  const double m = 10.9375;
  double eta = std::sqrt(std::log(2.0) / (2.0 * (100.0 + m * m)));
  const double p = 1.0 / (1.0 + std::exp(-10.0 * eta));
  EXPECT_NEAR(d.probabilities()[1], p, 1e-14);
  hand.game.decision.probability = p;
  hand.learn(1, {.reward = 0.2, .costs = {0.0}});
  EXPECT_NEAR(hand.state().queues[0], 0.5, 1e-15);
  const double next = 10.0 + 0.5 * 1.25;
  eta = std::sqrt(std::log(2.0) / (2.0 * (100.0 + m * m + next * next)));
  hand.decide();
  const double loss = (m - 2.1875) / p;
  EXPECT_NEAR(d.probabilities()[1], 1.0 / (1.0 + std::exp(eta * (loss - 10.0))), 1e-13);
  EXPECT_EQ(hand.state().setting, Setting::kKnapsack);
}

// Action 0 gives 1, action 1 gives 0.5 but is promised 0.2 a round: it must be played in at least
// 40 % of the rounds, where without a target it is left.
TEST(BanditQ, MeetsTargetsThatTheBestActionWouldNot) {
  const auto share_of_second = [](const std::string& spec) {
    Case c = two_actions(spec, {});
    c.shape.rounds = 20'000;
    Hand hand(c);
    int second = 0;
    for (int t = 0; t < 20'000; ++t) {
      const int action = hand.decide().action;
      second += action;
      hand.learn(action, {.reward = action == 0 ? 1.0 : 0.5});
    }
    return second / 20'000.0;
  };
  EXPECT_LT(share_of_second("banditq"), 0.2);
  EXPECT_GT(share_of_second("banditq(targets=[0,0.2])"), 0.34);
}

TEST(BanditQ, RefusesWhatItCannotUse) {
  const Shape shape = two_actions("", {}).shape;
  EXPECT_EQ(make_policy("banditq(targets=[1,2,3])", shape).error(),
            "policy spec: key \"targets\" has 3 numbers; accepted: one, or one per action (2)");
  Hand hand(two_actions("banditq", {}));
  hand.decide();
  hand.game.decision.probability = 0.0;
  EXPECT_EQ(hand.game.policy->learn(hand.round(), hand.game.decision, {.reward = 0.0}).error(),
            "decision: found probability 0; accepted: what decide() wrote, above 0 to 1");
}

}  // namespace
}  // namespace rein
