#include "offpolicy/dense.h"

#include <cmath>
#include <cstddef>

namespace rein {

void semi_cholesky(std::span<double> matrix, int n) {
  const auto at = [&](int i, int j) -> double& {
    return matrix[static_cast<std::size_t>(i) * static_cast<std::size_t>(n) +
                  static_cast<std::size_t>(j)];
  };
  for (int j = 0; j < n; ++j) {
    const double before = at(j, j);
    double pivot = before;
    for (int k = 0; k < j; ++k) pivot -= at(j, k) * at(j, k);
    if (!(pivot > 1e-12 * before)) {
      for (int i = j; i < n; ++i) at(i, j) = 0.0;
      continue;
    }
    const double root = std::sqrt(pivot);
    at(j, j) = root;
    for (int i = j + 1; i < n; ++i) {
      double sum = at(i, j);
      for (int k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);
      at(i, j) = sum / root;
    }
  }
}

void semi_solve(std::span<const double> factor, int n, std::span<double> b) {
  const auto at = [&](int i, int j) {
    return factor[static_cast<std::size_t>(i) * static_cast<std::size_t>(n) +
                  static_cast<std::size_t>(j)];
  };
  const auto x = [&](int i) -> double& { return b[static_cast<std::size_t>(i)]; };
  for (int i = 0; i < n; ++i) {
    double sum = x(i);
    for (int k = 0; k < i; ++k) sum -= at(i, k) * x(k);
    x(i) = at(i, i) > 0.0 ? sum / at(i, i) : 0.0;
  }
  for (int i = n - 1; i >= 0; --i) {
    double sum = x(i);
    for (int k = i + 1; k < n; ++k) sum -= at(k, i) * x(k);
    x(i) = at(i, i) > 0.0 ? sum / at(i, i) : 0.0;
  }
}

}  // namespace rein
