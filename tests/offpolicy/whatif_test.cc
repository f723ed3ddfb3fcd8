#include "rein/whatif.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/small.h"
#include "offpolicy/errors.h"
#include "true_curve.h"

namespace rein {
namespace {

WhatifOptions budgets(double low, double high, int count) {
  WhatifOptions options;
  for (int k = 0; k < count; ++k) options.budgets.push_back(low + (high - low) * k / (count - 1.0));
  return options;
}

TEST(PricePath, WalksTheUpperHull) {
  const std::vector<double> reward{0.0, 0.5, 0.6, 1.0};
  const std::vector<double> cost{0.0, 0.2, 0.9, 1.0};
  const std::vector<std::uint8_t> all(4, 1);
  std::vector<double> breaks;
  price_breaks({reward, cost, all}, breaks);
  ASSERT_EQ(breaks.size(), 2u);  // action 2 is under the line from 1 to 3
  EXPECT_NEAR(breaks[0], 0.5 / 0.8, 1e-12);
  EXPECT_NEAR(breaks[1], 0.5 / 0.2, 1e-12);
  const std::vector<double> grid{0.0, 0.5, 1.0, 2.0, 3.0};
  std::vector<PathStep> steps;
  price_path({reward, cost, all}, grid, steps);
  const int wanted[] = {3, 3, 1, 1, 0};
  for (int j = 0; j < 5; ++j) EXPECT_EQ(action_at(steps, j), wanted[j]) << j;
}

TEST(Band, IsThatOfIndependentAndOfEqualPoints) {
  const std::vector<double> one{1.0, 0.0, 0.0, 4.0};
  // Of two independent normal variables: (2 Phi(c) - 1)^2 = 0.95.
  EXPECT_NEAR(joint_quantile(one, 2, 1), 2.236, 0.05);
  const std::vector<double> equal{1.0, 2.0, 2.0, 4.0};
  EXPECT_NEAR(joint_quantile(equal, 2, 1), 1.960, 0.05);
}

TEST(Whatif, BandCoversTheTrueCurveAtAllBudgets) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  const LinearTruth truth(4, 2, true, 5);
  const WhatifOptions options = budgets(0.46, 0.56, 7);
  int joint = 0;
  int one = 0;
  int none = 0;
  constexpr int kLogs = 100;
  for (int i = 0; i < kLogs; ++i) {
    const OwnedLog log = draw_log(truth, "uniform", 2000, 40 + static_cast<std::uint64_t>(i));
    const Whatif found = whatif(log.rows(), options).value();
    const TrueCurve real = true_curve(truth, log.rows(), options, found, 4096);
    bool all = true;
    for (std::size_t k = 0; k < 7; ++k) {
      ASSERT_TRUE(found.points[k].possible);
      const CurveValue& v = found.points[k].values[0];
      if (std::isnan(v.low)) {
        ++none;
        continue;
      }
      all = all && v.band_low <= real.reward[k] && real.reward[k] <= v.band_high;
      one += v.low <= real.reward[k] && real.reward[k] <= v.high ? 1 : 0;
      EXPECT_LE(v.band_low, v.low);
    }
    joint += all ? 1 : 0;
  }
  EXPECT_GE(joint, 95 - 7);
  EXPECT_LE(none, 21);  // balance fails by chance in 1 % of logs, and budgets fail together
  EXPECT_GE(one + none, 665 - 35);
}

TEST(Whatif, MeetsTheBudgetAndSpendsMoreForMore) {
  const LinearTruth truth(4, 2, false, 5);
  const OwnedLog log = draw_log(truth, "uniform", 20000, 3);
  const Whatif found = whatif(log.rows(), budgets(0.30, 0.70, 9)).value();
  double before = 0.0;
  for (const CurvePoint& point : found.points) {
    if (!point.possible) {
      EXPECT_LT(point.budget, found.least);
      continue;
    }
    if (point.binding) {
      EXPECT_NEAR(point.values[1].value, point.budget, 1e-9);
    } else {
      EXPECT_LE(point.values[1].value, point.budget);
      EXPECT_EQ(point.price, 0.0);
    }
    EXPECT_GT(point.values[0].value, before - 0.005);
    before = point.values[0].value;
    double sum = 0.0;
    for (const double share : point.shares) sum += share;
    EXPECT_NEAR(sum, 1.0, 1e-9);
  }
  // Contexts help: the priced policy earns more than the best fixed mix at the same budget.
  EXPECT_GT(found.points[4].values[0].value, found.fixed[4].values[0].value);
  EXPECT_FALSE(found.verdict.empty());
  EXPECT_TRUE(found.warnings.empty());
}

TEST(Whatif, FixedMixIsTheHullOfTheActionsMeans) {
  const LinearTruth truth(3, 2, false, 8);
  const OwnedLog log = draw_log(truth, "uniform", 30000, 3);
  const Whatif found = whatif(log.rows(), budgets(0.42, 0.58, 5)).value();
  // The best mix of two actions at each budget, by the true means.
  std::vector<double> reward(3);
  std::vector<double> cost(3);
  double x[kLogFeatures];
  for (int i = 0; i < 20000; ++i) {
    even_context(i, x);
    for (int a = 0; a < 3; ++a) {
      reward[static_cast<std::size_t>(a)] += truth.mean(0, a, x) / 20000.0;
      cost[static_cast<std::size_t>(a)] += truth.mean(1, a, x) / 20000.0;
    }
  }
  for (const CurvePoint& point : found.fixed) {
    double best = -1.0;
    for (std::size_t a = 0; a < 3; ++a) {
      if (cost[a] <= point.budget) best = std::max(best, reward[a]);
      for (std::size_t b = 0; b < 3; ++b) {
        if (!(cost[a] <= point.budget && point.budget < cost[b])) continue;
        const double share = (point.budget - cost[a]) / (cost[b] - cost[a]);
        best = std::max(best, (1.0 - share) * reward[a] + share * reward[b]);
      }
    }
    if (best < 0.0 || !point.possible) continue;
    EXPECT_NEAR(point.values[0].value, best, 5.0 * point.values[0].error + 0.002) << point.budget;
  }
}

// No reward in 1000 rows, and an action that costs nothing.
TEST(Whatif, NoRewardHasAnUpperEndAndAFreeActionCostsZero) {
  Rng rng(7, 1);
  OwnedLog log{.actions = 2, .heads = 2};
  for (int i = 0; i < 1000; ++i) {
    const int played = rng.uniform() < 0.5 ? 1 : 0;
    log.played.push_back(played);
    log.propensity.push_back(0.5);
    log.outcomes.insert(log.outcomes.end(), {0.0, played == 1 ? 1.0 : 0.0});
    for (int j = 0; j < kLogFeatures; ++j) log.context.push_back(rng.uniform());
  }
  const Whatif found = whatif(log.rows(), {.budgets = {0.25, 0.5}}).value();
  EXPECT_EQ(found.logged[0].low, 0.0);
  EXPECT_NEAR(found.logged[0].high, 1.0 - std::pow(0.025, 1.0 / 1000.0), 4e-5);  // Clopper and Pearson
  EXPECT_NEAR(found.logged[1].high - found.logged[1].low, 0.062, 0.002);
  for (const CurvePoint& point : found.points) {
    const CurveValue& cost = point.values[1];
    EXPECT_TRUE(cost.value == 0.0 || cost.value > 1e-6) << cost.value;
    EXPECT_TRUE(std::isnan(point.values[0].band_low) || point.values[0].band_low < point.values[0].band_high);
  }
}

TEST(Whatif, KeepsALimitOnAnotherHead) {
  const LinearTruth truth(4, 3, false, 5);
  const OwnedLog log = draw_log(truth, "uniform", 20000, 3);
  WhatifOptions options = budgets(0.44, 0.56, 4);
  const Whatif free = whatif(log.rows(), options).value();
  options.limits = {{.head = 2, .amount = free.points[2].values[2].value + 0.01, .at_least = true}};
  const Whatif kept = whatif(log.rows(), options).value();
  for (std::size_t k = 0; k < 4; ++k) {
    if (!kept.points[k].possible) continue;
    const CurveValue& limited = kept.points[k].values[2];
    EXPECT_GT(limited.value, options.limits[0].amount - 4.0 * limited.error);
    EXPECT_LT(kept.points[k].values[0].value, free.points[k].values[0].value + 0.002);
  }
  ASSERT_TRUE(kept.points[2].possible);
  EXPECT_GT(kept.points[2].held_price, 0.0);
}

TEST(Whatif, ABudgetCanBeMetFromTheLeastSpendOn) {
  const LinearTruth truth(4, 3, false, 5);
  WhatifOptions options = budgets(0.36, 0.56, 100);
  for (const bool at_least : {true, false}) {
    options.limits = {{.head = 2, .amount = 0.5, .at_least = at_least}};
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Whatif found = whatif(draw_log(truth, "uniform", 600, seed).rows(), options).value();
      ASSERT_FALSE(std::isnan(found.least));
      for (const CurvePoint& point : found.points) {
        EXPECT_EQ(point.possible, point.budget >= found.least) << found.least;
      }
    }
  }
}

