// queue: Q / V, Q <- max(0, Q + c - b), in knapsack form.
#include <gtest/gtest.h>

#include "price/books.h"

namespace rein {
namespace {

// b = 25 / 100, so V = 0.25 sqrt(100) = 2.5. Pricers see c - b.
TEST(QueuePrice, TwoRoundsByHand) {
  Terms terms = one_cost();
  terms.budgets = {25.0};
  const auto pricer = make("queue", terms);
  EXPECT_EQ(pricer->parameters(), Costs({2.5}));
  EXPECT_EQ(plain(price_of(*pricer), 0), 0.0);
  pay(*pricer, {{1.0 - 0.25}});  // cost 1: Q = 0.75
  EXPECT_EQ(pricer->queues(), Costs({0.75}));
  EXPECT_DOUBLE_EQ(plain(price_of(*pricer), 0), 0.3);
  pay(*pricer, {{0.5 - 0.25}});  // cost 0.5: Q = 1
  EXPECT_DOUBLE_EQ(plain(price_of(*pricer), 0), 0.4);
  pay(*pricer, {{-0.25}, {-0.25}, {-0.25}, {-0.25}, {-0.25}});  // never below 0
  EXPECT_EQ(pricer->queues(), Costs({0.0}));
}

// Without a budget c = (g + 1) / 2 and b = 1/2: V = 5, Q moves by g / 2, and a price per c is half
// of that per g.
TEST(QueuePrice, AZeroThresholdIsAKnapsackOfHalves) {
  const auto pricer = make("queue", one_cost());
  EXPECT_EQ(pricer->parameters(), Costs({5.0}));
  pay(*pricer, {{1.0}, {0.5}});
  EXPECT_EQ(pricer->queues(), Costs({0.75}));
  EXPECT_DOUBLE_EQ(plain(price_of(*pricer), 0), 0.5 * 0.75 / 5.0);
}

TEST(QueuePrice, VScaleMultipliesTheUsualVAndNotAGivenOne) {
  Terms terms = one_cost();
  terms.v_scale = 0.1;
  EXPECT_DOUBLE_EQ(make("queue", terms)->parameters()[0], 0.5);
  EXPECT_EQ(make("queue(v=3)", terms)->parameters()[0], 3.0);
  EXPECT_EQ(refusal("queue(v=0)", terms),
            "pricer spec: key \"v\" has 0 at 8; accepted: a number from 1e-100 to 1e+100");
}

}  // namespace
}  // namespace rein
