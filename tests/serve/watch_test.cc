#include "serve/watch.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "property.h"

namespace rein::serve {
namespace {

// A quantile is the upper end of a bucket that is 9 % wide.
RC_GTEST_PROP(Latency, QuantilesAreAtMostABucketAbove, ()) {
  const auto micros =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 5'000'000)));
  Latency latency;
  for (const int each : micros) latency.add(each * 1e-6, 600);
  std::vector<int> sorted = micros;
  std::sort(sorted.begin(), sorted.end());
  for (const double share : {0.01, 0.5, 0.99, 1.0}) {
    const auto rank =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    const double exact = sorted[std::max<std::size_t>(rank, 1) - 1] * 1e-3;  // milliseconds
    RC_ASSERT(latency.quantile(share) >= exact * (1 - 1e-9));
    RC_ASSERT(latency.quantile(share) <= exact * std::exp2(1.0 / 8.0) * (1 + 1e-9));
  }
  RC_ASSERT(latency.count() == static_cast<std::int64_t>(micros.size()));
}

TEST(Latency, ForgetsAfterTwoMinutes) {
  Latency latency;
  EXPECT_EQ(latency.quantile(0.5), 0.0);
  latency.add(0.001, 60);
  latency.add(0.002, 119);
  EXPECT_EQ(latency.count(), 2);
  latency.add(0.003, 120);
  EXPECT_EQ(latency.count(), 3) << "the minute before still counts";
  latency.add(0.004, 240);
  EXPECT_EQ(latency.count(), 1) << "a minute without any came between";
  EXPECT_EQ(latency.total(), 4);
  EXPECT_NEAR(latency.total_seconds(), 0.01, 1e-12);
  EXPECT_EQ(latency.at_most()[1], 1) << "1 ms is at most 1 ms";
}

TEST(Latency, HoldsTimesOfAnyLength) {
  Latency latency;
  for (const double seconds : {0.0, 1e-9, 1e3, 1e9}) latency.add(seconds, 5);
  EXPECT_EQ(latency.count(), 4);
  EXPECT_GT(latency.quantile(1.0), 1e6);
}

TEST(Rate, IsOfTheLastTenSeconds) {
  Rate rate;
  rate.add(100, 50);
  EXPECT_EQ(rate.per_second(100), 5.0);
  EXPECT_EQ(rate.per_second(109), 5.0);
  EXPECT_EQ(rate.per_second(110), 0.0);
  rate.add(110, 10);
  EXPECT_EQ(rate.per_second(110), 1.0) << "its place was taken over";
}

TEST(Watch, FindsTheLastTwenty) {
  ModelWatch watch;
  EXPECT_EQ(watch.find(0), nullptr);
  EXPECT_EQ(watch.prices().size(), 0);
  for (std::uint64_t id = 1; id <= 25; ++id) watch.next().id = id;
  EXPECT_EQ(watch.find(5), nullptr);
  ASSERT_NE(watch.find(6), nullptr);
  EXPECT_EQ(watch.find(25)->id, 25U);
}

}  // namespace
}  // namespace rein::serve
