// spend_or_save: two futures that look the same until it is too late.
#include <gtest/gtest.h>

#include <algorithm>

#include "world/worlds.h"

namespace rein {
namespace {

TEST(SpendOrSave, FuturesAreAlikeInTheFirstHalfAndDifferInTheSecond) {
  const auto high = world_of("spend_or_save(future=high)");
  const auto low = world_of("spend_or_save(future=low)");
  for (int t = 0; t < 200; ++t) {
    std::vector<double> one;
    std::vector<double> other;
    add_round(*high, high->next(), one);
    add_round(*low, low->next(), other);
    EXPECT_EQ(one == other, t < 100) << t;
  }
}

// A policy that spends s of a budget of T/2 in the first half loses to the best in one of the
// futures.
TEST(SpendOrSave, EverySplitOfTheBudgetLosesAnEighthOfTheRounds) {
  const auto earns = [](const char* spec, int first) {
    const auto world = world_of(spec);
    double reward = 0.0;
    auto left = static_cast<int>(world->shape().budgets[0]);
    for (int t = 0; t < 200; ++t) {
      world->next();
      const bool spend = left > 0 && (t >= 100 || t < first);
      left -= spend ? 1 : 0;
      Outcome outcome;
      world->outcome(spend ? 1 : 0, outcome);
      EXPECT_EQ(outcome.costs[0], spend ? 1.0 : 0.0);
      reward += outcome.reward;
    }
    return reward;
  };
  EXPECT_EQ(world_of("spend_or_save")->shape().budgets[0], 100.0);
  const double best_high = earns("spend_or_save(future=high)", 0);
  const double best_low = earns("spend_or_save(future=low)", 100);
  EXPECT_EQ(best_high, 100.0);
  EXPECT_EQ(best_low, 50.0);
  for (int s = 0; s <= 100; s += 5) {
    const double regret = std::max(best_high - earns("spend_or_save(future=high)", s),
                                   best_low - earns("spend_or_save(future=low)", s));
    EXPECT_GE(regret, 200.0 / 8);
  }
}

TEST(SpendOrSave, RandomFutureGoesBothWays) {
  int high = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto world = world_of("spend_or_save", seed, 2);
    world->next();
    high += world->next().context[1] == 1.0 ? 1 : 0;
  }
  EXPECT_GT(high, 8);
  EXPECT_LT(high, 32);
}

}  // namespace
}  // namespace rein
