// Every kernel against a plain loop, and the same bits from every level of x86, for all small
// sizes.
#include "base/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "rein/rng.h"

namespace rein {
namespace {

constexpr int kMostRows = 40;       // d of a factor
constexpr int kMostNumbers = 100;   // n of a plain loop
constexpr double kGuard = 12345.5;  // stands past the end of what a kernel may write
using Doubles = std::vector<double>;

Doubles some(Rng& rng, int n, double low = -1.0, double high = 1.0) {
  Doubles x(static_cast<std::size_t>(n));
  for (double& v : x) v = low + (high - low) * rng.uniform();
  return x;
}

// Room for n numbers and eight guards.
Doubles room(int n) { return Doubles(static_cast<std::size_t>(n) + 8, kGuard); }
void expect_guarded(const Doubles& x, int n) {
  for (std::size_t i = static_cast<std::size_t>(n); i < x.size(); ++i) {
    ASSERT_EQ(x[i], kGuard) << "wrote past the end, at " << i << " of " << n;
  }
}

bool same_bits(const Doubles& a, const Doubles& b) {
  if (a.size() != b.size()) return false;
  return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

void expect_near(const Doubles& found, const Doubles& wanted, double tolerance) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_NEAR(found[i], wanted[i], tolerance * std::max(1.0, std::abs(wanted[i]))) << "at " << i;
  }
}

// A well-conditioned packed factor.
Doubles some_factor(Rng& rng, int d) {
  Doubles factor = some(rng, static_cast<int>(packed_size(d)), -0.3, 0.3);
  for (int i = 0; i < d; ++i) factor[packed_at(d, i, i)] = 1.0 + rng.uniform();
  return factor;
}

struct Dense {
  int d;
  Doubles a;
  double& operator()(int i, int j) { return a[static_cast<std::size_t>(i * d + j)]; }
  double operator()(int i, int j) const { return a[static_cast<std::size_t>(i * d + j)]; }
};

// L L'.
Dense squared(const Doubles& factor, int d) {
  Dense a{d, Doubles(static_cast<std::size_t>(d * d))};
  for (int i = 0; i < d; ++i) {
    for (int j = 0; j < d; ++j) {
      for (int k = 0; k <= std::min(i, j); ++k) {
        a(i, j) += factor[packed_at(d, i, k)] * factor[packed_at(d, j, k)];
      }
    }
  }
  return a;
}

Doubles forward(const Doubles& factor, int d, const double* x) {
  Doubles y(x, x + d);
  for (int i = 0; i < d; ++i) {
    for (int j = 0; j < i; ++j) y[i] -= factor[packed_at(d, i, j)] * y[j];
    y[i] /= factor[packed_at(d, i, i)];
  }
  return y;
}

double naive_dot(const double* a, const double* b, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// Every kernel's results on one set of inputs: first compared with a plain loop, then, as `bits`,
// with those of other levels.
class KernelsAt : public testing::TestWithParam<const Kernels*> {
 protected:
  const Kernels& kernel = *GetParam();
  const Kernels& plain = *kernels_at("v2");
  Rng rng{17};
};

std::vector<const Kernels*> levels() {
  std::vector<const Kernels*> found;
  for (const char* level : {"v2", "v3", "v4"}) {
    if (const Kernels* k = kernels_at(level)) found.push_back(k);
  }
  return found;
}

INSTANTIATE_TEST_SUITE_P(Levels, KernelsAt, testing::ValuesIn(levels()),
                         [](const auto& level) { return std::string(level.param->level); });

TEST(PackedFactor, EveryElementHasAPlaceOfItsOwn) {
  for (int d = 1; d <= kMostRows; ++d) {
    std::vector<int> seen(packed_size(d));
    for (int i = 0; i < d; ++i) {
      for (int j = 0; j <= i; ++j) {
        const std::size_t at = packed_at(d, i, j);
        ASSERT_LT(at, seen.size());
        ASSERT_EQ(seen[at]++, 0) << "d " << d << " row " << i << " column " << j;
      }
    }
  }
}

TEST(KernelChoice, UnknownLevelsAreRefused) { EXPECT_EQ(kernels_at("v5"), nullptr); }

TEST_P(KernelsAt, PackTransposesRowsIntoLanes) {
  for (int n = 0; n <= kMostRows; ++n) {
    for (int count = 1; count <= kLanes; ++count) {
      const int stride = n + count % 3;
      const Doubles rows = some(rng, kLanes * stride + 1);
      Doubles block = room(kLanes * n);
      kernel.pack(rows.data(), static_cast<std::size_t>(stride), count, n, block.data());
      for (int j = 0; j < n; ++j) {
        for (int lane = 0; lane < kLanes; ++lane) {
          ASSERT_EQ(block[kLanes * j + lane], rows[std::min(lane, count - 1) * stride + j]);
        }
      }
      expect_guarded(block, kLanes * n);
    }
  }
}

TEST_P(KernelsAt, SolveIsForwardSubstitutionInEveryLane) {
  for (int d = 1; d <= kMostRows; ++d) {
    const Doubles factor = some_factor(rng, d);
    for (int blocks = 0; blocks <= 3; ++blocks) {
      const int heads = 1 + blocks % 3;
      const Doubles c = some(rng, heads * d);
      const Doubles x = some(rng, kLanes * d * blocks);
      const auto run = [&](const Kernels& k) {
        std::vector<Doubles> out{x, room(kLanes * blocks), room(kLanes * blocks * heads)};
        k.solve(factor.data(), d, out[0].data(), blocks, c.data(), heads, out[1].data(),
                out[2].data());
        return out;
      };
      const auto found = run(kernel);
      const auto wanted = run(plain);
      for (int i = 0; i < 3; ++i) ASSERT_TRUE(same_bits(found[i], wanted[i])) << "d " << d;
      expect_guarded(found[1], kLanes * blocks);
      expect_guarded(found[2], kLanes * blocks * heads);
      for (int lane = 0; lane < kLanes * blocks; ++lane) {
        Doubles column(d), solved(d);
        for (int j = 0; j < d; ++j) {
          const int at = lane / kLanes * kLanes * d + kLanes * j + lane % kLanes;
          column[j] = x[at];
          solved[j] = found[0][at];
        }
        const Doubles y = forward(factor, d, column.data());
        expect_near(solved, y, 1e-12);
        ASSERT_NEAR(found[1][lane], naive_dot(y.data(), y.data(), d), 1e-11);
        for (int h = 0; h < heads; ++h) {
          ASSERT_NEAR(found[2][h * kLanes * blocks + lane],
                      naive_dot(y.data(), c.data() + h * d, d), 1e-11);
        }
        // One vector alone gives the bits that a lane has.
        Doubles one = room(d);
        kernel.solve_one(factor.data(), d, column.data(), one.data());
        expect_guarded(one, d);
        one.resize(static_cast<std::size_t>(d));
        ASSERT_TRUE(same_bits(one, solved)) << "d " << d << " lane " << lane;
      }
    }
  }
}

TEST_P(KernelsAt, SolveTransposedIsBackwardSubstitution) {
  for (int d = 1; d <= kMostRows; ++d) {
    const Doubles factor = some_factor(rng, d);
    const Doubles y = some(rng, d);
    Doubles found = room(d), wanted = room(d);
    kernel.solve_transposed(factor.data(), d, y.data(), found.data());
    plain.solve_transposed(factor.data(), d, y.data(), wanted.data());
    ASSERT_TRUE(same_bits(found, wanted)) << "d " << d;
    expect_guarded(found, d);
    for (int j = 0; j < d; ++j) {  // (L' x)_j = y_j
      double back = 0.0;
      for (int i = j; i < d; ++i) back += factor[packed_at(d, i, j)] * found[i];
      ASSERT_NEAR(back, y[j], 1e-12) << "d " << d;
    }
  }
}

TEST_P(KernelsAt, UpdateAddsTheSquareOfAVectorAndItsOutcomes) {
  for (int d = 1; d <= kMostRows; ++d) {
    for (int heads = 0; heads <= 3; ++heads) {
      const Doubles before = some_factor(rng, d);
      const Doubles x = some(rng, d);
      const Doubles y = some(rng, heads);
      const Doubles c = some(rng, heads * d);
      struct Run {
        Doubles factor, c, work, residuals;
        double t;
      };
      const auto run = [&](const Kernels& k) {
        Run r{before, c, Doubles(static_cast<std::size_t>(4 * d + 8)), room(heads), 0.0};
        r.factor.resize(r.factor.size() + 8, kGuard);
        r.t = k.update(r.factor.data(), d, x.data(), r.c.data(), heads, y.data(), r.work.data(),
                       r.residuals.data());
        return r;
      };
      Run found = run(kernel);
      const Run wanted = run(plain);
      ASSERT_TRUE(same_bits(found.factor, wanted.factor)) << "d " << d;
      ASSERT_TRUE(same_bits(found.c, wanted.c)) << "d " << d;
      ASSERT_TRUE(same_bits(found.work, wanted.work)) << "d " << d;
      ASSERT_TRUE(same_bits(found.residuals, wanted.residuals)) << "d " << d;
      ASSERT_EQ(found.t, wanted.t);
      expect_guarded(found.factor, static_cast<int>(packed_size(d)));

      const Dense old = squared(before, d), now = squared(found.factor, d);
      for (int i = 0; i < d; ++i) {
        for (int j = 0; j < d; ++j) ASSERT_NEAR(now(i, j), old(i, j) + x[i] * x[j], 1e-12);
      }
      const Doubles solved = forward(before, d, x.data());
      ASSERT_NEAR(found.t, 1.0 + naive_dot(solved.data(), solved.data(), d), 1e-12 * found.t);
      expect_near(found.work, solved, 1e-12);
      const Doubles after(found.work.begin() + 2 * d, found.work.begin() + 3 * d);
      expect_near(after, forward(found.factor, d, x.data()), 1e-12);
      for (int h = 0; h < heads; ++h) {  // L c_h = b_h, and b_h grows by x y_h
        for (int i = 0; i < d; ++i) {
          double was = x[i] * y[h], is = 0.0;
          for (int j = 0; j <= i; ++j) {
            was += before[packed_at(d, i, j)] * c[h * d + j];
            is += found.factor[packed_at(d, i, j)] * found.c[h * d + j];
          }
          ASSERT_NEAR(is, was, 1e-12);
        }
        ASSERT_NEAR(found.residuals[h], y[h] - naive_dot(solved.data(), c.data() + h * d, d),
                    1e-12);
      }
    }
  }
}

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
