#include "base/math.h"

#include <cmath>
#include <cstdint>

#include "base/kernels.h"

namespace rein {
double exp(double x) { return kernels().exp(x); }
double log(double x) { return kernels().log(x); }

// cos by reduction to [-pi/4, pi/4] in three parts of pi/2, then Taylor. The first two parts have
// so few bits that n times them is exact for |n| < 2^20. The rounding error of their difference is
// kept: near a zero of cos the reduced argument is the whole result and may be rounded only once.
double cos(double x) {
  constexpr double kPio2High = 0x1.921fb54400000p+0;
  constexpr double kPio2Mid = 0x1.0b4611a600000p-34;
  constexpr double kPio2Low = 0x1.3198a2e037073p-69;
  const double n = std::floor(std::fma(x, 0x1.45f306dc9c883p-1, 0.5));
  const double start = std::fma(-n, kPio2High, x);  // exact
  const double mid = n * kPio2Mid;                  // exact
  const double near = start - mid;
  const double back = near - start;
  const double lost = (start - (near - back)) - (mid + back);  // exact: start - mid - near
  const double r = near + std::fma(-n, kPio2Low, lost);
  const double r2 = r * r;
  const int quadrant = static_cast<int>(static_cast<std::int64_t>(n) & 3);
  if (quadrant % 2 == 0) {
    double p = 1.0 / 20922789888000.0;
    for (double c : {-1.0 / 87178291200.0, 1.0 / 479001600.0, -1.0 / 3628800.0, 1.0 / 40320.0,
                     -1.0 / 720.0, 1.0 / 24.0, -0.5}) {
      p = std::fma(p, r2, c);
    }
    const double value = std::fma(p, r2, 1.0);
    return quadrant == 0 ? value : -value;
  }
  double p = 1.0 / 355687428096000.0;
  for (double c : {-1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0, 1.0 / 362880.0,
                   -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0}) {
    p = std::fma(p, r2, c);
  }
  const double value = std::fma(p * r2, r, r);
  return quadrant == 1 ? -value : value;
}

}  // namespace rein
