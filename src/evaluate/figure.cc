// Means with 95 % t-intervals.
#include <cmath>
#include <limits>

#include "rein/evaluate.h"

namespace rein {
namespace {

// P(|T| <= t) for Student's t with nu degrees of freedom (whole numbers: the closed trigonometric
// sums, Abramowitz and Stegun 26.7.3 and 26.7.4).
double central_probability(double t, int nu) {
  const double theta = std::atan(t / std::sqrt(nu));
  const double c = std::cos(theta), s = std::sin(theta);
  if (nu % 2 == 1) {
    double term = c, sum = nu > 1 ? c : 0.0;
    for (int j = 3; j <= nu - 2; j += 2) {
      term *= c * c * (j - 1) / j;
      sum += term;
    }
    return 2.0 / M_PI * (theta + s * sum);
  }
  double term = 1.0, sum = 1.0;
  for (int j = 2; j <= nu - 2; j += 2) {
    term *= c * c * (j - 1) / j;
    sum += term;
  }
  return s * sum;
}

// The t that leaves 2.5 % on each side.
double t_quantile(int nu) {
  double low = 0.0, high = 13.0;  // nu = 1 has 12.706
  for (int i = 0; i < 200 && high - low > 1e-13; ++i) {
    const double middle = 0.5 * (low + high);
    (central_probability(middle, nu) < 0.95 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

Figure figure(const std::vector<double>& values) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Figure figure{kNan, kNan, kNan};
  if (values.empty()) return figure;
  const auto n = static_cast<double>(values.size());
  double sum = 0.0;
  for (double x : values) sum += x;
  figure.mean = sum / n;
  if (values.size() < 2) return figure;
  double squares = 0.0;
  for (double x : values) squares += (x - figure.mean) * (x - figure.mean);
  const double error = std::sqrt(squares / (n - 1.0) / n);
  const double half = t_quantile(static_cast<int>(values.size()) - 1) * error;
  figure.low = figure.mean - half;
  figure.high = figure.mean + half;
  return figure;
}

}  // namespace rein