TEST(Whatif, WithALimitALogWithoutAFloorNeedsTwiceTheSize) {
  const LinearTruth truth(4, 3, false, 5);
  WhatifOptions options = budgets(0.44, 0.56, 4);
  options.limits = {{.head = 2, .amount = 0.5, .at_least = true}};
  int between = 0;
  for (const int rows : {2000, 3000, 4000, 6000}) {
    const Whatif softmax = whatif(draw_log(truth, "softmax", rows, 3).rows(), options).value();
    for (const CurvePoint& point : softmax.points) {
      if (!point.possible) continue;
      EXPECT_EQ(point.least_size, 400.0);
      const double size = std::min(point.effective_size, point.expected_size);
      if (size < 400.0) {
        EXPECT_TRUE(std::isnan(point.values[0].band_low)) << size;
      }
      between += size >= 200.0 && size < 400.0 ? 1 : 0;
    }
  }
  EXPECT_GT(between, 0);
  const Whatif uniform = whatif(draw_log(truth, "uniform", 2000, 3).rows(), options).value();
  for (const CurvePoint& point : uniform.points) {
    if (point.possible) {
      EXPECT_EQ(point.least_size, 200.0);
    }
  }
  options.limits.clear();
  const Whatif free = whatif(draw_log(truth, "softmax", 2000, 3).rows(), options).value();
  EXPECT_EQ(free.points[0].least_size, 200.0);
}

