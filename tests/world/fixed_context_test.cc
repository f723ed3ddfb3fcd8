// fixed_context: exactly the problem that SquareCBwK's experiment prints.
#include <gtest/gtest.h>

#include <cmath>

#include "world/worlds.h"

namespace rein {
namespace {

TEST(FixedContext, MeansByHand) {
  const auto world = world_of("fixed_context");
  EXPECT_EQ(world->shape().actions, 4);  // null and three
  EXPECT_EQ(world->shape().features, 10);
  EXPECT_EQ(world->shape().budgets, std::vector<double>(4, 50.0));  // T / 4
  world->next();
  const auto means = means_of(*world, 4);
  const double root = std::sqrt(0.5), quarter = 0.5 * root;
  const std::vector<double> wanted = {0.0, 1.0,     0.5,     0.5,      // reward
                                      0.0, 0.5,     1.0,     0.5,      // theta_1
                                      0.0, quarter, quarter, quarter,  // theta_2
                                      0.0, 0.0,     0.0,     root,     // e_4
                                      0.0, 0.0,     0.0,     0.0};     // e_5
  ASSERT_EQ(means.size(), wanted.size());
  for (std::size_t j = 0; j < wanted.size(); ++j) EXPECT_NEAR(means[j], wanted[j], 1e-12) << j;
}

TEST(FixedContext, TheContextNeverChangesAndNullCostsNothing) {
  const auto world = world_of("fixed_context(d=52,k=6)", 4);
  const std::vector<double> first = [&] {
    const Round& round = world->next();
    return std::vector<double>(round.features.begin(), round.features.end());
  }();
  double squares = 0.0;
  for (int t = 1; t < 400; ++t) {
    const Round& round = world->next();
    EXPECT_EQ(std::vector<double>(round.features.begin(), round.features.end()), first);
    Outcome outcome;
    world->outcome(0, outcome);
    EXPECT_EQ(outcome.costs, Costs(4));
    world->outcome(1, outcome);
    squares += (outcome.reward - 1.0) * (outcome.reward - 1.0);
  }
  EXPECT_NEAR(std::sqrt(squares / 399.0), 0.2, 0.03);  // sd 0.2 about a mean of 1: no cut
}

TEST(FixedContext, SizesThatDoNotFitAreRefused) {
  EXPECT_EQ(make_world("fixed_context(k=9,d=9)", 1, 100).error(),
            "world spec: k=9 and m=4 need d of at least 10, found 9");
  EXPECT_EQ(make_world("fixed_context(d=4)", 1, 100).error(),
            "world spec: key \"d\" has 4 at 16; accepted: a whole number from 5 to 4096");
}

}  // namespace
}  // namespace rein
