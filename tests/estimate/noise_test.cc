// OutcomeNoise and UnitFeatures: the two measures that tuning=auto takes its scales from.
#include "estimate/noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "estimate/unit_features.h"
#include "rein/bytes.h"
#include "rein/rng.h"

namespace rein {
namespace {

TEST(Noise, WeighsMissesByHowWellTheActionWasKnown) {
  OutcomeNoise noise(2);
  EXPECT_EQ(noise.of(0), 0.0);
  EXPECT_EQ(noise.reward(), 1.0) << "something must set the scale";
  noise.learn(0, 0.0, 0.5);
  noise.learn(1, 3.0, 0.5);
  EXPECT_EQ(noise.reward(), 1.0);
  noise.learn(0, 2.0, 0.75);
  noise.learn(1, -1.0, 0.0);
  EXPECT_DOUBLE_EQ(noise.reward(), std::sqrt(4.0 * 0.25 / 2.0));
  EXPECT_DOUBLE_EQ(noise.costs()[0], std::sqrt((9.0 * 0.5 + 1.0) / 2.0));
}

// Ridge regression on a linear truth: the estimate comes near the true standard deviation.
TEST(Noise, FindsTheNoiseOfALinearProblem) {
  const Shape shape{.actions = 1, .context = 4, .reward = {-10.0, 10.0}};
  const auto oracle = make_oracle(Spec("ridge"), shape).value();
  Estimates estimates;
  estimates.prepare(1, 1);
  Scratch scratch;
  OutcomeNoise noise(1);
  Rng rng(3);
  for (int t = 0; t < 2000; ++t) {
    std::vector<double> x(4);
    for (double& number : x) number = 2.0 * rng.uniform() - 1.0;
    const Round round{.actions = 1, .context = x};
    scratch.reset(oracle->scratch());
    oracle->predict(round, scratch, estimates);
    const double y = x[0] - 2.0 * x[1] + (rng.uniform() < 0.5 ? 0.7 : -0.7);
    noise.learn(0, (y - estimates.mean(0)[0]) / 10.0, estimates.width()[0]);
    oracle->learn(round, 0, std::vector<double>{y});
  }
  EXPECT_NEAR(10.0 * noise.of(0), 0.7, 0.03);
}

TEST(Noise, RefusesBytesThatAreNoSums) {
  ByteWriter out;
  out.tag("noise");
  out.f64s(std::vector<double>{-1.0, 2.0});
  ByteReader in(out.bytes());
  OutcomeNoise noise(1);
  noise.load(in);
  EXPECT_FALSE(in.finish().ok());
}

std::unique_ptr<UnitFeatures> over_vaw(const Shape& shape) {
  return std::make_unique<UnitFeatures>(make_oracle(Spec("vaw"), shape).value(), shape);
}

TEST(UnitFeatures, TakesTheScaleOfTheFirstNumbers) {
  const Shape shape{.actions = 1, .context = 4};
  const auto oracle = over_vaw(shape);
  const std::vector<double> first = {80.0, -120.0, 0.0, 0.001}, second = {1.0, 1.0, 90.0, 1.0};
  oracle->learn({.actions = 1, .context = first}, 0, std::vector<double>{0.5});
  // The root mean square of 80, 120 and 0.001 is 83: below 128. The last is of another size.
  EXPECT_EQ(oracle->context_factors()[0], 1.0 / 128.0);
  EXPECT_EQ(oracle->context_factors()[1], 1.0 / 128.0);
  EXPECT_EQ(oracle->context_factors()[2], 0.0) << "not seen yet";
  EXPECT_EQ(oracle->context_factors()[3], 512.0);
  oracle->learn({.actions = 1, .context = second}, 0, std::vector<double>{0.5});
  EXPECT_EQ(oracle->context_factors()[0], 1.0 / 128.0) << "a scale stays";
  EXPECT_EQ(oracle->context_factors()[2], 1.0 / 128.0);
}

TEST(UnitFeatures, FeaturesOfActionsDenseOrSparse) {
  const Shape shape{.actions = 2, .features = 2};
  const auto dense = over_vaw(shape), sparse = over_vaw(shape);
  const std::vector<double> rows = {0.0, 300.0, 200.0, 100.0}, values = {300.0, 200.0, 100.0};
  const std::vector<std::int32_t> begin = {0, 1, 3}, index = {1, 0, 1};
  const Round a{.actions = 2, .features = rows};
  const Round b{.actions = 2, .sparse = {.begin = begin, .index = index, .value = values}};
  Estimates of_a, of_b;
  of_a.prepare(1, 2);
  of_b.prepare(1, 2);
  Scratch scratch;
  for (int t = 0; t < 3; ++t) {
    dense->learn(a, t % 2, std::vector<double>{0.5});
    sparse->learn(b, t % 2, std::vector<double>{0.5});
  }
  EXPECT_EQ(dense->features_factors()[1], 1.0 / 256.0);
  scratch.reset(dense->scratch());
  dense->predict(a, scratch, of_a);
  scratch.reset(sparse->scratch());
  sparse->predict(b, scratch, of_b);
  for (int action = 0; action < 2; ++action) {
    EXPECT_EQ(of_a.mean(0)[action], of_b.mean(0)[action]);
    EXPECT_LT(of_a.width()[action], 0.6) << "300 of a unit would be known at once";
  }
}

TEST(UnitFeatures, IsSavedAndLoaded) {
  const Shape shape{.actions = 1, .context = 2};
  const auto oracle = over_vaw(shape), other = over_vaw(shape);
  const std::vector<double> x = {1000.0, 2000.0};
  oracle->learn({.actions = 1, .context = x}, 0, std::vector<double>{0.5});
  ByteWriter out;
  oracle->save(out);
  ByteReader in(out.bytes());
  other->load(in).check();
  EXPECT_TRUE(in.finish().ok());
  Estimates one, two;
  one.prepare(1, 1);
  two.prepare(1, 1);
  Scratch scratch;
  scratch.reset(oracle->scratch());
  oracle->predict({.actions = 1, .context = x}, scratch, one);
  scratch.reset(other->scratch());
  other->predict({.actions = 1, .context = x}, scratch, two);
  EXPECT_EQ(one.mean(0)[0], two.mean(0)[0]);
  EXPECT_EQ(one.width()[0], two.width()[0]);
}

}  // namespace
}  // namespace rein
