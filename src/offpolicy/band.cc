#include "offpolicy/band.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "offpolicy/dense.h"
#include "offpolicy/scores.h"
#include "rein/rng.h"

namespace rein {

double joint_quantile(std::span<const double> covariance, int n, std::uint64_t seed) {
  constexpr int kDraws = 10'000;
  const std::size_t size = static_cast<std::size_t>(n);
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
  for (double& most : largest) {
    for (double& z : normal) z = rng.normal();
    most = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j <= i; ++j) sum += factor[i * count + j] * normal[j];
      most = std::max(most, std::abs(sum));
    }
  }
  std::sort(largest.begin(), largest.end());
  return std::max(kNormal95, largest[kDraws * 95 / 100]);
}

}  // namespace rein
