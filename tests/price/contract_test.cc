// The contract of every pricer, over all entries of the table; and the names of settings.
#include <gtest/gtest.h>

#include <cmath>

#include "catalog_keys.h"
#include "price/books.h"
#include "rein/bytes.h"
#include "rein/catalog.h"
#include "rein/rng.h"

namespace rein {
namespace {

Terms terms_of(int costs) {
  Terms terms = one_cost();
  terms.costs = costs;
  terms.budgets = Costs(costs, 20.0);
  return terms;
}

std::string saved(const Pricer& pricer) {
  ByteWriter out;
  pricer.save(out);
  return out.bytes();
}

// Many random non-negative costs, for any pricer.
void pay_at_random(Pricer& pricer, int costs, int rounds, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Costs> paid;
  for (int t = 0; t < rounds; ++t) {
    paid.emplace_back(costs);
    for (double& cost : paid.back()) cost = rng.uniform();
  }
  pay(pricer, paid);
}

template <class Claim>
void for_every_pricer(Claim claim) {
  const auto entries = pricers();
  ASSERT_GE(entries.size(), 3U);
  for (const Entry& entry : entries) {
    for (int costs : {0, 1, 3, kMaxCosts}) {
      SCOPED_TRACE(std::string(entry.name) + " with " + std::to_string(costs) + " costs");
      claim(std::string(entry.name), costs);
    }
  }
}

TEST(Pricers, PricesAreFiniteAndScaledByTheLargest) {
  for_every_pricer([](const std::string& name, int costs) {
    const auto pricer = make(name, terms_of(costs));
    for (int step = 0; step < 20; ++step) {
      const Prices prices = price_of(*pricer);
      EXPECT_TRUE(prices.scaled.empty() || prices.scaled.size() == costs);
      EXPECT_GE(prices.log_scale, 0.0);
      double largest = 0.0;
      for (double price : prices.scaled) {
        EXPECT_TRUE(std::isfinite(price));
        largest = std::max(largest, std::abs(price));
      }
      if (name == "predicted") {  // size is measured by the costs that were seen
        EXPECT_LE(largest, 1.2);
      } else {
        EXPECT_LE(largest, 1.0 + 1e-15);
      }
      if (prices.log_scale > 0.0 && name != "predicted") {
        EXPECT_NEAR(largest, 1.0, 1e-12);
      }
      pay_at_random(*pricer, costs, 100, 1);
    }
  });
}

TEST(Pricers, AskingForAPriceChangesNothing) {
  for_every_pricer([](const std::string& name, int costs) {
    const auto pricer = make(name, terms_of(costs));
    pay_at_random(*pricer, costs, 50, 2);
    const std::string before = saved(*pricer);
    (void)price_of(*pricer, Costs(costs, 0.5));
    EXPECT_EQ(saved(*pricer), before);
  });
}

TEST(Pricers, WhatIsReservedCountsAsIfItWereSpent) {
  for_every_pricer([](const std::string& name, int costs) {
    if (name == "ema") return;       // has no queue for it; ema_test.cc tests what it does instead
    if (name == "gradient") return;  // a round also adds its margin: gradient_test.cc
    const auto reserving = make(name, terms_of(costs)), paying = make(name, terms_of(costs));
    pay(*paying, {Costs(costs, 1.0)});
    const Prices reserved = price_of(*reserving, Costs(costs, 1.0)), paid = price_of(*paying);
    EXPECT_EQ(reserved.scaled, paid.scaled);
    EXPECT_EQ(reserved.log_scale, paid.log_scale);
  });
}

TEST(Pricers, LoadGoesOnWhereSaveStopped) {
  for_every_pricer([](const std::string& name, int costs) {
    const auto pricer = make(name, terms_of(costs)), other = make(name, terms_of(costs));
    pay_at_random(*pricer, costs, 30, 3);
    const std::string bytes = saved(*pricer);
    ByteReader in(bytes);
    ASSERT_TRUE(other->load(in).ok());
    ASSERT_TRUE(in.finish().ok());
    EXPECT_EQ(saved(*other), bytes);
    pay_at_random(*pricer, costs, 30, 4);
    pay_at_random(*other, costs, 30, 4);
    EXPECT_EQ(saved(*other), saved(*pricer));
    EXPECT_EQ(price_of(*other).scaled, price_of(*pricer).scaled);
    EXPECT_EQ(other->queues(), pricer->queues());
  });
}

TEST(Pricers, BytesOfAnotherPricerAreRefused) {
  for (const Entry& from : pricers()) {
    for (const Entry& to : pricers()) {
      if (from.name == to.name) continue;
      const std::string bytes = saved(*make(from.name, one_cost()));
      ByteReader in(bytes);
      EXPECT_EQ(make(to.name, one_cost())->load(in).error(),
                "saved state is of \"" + std::string(from.name) + "\", expected \"" +
                    std::string(to.name) + "\"");
    }
  }
}

TEST(Pricers, UnknownNamesAndKeysAreRefusedAndTheCatalogListsTheRest) {
  for (const Entry& entry : pricers()) {
    const std::string told = refusal(std::string(entry.name) + "(zzz=1)", one_cost());
    EXPECT_EQ(told.find("pricer spec: unknown key \"zzz\" at "), 0U) << told;
    EXPECT_EQ(listed_keys(entry), taken_keys(told)) << entry.name;
  }
  EXPECT_EQ(refusal("cubic", one_cost()),
            "pricer spec: unknown name \"cubic\" at 0; accepted: " + listed_names(pricers()));
}

TEST(Pricers, DefaultsAreWhatTheCatalogSaysAndEveryChoiceIsAccepted) {
  const auto price_after = [](const std::string& spec) {
    const auto pricer = make(spec, terms_of(2));
    pay_at_random(*pricer, 2, 40, 6);
    return price_of(*pricer);
  };
  for (const Entry& entry : pricers()) {
    const std::string name(entry.name);
    for (const Option& option : entry.options) {
      for (const std::string& value : values_of(option)) {
        const Prices with = price_after(name + "(" + std::string(option.key) + "=" + value + ")");
        if (value != option.default_value) continue;
        EXPECT_EQ(with.scaled, price_after(name).scaled) << name << " " << option.key;
        EXPECT_EQ(with.log_scale, price_after(name).log_scale) << name << " " << option.key;
      }
    }
  }
}

TEST(Pricers, NoneNeverPrices) {
  const auto pricer = make("none", terms_of(3));
  pay_at_random(*pricer, 3, 100, 5);
  EXPECT_TRUE(price_of(*pricer).scaled.empty());
  EXPECT_EQ(price_of(*pricer).log_scale, 0.0);
}

TEST(Settings, NamesRoundTrip) {
  for (Setting setting : {Setting::kExpectation, Setting::kSlater, Setting::kAlmostSure,
                          Setting::kKnapsack, Setting::kLinearConstraints, Setting::kPacing}) {
    EXPECT_EQ(parse_setting(name_of(setting)).value(), setting);
    EXPECT_NE(setting_names().find(name_of(setting)), std::string_view::npos);
  }
  EXPECT_EQ(parse_setting("hopeful").error(),
            "setting: found \"hopeful\"; accepted: expectation, slater, almost_sure, knapsack, "
            "linear_constraints, pacing");
}

TEST(Terms, RootIsOfActionsRoundsAndU) {
  EXPECT_EQ(one_cost().root(), 60.0);
  EXPECT_DOUBLE_EQ((Terms{.actions = 1'000'000, .rounds = std::int64_t{1} << 53}).root(),
                   std::sqrt(1e6) * 0x1p26 * std::sqrt(2.0));
}

}  // namespace
}  // namespace rein
