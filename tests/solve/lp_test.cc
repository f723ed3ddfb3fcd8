#include "solve/lp.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "rein/result.h"
#include "rein/rng.h"

namespace rein {
namespace {

// max 3x + 2y  s.t.  x + y <= 4,  x + 3y <= 7,  x <= 3:  x = 3, y = 1, prices 2, 0, 1.
Lp textbook() {
  Lp lp;
  lp.add_row(-Lp::kInfinity, 4.0);
  lp.add_row(-Lp::kInfinity, 7.0);
  lp.add_row(-Lp::kInfinity, 3.0);
  lp.add_column(3.0, std::vector<int>{0, 1, 2}, std::vector<double>{1.0, 1.0, 1.0});
  lp.add_column(2.0, std::vector<int>{0, 1}, std::vector<double>{1.0, 3.0});
  return lp;
}

TEST(LpTest, SolvesATextbookProblemWithItsPrices) {
  Lp lp = textbook();
  ASSERT_EQ(lp.maximize(), LpStatus::kOptimal);
  EXPECT_NEAR(lp.value(), 11.0, 1e-9);
  EXPECT_NEAR(lp.x(0), 3.0, 1e-9);
  EXPECT_NEAR(lp.x(1), 1.0, 1e-9);
  EXPECT_NEAR(lp.price(0), 2.0, 1e-9);
  EXPECT_NEAR(lp.price(1), 0.0, 1e-9);
  EXPECT_NEAR(lp.price(2), 1.0, 1e-9);
}

TEST(LpTest, GoesOnAfterAColumnAValueAndARowChange) {
  Lp lp = textbook();
  ASSERT_EQ(lp.maximize(), LpStatus::kOptimal);
  lp.add_column(5.0, std::vector<int>{0}, std::vector<double>{1.0});  // beats both: z = 4
  ASSERT_EQ(lp.maximize(), LpStatus::kOptimal);
  EXPECT_NEAR(lp.value(), 20.0, 1e-9);
  lp.set_value(2, 0.0);
  ASSERT_EQ(lp.maximize(), LpStatus::kOptimal);
  EXPECT_NEAR(lp.value(), 11.0, 1e-9);
  lp.set_row(0, -Lp::kInfinity, 3.0);
  ASSERT_EQ(lp.maximize(), LpStatus::kOptimal);
  EXPECT_NEAR(lp.value(), 9.0, 1e-9);
  lp.drop(0);  // y alone: 3y <= 7
  ASSERT_EQ(lp.maximize(), LpStatus::kOptimal);
  EXPECT_NEAR(lp.value(), 14.0 / 3.0, 1e-9);
}

TEST(LpTest, TellsInfeasibleFromUnbounded) {
  Lp infeasible;
  infeasible.add_row(2.0, 2.0);
  infeasible.add_row(-Lp::kInfinity, 1.0);
  infeasible.add_column(1.0, std::vector<int>{0, 1}, std::vector<double>{1.0, 1.0});
  EXPECT_EQ(infeasible.maximize(), LpStatus::kInfeasible);
  Lp unbounded;
  unbounded.add_row(1.0, Lp::kInfinity);
  unbounded.add_column(1.0, std::vector<int>{0}, std::vector<double>{1.0});
  EXPECT_EQ(unbounded.maximize(), LpStatus::kUnbounded);
}

TEST(LpTest, RefusesToBeReadBeforeItIsSolved) {
  Lp lp = textbook();
  EXPECT_THROW(lp.value(), Bug);
  ASSERT_EQ(lp.maximize(), LpStatus::kOptimal);
  lp.set_row(0, 0.0, 1.0);
  EXPECT_THROW(lp.price(0), Bug);
  EXPECT_THROW(lp.add_row(0.0, 1.0), Bug);
}

TEST(LpTest, ThreadsWithAnObjectEachAgree) {
  const auto sum = [](double* out) {
    *out = 0.0;
    Rng rng(3);
    for (int n = 0; n < 50; ++n) {
      Lp lp;
      lp.add_row(-Lp::kInfinity, 0.1);
      lp.add_row(1.0, 1.0);
      for (int a = 0; a < 6; ++a) {
        const double value = rng.uniform();
        lp.add_column(value, std::vector<int>{0, 1}, std::vector<double>{rng.uniform() - 0.5, 1.0});
      }
      if (lp.maximize() == LpStatus::kOptimal) *out += lp.value();
    }
  };
  double sums[3];
  std::vector<std::thread> threads;
  for (double& s : sums) threads.emplace_back(sum, &s);
  for (std::thread& t : threads) t.join();
  EXPECT_GT(sums[0], 0.0);
  EXPECT_EQ(sums[0], sums[1]);
  EXPECT_EQ(sums[0], sums[2]);
}

}  // namespace
}  // namespace rein
