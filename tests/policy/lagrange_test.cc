// lagrange: two rounds worked by hand in both duals, and the three rules for eta.
#include <gtest/gtest.h>

#include <cmath>

#include "policy/by_hand.h"

namespace rein {
namespace {

constexpr Range kSigned{-1.0, 1.0};
constexpr Range kPositive{0.0, 1.0};

// T = 100, B = 50, m = 2, U = 4, K = 2; eta = 3. Hedge over (time, cost 0, cost 1):
// step = sqrt(ln 3 / 100) / (3 (1 + 2)); payoff 3 (2 c_i - 1), and 0 of time.
TEST(Lagrange, TwoRoundsByHand) {
  const double step = std::sqrt(std::log(3.0) / 100.0) / 9.0;
  Hand hand(two_actions("lagrange(budget=[50,50],eta=3,u=4)", {kPositive, kPositive}));
  const Decision& first = hand.decide();
  // score = f + 3 sum lambda_i (1 - 2 c_i): the price of c_i is 6 lambda_i, lambda_i = 1 / 3.
  EXPECT_NEAR(first.prices[0], 2.0, 1e-12);
  EXPECT_NEAR(first.prices[1], 2.0, 1e-12);
  EXPECT_NEAR(first.gamma, (0.5 / 3.0) * std::sqrt(200.0 / (3.0 * 4.0)), 1e-12);
  hand.learn(0, {.reward = 0.5, .costs = {1.0, 0.25}});  // payoffs 3 and -1.5

  const double w0 = std::exp(step * 3.0), w1 = std::exp(step * -1.5);
  const Decision& second = hand.decide();
  EXPECT_NEAR(second.prices[0], 6.0 * w0 / (1.0 + w0 + w1), 1e-12);
  EXPECT_NEAR(second.prices[1], 6.0 * w1 / (1.0 + w0 + w1), 1e-12);
  hand.learn(1, {.reward = 0.0, .costs = {0.5, 0.75}});  // payoffs 0 and 1.5: the second is even
  const double v0 = std::exp(step * 3.0), v1 = 1.0;
  const Decision& third = hand.decide();
  EXPECT_NEAR(third.prices[0], 6.0 * v0 / (1.0 + v0 + v1), 1e-12);
  EXPECT_NEAR(third.prices[1], 6.0 * v1 / (1.0 + v0 + v1), 1e-12);
}

TEST(Lagrange, FixedShareByHand) {
  const double step = std::sqrt(std::log(2.0) / 100.0) / 3.0;  // eta = 1, B = 50, m = 1
  Hand hand(two_actions("lagrange(budget=50,dual=fixed_share,eta=1,share=0.1,u=4)", {kPositive}));
  EXPECT_NEAR(hand.decide().prices[0], 1.0, 1e-12);  // 2 lambda, lambda = 1 / 2
  hand.learn(0, {.costs = {1.0}});                   // payoff 1
  const double w = std::exp(step) / (1.0 + std::exp(step));
  const double shared = 0.9 * w + 0.05;
  EXPECT_NEAR(hand.decide().prices[0], 2.0 * shared, 1e-12);
  hand.learn(0, {.costs = {0.0}});  // payoff -1
  const double up = shared * std::exp(-step);
  const double again = up / (up + 1.0 - shared);
  EXPECT_NEAR(hand.decide().prices[0], 2.0 * (0.9 * again + 0.05), 1e-12);
}

TEST(Lagrange, EtaByRule) {
  const auto reach = [](const std::string& keys) {  // eta T / B, the largest price
    return Hand(two_actions("lagrange(budget=[50,50],u=4" + keys + ")", {kPositive, kPositive}))
        .state()
        .parameters[0];
  };
  const double r = std::sqrt(2.0 * 100.0 * 4.0 * std::log(2.0 * 100.0 / 0.05));
  EXPECT_NEAR(reach(""), 2.0 * std::sqrt(50.0 / r), 1e-12);
  EXPECT_NEAR(reach(",eta=budget"), 2.0 * std::sqrt(50.0 / r), 1e-12);
  EXPECT_NEAR(reach(",eta=margin,margin=0.25"), 2.0 * 8.0, 1e-12);
  EXPECT_NEAR(reach(",eta=stop,null=0"), 2.0, 1e-12);
  EXPECT_NEAR(reach(",eta=7,eta_scale=0.5"), 7.0, 1e-12);
}

// c = (g + 1) / 2, B = T / 2: 1 - (T / B) c is -g, and the price of g is eta lambda.
TEST(Lagrange, AZeroThresholdProblemGoesThroughItsKnapsack) {
  const double step = std::sqrt(std::log(2.0) / 100.0) / (3.0 * 3.0);
  Hand hand(two_actions("lagrange(eta=3,u=4)", {kSigned}));
  EXPECT_NEAR(hand.decide().prices[0], 1.5, 1e-12);
  EXPECT_EQ(hand.state().setting, Setting::kExpectation);
  hand.learn(0, {.costs = {-1.0}});
  const double w = std::exp(step * -3.0);  // payoff 3 (2 * 0 - 1)
  EXPECT_NEAR(hand.decide().prices[0], 3.0 * w / (1.0 + w), 1e-12);
}

TEST(Lagrange, RulesThatMissWhatTheyNeedAreRefused) {
  const Shape shape = two_actions("", {kPositive}).shape;
  const auto refusal = [&](const std::string& keys) {
    return make_policy("lagrange(" + keys + ")", shape).error();
  };
  EXPECT_EQ(refusal("eta=margin"),
            "policy spec: eta=margin needs to know the margin; accepted: margin=ZETA in (0, 1]");
  EXPECT_EQ(refusal("eta=stop"),
            "policy spec: eta=stop needs an action to stop with; accepted: null=ACTION_ID, or "
            "eta=1");
  EXPECT_EQ(refusal("share=0.1"),
            "policy spec: key \"share\" needs the dual that takes it; accepted: dual=fixed_share");
  EXPECT_EQ(refusal("eta=half"),
            "policy spec: key \"eta\" has half at 13; accepted: budget, margin, stop, or a number "
            "above 0");
  EXPECT_EQ(refusal("eta=0").find("policy spec: key \"eta\" has 0 at 13"), 0U);
  EXPECT_EQ(refusal("budget=0"),
            "policy spec: the budget of cost 0 is 0 of its largest value per round; accepted: at "
            "least 1e-50");
  EXPECT_EQ(refusal("null=0"),
            "policy spec: a hard stop needs a budget; accepted: at=TOTAL, budget=TOTAL or "
            "rate=PER_ROUND");
}

}  // namespace
}  // namespace rein
