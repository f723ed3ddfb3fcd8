#include "base/math.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

namespace rein {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// ln 2 in two parts. The high part has trailing zeros, so n * kLn2High is exact for |n| < 2^11.
constexpr double kLn2High = 0x1.62e42fefa38p-1;
constexpr double kLn2Low = 0x1.ef35793c7673p-45;
constexpr double kInvLn2 = 0x1.71547652b82fep+0;

// 2^n * x without intermediate overflow, for results down to the subnormals.
double scale(double x, int n) {
  while (n > 1000) {
    x *= 0x1p1000;
    n -= 1000;
  }
  if (n < -1000) {  // only the last step may be subnormal, so there is one rounding
    x *= 0x1p-900;
    n += 900;
  }
  const auto bits = static_cast<std::uint64_t>(n + 1023) << 52;
  return x * std::bit_cast<double>(bits);
}

}  // namespace

// exp(x) = 2^n exp(r), |r| <= ln 2 / 2, by the Taylor polynomial of degree 13.
double exp(double x) {
  if (x != x) return kNan;
  if (x > 709.79) return kInfinity;
  if (x < -745.2) return 0.0;
  const double n = std::floor(std::fma(x, kInvLn2, 0.5));
  const double r = std::fma(-n, kLn2Low, std::fma(-n, kLn2High, x));
  double p = 1.0 / 6227020800.0;
  for (double c :
       {1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0,
        1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5}) {
    p = std::fma(p, r, c);
  }
  p = std::fma(p * r, r, r);  // exp(r) - 1
  return scale(1.0 + p, static_cast<int>(n));
}

// log(x) = n ln 2 + log(f), f in [sqrt(1/2), sqrt(2)), log f = 2 atanh(s), s = (f - 1)/(f + 1).
double log(double x) {
  if (x != x || x < 0.0) return kNan;
  if (x == 0.0) return -kInfinity;
  if (x == kInfinity) return kInfinity;
  int n = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    n = -54;
  }
  auto bits = std::bit_cast<std::uint64_t>(x);
  n += static_cast<int>(bits >> 52) - 1023;
  bits = (bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL;
  double f = std::bit_cast<double>(bits);
  if (f > 0x1.6a09e667f3bcdp+0) {
    f *= 0.5;
    n += 1;
  }
  const double g = f - 1.0;  // exact
  const double s = g / (f + 1.0);
  const double s2 = s * s;
  double p = 1.0 / 23.0;
  for (double c : {1.0 / 21.0, 1.0 / 19.0, 1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0, 1.0 / 11.0,
                   1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0}) {
    p = std::fma(p, s2, c);
  }
  // 2 s + 2 s^3 p, with 2 s = g - s g kept to full precision through g.
  const double r = s2 * p;
  const double log_f = g - s * (g - 2.0 * r);
  const double m = n;
  return std::fma(m, kLn2High, std::fma(m, kLn2Low, log_f));
}

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
