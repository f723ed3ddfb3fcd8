#include "offpolicy/errors.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rein/rng.h"

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

TEST(Bounded, ZerosHaveAnUpperEnd) {
  const Ends ends = bounded95(std::vector<double>(1000, 0.0));
  EXPECT_EQ(ends.low, 0.0);
  EXPECT_GT(ends.high, 1.0 - std::pow(1.0 / 40.0, 1e-3));  // that of Clopper and Pearson
  EXPECT_LT(ends.high, 1.5 * (1.0 - std::pow(1.0 / 40.0, 1e-3)));
}

TEST(Bounded, HoldsForRareNumbers) {
  for (const double share : {0.0005, 0.003, 0.02, 0.999}) {
    int held = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      Rng rng(seed, 5);
      std::vector<double> numbers;
      for (int i = 0; i < 1000; ++i) numbers.push_back(rng.uniform() < share ? 1.0 : 0.0);
      const Ends ends = bounded95(std::move(numbers));
      held += ends.low <= share && share <= ends.high ? 1 : 0;
    }
    EXPECT_GE(held, 190) << share;
  }
}

}  // namespace
}  // namespace rein
