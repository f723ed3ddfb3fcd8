#include "tuning/square_matrix.h"

#include <algorithm>
#include <cmath>

#include "base/kernels.h"
#include "base/math.h"
#include "base/size.h"

namespace rein {
namespace {

std::size_t row(int d, int i) { return as_size(i) * as_size(d); }

}  // namespace

double invert_factor(int d, const double* a, double* inverse, double* room) {
  double log_det = 0.0;
  double* l = inverse;
  for (int i = 0; i < d; ++i) {
    double* at = l + row(d, i);
    for (int j = 0; j < i; ++j) {
      const double* other = l + row(d, j);
      at[j] = (a[row(d, i) + as_size(j)] - kernels().dot(at, other, j)) / other[j];
    }
    const double pivot = a[row(d, i) + as_size(i)] - kernels().dot(at, at, i);
    if (!(pivot > 0.0)) return kNan;
    at[i] = std::sqrt(pivot);
    log_det += log(pivot);
  }
  // Row by row from the top: row i of the inverse needs the finished rows above it.
  for (int i = 0; i < d; ++i) {
    double* at = l + row(d, i);
    const double scale = 1.0 / at[i];
    std::fill_n(room, i, 0.0);
    for (int j = 0; j < i; ++j) {
      const double* above = l + row(d, j);
      for (int k = 0; k <= j; ++k) room[k] = std::fma(-at[j], above[k], room[k]);
    }
    for (int k = 0; k < i; ++k) at[k] = room[k] * scale;
    at[i] = scale;
  }
  return log_det;
}

double invert(int d, const double* a, double* inverse, double* room) {
  const double log_det = invert_factor(d, a, room, inverse);  // the first row serves as room
  if (std::isnan(log_det)) return kNan;
  std::fill_n(inverse, row(d, d), 0.0);
  for (int k = 0; k < d; ++k) {
    const double* x = room + row(d, k);
    for (int i = 0; i <= k; ++i) {
      double* out = inverse + row(d, i);
      for (int j = 0; j <= k; ++j) out[j] = std::fma(x[i], x[j], out[j]);
    }
  }
  return log_det;
}

void multiply(int d, const double* a, const double* b, double* c) {
  std::fill_n(c, row(d, d), 0.0);
  for (int i = 0; i < d; ++i) {
    double* out = c + row(d, i);
    for (int k = 0; k < d; ++k) {
      const double by = a[row(d, i) + as_size(k)];
      const double* other = b + row(d, k);
      for (int j = 0; j < d; ++j) out[j] = std::fma(by, other[j], out[j]);
    }
  }
}

void apply(int d, const double* a, const double* x, double* out) {
  for (int i = 0; i < d; ++i) out[i] = kernels().dot(a + row(d, i), x, d);
}

double form(int d, const double* a, const double* x) {
  double sum = 0.0;
  for (int i = 0; i < d; ++i) {
    const double* at = a + row(d, i);
    sum += x[i] * (2.0 * kernels().dot(at, x, i) + at[i] * x[i]);
  }
  return sum;
}

void add_outer(int d, double weight, const double* x, double* a) {
  for (int i = 0; i < d; ++i) {
    double* at = a + row(d, i);
    const double by = weight * x[i];
    for (int j = 0; j < d; ++j) at[j] = std::fma(by, x[j], at[j]);
  }
}

double inner(int d, const double* a, const double* b) { return kernels().dot(a, b, d * d); }

}  // namespace rein
