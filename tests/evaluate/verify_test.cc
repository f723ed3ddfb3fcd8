#include "rein/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "evaluate/growth.h"
#include "evaluate/temp_path.h"
#include "evaluate/verify_cases.h"
#include "rein/rng.h"

namespace rein {
namespace {

using testing::HasSubstr;

const std::vector<std::int64_t> kHorizons = {256, 512, 1024, 2048, 4096, 8192};

// T^power times 1 + noise, `seeds` of each.
std::vector<std::vector<double>> power_law(double power, int seeds, double noise,
                                           std::uint64_t seed) {
  Rng rng(seed, 1);
  std::vector<std::vector<double>> samples;
  for (std::int64_t t : kHorizons) {
    std::vector<double>& values = samples.emplace_back();
    for (int s = 0; s < seeds; ++s) {
      const double factor = 1.0 + noise * (2.0 * rng.uniform() - 1.0);
      values.push_back(3.0 * std::pow(static_cast<double>(t), power) * factor);
    }
  }
  return samples;
}

VerifyRow row_of(double theorem, std::vector<double> bounds) {
  VerifyRow row;
  row.horizons = kHorizons;
  row.theorem = theorem;
  row.bounds = std::move(bounds);
  return row;
}

TEST(GrowthTest, APowerLawGivesItsExponent) {
  for (double power : {0.25, 0.5, 0.75, 1.0}) {
    const Figure exact = growth_exponent(kHorizons, power_law(power, 4, 0.0, 1));
    EXPECT_NEAR(exact.mean, power, 1e-12);
    EXPECT_NEAR(exact.low, power - kResolution, 1e-9);
  }
  EXPECT_TRUE(std::isnan(growth_exponent(kHorizons, power_law(0.5, 1, 0.0, 1)).low));
}

TEST(GrowthTest, TheIntervalCoversNineteenTimesInTwenty) {
  int covered = 0;
  const int tries = 2000;
  double width = 0.0;
  for (int i = 0; i < tries; ++i) {
    const Figure f =
        growth_exponent(kHorizons, power_law(0.6, 12, 0.4, static_cast<std::uint64_t>(i)));
    const double low = f.low + kResolution, high = f.high - kResolution;
    covered += low <= 0.6 && 0.6 <= high ? 1 : 0;
    width += (high - low) / tries;
  }
  // Four standard errors of 2000 tries at 95 %: 0.02.
  EXPECT_NEAR(covered / static_cast<double>(tries), 0.95, 0.02);
  EXPECT_GT(width, 0.01);
  EXPECT_LT(width, 0.2);
}

// What all horizons of a seed share does not change a slope, and must not widen the interval.
TEST(GrowthTest, WhatASeedSharesBetweenHorizonsDoesNotWidenTheInterval) {
  auto samples = power_law(0.5, 12, 0.1, 3);
  const Figure before = growth_exponent(kHorizons, samples);
  for (std::vector<double>& values : samples) {
    for (std::size_t s = 0; s < values.size(); ++s) {
      values[s] *= s % 2 == 0 ? 0.2 : 1.8;
    }
  }
  const Figure after = growth_exponent(kHorizons, samples);
  EXPECT_LT(after.high - after.low, 2.0 * (before.high - before.low));
}

TEST(GrowthTest, AMeanThatIsNotPositiveHasNoExponent) {
  auto samples = power_law(0.5, 4, 0.1, 5);
  samples[2] = {-1.0, -1.0, 1.0, 1.0};
  EXPECT_TRUE(std::isnan(growth_exponent(kHorizons, samples).mean));
  VerifyRow row = row_of(0.5, {});
  judge(samples, row);
  EXPECT_EQ(row.note, "not positive");
  EXPECT_TRUE(row.pass);
  EXPECT_EQ(row.measured.size(), kHorizons.size());
}

TEST(VerifyTest, AnExponentAboveTheTheoremsFails) {
  VerifyRow row = row_of(0.5, {});
  judge(power_law(0.5, 8, 0.1, 7), row);
  EXPECT_TRUE(row.pass) << row.exponent.low;
  row = row_of(0.5, {});
  judge(power_law(0.75, 8, 0.1, 7), row);
  EXPECT_FALSE(row.pass);
  EXPECT_THAT(row.note, HasSubstr("grows faster"));
}

TEST(VerifyTest, AWrongBoundFails) {
  const auto samples = power_law(0.5, 8, 0.1, 7);
  std::vector<double> bounds;
  for (std::int64_t t : kHorizons) bounds.push_back(4.0 * std::sqrt(static_cast<double>(t)));
  VerifyRow row = row_of(0.75, bounds);
  judge(samples, row);
  EXPECT_TRUE(row.pass);
  bounds[3] = std::nan("");  // none here
  row = row_of(0.75, bounds);
  judge(samples, row);
  EXPECT_TRUE(row.pass);
  bounds[4] /= 2.0;
  row = row_of(0.75, bounds);
  judge(samples, row);
  EXPECT_FALSE(row.pass);
  EXPECT_EQ(row.note, "above its bound at T = 4096");
}

VerifyOptions tiny() { return {.seeds = 3, .first = 6, .last = 8}; }

TEST(VerifyTest, EveryPartHasItsQuantities) {
  const Verification found = verify(tiny()).value();
  std::map<std::string, std::set<std::string>> quantities;
  std::set<std::string> worlds;
  for (const VerifyRow& row : found.rows) {
    quantities[row.part].insert(row.quantity);
    worlds.insert(row.world);
    EXPECT_EQ(row.horizons, (std::vector<std::int64_t>{64, 128, 256}));
    EXPECT_EQ(row.measured.size(), 3u);
    EXPECT_THAT(row.policy, HasSubstr("tuning=theory"));
    if (row.quantity == "premise") continue;
    EXPECT_EQ(row.bounds.size(), 3u);
    for (std::size_t h = 0; h < row.bounds.size(); ++h) {
      // At some short horizons there is no exponential bound.
      if ((row.part == "c" || row.part == "d") && std::isnan(row.bounds[h])) continue;
      EXPECT_GT(row.bounds[h], row.measured[h].mean) << row.part << " " << row.quantity;
    }
  }
  using Names = std::set<std::string>;
  EXPECT_EQ(quantities["a"], (Names{"regret", "ccv", "oracle_error"}));
  EXPECT_EQ(quantities["b"], (Names{"regret", "ccv", "ccv_average", "ccv_share"}));
  EXPECT_EQ(quantities["c"], (Names{"regret", "ccv"}));
  EXPECT_EQ(quantities["d"], (Names{"regret", "regret_long_term", "ccv"}));
  EXPECT_EQ(quantities["e"], (Names{"regret", "ccv", "queue_rms", "premise"}));
  EXPECT_EQ(quantities["f"], (Names{"regret", "regret_long_term", "regret_stationary", "ccv"}));
  EXPECT_EQ(quantities["g"], (Names{"regret", "ccv_max"}));
  EXPECT_TRUE(worlds.count("spend_or_save(budget=sqrt T,future=high,medium=1)"));
  EXPECT_TRUE(worlds.count("linear(budget=T^(3/4),d=2,k=2,noise=none,tension=1)"));
}

// Every part is measured with one, two and four costs; of several, the row has the largest.
TEST(VerifyTest, EveryPartIsMeasuredWithSeveralCosts) {
  for (char part : std::string("abcdefg")) {
    std::set<int> costs;
    for (const VerifyCase& each : verify_cases()) {
      if (std::string(each.parts).find(part) == std::string::npos) continue;
      const std::string world = each.world;
      const std::size_t at = std::min(world.find(",m="), world.find("(m="));
      costs.insert(at == std::string::npos ? 1 : world[at + 3] - '0');
    }
    EXPECT_EQ(costs, (std::set<int>{1, 2, 4})) << part;
  }
  Totals totals;
  totals.ccv = {3.0, 7.0};
  totals.bounds.ccv = {9.0, 8.0};
  const BoundClaim ccv = claims_of('a')[1];
  EXPECT_EQ(ccv.measured(totals), 7.0);
  EXPECT_EQ(ccv.bound(totals), 8.0);
}

TEST(VerifyTest, NumbersDoNotDependOnThreads) {
  VerifyOptions options = tiny();
  options.parts = "ad";
  options.threads = 1;
  const Verification one = verify(options).value();
  options.threads = 3;
  const Verification three = verify(options).value();
  ASSERT_EQ(one.rows.size(), three.rows.size());
  for (std::size_t r = 0; r < one.rows.size(); ++r) {
    for (std::size_t h = 0; h < 3; ++h) {
      EXPECT_EQ(one.rows[r].measured[h].mean, three.rows[r].measured[h].mean);
    }
  }
}

// Parts (d) and (f) bound the regret against more than the best of every round.
TEST(VerifyTest, BudgetPartsAreHeldToTheBestOverAllRounds) {
  VerifyOptions options = tiny();
  options.parts = "df";
  std::map<std::string, std::map<std::string, double>> last;  // [world and policy][quantity]
  const Verification found = verify(options).value();
  for (const VerifyRow& row : found.rows) {
    last[row.world + row.policy][row.quantity] = row.measured.back().mean;
  }
  bool above = false;
  for (auto& [name, of] : last) {
    ASSERT_TRUE(std::isfinite(of.at("regret_long_term"))) << name;
    EXPECT_GE(of["regret_long_term"], of["regret"] - 1e-6) << name;
    above = above || of["regret_long_term"] > of["regret"] + 1.0;
    if (!of.contains("regret_stationary")) continue;
    EXPECT_GE(of["regret_stationary"], of["regret_long_term"] - 1e-6) << name;
  }
  EXPECT_TRUE(above);  // on some world the two benchmarks differ
}

TEST(VerifyTest, WhatWasNotMeasuredDoesNotPass) {
  auto samples = power_law(0.5, 4, 0.1, 5);
  samples[2][1] = std::nan("");
  VerifyRow row = row_of(0.75, {});
  judge(samples, row);
  EXPECT_FALSE(row.pass);
  EXPECT_EQ(row.note, "not measured");
}

TEST(VerifyTest, AStoppedVerificationGoesOn) {
  const TempPath file("verify.jsonl");
  VerifyOptions options = tiny();
  options.parts = "bd";
  const Verification whole = verify(options).value();
  options.resume = file.str();
  EXPECT_EQ(verify(options).value().restored, 0u);
  const std::string lines = file.read();
  const std::size_t plays =
      static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n')) - 1;
  // Stopped in the middle of a line.
  file.write(lines.substr(0, 2 * lines.size() / 3));
  std::int64_t told = 0, all = 0;
  options.progress = [&](std::int64_t done, std::int64_t of) { told = done, all = of; };
  const Verification again = verify(options).value();
  EXPECT_GT(again.restored, 0u);
  EXPECT_LT(again.restored, plays);
  EXPECT_EQ(told, all);
  const Verification known = verify(options).value();
  EXPECT_EQ(known.restored, plays);
  ASSERT_EQ(whole.rows.size(), again.rows.size());
  for (std::size_t r = 0; r < whole.rows.size(); ++r) {
    for (std::size_t h = 0; h < 3; ++h) {
      EXPECT_EQ(whole.rows[r].measured[h].mean, again.rows[r].measured[h].mean);
      EXPECT_EQ(whole.rows[r].measured[h].mean, known.rows[r].measured[h].mean);
    }
  }
  // Other seeds and parts are added to the same file; a file of something else is refused.
  options.parts = "d";
  options.seeds = 4;
  EXPECT_GT(verify(options).value().restored, 0u);
  file.write("{\"format\":\"2\",\"version\":\"0\"}\n");
  EXPECT_THAT(verify(options).error(), HasSubstr("another run"));
  options.fresh = true;
  EXPECT_EQ(verify(options).value().restored, 0u);
}

// The rates of docs/verify.md where U is 1: no logarithm in the quadratic parts.
TEST(VerifyTest, RatesHaveTheTheoremsExponents) {
  const auto exponent = [](char part, std::size_t claim, Setting setting, double budget_power) {
    std::vector<double> rates;
    for (std::int64_t t : kHorizons) {
      Terms terms{.setting = setting, .actions = 2, .rounds = t};
      if (budget_power > 0.0) {
        terms.budgets = {100.0 * std::pow(static_cast<double>(t), budget_power)};
      }
      rates.push_back(claims_of(part)[claim].rate(terms));
    }
    return log_slope(kHorizons, rates);
  };
  EXPECT_NEAR(exponent('a', 0, Setting::kExpectation, 0.0), 0.75, 1e-9);
  EXPECT_NEAR(exponent('b', 2, Setting::kSlater, 0.0), 0.5, 1e-9);
  EXPECT_NEAR(exponent('c', 0, Setting::kAlmostSure, 0.0), 0.5, 1e-9);
  EXPECT_GT(exponent('c', 1, Setting::kAlmostSure, 0.0), 0.5);  // ln T
  EXPECT_LT(exponent('c', 1, Setting::kAlmostSure, 0.0), 0.65);
  EXPECT_GT(exponent('d', 2, Setting::kKnapsack, 1.0), 0.9);  // all of the budget may be spent
  EXPECT_NEAR(exponent('e', 1, Setting::kExpectation, 0.0), 0.5, 1e-9);
  EXPECT_NEAR(exponent('f', 0, Setting::kLinearConstraints, 0.5), 0.75, 1e-9);
  EXPECT_GT(exponent('f', 0, Setting::kLinearConstraints, 1.0), 0.95);
  EXPECT_NEAR(exponent('g', 0, Setting::kSlater, 0.0), 0.5, 1e-9);
  EXPECT_NEAR(exponent('g', 1, Setting::kSlater, 0.0), 0.5, 1e-9);
}

TEST(VerifyTest, RefusesWhatIsNotThere) {
  EXPECT_THAT(verify({.profile = "slow"}).error(), HasSubstr("accepted: quick, full"));
  EXPECT_THAT(verify({.parts = "ah"}).error(), HasSubstr("accepted: letters from a to g"));
  EXPECT_THAT(verify({.parts = ""}).error(), HasSubstr("accepted: letters from a to g"));
  EXPECT_THAT(verify({.first = 8, .last = 8}).error(), HasSubstr("2^8 to 2^8"));
  EXPECT_THAT(verify({.seeds = -1}).error(), HasSubstr("seeds"));
}

// The same worlds and seeds: rows of the theorem's own policies are what they are alone.
TEST(VerifyTest, OtherPoliciesStandBesideTheTheoremsOwn) {
  VerifyOptions options{.parts = "d", .seeds = 2, .first = 6, .last = 8};
  const Verification alone = verify(options).value();
  options.policies = {"ccb", "loe2d", "squarecb"};
  const Verification found = verify(options).value();
  std::vector<VerifyRow> own;
  std::set<std::string> beside;
  for (const VerifyRow& row : found.rows) {
    if (row.promised) {
      own.push_back(row);
      continue;
    }
    beside.insert(row.policy);
    EXPECT_TRUE(row.pass);
    EXPECT_TRUE(row.bounds.empty());
    EXPECT_TRUE(std::isfinite(row.theorem));
    EXPECT_EQ(row.measured.size(), 3u);
  }
  EXPECT_EQ(beside, (std::set<std::string>{"loe2d", "squarecb"}));
  ASSERT_EQ(own.size(), alone.rows.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    EXPECT_EQ(own[i].policy, alone.rows[i].policy);
    EXPECT_EQ(own[i].measured[2].mean, alone.rows[i].measured[2].mean);
    EXPECT_EQ(own[i].theorem, alone.rows[i].theorem);
  }
  // Once per world and quantity, though several cases have the world.
  std::set<std::string> rows;
  for (const VerifyRow& row : found.rows) {
    if (row.promised) continue;
    EXPECT_TRUE(rows.insert(row.world + row.policy + row.quantity).second) << row.world;
  }
}

TEST(VerifyTest, OnlyOthersOrPoliciesThatFitNoWorldAreSaid) {
  VerifyOptions options{.parts = "d", .seeds = 1, .first = 6, .last = 7};
  options.policies = {"uniform"};
  const Verification alone = verify(options).value();
  EXPECT_FALSE(alone.rows.empty());
  for (const VerifyRow& row : alone.rows) EXPECT_FALSE(row.promised);
  options.policies = {"no_such_policy"};
  EXPECT_THAT(verify(options).error(), HasSubstr("no_such_policy"));
  options.policies = {"ccb", "no_such_policy"};
  EXPECT_THAT(verify(options).error(), HasSubstr("no_such_policy on "));
}

}  // namespace
}  // namespace rein
