#include <gtest/gtest.h>

#include <cmath>

#include "rein/offpolicy.h"
#include "rein/rng.h"

namespace rein {
namespace {

TEST(Region, WithoutLimitsIsTheInterval) {
  const PolicyValue value{.value = {1.0}, .covariance = {0.04}};
  const RewardRegion found = reward_region(value, {}).value();
  EXPECT_NEAR(found.low, 1.0 - 1.959963984540054 * 0.2, 1e-9);
  EXPECT_NEAR(found.high, 1.0 + 1.959963984540054 * 0.2, 1e-9);
  EXPECT_TRUE(found.certain);
}

// Points all over the ellipse agree with the search over sets of limits.
TEST(Region, AgreesWithManyPointsOfTheEllipse) {
  const PolicyValue value{.value = {0.6, 0.3, 0.7},
                          .covariance = {4e-4, 2e-4, -1e-4, 2e-4, 9e-4, 1e-4, -1e-4, 1e-4, 2.5e-4}};
  const std::vector<HeadLimit> limits{{.head = 1, .amount = 0.29},
                                      {.head = 2, .amount = 0.71, .at_least = true}};
  const RewardRegion found = reward_region(value, limits).value();
  ASSERT_TRUE(found.possible);
  EXPECT_FALSE(found.certain);
  // Cholesky factor of the covariance, by hand order.
  const double a = std::sqrt(4e-4);
  const double b = 2e-4 / a;
  const double c = -1e-4 / a;
  const double d = std::sqrt(9e-4 - b * b);
  const double e = (1e-4 - b * c) / d;
  const double f = std::sqrt(2.5e-4 - c * c - e * e);
  Rng rng(3);
  double low = 1.0;
  double high = 0.0;
  for (int i = 0; i < 400000; ++i) {
    const double x = rng.normal();
    const double y = rng.normal();
    const double z = rng.normal();
    const double scale =
        std::sqrt(7.814727903251179 / (x * x + y * y + z * z)) * (i % 2 == 0 ? 1.0 : rng.uniform());
    const double reward = 0.6 + scale * a * x;
    const double cost = 0.3 + scale * (b * x + d * y);
    const double quality = 0.7 + scale * (c * x + e * y + f * z);
    if (cost > 0.29 || quality < 0.71) continue;
    low = std::min(low, reward);
    high = std::max(high, reward);
  }
  EXPECT_NEAR(found.low, low, 1e-3);
  EXPECT_NEAR(found.high, high, 1e-3);
  EXPECT_LE(found.low, low + 1e-9);
  EXPECT_GE(found.high, high - 1e-9);
}

TEST(Region, SaysWhenTheDataExcludeTheLimit) {
  const PolicyValue value{.value = {0.6, 0.3}, .covariance = {1e-4, 0.0, 0.0, 1e-4}};
  const std::vector<HeadLimit> far{{.head = 1, .amount = 0.2}};
  const RewardRegion found = reward_region(value, far).value();
  EXPECT_FALSE(found.possible);
  EXPECT_TRUE(std::isnan(found.low));
  const std::vector<HeadLimit> wide{{.head = 1, .amount = 0.4}};
  EXPECT_TRUE(reward_region(value, wide).value().certain);
}

}  // namespace
}  // namespace rein
