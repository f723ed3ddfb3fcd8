#include "world/unit.h"

#include <algorithm>
#include <cmath>

namespace rein {

double inner_product(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

void make_unit(std::span<double> x) {
  constexpr double kAlmostOne = 1.0 - 1e-12;
  const double square = inner_product(x, x);
  if (square < 1e-24) {  // no direction: any one will do
    std::fill(x.begin(), x.end(), 0.0);
    x[0] = kAlmostOne;
    return;
  }
  const double scale = kAlmostOne / std::sqrt(square);
  for (double& value : x) value *= scale;
}

std::vector<double> random_unit(Rng& rng, int d) {
  std::vector<double> x(static_cast<std::size_t>(d));
  for (double& value : x) value = rng.normal();
  make_unit(x);
  return x;
}

std::vector<double> random_unit_across(Rng& rng, std::span<const double> u) {
  std::vector<double> x = random_unit(rng, static_cast<int>(u.size()));
  if (u.size() == 1) return {0.0};
  const double along = inner_product(u, x) / inner_product(u, u);
  for (std::size_t j = 0; j < x.size(); ++j) x[j] -= along * u[j];
  make_unit(x);
  return x;
}

void fill_direction(Rng& rng, std::span<double> x) {
  // Two numbers in (-1, 1) from one draw: 32 bits each are enough for a direction.
  for (std::size_t j = 0; j < x.size(); j += 2) {
    const std::uint64_t bits = rng.bits();
    x[j] = (static_cast<double>(bits >> 32) + 0.5) * 0x1p-31 - 1.0;
    if (j + 1 < x.size()) {
      x[j + 1] = (static_cast<double>(bits & 0xffffffffU) + 0.5) * 0x1p-31 - 1.0;
    }
  }
  make_unit(x);
}

}  // namespace rein
