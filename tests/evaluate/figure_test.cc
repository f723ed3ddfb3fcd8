#include "rein/figure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "evaluate/student.h"

namespace rein {
namespace {

// Values as printed in tables of the distribution, to their last digit.
TEST(StudentTest, QuantilesAreThoseOfTheTables) {
  const std::pair<int, double> table[] = {{1, 12.706204736}, {2, 4.302652730},  {3, 3.182446305},
                                          {4, 2.776445105},  {5, 2.570581836},  {10, 2.228138852},
                                          {19, 2.093024054}, {30, 2.042272456}, {49, 2.009575237},
                                          {120, 1.979930405}};
  for (const auto& [degrees, t] : table) EXPECT_NEAR(student_t(degrees), t, 1e-9) << degrees;
}

TEST(StudentTest, SumAndExpansionMeet) {
  EXPECT_NEAR(student_t(1000) - student_t(1001), 2.38e-6, 0.01e-6);  // as the slope goes there
  EXPECT_NEAR(student_t(1'000'000), 1.959966, 1e-6);
  for (int degrees = 1; degrees < 1100; ++degrees) {
    EXPECT_GT(student_t(degrees), student_t(degrees + 1)) << degrees;
  }
}

TEST(FigureTest, MeanAndIntervalOfAHandfulOfValues) {
  const Figure f = figure({1.0, 2.0, 3.0, 4.0});
  const double half = 3.182446305 * std::sqrt(5.0 / 3.0 / 4.0);
  EXPECT_DOUBLE_EQ(f.mean, 2.5);
  EXPECT_NEAR(f.low, 2.5 - half, 1e-8);
  EXPECT_NEAR(f.high, 2.5 + half, 1e-8);
}

TEST(FigureTest, OneValueHasNoIntervalAndNoneHasNoMean) {
  const Figure one = figure({7.0});
  EXPECT_EQ(one.mean, 7.0);
  EXPECT_TRUE(std::isnan(one.low) && std::isnan(one.high));
  EXPECT_TRUE(std::isnan(figure({}).mean));
  EXPECT_TRUE(std::isnan(figure({1.0, NAN}).mean));
}

}  // namespace
}  // namespace rein
