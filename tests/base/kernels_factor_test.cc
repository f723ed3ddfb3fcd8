// The kernels of packed factors against plain loops, and the same bits from every level of x86, for
// all small sizes. kernels_test.cc says which levels.
#include <vector>

#include "base/levels.h"

namespace rein {
namespace {

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
        // A single vector gives the same bits as a lane.
        Doubles one = room(d);
        kernel.solve_one(factor.data(), d, column.data(), one.data());
        expect_guarded(one, d);
        one.resize(static_cast<std::size_t>(d));
        ASSERT_TRUE(same_bits(one, solved)) << "d " << d << " lane " << lane;
        // So do its sums.
        Doubles dots = room(heads), alone = room(d);
        double square = 0.0;
        kernel.solve_lane(factor.data(), d, column.data(), alone.data(), c.data(), heads, &square,
                          dots.data());
        expect_guarded(alone, d);
        expect_guarded(dots, heads);
        ASSERT_EQ(square, found[1][lane]) << "d " << d << " lane " << lane;
        for (int h = 0; h < heads; ++h) {
          ASSERT_EQ(dots[h], found[2][h * kLanes * blocks + lane]) << "d " << d << " head " << h;
        }
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

}  // namespace
}  // namespace rein
