// heavy: the scales of costs, and means that are linear per action.
#include <gtest/gtest.h>

#include <cmath>

#include "world/worlds.h"

namespace rein {
namespace {

TEST(Heavy, CostsClimbFromOneOverRatioToOne) {
  const auto world = world_of("heavy");
  for (int t = 0; t < 200; ++t) {
    world->next();
    const auto means = means_of(*world, 5);
    for (int a = 0; a < 5; ++a) {
      const double scale = std::pow(500.0, -(4 - a) / 4.0);
      EXPECT_GE(means[5 + a], 0.5 * scale * (1 - 1e-9));
      EXPECT_LE(means[5 + a], scale * (1 + 1e-9));
      EXPECT_GE(means[a], 0.5 * (0.4 + 0.15 * a) * (1 - 1e-9));
      EXPECT_LE(means[a], (0.4 + 0.15 * a) * (1 + 1e-9));
    }
  }
}

TEST(Heavy, EveryCostHasTheWholeLadderAndActionZeroIsItsCheapest) {
  const auto world = world_of("heavy(m=4,k=6)");
  world->next();
  const auto means = means_of(*world, 6);
  bool differs = false;
  for (int i = 1; i <= 4; ++i) {
    std::vector<double> costs(means.begin() + 6 * i, means.begin() + 6 * (i + 1));
    EXPECT_EQ(std::min_element(costs.begin(), costs.end()) - costs.begin(), 0);
    differs = differs || !std::is_sorted(costs.begin(), costs.end());
    std::sort(costs.begin(), costs.end());
    for (int step = 0; step < 6; ++step) {
      const double scale = std::pow(500.0, -(5 - step) / 5.0);
      EXPECT_GE(costs[step], 0.5 * scale * (1 - 1e-9));
      EXPECT_LE(costs[step], scale * (1 + 1e-9));
    }
  }
  EXPECT_TRUE(differs) << "costs beyond the first are shuffled";
}

TEST(Heavy, MeansAreLinearInTheContextWithParametersOfAtMostOne) {
  const auto world = world_of("heavy(d=3)", 2);
  const Shape& shape = world->shape();
  double theta[5][2][3];
  for (int j = 0; j < 3; ++j) {
    for (double sign : {-0.5, 0.5}) {  // costs below 0 are clipped: one of the two signs is not
      std::vector<double> x(3);
      x[j] = sign;
      for (int a = 0; a < 5; ++a) {
        double out[2];
        shape.truth->evaluate(0, {.actions = 5, .context = x}, a, out);
        for (int h = 0; h < 2; ++h) {
          if (sign < 0 || out[h] != 0.0) theta[a][h][j] = out[h] / sign;
        }
      }
    }
  }
  for (int t = 0; t < 20; ++t) {
    const Round& round = world->next();
    const auto means = means_of(*world, 5);
    for (int a = 0; a < 5; ++a) {
      for (int h = 0; h < 2; ++h) {
        const double* row = theta[a][h];
        EXPECT_LE(row[0] * row[0] + row[1] * row[1] + row[2] * row[2], 1.0 + 1e-12);
        EXPECT_NEAR(
            means[h * 5 + a],
            row[0] * round.context[0] + row[1] * round.context[1] + row[2] * round.context[2],
            1e-12);
      }
    }
  }
}

TEST(Heavy, AlwaysHasABudget) {
  EXPECT_EQ(world_of("heavy", 1, 1000)->shape().budgets, (std::vector<double>{50.0}));
  EXPECT_EQ(world_of("heavy(budget=7,m=2)")->shape().budgets, (std::vector<double>{7.0, 7.0}));
}

}  // namespace
}  // namespace rein
