// Every kernel against a plain loop, and the same bits from every level of x86, for all small
// sizes. Those of packed factors are in kernels_factor_test.cc.
#include <limits>

#include "base/levels.h"

namespace rein {
namespace {

std::vector<const Kernels*> levels() {
  std::vector<const Kernels*> found;
  for (const char* level : kLevels) {
    if (const Kernels* k = kernels_at(level)) found.push_back(k);
  }
  return found;
}

INSTANTIATE_TEST_SUITE_P(Levels, KernelsAt, testing::ValuesIn(levels()),
                         [](const auto& level) { return std::string(level.param->level); });

TEST(KernelChoice, UnknownLevelsAreRefused) { EXPECT_EQ(kernels_at("v5"), nullptr); }

TEST_P(KernelsAt, DotsAreSumsOfProducts) {
  for (int n = 0; n <= kMostNumbers; ++n) {
    const Doubles a = some(rng, n), b = some(rng, n);
    const double found = kernel.dot(a.data(), b.data(), n);
    ASSERT_EQ(found, plain.dot(a.data(), b.data(), n)) << "n " << n;
    ASSERT_NEAR(found, naive_dot(a.data(), b.data(), n), 1e-13 * (n + 1));

    const int count = n % 19, stride = n + n % 4;
    const Doubles rows = some(rng, stride * count + n);
    Doubles out = room(count), same = room(count);
    kernel.dots(rows.data(), static_cast<std::size_t>(stride), count, n, b.data(), out.data());
    plain.dots(rows.data(), static_cast<std::size_t>(stride), count, n, b.data(), same.data());
    ASSERT_TRUE(same_bits(out, same)) << "n " << n;
    expect_guarded(out, count);
    for (int i = 0; i < count; ++i) {
      const double* row = rows.data() + i * stride;
      ASSERT_NEAR(out[i], naive_dot(row, b.data(), n), 1e-13 * (n + 1));
      double alone;
      kernel.dots(row, 0, 1, n, b.data(), &alone);
      ASSERT_EQ(alone, out[i]) << "a row's bits depend on its neighbours";
    }
  }
}

TEST_P(KernelsAt, ProductsAreThoseOfEveryPair) {
  for (int count = 1; count <= 9; ++count) {
    for (int n = 1; n <= 40; ++n) {
      const Doubles x = some(rng, count), y = some(rng, n);
      Doubles found = room(count * n);
      kernel.products(x.data(), count, y.data(), n, found.data());
      expect_guarded(found, count * n);
      for (int i = 0; i < count; ++i) {
        for (int j = 0; j < n; ++j) {
          ASSERT_EQ(found[static_cast<std::size_t>(i * n + j)],
                    x[static_cast<std::size_t>(i)] * y[static_cast<std::size_t>(j)]);
        }
      }
    }
  }
}

TEST_P(KernelsAt, FoldAddsRowsTimesNumbers) {
  for (int n = 0; n <= kMostRows; ++n) {
    for (int count = 0; count <= 9; ++count) {
      const Doubles weights = some(rng, n), rows = some(rng, n * count), x = some(rng, count);
      Doubles found = room(n), wanted = room(n);
      kernel.fold(weights.data(), rows.data(), count, n, x.data(), found.data());
      plain.fold(weights.data(), rows.data(), count, n, x.data(), wanted.data());
      ASSERT_TRUE(same_bits(found, wanted));
      expect_guarded(found, n);
      for (int j = 0; j < n; ++j) {
        double sum = weights[j];
        for (int i = 0; i < count; ++i) sum = std::fma(x[i], rows[i * n + j], sum);
        ASSERT_EQ(found[j], sum);
      }
    }
  }
}

// AdaGrad's step on one coordinate, as the header states it.
void naive_adagrad(double& weight, double& square, double x, double slope, double rate,
                   double radius) {
  const double g = slope * x;
  square = std::fma(g, g, square);
  if (g != 0.0) weight = std::fma(-rate, g / std::sqrt(square), weight);
  weight = std::min(std::max(weight, -radius), radius);
}

TEST_P(KernelsAt, AdagradStepsEveryCoordinateAloneAndStaysInTheBox) {
  for (int n = 0; n <= kMostNumbers; ++n) {
    Doubles weights = some(rng, n), squares = some(rng, n, 0.0, 2.0), x = some(rng, n);
    for (int i = 0; i < n; i += 3) squares[i] = 0.0;  // never moved before
    for (int i = 0; i < n; i += 6) x[i] = 0.0;        // and does not move now
    weights.resize(weights.size() + 8, kGuard);
    squares.resize(squares.size() + 8, kGuard);
    Doubles wanted_weights = weights, wanted_squares = squares;
    kernel.adagrad(weights.data(), squares.data(), x.data(), n, -1.3, 0.7, 1.0);
    for (int i = 0; i < n; ++i) {
      naive_adagrad(wanted_weights[i], wanted_squares[i], x[i], -1.3, 0.7, 1.0);
      ASSERT_LE(std::abs(weights[i]), 1.0);
    }
    ASSERT_TRUE(same_bits(weights, wanted_weights)) << "n " << n;
    ASSERT_TRUE(same_bits(squares, wanted_squares)) << "n " << n;
  }
}

TEST_P(KernelsAt, SparseKernelsTouchTheirNonzerosAlone) {
  for (int n = 1; n <= kMostNumbers; ++n) {
    std::vector<std::int32_t> index;
    for (int i = 0; i < n; ++i) {
      if (rng.uniform() < 0.4) index.push_back(i);
    }
    const int count = static_cast<int>(index.size());
    const Doubles value = some(rng, count);
    Doubles weights = some(rng, n), squares = some(rng, n, 0.0, 2.0);
    const double found = kernel.sparse_dot(index.data(), value.data(), count, weights.data());
    ASSERT_EQ(found, plain.sparse_dot(index.data(), value.data(), count, weights.data()));
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += value[i] * weights[index[i]];
    ASSERT_NEAR(found, sum, 1e-12);

    Doubles wanted_weights = weights, wanted_squares = squares;
    kernel.sparse_adagrad(weights.data(), squares.data(), index.data(), value.data(), count, 0.9,
                          0.3, 0.8);
    for (int i = 0; i < count; ++i) {
      naive_adagrad(wanted_weights[index[i]], wanted_squares[index[i]], value[i], 0.9, 0.3, 0.8);
    }
    ASSERT_TRUE(same_bits(weights, wanted_weights)) << "n " << n;
    ASSERT_TRUE(same_bits(squares, wanted_squares)) << "n " << n;
  }
}

TEST_P(KernelsAt, InverseSumsAreSumsOfInverses) {
  for (int n = 0; n <= kMostNumbers; ++n) {
    const Doubles c = some(rng, n, 0.0, 10.0);
    double h, dh, same_h, same_dh, sum = 0.0, slope = 0.0;
    kernel.inverse_sums(c.data(), n, 1.5, &h, &dh);
    plain.inverse_sums(c.data(), n, 1.5, &same_h, &same_dh);
    ASSERT_EQ(h, same_h);
    ASSERT_EQ(dh, same_dh);
    for (double x : c) {
      sum += 1.0 / (1.5 + x);
      slope += 1.0 / (1.5 + x) / (1.5 + x);
    }
    ASSERT_NEAR(h, sum, 1e-12);
    ASSERT_NEAR(dh, slope, 1e-12);
  }
}

TEST_P(KernelsAt, CosinesAndDecaysAreThoseOfTheLibraryNearlyAndTheSameBits) {
  for (int n = 0; n <= kMostRows; ++n) {
    for (double size : {1.0, 100.0, 9.9e5}) {
      const Doubles x = some(rng, n, -size, size);
      Doubles wave = room(n), fall = room(n);
      std::copy(x.begin(), x.end(), wave.begin());
      std::copy(x.begin(), x.end(), fall.begin());
      Doubles wave_bits = wave, fall_bits = fall;
      kernel.cosines(wave.data(), n);
      kernel.decays(fall.data(), n);
      for (int i = 0; i < n; ++i) {
        ASSERT_NEAR(wave[i], std::cos(x[i]), 1e-15);
        ASSERT_NEAR(fall[i], std::exp(-std::min(std::max(x[i], 0.0), 40.0)), 1e-13);
      }
      expect_guarded(wave, n);
      expect_guarded(fall, n);
      plain.cosines(wave_bits.data(), n);
      plain.decays(fall_bits.data(), n);
      ASSERT_TRUE(same_bits(wave, wave_bits));
      ASSERT_TRUE(same_bits(fall, fall_bits));
    }
  }
  Doubles far{1e300, -1e300, 0.0};
  kernel.cosines(far.data(), 3);
  for (double x : far) EXPECT_LE(std::abs(x), 1.0);
}

TEST_P(KernelsAt, ExpAndLogHaveTheSameBits) {
  for (int i = 0; i < 2000; ++i) {
    const double x = -800.0 + 0.8 * i, y = std::ldexp(1.0 + rng.uniform(), i % 2000 - 1000);
    ASSERT_EQ(kernel.exp(x), plain.exp(x)) << x;
    ASSERT_EQ(kernel.log(y), plain.log(y)) << y;
  }
}

TEST_P(KernelsAt, DistancesAreSquaresOfDifferences) {
  for (int d = 1; d <= 12; ++d) {
    for (int count : {8, 16, 40}) {
      const Doubles points = some(rng, d * 40), z = some(rng, d);
      Doubles out = room(count), bits = room(count);
      kernel.distances(points.data(), 40, count, z.data(), d, 1.5, out.data());
      plain.distances(points.data(), 40, count, z.data(), d, 1.5, bits.data());
      ASSERT_TRUE(same_bits(out, bits));
      expect_guarded(out, count);
      for (int i = 0; i < count; ++i) {
        double sum = 0.0;
        for (int j = 0; j < d; ++j)
          sum += (z[j] - points[j * 40 + i]) * (z[j] - points[j * 40 + i]);
        ASSERT_NEAR(out[i], 1.5 * sum, 1e-13);
      }
    }
  }
}

TEST_P(KernelsAt, EveryNumberOfARowGetsItsFactor) {
  for (int n : {1, 7, 8, 9, 19}) {
    for (int count : {0, 1, 3}) {
      const Doubles rows = some(rng, count * n, -2.0, 2.0), factors = some(rng, n, -2.0, 2.0);
      Doubles out = room(count * n);
      kernel.rescale(rows.data(), count, n, factors.data(), out.data());
      expect_guarded(out, count * n);
      for (int i = 0; i < count * n; ++i) ASSERT_EQ(out[i], rows[i] * factors[i % n]);
    }
  }
}

TEST_P(KernelsAt, ABadNumberIsFoundWhereverItIs) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (int n = 0; n <= kMostNumbers; ++n) {
    Doubles x = some(rng, n, -8e307, 8e307);
    const auto size = static_cast<std::size_t>(n);
    ASSERT_TRUE(kernel.all_within(x.data(), size, 1e308));
    for (int i = 0; i < n; ++i) {
      const double kept = x[i];
      for (double bad : {kInfinity, -kInfinity, std::nan("")}) {
        x[i] = bad;
        ASSERT_FALSE(kernel.all_within(x.data(), size, 1e308)) << bad << " at " << i << " of " << n;
      }
      x[i] = kept;
    }
    for (double& v : x) v *= 1e-300;
    ASSERT_TRUE(kernel.all_within(x.data(), size, 1e8));
    if (n > 0) x[n - 1] = -1.001e8;
    ASSERT_EQ(kernel.all_within(x.data(), size, 1e8), n == 0);
  }
}

}  // namespace
}  // namespace rein
