// The realizability alarm: it rings for a wrong class and not for a right one, gives the reason,
// and saves its state. Ten seeds of 20 000 rounds each are in tests/slow/alarm_test.cc.
#include "tuning/alarm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tuning/alarmed.h"

namespace rein {
namespace {

TEST(Alarm, RingsByItsShadowWhereMeansBend) {
  for (const char* world :
       {"nonlinear", "nonlinear(kind=steps,costs=positive,rate=0.2)", "misspecified(strength=1)"}) {
    const Alarmed run = drive(world, "vaw", 1, 20'000);
    EXPECT_TRUE(run.alarm.ringing()) << world;
    EXPECT_EQ(run.alarm.word(), "shadow") << world;
    EXPECT_GT(run.alarm.excess(run.alarm.head()), run.oracle->regret() + 2.0 * std::log(600.0));
    EXPECT_GT(run.alarm.since(), 100);
  }
}

TEST(Alarm, StaysQuietWhereTheClassIsRight) {
  for (const char* world : {"linear(k=4,d=4)", "linear(k=4,d=4,order=adaptive)", "finite",
                            "misspecified(strength=0)", "heavy(noise=rademacher)"}) {
    const Alarmed run = drive(world, "vaw", 1, 6000, Play::kGreedy);
    EXPECT_FALSE(run.alarm.ringing()) << world << " " << run.alarm.word();
  }
}

TEST(Alarm, StaysQuietBesideAnOracleForCurves) {
  const Alarmed run = drive("nonlinear", "kernel(size=64)", 1, 6000);
  EXPECT_FALSE(run.alarm.ringing()) << run.alarm.word();
}

// One action, one context. The prediction is always too low by `bias`, and the noise is a coin
// flip.
Alarm biased(double bias, int rounds, double u, std::uint64_t seed) {
  const Shape shape{.actions = 3, .context = 1};
  Alarm alarm(shape, {.every = 1'000'000});  // the shadow looks only once and learns nothing
  const std::vector<double> context{0.5};
  Rng rng(seed);
  for (int t = 0; t < rounds && !alarm.ringing(); ++t) {
    const double p = 0.1, y = rng.rademacher(p + bias);
    alarm.learn({.actions = 3, .context = context}, 1, {&p, 1}, {&y, 1}, u);
  }
  return alarm;
}

// 2 U + 8 ln(300) = 66: a block of n rings from a bias of about 8.1 / sqrt n + 5.2 / sqrt n on.
TEST(Alarm, RingsByBiasBeyondWhatNoiseAndUAllow) {
  const Alarm alarm = biased(0.3, 20'000, 10.0, 1);
  EXPECT_EQ(alarm.word(), "bias");
  EXPECT_EQ(alarm.head(), 0);
  EXPECT_EQ(alarm.since(), 64 + 128 + 256 + 512 + 1024 + 2048 + 4096);
  EXPECT_EQ(biased(-0.3, 20'000, 10.0, 2).word(), "bias");
  EXPECT_EQ(biased(0.3, 20'000, 1000.0, 1).word(), "quiet") << "a larger U allows more";
}

// 200 runs of 16 320 plays, 8 blocks each, with U at its minimum of 1: chance alone does not ring.
TEST(Alarm, ChanceIsNoBias) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    ASSERT_FALSE(biased(0.0, 16'320, 0.0, seed).ringing()) << seed;
  }
}

// The proof of the shadow: if we predict the truth itself, D - 0 exceeds 2 ln(1 / chance) with at
// most that probability, for any contexts.
TEST(Alarm, NoShadowBeatsTheTruth) {
  const Shape shape{.actions = 2, .context = 2};
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Alarm alarm(shape, {.every = 1});
    Rng rng(seed);
    double most = 0.0;
    for (int t = 0; t < 500; ++t) {
      const std::vector<double> x{rng.uniform() * 0.5, (t % 3) * 0.2};
      const double p = x[0] - x[1], y = rng.rademacher(p);
      alarm.learn({.actions = 2, .context = x}, t % 2, {&p, 1}, {&y, 1}, 0.0);
      most = std::max(most, alarm.excess(0));
    }
    EXPECT_LT(most, 2.0 * std::log(1000.0)) << seed;
    EXPECT_LT(alarm.excess(0), 0.0) << "learning noise costs, seed " << seed;
  }
}

TEST(Alarm, LooksOftenAtFirstAndRarelyLater) {
  const Shape shape{.actions = 1, .context = 1};
  Alarm alarm(shape);
  const std::vector<double> x{0.5};
  const double p = 0.0, y = 0.0;
  std::int64_t looks[2] = {};
  for (int t = 1; t <= 400'000; ++t) {
    alarm.learn({.actions = 1, .context = x}, 0, {&p, 1}, {&y, 1}, 1.0);
    if (t == 16'384) looks[0] = alarm.looks();
    if (t == 300'000) looks[1] = alarm.looks();
  }
  EXPECT_NEAR(static_cast<double>(looks[0]), 8192.0, 200.0);
  EXPECT_NEAR(static_cast<double>(alarm.looks() - looks[1]), 100'000 / 128.0, 100.0);
}

TEST(Alarm, AHeadWithoutAPredictionIsLeftOut) {
  const Shape shape{.actions = 1, .context = 1, .costs = {CostShape{}}};
  Alarm alarm(shape, {.every = 1});
  Rng rng(3);
  for (int t = 0; t < 2000; ++t) {
    const std::vector<double> x{rng.uniform()};
    const double y[2] = {x[0] > 0.5 ? 1.0 : -1.0, 0.0}, p[2] = {std::nan(""), 0.0};
    alarm.learn({.actions = 1, .context = x}, 0, p, y, 1.0);
  }
  EXPECT_FALSE(alarm.ringing());
  EXPECT_EQ(alarm.excess(0), 0.0);
}

TEST(Alarm, KeepsRingingAndALoadedOneGoesOnBitForBit) {
  const Alarmed run = drive("nonlinear", "vaw", 2, 20'000);
  ASSERT_TRUE(run.alarm.ringing());
  for (const bool rang : {true, false}) {
    Alarm alarm(run.shape);
    if (rang) {
      ByteWriter out;
      run.alarm.save(out);
      ByteReader in(out.bytes());
      alarm.load(in);
      ASSERT_TRUE(in.finish().ok());
      EXPECT_EQ(alarm.since(), run.alarm.since());
    }
    Rng rng(1);
    const auto learn_some = [&](Alarm& by, Rng draws) {
      for (int t = 0; t < 300; ++t) {
        const std::vector<double> x{draws.uniform(), draws.uniform(), 0.1};
        const double p[2] = {0.1, -0.2}, y[2] = {draws.rademacher(), draws.rademacher()};
        by.learn({.actions = 4, .context = x}, t % 4, p, y, 3.0);
      }
      ByteWriter out;
      by.save(out);
      return out.take();
    };
    const std::string before = learn_some(alarm, rng);
    Alarm copy(run.shape);
    ByteReader in(before);
    copy.load(in);
    ASSERT_TRUE(in.finish().ok());
    EXPECT_EQ(copy.ringing(), rang);
    EXPECT_EQ(learn_some(copy, rng), learn_some(alarm, rng));
  }
}

TEST(Alarm, BytesOfAnotherShapeAreRefused) {
  ByteWriter out;
  Alarm(Shape{.actions = 3, .context = 2}).save(out);
  Alarm other(Shape{.actions = 4, .context = 2});
  ByteReader in(out.bytes());
  other.load(in);
  EXPECT_FALSE(in.finish().ok());
}

}  // namespace
}  // namespace rein
