// weights: Z w_i / (1 + sum w), w_i = exp(step sum (c_i - b)), in knapsack form.
#include <gtest/gtest.h>

#include <cmath>

#include "price/books.h"

namespace rein {
namespace {

// b = 1/4, step 2, Z = 4. Round 1 costs 1 (c - b = 3/4), round 2 costs 0.
TEST(Weights, TwoRoundsByHand) {
  Terms terms = one_cost();
  terms.budgets = {25.0};
  const auto pricer = make("weights(step=2,z=4)", terms);
  EXPECT_DOUBLE_EQ(plain(price_of(*pricer), 0), 4.0 * 0.5);  // w = 1: theta = 1 / 2
  pay(*pricer, {{0.75}});
  const double first = std::exp(1.5);
  EXPECT_NEAR(plain(price_of(*pricer), 0), 4.0 * first / (1.0 + first), 1e-14);
  pay(*pricer, {{-0.25}});
  const double second = std::exp(1.0);
  EXPECT_NEAR(plain(price_of(*pricer), 0), 4.0 * second / (1.0 + second), 1e-14);
  EXPECT_EQ(pricer->queues(), Costs({0.5}));
}

// Budgets 30 and 40 of 100: the smaller is the form's b = 0.3, and the second cost counts 3/4.
TEST(Weights, TwoCostsByHand) {
  const auto pricer = make("weights(step=1,z=1)", two_costs());
  pay(*pricer, {{0.5, -0.4}, {0.5, 0.4}});
  EXPECT_NEAR(pricer->queues()[0], 1.0, 1e-15);
  EXPECT_NEAR(pricer->queues()[1], 0.0, 1e-15);
  const double w = std::exp(1.0);
  EXPECT_NEAR(plain(price_of(*pricer), 0), w / (2.0 + w), 1e-14);
  EXPECT_NEAR(plain(price_of(*pricer), 1), 0.75 / (2.0 + w), 1e-14);
}

TEST(Weights, StepAndZAreThePapersUnlessGiven) {
  Terms terms = one_cost();
  terms.budgets = {25.0};
  EXPECT_DOUBLE_EQ(make("weights", terms)->parameters()[0], std::sqrt(std::log(2.0) / 100.0));
  const auto pricer = make("weights", terms);
  EXPECT_DOUBLE_EQ(plain(price_of(*pricer), 0), 2.0);  // Z = T / B = 4, theta = 1 / 2
  Prices prices;
  pricer->price({.opt = 0.5}, prices);  // a first stage found OPT / T = 1 / 2: Z = 2
  EXPECT_DOUBLE_EQ(plain(prices, 0), 1.0);
}

TEST(Weights, NeverPassZAndFallToNothingWhereBudgetsAreKept) {
  const auto pricer = make("weights(step=1,z=3)", two_costs());
  pay(*pricer, std::vector<Costs>(3000, Costs({0.7, 0.6})));
  const Prices dear = price_of(*pricer);
  EXPECT_LE(plain(dear, 0) + plain(dear, 1) / 0.75, 3.0 + 1e-12);
  EXPECT_GT(plain(dear, 0), 2.9);
  pay(*pricer, std::vector<Costs>(9000, Costs({-0.3, -0.4})));
  EXPECT_LT(plain(price_of(*pricer), 0), 1e-12);
  EXPECT_EQ(refusal("weights(z=-1)", two_costs()),
            "pricer spec: key \"z\" has -1 at 10; accepted: a number from 0 to 1e+100");
}

}  // namespace
}  // namespace rein
