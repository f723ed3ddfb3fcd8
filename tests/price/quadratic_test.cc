// quadratic: 2 max(Q, 0) / V, and its three ways to keep a queue.
#include <gtest/gtest.h>

#include <cmath>

#include "price/books.h"
#include "property.h"

namespace rein {
namespace {

TEST(Quadratic, PricesByHand) {
  const auto pricer = make("quadratic(v=10)", two_costs());
  pay(*pricer, {{1.0, -1.0}, {0.5, 0.25}});
  EXPECT_EQ(pricer->queues(), Costs({1.5, -0.75}));
  EXPECT_EQ(pricer->parameters(), Costs({10.0, 10.0}));
  const Prices prices = price_of(*pricer);
  EXPECT_EQ(prices.log_scale, 0.0);
  EXPECT_DOUBLE_EQ(prices.scaled[0], 0.3);
  EXPECT_EQ(prices.scaled[1], 0.0);  // a negative queue is slack, not a negative price
}

TEST(Quadratic, APriceOverOneIsScaledDown) {
  const auto pricer = make("quadratic(v=0.5)", two_costs());
  pay(*pricer, {{1.0, 0.5}});  // prices 4 and 2
  const Prices prices = price_of(*pricer);
  EXPECT_NEAR(prices.log_scale, std::log(4.0), 1e-15);
  EXPECT_DOUBLE_EQ(prices.scaled[0], 1.0);
  EXPECT_DOUBLE_EQ(prices.scaled[1], 0.5);
}

TEST(Quadratic, TheThreeQueuesDifferWhereSlackIsBanked) {
  const Terms terms = one_cost();
  const auto positive = make("quadratic(v=1)", terms);
  const auto reflect = make("quadratic(queue=reflect,v=1)", terms);
  const auto literal = make("quadratic(queue=literal,v=1)", terms);
  for (Pricer* pricer : {positive.get(), reflect.get(), literal.get()}) {
    pay(*pricer, {{-1.0}, {-0.5}});
  }
  EXPECT_EQ(positive->queues(), Costs({-1.5}));
  EXPECT_EQ(reflect->queues(), Costs({0.0}));
  EXPECT_EQ(literal->queues(), Costs({-1.5}));
  EXPECT_EQ(plain(price_of(*positive), 0), 0.0);
  EXPECT_EQ(plain(price_of(*reflect), 0), 0.0);
  EXPECT_NEAR(plain(price_of(*literal), 0), -3.0, 1e-14);
  EXPECT_NEAR(price_of(*literal).log_scale, std::log(3.0), 1e-15);  // z = max(1, price^2)

  for (Pricer* pricer : {positive.get(), reflect.get(), literal.get()}) pay(*pricer, {{1.0}});
  EXPECT_EQ(positive->queues(), Costs({-0.5}));
  EXPECT_EQ(reflect->queues(), Costs({1.0}));
  EXPECT_EQ(plain(price_of(*positive), 0), 0.0);
  EXPECT_NEAR(plain(price_of(*reflect), 0), 2.0, 1e-14);
  EXPECT_NEAR(plain(price_of(*literal), 0), -1.0, 1e-14);
}

TEST(Quadratic, VIsTheRootAndUnderLinearConstraintsTheBudgetsToo) {
  Terms terms = two_costs();  // K = 4, T = 100, U = 9: root 60
  for (Setting setting : {Setting::kExpectation, Setting::kSlater, Setting::kPacing}) {
    terms.setting = setting;
    EXPECT_EQ(make("quadratic", terms)->parameters(), Costs({60.0, 60.0})) << name_of(setting);
  }
  terms.setting = Setting::kLinearConstraints;  // + |(30, 40)|
  EXPECT_EQ(make("quadratic", terms)->parameters(), Costs({110.0, 110.0}));
  terms.v_scale = 0.1;
  EXPECT_DOUBLE_EQ(make("quadratic", terms)->parameters()[0], 11.0);
  EXPECT_EQ(make("quadratic(v=3)", terms)->parameters()[0], 3.0);  // given: as given
}

TEST(Quadratic, PricesAreMonotoneInTheQueue) {
  EXPECT_TRUE(rc::check([] {
    const double small = *rc::gen::map(rc::gen::inRange(-5000, 5000), in_hundredths);
    const double more = *rc::gen::map(rc::gen::inRange(0, 5000), in_hundredths);
    const auto spec = *rc::gen::element<std::string>("quadratic(v=2)", "quadratic(queue=reflect)",
                                                     "quadratic(queue=literal,v=0.01)");
    const auto low = make(spec, one_cost()), high = make(spec, one_cost());
    pay(*low, {{small}});
    pay(*high, {{small + more}});
    const double dear = plain(price_of(*high), 0);
    RC_ASSERT(plain(price_of(*low), 0) <= dear + 1e-14 * std::abs(dear));
  }));
}

TEST(Quadratic, RefusesWhatItCannotUse) {
  EXPECT_EQ(refusal("quadratic(v=0)", one_cost()),
            "pricer spec: key \"v\" has 0 at 12; accepted: a number from 1e-100 to 1e+100");
  EXPECT_EQ(refusal("quadratic(queue=round)", one_cost()),
            "pricer spec: key \"queue\" has round at 16; accepted: positive, reflect, literal");
  EXPECT_EQ(refusal("quadratic(lambda=1)", one_cost()),
            "pricer spec: unknown key \"lambda\" at 10; quadratic takes queue, v");
}

}  // namespace
}  // namespace rein