// Reward, cost and quality all rise with the action, so without a budget the limit is no limit, and a
// fixed mix jumps from the last action to the first. The best one mixes both.
TEST(Whatif, AFixedMixKeepsALimitThatBindsOnlyBelowABudget) {
  OwnedLog log{.actions = 3, .heads = 3};
  Rng rng(9, 1);
  for (int i = 0; i < 6000; ++i) {
    const int a = static_cast<int>(rng.below(3));
    log.played.push_back(a);
    log.propensity.push_back(1.0 / 3.0);
    for (int j = 0; j < kLogFeatures; ++j) log.context.push_back(rng.uniform());
    const double noise = 0.01 * (rng.uniform() - 0.5);
    log.outcomes.insert(log.outcomes.end(),
                        {0.2 + 0.3 * a + noise, 0.1 * a + noise, 0.5 + 0.2 * a});
  }
  WhatifOptions options = budgets(0.06, 0.18, 5);
  options.limits = {
      {.head = 2, .amount = 0.7, .at_least = true}};  // as action 1 has, for a cost of 0.1
  const Whatif found = whatif(log.rows(), options).value();
  for (const CurvePoint& mix : found.fixed) {
    EXPECT_EQ(mix.possible, mix.budget > 0.1) << mix.budget;
    if (mix.possible) {
      EXPECT_NEAR(mix.values[0].value, 0.2 + 3.0 * mix.budget, 0.01);
      EXPECT_GT(mix.values[2].value, 0.7 - 0.01);
    }
  }
}

TEST(Whatif, ListsOfAllActionsSayNoMoreThanNoLists) {
  const LinearTruth truth(4, 2, true, 5);
  const OwnedLog log = draw_log(truth, "softmax", 3000, 3);
  const WhatifOptions options = budgets(0.38, 0.56, 4);
  const std::string without = to_value(whatif(log.rows(), options).value()).str();
  std::vector<std::uint8_t> offered(log.played.size() * 4, 1);
  OfflineRows rows = log.rows();
  rows.offered = offered;
  EXPECT_EQ(to_value(whatif(rows, options).value()).str(), without);
  offered[4 * 17 + (log.played[17] == 0 ? 1 : 0)] = 0;  // one row does not offer one action
  EXPECT_NE(to_value(whatif(rows, options).value()).str(), without);
}

TEST(Whatif, ThreadsChangeNoBit) {
  const LinearTruth truth(4, 2, true, 5);
  const OwnedLog log = draw_log(truth, "softmax", 5000, 3);
  WhatifOptions options = budgets(0.38, 0.56, 6);
  const std::string one = to_value(whatif(log.rows(), options).value()).str();
  options.fit.threads = 3;
  EXPECT_EQ(one, to_value(whatif(log.rows(), options).value()).str());
}

