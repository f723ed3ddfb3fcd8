// predicted against rehearsals whose answer is known: the spend falls as exp(-price).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "price/books.h"

namespace rein {
namespace {

// Cost i alone: at price 0 it pays `free`, at price p it pays free exp(-p - mixed p_other). All
// costs are multiplied by `scale`.
class Falling final : public Rehearsal {
 public:
  explicit Falling(Costs free, double mixed = 0.0, double floor = 0.0, double scale = 1.0)
      : free_(free), mixed_(mixed), floor_(floor * scale), scale_(scale) {
    for (double& cost : free_) cost *= scale;
  }

  int rounds() const override { return 100; }
  void fix_gamma(const Books&, const Prices&) override {}
  void spend(const Costs& prices, Costs& spend, std::span<double> slopes) override {
    const int m = free_.size();
    for (int i = 0; i < m; ++i) {
      spend[i] = paid(prices, i);
      for (int j = 0; j < m; ++j) {
        slopes[static_cast<std::size_t>(i * m + j)] =
            scale_ * (i == j ? 1.0 : mixed_) * (spend[i] - floor_);
      }
    }
  }
  Costs least() const override { return Costs(free_.size(), floor_); }
  Costs spreads() const override {
    Costs spreads = free_;
    for (double& spread : spreads) spread -= floor_;
    return spreads;
  }

  double paid(const Costs& prices, int i) const {
    double power = prices[i];
    for (int j = 0; j < free_.size(); ++j) power += j == i ? 0.0 : mixed_ * prices[j];
    return floor_ + (free_[i] - floor_) * std::exp(-scale_ * power);
  }

 private:
  Costs free_;
  double mixed_;
  double floor_;
  double scale_;
};

// Round 6400 of a hundred thousand, on a knapsack of 0.2 per round and cost.
constexpr std::int64_t kNow = 6400;
Terms knapsack(int costs) {
  Terms terms = one_cost();
  terms.setting = Setting::kKnapsack;
  terms.costs = costs;
  terms.rounds = 100'000;
  terms.rates = Costs(costs, 0.2);
  return terms;
}

// Solves until the price has settled; returns mu.
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

// Of debts of 40, 40, -40 and -40 the root mean square is 40.
TEST(Predicted, KeepsAReserveOfTheUsualDebt) {
  Falling rehearsal({0.8});
  const auto pricer = make("predicted(payback=10,reserve=0.5)", knapsack(1));
  pay(*pricer, {{40.0}, {0.0}, {-80.0}, {0.0}});
  const double target = 0.2 - (-40.0 + 0.5 * 40.0) / (10.0 * 80.0);
  EXPECT_NEAR(rehearsal.paid(settled(*pricer, rehearsal), 0), target, 0.0035);
  Terms forever = knapsack(1);
  forever.rounds = 0;
  const auto endless = make("predicted(payback=10,reserve=0.5)", forever);
  pay(*endless, {{40.0}, {0.0}, {-80.0}, {0.0}});
  const double spends = 0.2 + 40.0 / (10.0 * 80.0);
  EXPECT_NEAR(rehearsal.paid(settled(*endless, rehearsal), 0), spends, 0.0035);
}

// Where one play takes a large part of the money, eight are too many to wait for the first price.
TEST(Predicted, IsSolvedInEveryRoundNearTheFirstAndTheLastIfMoneyIsScarce) {
  Terms few = knapsack(1);
  few.rounds = 100;  // at 0.2 per round: 20 plays of 1
  for (const std::int64_t now : {1, 2, 3, 7, 93, 99}) {
    Falling rehearsal({0.8});
    const auto scarce = make("predicted", few);
    pay(*scarce, {{0.8}});  // a cost of 1, less the rate
    EXPECT_GT(settled(*scarce, rehearsal, now)[0], 0.0) << now;
    const auto rich = make("predicted", knapsack(1));
    pay(*rich, {{0.8}});
    EXPECT_EQ(settled(*rich, rehearsal, now)[0], 0.0) << now;
  }
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

// A price is reward per unit of cost. The same costs in a unit a million times larger have a price
// a million times higher, and nothing else changes. Here it far exceeds 1000.
TEST(Predicted, KnowsNoUnitOfCosts) {
  const auto price_at = [](double scale) {
    Falling rehearsal({0.8, 0.5}, 0.5, 0.0, scale);
    Terms terms = knapsack(2);
    terms.rates = Costs(2, 0.2 * scale);
    const auto pricer = make("predicted", terms);
    pay(*pricer, std::vector<Costs>(9, Costs(2, 0.1 * scale)));
    const Costs mu = settled(*pricer, rehearsal);
    for (int i = 0; i < 2; ++i) EXPECT_LE(rehearsal.paid(mu, i), 0.205 * scale);
    Prices prices;
    pricer->price({.rounds = kNow, .reserved = Costs(2, 0.5 * scale)}, prices);
    return Costs{scale * mu[0], scale * mu[1], scale * plain(prices, 0), prices.log_scale};
  };
  const Costs one = price_at(1.0);
  EXPECT_GT(one[0], 0.1);
  for (const double scale : {10.0, 0.1, 1.0 / 40'000, 1e-6, 1e-50}) {
    const Costs other = price_at(scale);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(other[i], one[i], 1e-9 * one[i] + 1e-12) << scale;
  }
}

// The smallest possible spend is 0.3, and 0.2 is allowed. The price stops rising once the smallest
// spend is nearly reached, and falls as soon as the budget can be kept again.
TEST(Predicted, StopsWhereNothingLessCanBePaid) {
  Falling rehearsal({0.8}, 0.0, 0.3);
  const auto pricer = make("predicted", knapsack(1));
  for (int i = 0; i < 1000; ++i) settled(*pricer, rehearsal);
  const Costs stopped = pricer->parameters();
  EXPECT_LT(stopped[0], 10.0);
  EXPECT_NEAR(rehearsal.paid(stopped, 0), 0.303, 0.004);
  Falling cheap({0.8});
  EXPECT_NEAR(cheap.paid(settled(*pricer, cheap), 0), 0.2, 0.01 * 0.2 + 1e-4);
}

// A spend that does not depend on the price: the price stays finite and does not overflow.
class Stubborn final : public Rehearsal {
 public:
  int rounds() const override { return 100; }
  void fix_gamma(const Books&, const Prices&) override {}
  void spend(const Costs&, Costs& spend, std::span<double> slopes) override {
    spend = Costs(1, 0.5);
    slopes[0] = 0.0;
  }
  Costs least() const override { return Costs(1); }
  Costs spreads() const override { return Costs(1, 0.25); }
};

TEST(Predicted, NeverOutgrowsWhatCanMatter) {
  Stubborn rehearsal;
  const auto pricer = make("predicted", knapsack(1)), unlimited = make("predicted(limited=0)", knapsack(1));
  for (int i = 0; i < 1000; ++i) {
    settled(*pricer, rehearsal);
    settled(*unlimited, rehearsal);
  }
  EXPECT_NEAR(pricer->parameters()[0], 30.0 / 0.2, 1e-9);
  EXPECT_EQ(unlimited->parameters()[0], 1e6 / 0.25);
}

TEST(Predicted, RefusesAPayBackOfNothing) {
  EXPECT_THAT(refusal("predicted(payback=0)", knapsack(1)), ::testing::HasSubstr("payback"));
}

}  // namespace
}  // namespace rein
