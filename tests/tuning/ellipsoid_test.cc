// Confidence bounds on linear means at all times: how often they hold, with all kinds of noise, and
// that they do not depend on the units of the features.
#include "tuning/ellipsoid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "rein/rng.h"
#include "sanitized.h"
#include "tuning/square_matrix.h"
#include "tuning/whitening.h"

namespace rein {
namespace {

constexpr Range kSigned{-1.0, 1.0};

TEST(SquareMatrix, InvertsAMatrix) {
  constexpr int d = 5;
  Rng rng(3);
  std::vector<double> a(d * d), inverse(d * d), room(d * d), product(d * d);
  for (int n = 0; n < 9; ++n) {
    double x[d];
    for (double& each : x) each = rng.normal();
    add_outer(d, 0.5, x, a.data());
  }
  const std::vector<double> copy = a;
  const double log_det = invert(d, a.data(), inverse.data(), room.data());
  multiply(d, copy.data(), inverse.data(), product.data());
  for (int i = 0; i < d; ++i) {
    for (int j = 0; j < d; ++j) EXPECT_NEAR(product[i * d + j], i == j ? 1.0 : 0.0, 1e-9);
  }
  // ln det of a diagonal matrix is known.
  std::vector<double> plain(d * d);
  for (int i = 0; i < d; ++i) plain[i * d + i] = 1.0 + i;
  EXPECT_NEAR(invert(d, plain.data(), inverse.data(), room.data()), std::log(120.0), 1e-12);
  EXPECT_TRUE(std::isfinite(log_det));
  plain[0] = -1.0;
  EXPECT_TRUE(std::isnan(invert(d, plain.data(), inverse.data(), room.data())));
}

// Noise of mean 0 that keeps y in [-1, 1] around a mean.
using NoiseOf = std::function<double(Rng&, double mean)>;

// The largest |mean - estimate| / width at any time, over the vectors that may come.
double largest_miss(int d, int rounds, std::uint64_t seed, const NoiseOf& noise,
                    double scale = 1.0) {
  Rng rng(seed, 5);
  Ellipsoid ellipsoid(d, {kSigned}, 0.05);
  ellipsoid.scale_radius(scale);
  std::vector<double> theta(static_cast<std::size_t>(d));
  double length = 0.0;
  for (double& x : theta) {
    x = rng.normal();
    length += x * x;
  }
  for (double& x : theta) x *= 0.5 / std::sqrt(length * d);
  std::vector<std::vector<double>> vectors;
  for (int k = 0; k < 3 * d; ++k) {
    std::vector<double>& psi = vectors.emplace_back();
    double square = 0.0;
    for (int i = 0; i < d; ++i) {
      psi.push_back(rng.normal());
      square += psi.back() * psi.back();
    }
    for (double& x : psi) x *= std::sqrt(d / square);
  }
  const auto mean_of = [&](const std::vector<double>& psi) {
    double mean = 0.0;
    for (int i = 0; i < d; ++i)
      mean += theta[static_cast<std::size_t>(i)] * psi[static_cast<std::size_t>(i)];
    return mean;
  };
  double largest = 0.0;
  for (int t = 0; t < rounds; ++t) {
    // The next vector depends on what came before, as a policy's action would: the largest
    // estimate.
    std::size_t at = static_cast<std::size_t>(rng.below(3 * d));
    for (std::size_t k = 0; k < vectors.size(); ++k) {
      const double miss = ellipsoid.miss(vectors[k].data(), 0, mean_of(vectors[k]));
      if (!std::isnan(miss)) largest = std::max(largest, std::abs(miss));
      if (t % 2 == 0 &&
          ellipsoid.predict(vectors[k].data(), 0) > ellipsoid.predict(vectors[at].data(), 0)) {
        at = k;
      }
    }
    const double mean = mean_of(vectors[at]);
    const double y = mean + noise(rng, mean);
    ellipsoid.learn(vectors[at].data(), std::span(&y, 1));
  }
  return largest;
}

double rademacher(Rng& rng, double mean) {
  return (2.0 * rng.uniform() - 1.0 < mean ? 1.0 : -1.0) - mean;
}
double small(Rng& rng, double) { return 0.05 * rng.rademacher(); }
double none(Rng&, double) { return 0.0; }
// Mostly a little, rarely much, the other way: what a variance that was seen does not show.
double rare(Rng& rng, double mean) {
  const double low = -1.0 - mean, high = 0.02;
  return rng.uniform() < high / (high - low) ? low : high;
}
// Large where the mean is positive and small elsewhere.
double uneven(Rng& rng, double mean) { return (mean > 0.0 ? 0.4 : 0.02) * rng.rademacher(); }

TEST(Ellipsoid, HoldsTheMeansAtAllTimes) {
  const int seeds = sanitized() ? 3 : 40;
  for (const NoiseOf& noise :
       {NoiseOf(rademacher), NoiseOf(small), NoiseOf(none), NoiseOf(rare), NoiseOf(uneven)}) {
    for (int d : {1, 2, 4}) {
      int above = 0;
      for (int seed = 1; seed <= seeds; ++seed) {
        above += largest_miss(d, 600, static_cast<std::uint64_t>(seed), noise) > 1.0;
      }
      EXPECT_EQ(above, 0) << "d = " << d;  // of 40, where 2 would be allowed
    }
  }
}

// The test above can fail: a third of the radius is passed in some seed by large noise.
TEST(Ellipsoid, AThirdOfTheRadiusIsPassed) {
  if (sanitized()) GTEST_SKIP() << "many seeds, which the plain build has";
  int above = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    above += largest_miss(1, 600, seed, rademacher, 1.0 / 3.0) > 1.0;
  }
  EXPECT_GT(above, 3);
}

// With more outcomes the width falls like one over their root, and with less noise it is less.
TEST(Ellipsoid, WidthFollowsTheNoise) {
  const auto width = [](double size, int rounds) {
    Rng rng(1);
    Ellipsoid ellipsoid(1, {kSigned}, 0.05);
    const double psi = 1.0;
    for (int t = 0; t < rounds; ++t) {
      const double y = 0.2 + size * rng.rademacher();
      ellipsoid.learn(&psi, std::span(&y, 1));
    }
    const Interval found = ellipsoid.bounds(&psi, 0);
    EXPECT_LT(found.low, 0.2);
    EXPECT_GT(found.high, 0.2);
    return found.high - found.low;
  };
  EXPECT_NEAR(width(0.5, 160'000) / width(0.5, 40'000), 0.5, 0.06);
  EXPECT_LT(width(0.05, 40'000), 0.25 * width(0.5, 40'000));
  // Near the law of the iterated logarithm: 2 x 0.5 sqrt(2 x 8 / 40000) = 0.02 for a chance of
  // e^-8.
  EXPECT_LT(width(0.5, 40'000), 0.025);
}

// Nothing is said about a direction that never came, and the range is said of the rest.
TEST(Ellipsoid, SaysTheRangeOfWhatNeverCame) {
  Ellipsoid ellipsoid(2, {kSigned}, 0.05);
  const double seen[] = {1.0, 0.0}, unseen[] = {0.0, 1.0};
  const double shown[] = {1.0, 0.0};
  ellipsoid.set_shown(shown);
  for (int t = 0; t < 5000; ++t) {
    const double y = t % 2 == 0 ? 0.1 : 0.3;
    ellipsoid.learn(seen, std::span(&y, 1));
  }
  EXPECT_EQ(ellipsoid.bounds(unseen, 0).low, -1.0);
  EXPECT_EQ(ellipsoid.bounds(unseen, 0).high, 1.0);
  EXPECT_NEAR(ellipsoid.bounds(seen, 0).low, 0.2, 0.05);
  EXPECT_NEAR(ellipsoid.bounds(seen, 0).high, 0.2, 0.05);
}

// The bounds of the same outcomes with features in other units, moved by a constant that is in the
// class, or doubled, are the same.
TEST(Whitening, BoundsDoNotDependOnTheUnitsOfFeatures) {
  const auto high_at = [](const std::function<std::vector<double>(double, double)>& features) {
    const int d = static_cast<int>(features(0.0, 0.0).size());
    Whitening whitening(d);
    Rng rng(4);
    Ellipsoid ellipsoid(d, {kSigned}, 0.05);
    std::vector<double> psi(static_cast<std::size_t>(d));
    for (int t = 0; t < 3000; ++t) {
      const double x = 2.0 * rng.uniform() - 1.0, z = 2.0 * rng.uniform() - 1.0;
      const std::vector<double> phi = features(x, z);
      if (!whitening.fixed()) {
        whitening.add(phi);
        if (whitening.added() == 16.0) {
          whitening.fix();
          ellipsoid.set_shown(whitening.shown());
        }
        continue;
      }
      whitening.write(phi, psi);
      const double y = 0.3 * x - 0.2 * z + 0.3 * rng.rademacher();
      ellipsoid.learn(psi.data(), std::span(&y, 1));
    }
    whitening.write(features(0.5, -0.5), psi);
    return ellipsoid.bounds(psi.data(), 0).high;
  };
  using Features = std::vector<double>;
  const double plain = high_at([](double x, double z) { return Features{1.0, x, z}; });
  EXPECT_LT(plain, 0.5);
  EXPECT_GT(plain, 0.25);
  EXPECT_NEAR(high_at([](double x, double z) { return Features{1.0, 1e4 * x, 1e-4 * z}; }), plain,
              1e-6);
  EXPECT_NEAR(high_at([](double x, double z) { return Features{1.0, 1.0 + 0.02 * x, 2000.0 + z}; }),
              plain, 1e-5);
  EXPECT_NEAR(high_at([](double x, double z) { return Features{1.0, x + z, x - z}; }), plain, 1e-6);
  // A feature twice: one direction more that nothing is known about, and never comes.
  EXPECT_NEAR(high_at([](double x, double z) { return Features{1.0, 1.0, x, z}; }), plain, 0.03);
}

TEST(Ellipsoid, ContinuesWithTheSameBits) {
  Ellipsoid one(2, {kSigned, {0.0, 1.0}}, 0.01), two = one;
  Rng rng(8);
  const auto play = [&](int rounds, auto&... ellipsoids) {
    for (int t = 0; t < rounds; ++t) {
      const double psi[] = {rng.normal(), rng.normal()};
      const double y[] = {0.5 * rng.rademacher(), rng.uniform()};
      (ellipsoids.learn(psi, y), ...);
    }
  };
  play(100, one);
  ByteWriter out;
  one.save(out);
  ByteReader in(out.bytes());
  two.load(in);
  ASSERT_TRUE(in.finish().ok());
  play(100, one, two);
  const double psi[] = {0.7, -0.2};
  for (int h : {0, 1}) {
    EXPECT_EQ(one.bounds(psi, h).low, two.bounds(psi, h).low);
    EXPECT_EQ(one.radius(h), two.radius(h));
  }
}

}  // namespace
}  // namespace rein
