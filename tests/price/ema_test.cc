// ema: lam <- clip(lam + lr (ema / b - 1), 0, cap), in knapsack form.
#include <gtest/gtest.h>

#include "price/books.h"

namespace rein {
namespace {

// b = 1/4. Round 1 costs 1: ema = 0.95 / 4 + 0.05 = 0.2875, ema / b - 1 = 0.15, lam = 0.0075.
// Round 2 costs 1/2: ema = 0.95 * 0.2875 + 0.025 = 0.298125, ema / b - 1 = 0.1925.
TEST(Ema, TwoRoundsByHand) {
  Terms terms = one_cost();
  terms.budgets = {25.0};
  const auto pricer = make("ema", terms);
  EXPECT_EQ(plain(price_of(*pricer), 0), 0.0);
  pay(*pricer, {{0.75}});
  EXPECT_NEAR(pricer->queues()[0], 0.15, 1e-15);
  EXPECT_NEAR(plain(price_of(*pricer), 0), 0.0075, 1e-15);
  pay(*pricer, {{0.25}});
  EXPECT_NEAR(pricer->queues()[0], 0.1925, 1e-15);
  EXPECT_NEAR(plain(price_of(*pricer), 0), 0.0075 + 0.05 * 0.1925, 1e-15);
}

TEST(Ema, StaysBetweenNothingAndItsCap) {
  Terms terms = one_cost();
  terms.budgets = {25.0};
  const auto pricer = make("ema(cap=2,lr=1,scale=10,weight=0.5)", terms);
  pay(*pricer, std::vector<Costs>(100, Costs({0.75})));
  EXPECT_EQ(pricer->parameters(), Costs({2.0}));
  EXPECT_NEAR(plain(price_of(*pricer), 0), 20.0, 1e-13);
  pay(*pricer, std::vector<Costs>(100, Costs({-0.25})));
  EXPECT_EQ(plain(price_of(*pricer), 0), 0.0);
}

TEST(Ema, WhatIsReservedOnlyRaisesThePrice) {
  Terms terms = one_cost();
  terms.budgets = {25.0};
  const auto pricer = make("ema", terms);
  pay(*pricer, {{0.75}, {-0.25}});
  const double before = plain(price_of(*pricer), 0);
  EXPECT_EQ(plain(price_of(*pricer, {0.0}), 0), before);
  EXPECT_NEAR(plain(price_of(*pricer, {1.0}), 0), before + 0.05 * 0.05 * 4.0, 1e-15);
}

}  // namespace
}  // namespace rein
