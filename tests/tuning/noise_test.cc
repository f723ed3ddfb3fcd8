// OutcomeNoise and UnitFeatures: the two measures that tuning=auto takes its scales from.
#include "tuning/noise.h"

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

// Learns `rounds` rounds of one number, whose reward is 0.4 times how far it lies from `centre`, in
// `spread`s. Returns the slope that it found: reward at the centre plus one spread, less that at the centre.
double slope_after(double first, double centre, double spread, int rounds) {
  const Shape shape{.actions = 1, .context = 1};
  const auto oracle = over_vaw(shape);
  Rng rng(5);
  for (int t = 0; t < rounds; ++t) {
    const double u = 2.0 * rng.uniform() - 1.0;
    const std::vector<double> x = {t == 0 ? first : centre + spread * u};
    oracle->learn({.actions = 1, .context = x}, 0, std::vector<double>{t == 0 ? 0.0 : 0.4 * u});
  }
  const auto at = [&](double x) {
    Estimates found;
    found.prepare(1, 1);
    Scratch scratch;
    scratch.reset(oracle->scratch());
    const std::vector<double> context = {x};
    oracle->predict({.actions = 1, .context = context}, scratch, found);
    return found.mean(0)[0];
  };
  return at(centre + spread) - at(centre);
}

TEST(UnitFeatures, AnOutlierInTheFirstRoundBlindsNoFeature) {
  for (double first : {1e4, -1e4, 1e8, 0.0}) {
    EXPECT_NEAR(slope_after(first, 0.0, 1.0, 500), 0.4, 0.04) << first;
  }
}

TEST(UnitFeatures, YearsAndKelvinAreLearnedLikeNumbersAroundZero) {
  EXPECT_NEAR(slope_after(2026.0, 2026.0, 3.0, 500), 0.4, 0.04);
  EXPECT_NEAR(slope_after(290.0, 290.0, 5.0, 500), 0.4, 0.04);
  EXPECT_NEAR(slope_after(-40.0, -40.0, 0.02, 500), 0.4, 0.04);
  EXPECT_NEAR(slope_after(1e6, 2026.0, 1.0, 500), 0.4, 0.04) << "and the first is an outlier too";
}

TEST(UnitFeatures, NumbersOfAUsualSizeStayAsTheyAre) {
  const Shape shape{.actions = 1, .context = 3};
  const auto oracle = over_vaw(shape);
  Rng rng(6);
  for (int t = 0; t < 40; ++t) {
    const std::vector<double> x = {t == 0 ? 1.0 : 2.0 * rng.uniform() - 1.0,
                                   t == 0 ? 1.0 : rng.uniform(),
                                   t == 0 ? 1.0 : static_cast<double>(rng.below(2))};
    oracle->learn({.actions = 1, .context = x}, 0, std::vector<double>{0.5});
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(oracle->context_factors()[i], 1.0) << i;
    EXPECT_EQ(oracle->context_centres()[i], 0.0) << i;
  }
}

// Without a constant in its class an oracle would lose what a centre takes away.
TEST(UnitFeatures, WithoutAConstantNothingIsCentred) {
  const Shape shape{.actions = 1, .context = 1};
  UnitFeatures oracle(make_oracle(Spec("vaw"), shape).value(), shape,
                      UnitFeatures::Scales::kSettled);
  for (int t = 0; t < 20; ++t) {
    const std::vector<double> x = {2026.0 + t % 3};
    oracle.learn({.actions = 1, .context = x}, 0, std::vector<double>{0.5});
  }
  EXPECT_EQ(oracle.context_centres()[0], 0.0);
}

// The parts of an estimate sum to the estimate also where numbers were centred.
TEST(UnitFeatures, WeightsSpeakOfTheNumbersAsTheyCame) {
  const Shape shape{.actions = 1, .context = 1};
  const auto oracle = over_vaw(shape);
  for (int t = 0; t < 300; ++t) {
    const std::vector<double> x = {2026.0 + t % 5};
    oracle->learn({.actions = 1, .context = x}, 0, std::vector<double>{0.1 * (t % 5)});
  }
  const std::vector<double> x = {2029.0};
  const Round round{.actions = 1, .context = x};
  std::vector<Term> terms;
  ASSERT_TRUE(oracle->weights(round, 0, 0, terms));
  double sum = 0.0;
  for (const Term& term : terms) {
    sum += term.part();
    if (term.context == 0) {
      EXPECT_EQ(term.value, 2029.0);
      EXPECT_NEAR(term.weight, 0.1, 0.01);
    }
  }
  EXPECT_NEAR(sum, 0.3, 0.02);
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
