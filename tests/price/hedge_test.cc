// hedge and fixed_share: prices computed by hand, and their own guarantees.
#include <gtest/gtest.h>

#include <cmath>

#include "price/books.h"

namespace rein {
namespace {

// K = 4, T = 100, U = 9; budgets 30 and 40 of non-negative costs: b = 0.3, the second cost counts
// 3/4. Pricers are given cost - b_i.
TEST(Hedge, PricesByHand) {
  const auto pricer = make("hedge(reach=8,step=0.5)", two_costs());
  EXPECT_NEAR(plain(price_of(*pricer), 0), 8.0 / 3.0, 1e-12);
  EXPECT_NEAR(plain(price_of(*pricer), 1), 0.75 * 8.0 / 3.0, 1e-12);
  pay(*pricer, {{0.7, -0.4}, {-0.1, 0.6}});
  const double w0 = std::exp(0.5 * 0.6), w1 = std::exp(0.5 * 0.75 * 0.2);
  EXPECT_NEAR(plain(price_of(*pricer), 0), 8.0 * w0 / (1.0 + w0 + w1), 1e-12);
  EXPECT_NEAR(plain(price_of(*pricer), 1), 0.75 * 8.0 * w1 / (1.0 + w0 + w1), 1e-12);
  EXPECT_NEAR(pricer->parameters()[0], 8.0, 1e-12);
  EXPECT_NEAR(pricer->parameters()[1], 6.0, 1e-12);
}

TEST(Hedge, UnlessGivenReachIsRoundsOverBudgetAndTheStepIsLagranges) {
  Terms terms = one_cost();
  terms.budgets = {25.0};
  const auto pricer = make("hedge", terms);
  EXPECT_NEAR(plain(price_of(*pricer), 0), 2.0, 1e-12);  // (T / B) / 2
  pay(*pricer, {{0.75}});
  const double w = std::exp(std::sqrt(std::log(2.0) / 100.0) / 1.25 * 0.75);
  EXPECT_NEAR(plain(price_of(*pricer), 0), 4.0 * w / (1.0 + w), 1e-12);
}

TEST(Hedge, PricesStayWithinTheirReachWhateverIsPaid) {
  const auto pricer = make("hedge(reach=5,step=2)", two_costs());
  pay(*pricer, std::vector<Costs>(2000, Costs({1.0, 1.0})));
  EXPECT_NEAR(plain(price_of(*pricer), 0), 5.0, 1e-9);
  EXPECT_NEAR(plain(price_of(*pricer), 1), 0.0, 1e-9);
  pay(*pricer, std::vector<Costs>(9000, Costs({-1.0, -1.0})));
  EXPECT_NEAR(plain(price_of(*pricer), 0), 0.0, 1e-9);  // time has all the weight
}

// A long time without cost, then cost 1 in every round: hedge reacts late, fixed_share at once.
TEST(FixedShare, ReactsToASwitchWhereHedgeSleeps) {
  Terms terms = one_cost();
  terms.budgets = {25.0};
  const auto hedge = make("hedge(step=0.2)", terms);
  const auto share = make("fixed_share(share=0.01,step=0.2)", terms);
  for (Pricer* pricer : {hedge.get(), share.get()}) {
    pay(*pricer, std::vector<Costs>(400, Costs({-0.25})));
    EXPECT_LT(plain(price_of(*pricer), 0), 0.5);
    pay(*pricer, std::vector<Costs>(40, Costs({0.75})));
  }
  EXPECT_LT(plain(price_of(*hedge), 0), 0.01);
  EXPECT_GT(plain(price_of(*share), 0), 3.0);  // of at most 4
}

TEST(FixedShare, WithAShareOfOneEveryPriceStaysWhereItBegan) {
  const auto pricer = make("fixed_share(reach=6,share=1)", two_costs());
  pay(*pricer, {{1.0, 0.0}, {1.0, 0.0}});
  EXPECT_NEAR(plain(price_of(*pricer), 0), 2.0, 1e-12);
  EXPECT_NEAR(plain(price_of(*pricer), 1), 1.5, 1e-12);
}

TEST(FixedShare, ValuesOutOfRangeAreRefused) {
  EXPECT_EQ(refusal("fixed_share(share=2)", one_cost()),
            "pricer spec: key \"share\" has 2 at 18; accepted: a number from 1e-12 to 1");
  EXPECT_EQ(refusal("hedge(step=0)", one_cost()),
            "pricer spec: key \"step\" has 0 at 11; accepted: a number from 1e-100 to 1e+100");
  Terms unknown = one_cost();
  unknown.rounds = 0;
  EXPECT_EQ(refusal("hedge", unknown),
            "policy spec: a price per share of the budget needs the number of rounds; accepted: "
            "rounds=N");
}

}  // namespace
}  // namespace rein
