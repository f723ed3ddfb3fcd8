// gradient: projected gradient descent on the dual, with steps that double.
#include "price/gradient.h"

#include <gtest/gtest.h>

#include "price/books.h"

namespace rein {
namespace {

// T = 100, no budget: steps of 0.1, a margin of 0.1 each round.
TEST(GradientPrice, ThreeRoundsByHand) {
  const auto pricer = make("gradient", one_cost());
  EXPECT_EQ(pricer->parameters(), Costs({0.1}));
  pay(*pricer, {{0.5}});
  EXPECT_NEAR(plain(price_of(*pricer), 0), 0.06, 1e-15);
  pay(*pricer, {{0.2}});
  EXPECT_NEAR(plain(price_of(*pricer), 0), 0.09, 1e-15);
  pay(*pricer, {{-1.0}, {-1.0}});
  EXPECT_EQ(plain(price_of(*pricer), 0), 0.0);
  EXPECT_NEAR(pricer->queues()[0], 0.5 + 0.2 - 2.0 + 4 * 0.1, 1e-15);  // sums are not projected
}

// b = 0.1: half of it is less than 1 / sqrt(T).
TEST(GradientPrice, TheMarginIsAtMostHalfOfTheBudget) {
  Terms terms = one_cost();
  terms.budgets = {10.0};
  const auto pricer = make("gradient", terms);
  pay(*pricer, {{0.0}});
  EXPECT_NEAR(plain(price_of(*pricer), 0), 0.1 * 0.05, 1e-16);
  const auto bold = make("gradient(margin_scale=0,step_scale=3)", terms);
  pay(*bold, {{0.5}});
  EXPECT_NEAR(plain(price_of(*bold), 0), 0.15, 1e-15);
}

// M_0 = 4 sqrt(100) + sqrt(200 ln(2 / 0.05)) = 67.2, M_1 = 40 + sqrt(200 ln(6 / 0.05)) = 70.9.
TEST(GradientPrice, StepsDoubleOnceCostsRunAway) {
  GradientPrice pricer(one_cost(), {});
  const Costs one = {0.9};  // 1 with its margin
  for (int t = 0; t < 67; ++t) pricer.step(one, one);
  EXPECT_EQ(pricer.regime(), 0);
  EXPECT_GT(plain(price_of(pricer), 0), 6.0);
  pricer.step(one, one);
  EXPECT_EQ(pricer.regime(), 1);
  EXPECT_EQ(pricer.parameters(), Costs({0.2}));
  EXPECT_EQ(plain(price_of(pricer), 0), 0.0);  // a new regime starts at 0
  EXPECT_EQ(pricer.queues(), Costs({0.0}));
  for (int t = 0; t < 71; ++t) pricer.step(one, one);
  EXPECT_EQ(pricer.regime(), 2);

  GradientPrice still(one_cost(), {.adaptive = false});
  for (int t = 0; t < 500; ++t) still.step(one, one);
  EXPECT_EQ(still.regime(), 0);
}

// The price moves by the gradient; the test for a new regime uses what was paid.
TEST(GradientPrice, AGradientOfItsOwn) {
  GradientPrice pricer(one_cost(), {.margin_scale = 0.0});
  for (int t = 0; t < 68; ++t) pricer.step(Costs({-0.5}), Costs({0.98}));
  EXPECT_EQ(plain(price_of(pricer), 0), 0.0);
  EXPECT_EQ(pricer.regime(), 0);
  pricer.step(Costs({-0.5}), Costs({0.98}));
  EXPECT_EQ(pricer.regime(), 1);
}

TEST(GradientPrice, WhatIsReservedCountsAsAStep) {
  const auto pricer = make("gradient", one_cost());
  EXPECT_NEAR(plain(price_of(*pricer, {5.0}), 0), 0.5, 1e-15);
  EXPECT_EQ(plain(price_of(*pricer, {-5.0}), 0), 0.0);
}

TEST(GradientPrice, NeedsTheHorizon) {
  Terms terms = one_cost();
  terms.rounds = 0;
  EXPECT_EQ(refusal("gradient", terms),
            "pricer spec: gradient needs the number of rounds; accepted: rounds=N");
}

}  // namespace
}  // namespace rein
