// How heavy the tail of outcomes is, and that nothing is printed where it may be too heavy.
#include "offpolicy/tail.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "rein/policy_values.h"
#include "rein/rng.h"
#include "rein/whatif.h"

namespace rein {
namespace {

using Law = std::function<double(Rng&)>;

Law pareto(double index) {
  return [index](Rng& rng) { return std::pow(1.0 - rng.uniform(), -1.0 / index); };
}
Law lognormal(double sigma) {
  return [sigma](Rng& rng) { return std::exp(sigma * rng.normal()); };
}

// Two actions, played alike; action 1 earns `times` as much and costs 1.
struct TailLog {
  std::vector<std::int32_t> played, unit;
  std::vector<double> propensity, outcomes;

  TailLog(int rows, std::uint64_t seed, const Law& law, double times = 2.0) {
    Rng rng(seed, 0x7461696c);
    for (int row = 0; row < rows; ++row) {
      const int a = rng.uniform() < 0.5 ? 1 : 0;
      played.push_back(a);
      propensity.push_back(0.5);
      outcomes.insert(outcomes.end(), {law(rng) * (a == 1 ? times : 1.0), a == 1 ? 1.0 : 0.0});
    }
  }
  OfflineRows rows() const {
    return {.rows = static_cast<std::int64_t>(played.size()),
            .actions = 2,
            .heads = 2,
            .played = played,
            .propensity = propensity,
            .outcomes = outcomes,
            .unit = unit};
  }
};

// Of 100 logs, how many have a tail that is too heavy.
int heavy_of_100(int rows, const Law& law) {
  int count = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed)
    count += heavy(tail_index(TailLog(rows, seed, law).rows())[0]) ? 1 : 0;
  return count;
}

TEST(Tail, LawsWithoutAVarianceAreHeavy) {
  for (const double index : {1.2, 1.5}) EXPECT_GE(heavy_of_100(1000, pareto(index)), 94) << index;
  EXPECT_GE(heavy_of_100(5000, pareto(1.5)), 99);
  EXPECT_GE(heavy_of_100(1000, [](Rng& rng) { return -pareto(1.2)(rng); }), 94);
}

TEST(Tail, LawsWithLightTailsAreNot) {
  EXPECT_LE(heavy_of_100(1000, [](Rng& rng) { return 50.0 + rng.normal(); }), 0);
  EXPECT_LE(heavy_of_100(1000, [](Rng& rng) { return rng.uniform(); }), 0);
  EXPECT_LE(heavy_of_100(1000, [](Rng& rng) { return -std::log(1.0 - rng.uniform()); }), 0);
  EXPECT_LE(heavy_of_100(1000, lognormal(1.0)), 12);
  EXPECT_LE(heavy_of_100(5000, lognormal(1.0)), 3);
}

TEST(Tail, RareRewardsTooFewToTellAreNotJudged) {
  const Law yes = [](Rng& rng) { return rng.uniform() < 0.1 ? 1.0 : 0.0; };
  const Law purchase = [](Rng& rng) { return rng.uniform() < 0.01 ? lognormal(1.0)(rng) : 0.0; };
  EXPECT_EQ(heavy_of_100(1000, purchase), 0);
  EXPECT_EQ(heavy_of_100(5000, yes), 0);
}

TEST(Tail, ALimitThatIsMetAgainAndAgainEndsTheTail) {
  const Law cut = [](Rng& rng) { return std::min(pareto(1.2)(rng), 8.0); };
  EXPECT_LE(heavy_of_100(1000, cut), 0);
  const Law prices = [](Rng& rng) {
    const double u = rng.uniform();
    return u < 0.9 ? 1.0 : u < 0.98 ? 100.0 : 10'000.0;
  };
  EXPECT_LE(heavy_of_100(1000, prices), 0);
}

TEST(Tail, DoesNotDependOnUnitAndOrigin) {
  TailLog log(2000, 3, lognormal(1.5));
  const double before = tail_index(log.rows())[0];
  for (double& y : log.outcomes) y = 1000.0 * y - 40'000.0;
  EXPECT_NEAR(tail_index(log.rows())[0], before, 1e-8);
  for (double& y : log.outcomes) y = -y;
  EXPECT_NEAR(tail_index(log.rows())[0], before, 1e-8);
}

TEST(Tail, OneHeavyActionIsFoundAmongLightOnes) {
  TailLog log(12'000, 4, [](Rng& rng) { return rng.normal(); });
  Rng rng(1, 2);
  for (std::size_t i = 0; i < log.played.size(); ++i)
    if (log.played[i] == 1) log.outcomes[2 * i] = pareto(1.3)(rng);
  EXPECT_TRUE(heavy(tail_index(log.rows())[0]));
}

TEST(Tail, UnitsAreAddedUp) {
  // 2000 users with ten rows each, half of what a row earns is the user's: as heavy as their sums.
  TailLog log(20'000, 5, lognormal(0.5), 1.0);
  Rng rng(6, 7);
  double own = 0.0;
  for (std::size_t row = 0; row < log.played.size(); ++row) {
    if (row % 10 == 0) own = pareto(1.3)(rng);
    log.unit.push_back(static_cast<std::int32_t>(row / 10));
    log.outcomes[2 * row] += own;
  }
  EXPECT_TRUE(heavy(tail_index(log.rows())[0]));
}

TEST(Tail, SamplesOfPartsAreTheSampleOfTheLog) {
  const TailLog log(3000, 8, pareto(1.5));
  TailSample parts = TailSample::of(3000, 2, 2);
  for (const std::int64_t first : {0, 1000, 2000}) {
    TailSample part = TailSample::of(3000, 2, 2);
    part.add(some_rows(log.rows(), {first, first + 1000}), first);
    std::vector<double> numbers;
    part.save(numbers);
    ASSERT_TRUE(parts.load(numbers));
    numbers.push_back(0.0);
    EXPECT_FALSE(TailSample::of(3000, 2, 2).load(numbers));
  }
  EXPECT_EQ(tail_index(parts)[0], tail_index(log.rows())[0]);
  EXPECT_TRUE(std::isnan(tail_index(TailSample::of(3000, 2, 2))[0]));
}

bool warned_of_tail(const std::vector<std::string>& warnings, const std::string& of) {
  for (const std::string& text : warnings)
    if (text.find(of) != std::string::npos) return true;
  return false;
}

TEST(Tail, HeavyRewardsHaveNoIntervalAndAReason) {
  const TailLog log(2000, 9, pareto(1.2));
  PolicyValuesOptions options{.policies = {"logged", "action(1)", "action(0)"}, .sensitivity = 1.5};
  options.learner.heads = {"reward", "cost"};
  const PolicyValues found = policy_values(log.rows(), options).value();
  for (const PolicyLine& line : found.policies) {
    const std::vector<std::string>& warnings = line.evaluation.warnings;
    EXPECT_TRUE(warned_of_tail(warnings, "no interval for reward: its largest")) << line.name;
    EXPECT_TRUE(warned_of_tail(warnings, "--range reward=LOW:HIGH")) << line.name;
    for (const PolicyValue& value : line.evaluation.values) EXPECT_TRUE(std::isnan(value.low[0]));
    if (line.difference) {
      EXPECT_TRUE(std::isnan(line.difference->value.low[0]));
    }
    if (!line.sensitivity.empty()) {
      EXPECT_TRUE(std::isnan(line.sensitivity[0].low));
    }
  }
  EXPECT_FALSE(std::isnan(found.policies[0].evaluation.values[0].low[1]));  // its cost has one
}

TEST(Tail, ALogThatLacksTheLargestHasALongerInterval) {
  Rng rng(5, 5);
  std::vector<double> errors;
  for (int i = 0; i < 500; ++i) errors.push_back(pareto(3.0)(rng));
  const Stretch none = stretch_of(errors, {}, 0.0);
  EXPECT_EQ(none.low, 1.0);
  EXPECT_EQ(none.high, 1.0);
  std::sort(errors.begin(), errors.end());
  for (std::size_t i = 490; i < 500; ++i) errors[i] = errors[489];  // the ten largest are missing
  const Stretch stretch = stretch_of(errors, {}, 0.45);
  EXPECT_GT(stretch.high, 1.2);
  EXPECT_GE(stretch.low, 1.0);
  errors.back() = 1000.0 * errors[0];  // one that is larger than the tail says
  EXPECT_LT(stretch_of(errors, {}, 0.45).high, 1.2);
}

TEST(Tail, ARangeGivesThemAnInterval) {
  TailLog log(2000, 10, pareto(1.2));
  for (std::size_t i = 0; i < log.outcomes.size(); i += 2)
    log.outcomes[i] = std::min(log.outcomes[i], 5000.0);
  PolicyValuesOptions options{.policies = {"logged", "action(1)"}};
  options.learner.heads = {"reward", "cost"};
  options.learner.ranges = {{0.0, 5000.0}, {0.0, 1.0}};
  const PolicyValues found = policy_values(log.rows(), options).value();
  for (const PolicyLine& line : found.policies) {
    const PolicyValue& best = line.evaluation.values[line.evaluation.recommended];
    EXPECT_TRUE(heavy(line.evaluation.tail_index[0])) << line.name;
    EXPECT_LT(best.low[0], best.value[0]) << line.name;
    EXPECT_GT(best.high[0], best.value[0]) << line.name;
  }
}

TEST(Tail, HeavyOutcomesHaveNoBand) {
  const TailLog log(3000, 11, pareto(1.2));
  WhatifOptions options{.budgets = {0.3, 0.6}, .heads = {"reward", "cost"}};
  const Whatif found = whatif(log.rows(), options).value();
  EXPECT_TRUE(warned_of_tail(found.warnings, "no band for reward: its largest"));
  EXPECT_TRUE(std::isnan(found.logged[0].low));
  EXPECT_FALSE(std::isnan(found.logged[1].low));
  for (const auto* points : {&found.points, &found.fixed}) {
    for (const CurvePoint& point : *points) {
      EXPECT_TRUE(std::isnan(point.values[0].band_low));
      EXPECT_TRUE(std::isnan(point.values[0].error));
    }
  }
  ASSERT_TRUE(!found.half_of_last || std::isnan(found.half_of_last->low));
}

TEST(Tail, HeavyCostsLeaveNoBandAtTheirBudget) {
  TailLog log(3000, 12, [](Rng& rng) { return rng.normal(); });
  Rng rng(3, 4);
  for (std::size_t i = 0; i < log.played.size(); ++i)
    if (log.played[i] == 1) log.outcomes[2 * i + 1] = pareto(1.2)(rng);
  WhatifOptions options{.budgets = {1.0, 2.0}, .heads = {"reward", "spend"}};
  const Whatif found = whatif(log.rows(), options).value();
  EXPECT_TRUE(warned_of_tail(found.warnings, "no band for spend: its largest"));
  for (const CurvePoint& point : found.points) {
    if (!point.possible) continue;
    EXPECT_TRUE(std::isnan(point.values[0].band_low));
  }
}

}  // namespace
}  // namespace rein
