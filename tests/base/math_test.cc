// exp, log and cos against the C library's long double functions, which carry eleven more bits.
#include "base/math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "rein/rng.h"

namespace rein {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();

// The distance between neighbouring doubles at x; for subnormals, their fixed distance.
long double ulp(long double x) {
  const auto magnitude = static_cast<double>(std::fabs(x));
  if (magnitude < std::numeric_limits<double>::min()) return kSmallest;
  return std::ldexp(1.0L, std::ilogb(magnitude) - 52);
}

double error_in_ulps(double found, long double wanted) {
  return static_cast<double>(std::fabs(static_cast<long double>(found) - wanted) / ulp(wanted));
}

template <class Ours, class Reference>
void expect_within_two_ulps(const std::vector<double>& points, Ours ours, Reference reference) {
  double worst = 0.0;
  double worst_at = 0.0;
  for (double x : points) {
    const double error = error_in_ulps(ours(x), reference(static_cast<long double>(x)));
    if (!(error <= worst)) {
      worst = error;
      worst_at = x;
    }
  }
  ::testing::Test::RecordProperty("worst_ulps", std::to_string(worst));
  EXPECT_LE(worst, 2.0) << "at " << worst_at;
}

std::vector<double> uniform_points(double low, double high, int count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> points;
  for (int i = 0; i < count; ++i) points.push_back(low + (high - low) * rng.uniform());
  return points;
}

// Positive doubles of every size: random exponents, random fractions, subnormals among them.
std::vector<double> points_of_every_size(int count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> points;
  while (static_cast<int>(points.size()) < count) {
    const double x = std::bit_cast<double>(rng.bits() >> 1);
    if (std::isfinite(x) && x > 0.0) points.push_back(x);
  }
  for (int i = 0; i < count / 10; ++i) points.push_back(std::bit_cast<double>(rng.bits() >> 13));
  return points;
}

TEST(Math, ExpIsWithinTwoUlps) {
  auto points = uniform_points(-745.2, 709.78, 200'000, 1);
  const auto near_zero = uniform_points(-1.0, 1.0, 100'000, 2);
  const auto subnormal = uniform_points(-745.2, -707.0, 50'000, 3);
  points.insert(points.end(), near_zero.begin(), near_zero.end());
  points.insert(points.end(), subnormal.begin(), subnormal.end());
  for (double x : points_of_every_size(20'000, 4)) {
    if (x < 1.0) points.insert(points.end(), {x, -x});
  }
  // Points where the reduction changes n.
  for (int n = -1074; n <= 1023; ++n) {
    const double edge = (n + 0.5) * 0.6931471805599453;
    points.insert(points.end(), {edge, std::nextafter(edge, 0.0), std::nextafter(edge, 1e9)});
  }
  std::erase_if(points, [](double x) { return x > 709.78; });
  expect_within_two_ulps(
      points, [](double x) { return exp(x); }, [](long double x) { return std::exp(x); });
}

TEST(Math, ExpAtItsEdges) {
  EXPECT_EQ(exp(0.0), 1.0);
  EXPECT_EQ(exp(-0.0), 1.0);
  EXPECT_EQ(exp(kSmallest), 1.0);
  EXPECT_EQ(exp(kInfinity), kInfinity);
  EXPECT_EQ(exp(-kInfinity), 0.0);
  EXPECT_TRUE(std::isnan(exp(kNan)));
  EXPECT_EQ(exp(710.0), kInfinity);
  EXPECT_EQ(exp(709.785), kInfinity);  // above log of the largest double, below our own cut
  EXPECT_EQ(exp(-746.0), 0.0);
  EXPECT_EQ(exp(-745.0), kSmallest);
  EXPECT_LT(exp(709.782712893384), kInfinity);
}

TEST(Math, ExpNeverFalls) {
  double before = 0.0;
  for (int i = 0; i <= 200'000; ++i) {
    const double now = exp(-2.0 + 2e-5 * i);
    ASSERT_GE(now, before) << i;
    before = now;
  }
}

TEST(Math, LogIsWithinTwoUlps) {
  auto points = points_of_every_size(200'000, 5);
  const auto near_one = uniform_points(0.5, 2.0, 200'000, 6);
  points.insert(points.end(), near_one.begin(), near_one.end());
  for (int n = 1; n <= 52; ++n) {  // as near to 1 as doubles go
    points.insert(points.end(), {1.0 + std::ldexp(1.0, -n), 1.0 - std::ldexp(1.0, -n - 1)});
  }
  for (int n = -1074; n <= 1023; ++n) {
    const double power = std::ldexp(1.0, n);
    points.push_back(power);
    if (n > -1000 && n < 1000) {  // where the fraction is halved
      const double edge = power * 0x1.6a09e667f3bcdp+0;
      points.insert(points.end(), {edge, std::nextafter(edge, 1e308)});
    }
  }
  points.insert(points.end(), {std::numeric_limits<double>::max(),
                               std::numeric_limits<double>::min(), kSmallest});
  expect_within_two_ulps(
      points, [](double x) { return log(x); }, [](long double x) { return std::log(x); });
}

TEST(Math, LogAtItsEdges) {
  EXPECT_EQ(log(1.0), 0.0);
  EXPECT_EQ(log(0.0), -kInfinity);
  EXPECT_EQ(log(-0.0), -kInfinity);
  EXPECT_EQ(log(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(log(-1.0)));
  EXPECT_TRUE(std::isnan(log(-kInfinity)));
  EXPECT_TRUE(std::isnan(log(kNan)));
}

TEST(Math, CosIsWithinTwoUlps) {
  auto points = uniform_points(-10.0, 10.0, 200'000, 7);
  const auto far = uniform_points(-1e6, 1e6, 200'000, 8);
  points.insert(points.end(), far.begin(), far.end());
  for (double x : points_of_every_size(20'000, 9)) {
    if (x < 1e6) points.push_back(x);
  }
  // Near the zeros of cos, where only an exact reduction gives correct digits.
  for (int n = 1; n <= 636'619; n = n < 2'000 ? n + 1 : n + 911) {
    const double zero = n * 1.5707963267948966;
    points.insert(points.end(),
                  {zero, std::nextafter(zero, 0.0), std::nextafter(zero, 1e9), -zero});
  }
  std::erase_if(points, [](double x) { return std::fabs(x) > 1e6; });
  expect_within_two_ulps(
      points, [](double x) { return cos(x); }, [](long double x) { return std::cos(x); });
}

TEST(Math, KnownValues) {
  EXPECT_DOUBLE_EQ(exp(1.0), 2.718281828459045);
  EXPECT_DOUBLE_EQ(exp(-1.0), 0.36787944117144233);
  EXPECT_DOUBLE_EQ(log(2.0), 0.6931471805599453);
  EXPECT_DOUBLE_EQ(log(10.0), 2.302585092994046);
  EXPECT_EQ(cos(0.0), 1.0);
  EXPECT_DOUBLE_EQ(cos(1.0), 0.5403023058681398);
  EXPECT_DOUBLE_EQ(cos(3.141592653589793), -1.0);
  EXPECT_DOUBLE_EQ(cos(1.5707963267948966), 6.123233995736766e-17);
}

}  // namespace
}  // namespace rein
