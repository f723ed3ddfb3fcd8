// Small dense symmetric systems, for regressions and covariances. Row-major, full storage.
#pragma once

#include <span>

namespace rein {

// Replaces the lower triangle of the n x n matrix by its Cholesky factor. A pivot below 1e-12 of its
// diagonal entry makes its column 0, so a covariance that is only semi-definite has a factor too.
void semi_cholesky(std::span<double> matrix, int n);
// Solves L L' x = b in place. Directions whose pivot is 0 get 0.
void semi_solve(std::span<const double> factor, int n, std::span<double> b);

}  // namespace rein
