#include "explore/distribution.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace rein {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Weigh, IsTheProductUpToItsLimit) {
  EXPECT_EQ(weigh(2.0, 3.0), 6.0);
  EXPECT_EQ(weigh(1e200, 1e200), 1e300);
  EXPECT_EQ(weigh(2.0, kInfinity), 1e300);
}

// The gap between two scores may overflow. Without exploration by gaps it counts nothing.
TEST(Weigh, ZeroTimesAnOverflowIsZero) {
  EXPECT_EQ(weigh(0.0, kInfinity), 0.0);
  EXPECT_EQ(weigh(kInfinity, 0.0), 0.0);
}

TEST(PutOnBest, TiesShareIt) {
  std::vector<double> p(4, 9.0);
  put_on_best(std::vector{1.0, 3.0, -2.0, 3.0}, p);
  EXPECT_EQ(p, (std::vector{0.0, 0.5, 0.0, 0.5}));
}

}  // namespace
}  // namespace rein
