#include "evaluate/student.h"

#include <cmath>

#include "base/math.h"
#include "base/quantiles.h"

namespace rein {
namespace {

constexpr double kPi = 3.141592653589793;

constexpr int kMostSummed = 1000;

// P(|T| <= t) at t = sqrt(degrees) tan(angle): the closed sums for whole degrees of freedom
// (Abramowitz, Stegun 1964, 26.7.3 and 26.7.4).
double inside(double angle, int degrees) {
  const double c = cos(angle);
  const double s = std::sqrt(1.0 - c * c);
  const bool odd = degrees % 2 == 1;
  double term = odd ? c : 1.0;
  double sum = degrees > 1 ? term : 0.0;
  for (int j = odd ? 3 : 2; j <= degrees - 2; j += 2) {
    term *= c * c * (j - 1) / j;
    sum += term;
  }
  return odd ? 2.0 / kPi * (angle + s * sum) : s * sum;
}

}  // namespace

double student_t(int degrees) {
  if (degrees > kMostSummed) {
    // The expansion around the normal distribution (26.7.5): the error is below 1e-11 here.
    const double n = degrees, z = kNormal95, zz = z * z;
    const double first = z * (zz + 1.0) / 4.0;
    const double second = z * ((5.0 * zz + 16.0) * zz + 3.0) / 96.0;
    const double third = z * (((3.0 * zz + 19.0) * zz + 17.0) * zz - 15.0) / 384.0;
    return z + (first + (second + third / n) / n) / n;
  }
  double low = 0.0;
  double high = kPi / 2.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (inside(middle, degrees) < 0.95 ? low : high) = middle;
  }
  const double c = cos(low);
  return std::sqrt(degrees * (1.0 - c * c)) / c;
}

}  // namespace rein
