// cos and decaying exp over whole vectors, for random Fourier features and Gaussian kernels.
// Included only by kernels_level.cc. Every lane does the same scalar sequence on every level. The
// absolute errors are below 1e-15 for cos and 1e-13 for exp, which is enough for a feature.
#pragma once

#include "base/lanes.h"

namespace rein::REIN_LEVEL {

constexpr double kRounding = 0x1.8p52;  // adding and subtracting it rounds to a whole number

inline Lanes nearest(Lanes x) { return (x + Lanes::all(kRounding)) + Lanes::all(-kRounding); }

// x = n pi + r with |r| <= pi / 2. pi is split in three parts; n times the first two is exact. The
// result is (-1)^n times the Taylor polynomial of cos r.
inline Lanes cosine(Lanes x) {
  const Lanes limit = Lanes::all(1e6);
  x = min(max(x, Lanes::all(-1e6)), limit);
  const Lanes n = nearest(x * Lanes::all(0x1.45f306dc9c883p-2));
  Lanes r = fnma(n, Lanes::all(0x1.921fb54400000p+1), x);
  r = fnma(n, Lanes::all(0x1.0b4611a600000p-33), r);
  r = fnma(n, Lanes::all(0x1.3198a2e037073p-68), r);
  const Lanes r2 = r * r;
  Lanes p = Lanes::all(1.0 / 2432902008176640000.0);
  constexpr double kCosine[] = {-1.0 / 6402373705728000.0,
                                1.0 / 20922789888000.0,
                                -1.0 / 87178291200.0,
                                1.0 / 479001600.0,
                                -1.0 / 3628800.0,
                                1.0 / 40320.0,
                                -1.0 / 720.0,
                                1.0 / 24.0,
                                -0.5,
                                1.0};
  for (double c : kCosine) {
    p = fma(p, r2, Lanes::all(c));
  }
  const Lanes odd = fma(nearest(n * Lanes::all(0.5)), Lanes::all(-2.0), n);  // -1, 0 or 1
  return p * fma(odd * odd, Lanes::all(-2.0), Lanes::all(1.0));
}

// exp(-x) = exp(-x / 128)^128 for x in [0, 40], clamped to it.
inline Lanes decay(Lanes x) {
  x = min(max(x, Lanes::all(0.0)), Lanes::all(40.0));
  const Lanes u = x * Lanes::all(-1.0 / 128.0);
  Lanes p = Lanes::all(1.0 / 479001600.0);
  constexpr double kExp[] = {
      1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0,
      1.0 / 120.0,      1.0 / 24.0,      1.0 / 6.0,      0.5,           1.0,          1.0};
  for (double c : kExp) {
    p = fma(p, u, Lanes::all(c));
  }
  for (int i = 0; i < 7; ++i) p = p * p;
  return p;
}

template <class F>
inline void over(double* x, int n, F f) {
  long i = 0;
  for (; i + 8 <= n; i += 8) f(Lanes::load(x + i)).store(x + i);
  if (i < n) f(Lanes::load_part(x + i, n - i)).store_part(x + i, n - i);
}

inline void cosines(double* x, int n) {
  over(x, n, [](Lanes v) { return cosine(v); });
}

inline void decays(double* x, int n) {
  over(x, n, [](Lanes v) { return decay(v); });
}

inline void distances(const double* points, long stride, int count, const double* z, int n,
                      double scale, double* out) {
  for (long i = 0; i < count; i += 8) {
    Lanes s = Lanes::all(0.0);
    for (long j = 0; j < n; ++j) {
      const Lanes apart =
          fma(Lanes::load(points + j * stride + i), Lanes::all(-1.0), Lanes::all(z[j]));
      s = fma(apart, apart, s);
    }
    (s * Lanes::all(scale)).store(out + i);
  }
}

}  // namespace rein::REIN_LEVEL