TEST(Whatif, LogsWithoutPropensitiesAreWarnedAbout) {
  const LinearTruth truth(3, 2, false, 5);
  const OwnedLog log = draw_log(truth, "softmax", 3000, 3);
  OfflineRows rows = log.rows();
  rows.propensity = {};
  const Whatif found = whatif(rows, budgets(0.45, 0.55, 3)).value();
  EXPECT_TRUE(found.estimated);
  ASSERT_FALSE(found.warnings.empty());
  EXPECT_NE(found.warnings[0].find("no propensities"), std::string::npos);
  EXPECT_EQ(found.lambda, kUsualLambda);
  for (const CurvePoint& point : found.points) {
    if (!std::isfinite(point.values[0].error)) continue;
    ASSERT_EQ(point.sensitivity.size(), 2u);
    EXPECT_LT(point.sensitivity[0].low, point.values[0].low);
  }
}

// What a learner plays depends on outcomes, so only the floor under its propensities counts.
TEST(Whatif, ALogOfALearnerNeedsRowsAtItsLeastPropensity) {
  const LinearTruth truth(4, 2, false, 5);
  WhatifOptions options = budgets(0.45, 0.55, 3);
  const auto first = [&](int rows) {
    const OwnedLog log = draw_log(truth, "uniform", rows, 4);
    return whatif(log.rows(), options).value();
  };
  EXPECT_TRUE(std::isfinite(first(2000).points[0].values[0].error));
  options.adaptive = Adaptive::kYes;
  const Whatif few = first(2000);  // of which 1900 are evaluated
  EXPECT_NEAR(few.points[0].floor_size, 475.0, 1e-9);
  EXPECT_TRUE(std::isnan(few.points[0].values[0].error));
  ASSERT_EQ(few.warnings.size(), 1u);
  EXPECT_NE(few.warnings[0].find("are 475, under 500"), std::string::npos) << few.warnings[0];
  const Whatif enough = first(2400);
  EXPECT_TRUE(std::isfinite(enough.points[0].values[0].error));
  EXPECT_TRUE(enough.warnings.empty());
}

// The bands are those of sensitivity_band() on the probabilities of the policy.
TEST(Whatif, SensitivityIsThatOfThePolicyOfThePoint) {
  const LinearTruth truth(3, 2, false, 5);
  const OwnedLog log = draw_log(truth, "uniform", 2000, 4);
  WhatifOptions options{.budgets = {1.0}, .sensitivity = 1.5};
  const Whatif found = whatif(log.rows(), options).value();
  EXPECT_EQ(found.lambda, 1.5);
  const std::vector<double> predicted = cross_fit(log.rows()).value();
  std::vector<double> target(predicted.size() / 2,
                             0.0);  // nothing binds: the largest reward is played
  for (std::size_t row = 0; row < 2000; ++row) {
    std::size_t best = 0;
    for (std::size_t a = 1; a < 3; ++a) {
      if (predicted[(row * 3 + a) * 2] > predicted[(row * 3 + best) * 2]) best = a;
    }
    target[row * 3 + best] = 1.0;
  }
  ASSERT_EQ(found.points[0].sensitivity.size(), 2u);
  for (int head = 0; head < 2; ++head) {
    const SensitivityBand wanted =
        sensitivity_band(log.rows(), target, predicted, head, 1.5).value();
    const SensitivityBand& band = found.points[0].sensitivity[static_cast<std::size_t>(head)];
    EXPECT_NEAR(band.value, wanted.value, 1e-12);
    EXPECT_NEAR(band.low, wanted.low, 1e-12);
    EXPECT_NEAR(band.high, wanted.high, 1e-12);
  }
  EXPECT_LT(found.points[0].sensitivity[0].low, found.points[0].values[0].low);
  EXPECT_GT(found.points[0].sensitivity[0].high, found.points[0].values[0].high);
  options.sensitivity = 0.0;
  EXPECT_TRUE(whatif(log.rows(), options).value().points[0].sensitivity.empty());
  options.sensitivity = 0.9;
  EXPECT_EQ(whatif(log.rows(), options).error(),
            "whatif: found sensitivity 0.9; accepted: 1 to 1e+06, or 0 for none");
}

TEST(Whatif, StopsWhenAskedAndRefusesWrongOptions) {
  const LinearTruth truth(3, 2, false, 5);
  const OwnedLog log = draw_log(truth, "uniform", 1000, 3);
  WhatifOptions options = budgets(0.4, 0.6, 3);
  options.progress = [](double) { return false; };
  EXPECT_EQ(whatif(log.rows(), options).reason(), Reason::kFailed);
  options = budgets(0.6, 0.4, 3);
  EXPECT_EQ(whatif(log.rows(), options).error(),
            "whatif: budget 1 is 0.5; accepted: finite numbers that ascend");
  options = budgets(0.4, 0.6, 3);
  options.cost = 2;
  EXPECT_EQ(whatif(log.rows(), options).error(),
            "whatif: found cost 2; accepted: 1 to 1, a cost of the log");
}

}  // namespace
}  // namespace rein
