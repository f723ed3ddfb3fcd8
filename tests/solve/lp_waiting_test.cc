// Columns that were added and not yet solved with can be changed and dropped like any other.
#include <gtest/gtest.h>

#include <vector>

#include "solve/lp.h"

namespace rein {
namespace {

// Maximizes over x0 + x1 <= 1 with values 1 and 2, which are changed before the first solution.
TEST(LpColumnsThatWait, TakeANewValue) {
  Lp lp;
  const std::vector<int> row{lp.add_row(0.0, 1.0)};
  const std::vector<double> one{1.0};
  const int first = lp.add_column(1.0, row, one), second = lp.add_column(2.0, row, one);
  lp.set_value(first, 5.0);
  lp.set_value(second, 3.0);
  ASSERT_EQ(lp.maximize(), LpStatus::kOptimal);
  EXPECT_DOUBLE_EQ(lp.value(), 5.0);
  EXPECT_DOUBLE_EQ(lp.x(first), 1.0);
  const int third = lp.add_column(4.0, row, one);
  lp.set_value(third, 6.0);
  ASSERT_EQ(lp.maximize(), LpStatus::kOptimal);
  EXPECT_DOUBLE_EQ(lp.value(), 6.0);
}

TEST(LpColumnsThatWait, CanBeDropped) {
  Lp lp;
  const std::vector<int> row{lp.add_row(0.0, 1.0)};
  const std::vector<double> one{1.0};
  lp.add_column(1.0, row, one);
  lp.drop(lp.add_column(2.0, row, one));
  ASSERT_EQ(lp.maximize(), LpStatus::kOptimal);
  EXPECT_DOUBLE_EQ(lp.value(), 1.0);
}

}  // namespace
}  // namespace rein
