#include "evaluate/benchmark.h"

#include <gtest/gtest.h>

#include <cmath>

#include "evaluate/small_world.h"
#include "rein/rng.h"

namespace rein {
namespace {

const Shape kSigned{.actions = 3, .costs = {{.name = "cost"}}};

double best_of(const Shape& shape, const BenchmarkOptions& options, std::vector<double> means,
               std::int64_t* infeasible = nullptr) {
  SmallWorld world(shape, {means});
  world.next();
  Benchmark benchmark(shape, options);
  const double best = benchmark.best(world, means, world.actions());
  if (infeasible != nullptr) *infeasible = benchmark.infeasible_rounds();
  return best;
}

TEST(BenchmarkTest, CapIsZeroMarginOrBudgetByTheSetting) {
  // (cost, reward): (-0.5, 0), (0.5, 1), (0, 0.4). At cap c the first two mix to 0.5 + c.
  const std::vector<double> means = {0.0, 1.0, 0.4, -0.5, 0.5, 0.0};
  EXPECT_DOUBLE_EQ(best_of(kSigned, {}, means), 0.5);
  EXPECT_DOUBLE_EQ(best_of(kSigned, {.setting = Setting::kSlater, .margin = 0.2}, means), 0.3);
  EXPECT_DOUBLE_EQ(best_of(kSigned, {.setting = Setting::kSlater}, means), 0.5);
  for (Setting setting : {Setting::kKnapsack, Setting::kLinearConstraints, Setting::kPacing}) {
    EXPECT_DOUBLE_EQ(
        best_of(kSigned, {.setting = setting, .budgets = {25.0}, .rounds = 100}, means), 0.75);
    EXPECT_DOUBLE_EQ(best_of(kSigned, {.setting = setting, .rounds = 100}, means), 0.5);
  }
  // A policy with setting expectation is measured against E[cost] <= 0, with or without a budget.
  EXPECT_DOUBLE_EQ(best_of(kSigned, {.budgets = {25.0}, .rounds = 100}, means), 0.5);
}

TEST(BenchmarkTest, InfeasibleRoundsAreCountedAndRelaxed) {
  std::int64_t infeasible = 0;
  EXPECT_DOUBLE_EQ(best_of(kSigned, {}, {0.1, 0.6, 1.0, 0.2, 0.2, 0.3}, &infeasible), 0.6);
  EXPECT_EQ(infeasible, 1);
  best_of(kSigned, {}, {0.1, 0.6, 1.0, 0.0, 0.2, 0.3}, &infeasible);
  EXPECT_EQ(infeasible, 0);
}

TEST(BenchmarkTest, AlmostSureTakesTheBestActionThatCanNeverCost) {
  const BenchmarkOptions options{.setting = Setting::kAlmostSure};
  const std::vector<double> means = {0.2, 0.9, 0.5, -0.8, -0.1, -0.6};
  SmallWorld told(kSigned, {means, means}, {{-0.6, 0.8, -0.2}, {0.4, 0.8, 0.3}});
  Benchmark benchmark(kSigned, options);
  told.next();
  EXPECT_DOUBLE_EQ(benchmark.best(told, means, 3), 0.5);  // the second may cost 0.8
  EXPECT_EQ(benchmark.infeasible_rounds(), 0);
  told.next();  // all may cost: actions with means of at most 0 replace them, and the round counts
  EXPECT_DOUBLE_EQ(benchmark.best(told, means, 3), 0.9);
  EXPECT_EQ(benchmark.infeasible_rounds(), 1);
  // A world that cannot say is judged by its means.
  std::int64_t infeasible = 0;
  EXPECT_DOUBLE_EQ(best_of(kSigned, options, means, &infeasible), 0.9);
  EXPECT_EQ(infeasible, 0);
  // No mixing: (-1, 0) and (1, 1) give 0, where expectation would give 0.5.
  EXPECT_DOUBLE_EQ(best_of(kSigned, options, {0.0, 1.0, 0.0, -1.0, 1.0, -1.0}), 0.0);
  // None at all: the one that costs the least.
  EXPECT_DOUBLE_EQ(best_of(kSigned, options, {0.3, 0.7, 1.0, 0.1, 0.1, 0.2}, &infeasible), 0.7);
  EXPECT_EQ(infeasible, 1);
}

TEST(BenchmarkTest, UnitsOfTheShapeChangeNothing) {
  const Shape units{.actions = 3,
                    .reward = {.low = 0.0, .high = 500.0},
                    .costs = {{.name = "ms", .range = {.low = -2.0, .high = 40.0}}}};
  Rng rng(5);
  Benchmark plain(kSigned, {.setting = Setting::kKnapsack, .budgets = {10.0}, .rounds = 100});
  Benchmark scaled(units, {.setting = Setting::kKnapsack, .budgets = {400.0}, .rounds = 100});
  for (int t = 0; t < 100; ++t) {
    std::vector<double> means(6), large(6);
    for (std::size_t j = 0; j < 6; ++j) {
      means[j] = rng.uniform();
      large[j] = means[j] * (j < 3 ? 500.0 : 40.0);
    }
    SmallWorld world(kSigned, {means});
    EXPECT_NEAR(scaled.best(world, large, 3), 500.0 * plain.best(world, means, 3), 1e-9);
  }
  EXPECT_NEAR(scaled.best_long_term(), 500.0 * plain.best_long_term(), 1e-8);
  EXPECT_EQ(scaled.infeasible_rounds(), plain.infeasible_rounds());
}

TEST(BenchmarkTest, LongTermSpendsWhereItPays) {
  // Round one: cost 1 buys 1; round two: cost 1 buys 0.2. A budget of 1 for both belongs to the
  // first; half of it in each round earns 0.6.
  const Shape shape{.actions = 2, .costs = {{.range = {.low = 0.0, .high = 1.0}}}};
  SmallWorld world(shape, {{0.0, 1.0, 0.0, 1.0}, {0.0, 0.2, 0.0, 1.0}});
  Benchmark benchmark(shape, {.setting = Setting::kKnapsack, .budgets = {1.0}, .rounds = 2});
  double sum = 0.0;
  for (int t = 0; t < 2; ++t) {
    world.next();
    sum += benchmark.best(world, world.means(), 2);
  }
  EXPECT_DOUBLE_EQ(sum, 0.6);
  EXPECT_DOUBLE_EQ(benchmark.best_long_term(), 1.0);
}

TEST(BenchmarkTest, LongTermIsSkippedWhenNotAskedFor) {
  const Shape shape{.actions = 2, .costs = {{}}};
  SmallWorld world(shape, {{0.0, 1.0, 0.0, 1.0}});
  world.next();
  Benchmark benchmark(shape, {.long_term = false});
  benchmark.best(world, world.means(), 2);
  EXPECT_TRUE(std::isnan(benchmark.best_long_term()));
}

}  // namespace
}  // namespace rein
