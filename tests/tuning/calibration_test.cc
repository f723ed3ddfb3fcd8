// Calibration corrects only what chance cannot explain.
#include "tuning/calibration.h"

#include <gtest/gtest.h>

#include "rein/bytes.h"
#include "rein/rng.h"

namespace rein {
namespace {

TEST(Calibration, NothingIsCorrectedBeforeTenPlays) {
  Calibration calibration(2, 1);
  for (int t = 0; t < 9; ++t) calibration.learn(0, 0, 0.5);
  EXPECT_EQ(calibration.correction(0, 0), 0.0);
  calibration.learn(0, 0, 0.5);
  EXPECT_NEAR(calibration.correction(0, 0), 0.5, 1e-12);  // no variance: all of it
  EXPECT_EQ(calibration.correction(1, 0), 0.0);           // another action
}

TEST(Calibration, ChanceIsLeftAloneAndBiasIsFound) {
  Calibration calibration(2, 1);
  Rng rng(11);
  int corrected = 0;
  for (int t = 0; t < 2000; ++t) {
    calibration.learn(0, 0, rng.rademacher());
    calibration.learn(1, 0, rng.rademacher(0.8));
    corrected += calibration.correction(0, 0) != 0.0 ? 1 : 0;
  }
  EXPECT_LT(corrected, 200);  // two standard errors: about one time in twenty
  EXPECT_GT(calibration.correction(1, 0), 0.4);
  EXPECT_LT(calibration.correction(1, 0), 0.9);
}

TEST(Calibration, ForgetsAfterAFewHundredPlays) {
  Calibration calibration(1, 1);
  for (int t = 0; t < 500; ++t) calibration.learn(0, 0, 0.7);
  for (int t = 0; t < 500; ++t) calibration.learn(0, 0, -0.2);
  EXPECT_NEAR(calibration.correction(0, 0), -0.2, 0.02);
}

TEST(Calibration, SavesAndLoadsExactly) {
  Calibration one(3, 2), other(3, 2);
  Rng rng(2);
  for (int t = 0; t < 300; ++t) one.learn(static_cast<int>(rng.below(3)), t % 2, rng.uniform());
  ByteWriter out;
  one.save(out);
  ByteReader in(out.bytes());
  other.load(in);
  EXPECT_TRUE(in.finish().ok());
  for (int a = 0; a < 3; ++a) {
    for (int i = 0; i < 2; ++i) EXPECT_EQ(one.correction(a, i), other.correction(a, i));
  }
}

}  // namespace
}  // namespace rein
