#include "offpolicy/errors.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rein {
namespace {

TEST(Student, HasTheQuantilesOfTables) {
  const double known[][2] = {{1.0, 12.7062047}, {2.0, 4.3026527}, {3.0, 3.1824463},
                             {10.0, 2.2281389}, {30.0, 2.0422725}, {120.0, 1.9799304}};
  for (const auto& [freedom, quantile] : known)
    EXPECT_NEAR(student95(freedom), quantile, 1e-5 * quantile) << freedom;
  EXPECT_NEAR(student95(1e9), kNormal95, 1e-8);
  EXPECT_NEAR(student95(29.999), student95(30.001), 1e-5);  // where the expansion begins
}

TEST(Reach, FollowsSkewnessAndRows) {
  const Reach plain = reach95({0.0, 1e9});
  EXPECT_NEAR(plain.low, kNormal95, 1e-6);
  EXPECT_NEAR(plain.high, kNormal95, 1e-6);
  const Reach right = reach95({0.3, 1e9});
  EXPECT_LT(right.low, kNormal95);
  EXPECT_GT(right.high, kNormal95);
  const Reach left = reach95({-0.3, 1e9});
  EXPECT_NEAR(left.low, right.high, 1e-12);
  EXPECT_NEAR(left.high, right.low, 1e-12);
  EXPECT_GT(reach95({0.3, 5.0}).high, reach95({0.3, 50.0}).high);
  EXPECT_TRUE(std::isnan(reach95({0.9, 1.9}).low));
}

TEST(Errors, RowsOfAUnitAreAddedUpFirst) {
  PolicyValue alone{.estimator = "", .value = {0.0}};
  set_errors(alone, std::vector<double>{1.0, 1.0, -1.0, -1.0}, {}, true, true);
  PolicyValue together{.estimator = "", .value = {0.0}};
  set_errors(together, std::vector<double>{1.0, 1.0, -1.0, -1.0}, {.of = {0, 0, 1, 1}, .count = 2},
             true, true);
  EXPECT_DOUBLE_EQ(alone.covariance[0], 4.0 * 4.0 / 3.0);
  EXPECT_DOUBLE_EQ(together.covariance[0], 8.0 * 2.0 / 1.0);
  EXPECT_DOUBLE_EQ(alone.error_rows[0], 4.0);
  EXPECT_DOUBLE_EQ(together.error_rows[0], 2.0);
}

TEST(Errors, NothingThatDiffersHasNoInterval) {
  PolicyValue value{.estimator = "", .value = {0.0}};
  set_errors(value, std::vector<double>(100, 0.0), {}, true, true);
  EXPECT_EQ(value.covariance[0], 0.0);
  EXPECT_TRUE(std::isnan(value.low[0]));
}

}  // namespace
}  // namespace rein
