// predicted against rehearsals whose answer is known: the spend falls as exp(-price).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "price/books.h"

namespace rein {
namespace {

// Cost i, alone: at price 0 it pays `free`, at price p it pays free exp(-p - mixed p_other).
class Falling final : public Rehearsal {
 public:
  explicit Falling(Costs free, double mixed = 0.0, double floor = 0.0)
      : free_(free), mixed_(mixed), floor_(floor) {}

  int rounds() const override { return 100; }
  void fix_gamma(const Costs&) override {}
  void spend(const Costs& prices, Costs& spend, std::span<double> slopes) override {
    const int m = free_.size();
    for (int i = 0; i < m; ++i) {
      spend[i] = paid(prices, i);
      for (int j = 0; j < m; ++j) {
        slopes[static_cast<std::size_t>(i * m + j)] = (i == j ? 1.0 : mixed_) * (spend[i] - floor_);
      }
    }
  }
  Costs least() const override { return Costs(free_.size(), floor_); }

  double paid(const Costs& prices, int i) const {
    double power = prices[i];
    for (int j = 0; j < free_.size(); ++j) power += j == i ? 0.0 : mixed_ * prices[j];
    return floor_ + (free_[i] - floor_) * std::exp(-power);
  }

 private:
  Costs free_;
  double mixed_;
  double floor_;
};

// Round 6400 of a hundred thousand, on a knapsack of 0.2 a round and cost.
constexpr std::int64_t kNow = 6400;
Terms knapsack(int costs) {
  Terms terms = one_cost();
  terms.setting = Setting::kKnapsack;
  terms.costs = costs;
  terms.rounds = 100'000;
  terms.rates = Costs(costs, 0.2);
  return terms;
}

// Looks ahead until it has settled; then mu.
Costs settled(Pricer& pricer, Rehearsal& rehearsal, std::int64_t now = kNow) {
  for (int i = 0; i < 10; ++i) pricer.foresee({.rounds = now}, rehearsal);
  return pricer.parameters();
}

TEST(Predicted, FindsThePriceThatSpendsTheRate) {
  Falling rehearsal({0.8});
  const auto pricer = make("predicted", knapsack(1));
  EXPECT_NEAR(rehearsal.paid(settled(*pricer, rehearsal), 0), 0.2, 0.01 * 0.2 + 1e-5);
}

TEST(Predicted, FindsThePricesOfTwoCostsThatHangTogether) {
  Falling rehearsal({0.8, 0.5}, 0.5);
  const auto pricer = make("predicted", knapsack(2));
  const Costs mu = settled(*pricer, rehearsal);
  EXPECT_NEAR(rehearsal.paid(mu, 0), 0.2, 0.01 * 0.2 + 1e-5);
  EXPECT_NEAR(rehearsal.paid(mu, 1), 0.2, 0.01 * 0.2 + 1e-5);
}

TEST(Predicted, AsksNothingWhereTheBudgetDoesNotBind) {
  Falling rehearsal({0.1});
  const auto pricer = make("predicted", knapsack(1));
  EXPECT_EQ(settled(*pricer, rehearsal)[0], 0.0);
}

TEST(Predicted, PaysADebtWithinSoManyRootsOfTheRounds) {
  for (const double payback : {3.0, 10.0, 40.0}) {
    Falling rehearsal({0.8});
    const auto pricer = make("predicted(payback=" + std::to_string(payback) + ")", knapsack(1));
    pay(*pricer, {{1.0}, {1.0}, {1.0}, {1.0}, {1.0}});  // queues are of what is over the rate
    const double target = 0.2 - 5.0 / (payback * 80.0);
    EXPECT_NEAR(rehearsal.paid(settled(*pricer, rehearsal), 0), target, 0.01 * target + 2e-5)
        << payback;
  }
}

TEST(Predicted, PaysADebtBeforeTheEndHoweverNear) {
  Falling rehearsal({0.8});
  const auto pricer = make("predicted(payback=1000)", knapsack(1));
  pay(*pricer, {{1.0}, {1.0}});
  const double target = 0.2 - 2.0 / 24.0;  // so many rounds are left
  EXPECT_NEAR(rehearsal.paid(settled(*pricer, rehearsal, 99'976), 0), target, 0.01 * target + 2e-5);
}

TEST(Predicted, NeverAimsBelowWhatAnyChoiceCouldPay) {
  Terms terms = knapsack(1);
  terms.setting = Setting::kPacing;
  terms.rates = {-0.5};  // nothing pays less than -0.1
  Falling rehearsal({0.8}, 0.0, -0.1);
  const auto pricer = make("predicted", terms);
  const double target = -0.1 + 0.3 / 80.0;
  EXPECT_NEAR(rehearsal.paid(settled(*pricer, rehearsal), 0), target, 0.01 * 0.1 + 2e-5);
}

TEST(Predicted, RefusesAPayBackOfNothing) {
  EXPECT_THAT(refusal("predicted(payback=0)", knapsack(1)), ::testing::HasSubstr("payback"));
}

}  // namespace
}  // namespace rein
