#include "price/curve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rein/bytes.h"

namespace rein {
namespace {

TEST(PriceCurve, MeetsWhatItLearnedLast) {
  PriceCurve curve;
  EXPECT_EQ(curve.at(0.3), 0.0) << "nothing is known";
  curve.learn(0.3, 2.0);
  EXPECT_DOUBLE_EQ(curve.at(0.3), 2.0);
  EXPECT_NEAR(curve.at(0.6), 1.0, 1e-12) << "not met yet: price x pace is the same";
  EXPECT_NEAR(curve.at(0.15), 4.0, 1e-12);
  EXPECT_NEAR(curve.at(0.0), 128.0, 1e-9) << "64-fold at most";
  EXPECT_LT(curve.at(1e9), 1e-3);
  curve.learn(0.0375, 3.0);
  EXPECT_NEAR(curve.at(0.0375), 3.0, 1e-12);
  EXPECT_DOUBLE_EQ(curve.at(0.3), 2.0);
  EXPECT_NEAR(curve.at(0.3 / std::sqrt(8.0)), 2.5, 1e-9) << "linear between what was met";
}

TEST(PriceCurve, FollowsAFunctionOfThePace) {
  PriceCurve curve;
  for (int n = 0; n < 4000; ++n) {
    const double pace = std::exp(0.002 * ((n * 37) % 2000) - 2.0);
    curve.learn(pace, 1.0 / (1.0 + pace));
  }
  for (double pace = 0.2; pace < 5.0; pace *= 1.1) {
    EXPECT_NEAR(curve.at(pace), 1.0 / (1.0 + pace), 0.01) << pace;
  }
}

TEST(PriceCurve, KnowsFromWherePricesAreZero) {
  PriceCurve curve;
  EXPECT_EQ(curve.free_from(), 0.0);
  curve.learn(0.3, 2.0);
  EXPECT_GT(curve.free_from(), 1e300);
  curve.learn(1.2, 0.0);
  EXPECT_NEAR(curve.free_from(), 1.2, 1e-9);
  EXPECT_EQ(curve.at(1.3), 0.0);
  EXPECT_GT(curve.at(1.1), 0.0);
}

TEST(PriceCurve, SavedAndLoadedItIsTheSame) {
  PriceCurve curve, loaded;
  for (double pace : {0.1, 0.5, 0.02}) curve.learn(pace, 1.0 / pace);
  ByteWriter out;
  curve.save(out);
  ByteReader in(out.bytes());
  loaded.load(in).check();
  for (double pace : {0.01, 0.07, 0.3, 4.0}) EXPECT_EQ(loaded.at(pace), curve.at(pace));
}

}  // namespace
}  // namespace rein
