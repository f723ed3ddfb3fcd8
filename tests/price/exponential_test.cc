// exponential: lambda min(exp(lambda Q), M), kept as logarithms.
#include "price/exponential.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "price/books.h"
#include "property.h"

namespace rein {
namespace {

TEST(Exponential, PricesByHand) {
  const auto pricer = make("exponential(lambda=[0.5,0.1])", two_costs());
  pay(*pricer, {{1.0, 0.0}, {1.0, 0.5}});
  EXPECT_EQ(pricer->queues(), Costs({2.0, 0.5}));
  const Prices prices = price_of(*pricer);
  EXPECT_NEAR(plain(prices, 0), 0.5 * std::exp(1.0), 1e-14);
  EXPECT_NEAR(plain(prices, 1), 0.1 * std::exp(0.05), 1e-15);
}

TEST(Exponential, LambdaAndCapByHand) {
  const Terms terms = two_costs();  // root 60, m = 2, T = 100
  EXPECT_DOUBLE_EQ(exponential_lambda(terms, 0), 1.0 / (4 * 3 * 60.0 + 2 * 30.0));
  EXPECT_DOUBLE_EQ(exponential_lambda(terms, 1), 1.0 / (4 * 3 * 60.0 + 2 * 40.0));
  EXPECT_DOUBLE_EQ(exponential_cap(terms), 3.0 * (2 + 200 + 2 * 3 * 60.0));
  const Terms one = one_cost();  // without budgets: 1 / (8 root)
  EXPECT_DOUBLE_EQ(exponential_lambda(one, 0), 1.0 / 480.0);
  EXPECT_DOUBLE_EQ(exponential_cap(one), 3.0 * (1 + 200 + 4 * 60.0));

  Terms scaled = terms;
  scaled.lambda_scale = 120.0;
  const auto pricer = make("exponential", scaled);
  EXPECT_DOUBLE_EQ(pricer->parameters()[0], 120.0 / 780.0);
  EXPECT_DOUBLE_EQ(pricer->parameters()[1], 120.0 / 800.0);
  EXPECT_EQ(make("exponential(lambda=2)", scaled)->parameters(), Costs({2.0, 2.0}));
}

TEST(Exponential, StopsGrowingAtTheCap) {
  const auto pricer = make("exponential(cap=100,lambda=0.5)", one_cost());
  const double edge = std::log(100.0) / 0.5;
  pay(*pricer, {{edge - 0.1}});
  EXPECT_LT(plain(price_of(*pricer), 0), 50.0);
  pay(*pricer, {{0.2}});
  EXPECT_NEAR(plain(price_of(*pricer), 0), 50.0, 1e-12);
  pay(*pricer, {{1e15}});
  EXPECT_NEAR(plain(price_of(*pricer), 0), 50.0, 1e-12);
  EXPECT_EQ(price_of(*pricer, {1e100}).scaled[0], 1.0);
}

TEST(Exponential, AHugeQueueStaysFinite) {
  for (const char* spec : {"exponential", "exponential(lambda=1e100,cap=1e100)",
                           "exponential(lambda=[1e100,1e-100],cap=1e100)"}) {
    const auto pricer = make(spec, two_costs());
    for (double q : {0.0, 1.0, 1e6, 1e16, 1e100}) {
      const Prices prices = price_of(*pricer, {q, q});
      EXPECT_TRUE(std::isfinite(prices.log_scale)) << spec << " at " << q;
      EXPECT_TRUE(std::isfinite(std::exp(prices.log_scale))) << spec << " at " << q;
      for (double price : prices.scaled) {
        EXPECT_GE(price, 0.0) << spec << " at " << q;
        EXPECT_LE(price, 1.0 + 1e-15) << spec << " at " << q;
      }
    }
  }
}

// Where the plain formula does not overflow, logarithms give the same.
TEST(Exponential, LogarithmsAgreeWithThePlainFormula) {
  EXPECT_TRUE(rc::check([] {
    const double lambda = std::exp(0.01 * *rc::gen::inRange(-500, 300));
    const double cap = std::exp(0.1 * *rc::gen::inRange(0, 2000));
    const double q = 0.1 * *rc::gen::inRange(0, 10'000);
    const double r = 0.1 * *rc::gen::inRange(0, 1000);
    const auto pricer = make(fmt::format("exponential(cap={},lambda={})", cap, lambda), one_cost());
    pay(*pricer, {{q}});
    const Prices prices = price_of(*pricer, {r});
    const double wanted = lambda * std::min(std::exp(std::min(lambda * (q + r), 700.0)), cap);
    RC_ASSERT(std::abs(plain(prices, 0) - wanted) <= 1e-12 * wanted);
    RC_ASSERT(std::abs(prices.log_scale - std::log(std::max(1.0, wanted))) <= 1e-12 * 700.0);
  }));
}

TEST(Exponential, PricesAreMonotoneInTheQueue) {
  EXPECT_TRUE(rc::check([] {
    const double small = *rc::gen::map(rc::gen::inRange(0, 50'000), in_hundredths);
    const double more = *rc::gen::map(rc::gen::inRange(0, 50'000), in_hundredths);
    const auto spec =
        *rc::gen::element<std::string>("exponential", "exponential(lambda=0.3)",
                                       "exponential(cap=50,lambda=4)", "exponential(lambda=1e-9)");
    const auto pricer = make(spec, one_cost());
    const Prices low = price_of(*pricer, {small}), high = price_of(*pricer, {small + more});
    RC_ASSERT(plain(low, 0) <= plain(high, 0) * (1.0 + 1e-13));
  }));
}

TEST(Exponential, TheLargestPriceSetsTheScaleOfAll) {
  const auto pricer = make("exponential(lambda=[1,0.5],cap=1e50)", two_costs());
  const Prices prices = price_of(*pricer, {60.0, 20.0});
  EXPECT_NEAR(prices.log_scale, 60.0, 1e-12);
  EXPECT_DOUBLE_EQ(prices.scaled[0], 1.0);
  EXPECT_NEAR(prices.scaled[1], 0.5 * std::exp(-50.0), 1e-12 * std::exp(-50.0));
}

TEST(Exponential, RefusesWhatItCannotUse) {
  EXPECT_EQ(refusal("exponential(lambda=0)", one_cost()),
            "pricer spec: key \"lambda\" has 0 at 19; accepted: a number from 1e-100 to 1e+100");
  EXPECT_EQ(refusal("exponential(lambda=[1,2,3])", two_costs()),
            "pricer spec: key \"lambda\" has 3 numbers; accepted: one, or one per cost (2)");
  EXPECT_EQ(refusal("exponential(cap=0.5)", one_cost()),
            "pricer spec: key \"cap\" has 0.5 at 16; accepted: a number from 1 to 1e+100");
  EXPECT_EQ(refusal("exponential(v=1)", one_cost()),
            "pricer spec: unknown key \"v\" at 12; exponential takes cap, lambda");
}

}  // namespace
}  // namespace rein
