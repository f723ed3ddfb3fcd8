// exp and log of one number, as base/math.h promises them. Included only by kernels_level.cc: outside
// the kernels a fused multiply-add is a call into the C library on x86, and these have a dozen each.
#pragma once

namespace rein::REIN_LEVEL {
namespace {

// ln 2 in two parts. The high part has trailing zeros, so n * kLn2High is exact for |n| < 2^11.
constexpr double kLn2High = 0x1.62e42fefa38p-1;
constexpr double kLn2Low = 0x1.ef35793c7673p-45;
constexpr double kInvLn2 = 0x1.71547652b82fep+0;

// 2^n * x without intermediate overflow, for results down to the subnormals.
double times_power_of_two(double x, int n) {
  while (n > 1000) {
    x *= 0x1p1000;
    n -= 1000;
  }
  if (n < -1000) {  // only the last step may be subnormal, so there is one rounding
    x *= 0x1p-900;
    n += 900;
  }
  const auto bits = static_cast<unsigned long long>(n + 1023) << 52;
  return x * __builtin_bit_cast(double, bits);
}

// exp(x) = 2^n exp(r), |r| <= ln 2 / 2, by the Taylor polynomial of degree 13.
double exp(double x) {
  if (x != x) return __builtin_nan("");
  if (x > 709.79) return __builtin_inf();
  if (x < -745.2) return 0.0;
  const double n = __builtin_floor(__builtin_fma(x, kInvLn2, 0.5));
  const double r = __builtin_fma(-n, kLn2Low, __builtin_fma(-n, kLn2High, x));
  double p = 1.0 / 6227020800.0;
  constexpr double kTerms[] = {1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5};
  for (double c : kTerms) {
    p = __builtin_fma(p, r, c);
  }
  p = __builtin_fma(p * r, r, r);  // exp(r) - 1
  return times_power_of_two(1.0 + p, static_cast<int>(n));
}

// log(x) = n ln 2 + log(f), f in [sqrt(1/2), sqrt(2)), log f = 2 atanh(s), s = (f - 1)/(f + 1).
double log(double x) {
  if (x != x || x < 0.0) return __builtin_nan("");
  if (x == 0.0) return -__builtin_inf();
  if (x == __builtin_inf()) return __builtin_inf();
  int n = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    n = -54;
  }
  auto bits = __builtin_bit_cast(unsigned long long, x);
  n += static_cast<int>(bits >> 52) - 1023;
  bits = (bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL;
  double f = __builtin_bit_cast(double, bits);
  if (f > 0x1.6a09e667f3bcdp+0) {
    f *= 0.5;
    n += 1;
  }
  const double g = f - 1.0;  // exact
  const double s = g / (f + 1.0);
  const double s2 = s * s;
  double p = 1.0 / 23.0;
  constexpr double kTerms[] = {1.0 / 21.0, 1.0 / 19.0, 1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0};
  for (double c : kTerms) {
    p = __builtin_fma(p, s2, c);
  }
  // 2 s + 2 s^3 p, with 2 s = g - s g kept to full precision through g.
  const double r = s2 * p;
  const double log_f = g - s * (g - 2.0 * r);
  const double m = n;
  return __builtin_fma(m, kLn2High, __builtin_fma(m, kLn2Low, log_f));
}

}  // namespace
}  // namespace rein::REIN_LEVEL
