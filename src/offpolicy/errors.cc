#include "offpolicy/errors.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "base/math.h"
#include "offpolicy/dense.h"
#include "rein/rng.h"

namespace rein {
namespace {

// Draws of the joint band: the 95 % quantile of the largest |t| then varies by about 1 %.
constexpr int kDraws = 10'000;
constexpr double kRootHalf = 0.70710678118654752;
// Of the integral of Student's density.
constexpr int kSimpsonSteps = 200;

// Of Student's t with this freedom: the integral of its density, up to a constant, in t = sqrt(freedom)
// tan(angle).
double mass(double freedom, double angle) {
  double sum = 0.0;
  for (int i = 0; i <= kSimpsonSteps; ++i) {
    const double c = cos(angle * i / kSimpsonSteps);
    const double density = c > 0.0 ? exp((freedom - 1.0) * log(c)) : freedom > 1.0 ? 0.0 : 1.0;
    sum += density * (i == 0 || i == kSimpsonSteps ? 1.0 : i % 2 == 1 ? 4.0 : 2.0);
  }
  return sum * angle / (3.0 * kSimpsonSteps);
}

// What a normal number passes, on both sides together, with this chance.
double normal(double outside) {
  if (outside == 0.05) return kNormal95;
  double low = 0.0;
  double high = 40.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2.0;
    (std::erfc(middle * kRootHalf) > outside ? low : high) = middle;
  }
  return high;
}

// Where the transformed error is y; skewness is not 0.
double carried_back(double y, double skewness) {
  return 3.0 / skewness * (std::cbrt(1.0 + skewness * (y - skewness / 6.0)) - 1.0);
}

}  // namespace

Units Units::some(const OfflineRows& rows, std::span<const std::int64_t> chosen) {
  Units out;
  if (rows.unit.empty()) return out;
  std::unordered_map<std::int32_t, std::int32_t> names;
  for (const std::int64_t row : chosen) {
    const auto next = static_cast<std::int32_t>(names.size());
    out.of.push_back(names.emplace(rows.unit[at(row)], next).first->second);
  }
  out.count = names.size();
  return out;
}

double student(double freedom, double outside) {
  const double z = normal(outside);
  const double w = z * z;
  if (freedom > 30.0) {  // Fisher's expansion at infinity; what follows is below 1e-7
    const double v = 1.0 / freedom;
    const double terms[] = {(w + 1.0) / 4.0, ((5.0 * w + 16.0) * w + 3.0) / 96.0,
                            (((3.0 * w + 19.0) * w + 17.0) * w - 15.0) / 384.0,
                            ((((79.0 * w + 776.0) * w + 1482.0) * w - 1920.0) * w - 945.0) / 92160.0};
    return z * (1.0 + v * (terms[0] + v * (terms[1] + v * (terms[2] + v * terms[3]))));
  }
  constexpr double kHalfPi = 1.5707963267948966;
  const double all = mass(freedom, kHalfPi);
  double low = 0.0;
  double high = kHalfPi;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2.0;
    (mass(freedom, middle) < (1.0 - outside) * all ? low : high) = middle;
  }
  return std::sqrt(freedom) * std::tan(high);
}

ErrorShape ErrorShape::of(const double* powers) {
  if (!(powers[0] > 0.0) || !(powers[2] > 0.0)) return {};
  return {powers[1] / (powers[0] * std::sqrt(powers[0])), powers[0] * powers[0] / powers[2]};
}

Reach reach95(const ErrorShape& shape, int choices) {
  if (!(shape.carriers >= kFewestErrorRows)) return {kNan, kNan};
  const double t = student(shape.carriers - 1.0, 0.05 / choices);
  if (std::abs(shape.skewness) < 1e-6) return {t, t};
  return {carried_back(t, shape.skewness), -carried_back(-t, shape.skewness)};
}

void set_errors(PolicyValue& value, std::span<const double> errors, const Units& units, bool mean,
                bool interval) {
  const std::size_t heads = value.value.size();
  const std::size_t rows = errors.size() / heads;
  std::vector<double> together;
  if (!units.of.empty()) {
    together.assign(units.count * heads, 0.0);
    for (std::size_t i = 0; i < rows; ++i) {
      double* sum = together.data() + at(units.of[i]) * heads;
      for (std::size_t h = 0; h < heads; ++h) sum[h] += errors[i * heads + h];
    }
    errors = together;
  }
  const std::size_t n = units.size(rows);
  value.covariance.assign(heads * heads, 0.0);
  std::vector<double> powers(3 * heads, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double* e = errors.data() + i * heads;
    for (std::size_t g = 0; g < heads; ++g) {
      const double square = e[g] * e[g];
      powers[3 * g] += square;
      powers[3 * g + 1] += square * e[g];
      powers[3 * g + 2] += square * square;
      for (std::size_t h = 0; h < heads; ++h) value.covariance[g * heads + h] += e[g] * e[h];
    }
  }
  const double count = static_cast<double>(n);
  const double times = !mean ? 1.0 : n > 1 ? count / (count - 1.0) : kNan;
  for (std::size_t h = 0; h < heads; ++h) {
    double* sums = powers.data() + 3 * h;
    // Rounding of one number is no spread.
    if (sums[0] <= 1e-26 * value.value[h] * value.value[h]) sums[0] = 0.0;
    const ErrorShape shape = ErrorShape::of(sums);
    value.skewness.push_back(shape.skewness);
    value.error_rows.push_back(shape.carriers);
    const Reach reach = interval ? reach95(shape) : Reach{kNan, kNan};
    const double error = std::sqrt(times * sums[0]);
    value.low.push_back(value.value[h] - reach.low * error);
    value.high.push_back(value.value[h] + reach.high * error);
  }
  for (double& c : value.covariance) c *= times;
}

double joint_quantile(std::span<const double> covariance, int n, std::uint64_t seed) {
  const std::size_t size = at(n);
  // The correlations of the points that have a variance.
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < size; ++i) {
    if (covariance[i * size + i] > 0.0) kept.push_back(i);
  }
  const std::size_t count = kept.size();
  if (count < 2) return kNormal95;
  std::vector<double> factor(count * count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      const double scale =
          std::sqrt(covariance[kept[i] * size + kept[i]] * covariance[kept[j] * size + kept[j]]);
      factor[i * count + j] = covariance[kept[i] * size + kept[j]] / scale;
    }
  }
  semi_cholesky(factor, static_cast<int>(count));
  Rng rng(seed, 0x62616e64);
  std::vector<double> normal(count);
  std::vector<double> largest(kDraws);
  for (double& extreme : largest) {
    for (double& z : normal) z = rng.normal();
    extreme = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j <= i; ++j) sum += factor[i * count + j] * normal[j];
      extreme = std::max(extreme, std::abs(sum));
    }
  }
  std::sort(largest.begin(), largest.end());
  return std::max(kNormal95, largest[kDraws * 95 / 100]);
}

}  // namespace rein
