#include "tuning/whitening.h"

#include <algorithm>
#include <cmath>

#include "base/kernels.h"
#include "base/size.h"
#include "tuning/square_matrix.h"

namespace rein {
namespace {

// The mean square that a feature, divided by its root mean square, keeps besides those before it:
// with less, it was not shown.
constexpr double kLeastShown = 1e-12;

}  // namespace

Whitening::Whitening(int d)
    : d_(d), m_(as_size(d) * as_size(d)), to_(m_.size()), scales_(as_size(d)), shown_(as_size(d)) {}

void Whitening::add(std::span<const double> phi) {
  add_outer(d_, 1.0, phi.data(), m_.data());
  count_ += 1.0;
}

// Row by row: row i of the unit lower factor's inverse makes row i of phi orthogonal to those
// before it, in the mean over what was added. Its mean square is the pivot.
void Whitening::fix() {
  const auto at = [&](int i, int j) { return as_size(i) * as_size(d_) + as_size(j); };
  for (int i = 0; i < d_; ++i) {
    const double square = m_[at(i, i)] / count_;
    scales_[as_size(i)] = square > 0.0 ? std::sqrt(square) : 1.0;
  }
  for (int i = 0; i < d_; ++i) {
    for (int j = 0; j < d_; ++j) m_[at(i, j)] /= count_ * scales_[as_size(i)] * scales_[as_size(j)];
  }
  for (int i = 0; i < d_; ++i) {
    double* out = to_.data() + at(i, 0);
    std::fill_n(out, d_, 0.0);
    out[i] = 1.0;
    // Twice, since the first time rounding leaves a share of what is nearly dependent.
    for (int pass = 0; pass < 2; ++pass) {
      for (int j = 0; j < i; ++j) {
        if (shown_[as_size(j)] == 0.0) continue;
        const double* other = to_.data() + at(j, 0);
        const double along = product(other, out, i);
        for (int k = 0; k <= j; ++k) out[k] -= along * other[k];
      }
    }
    const double pivot = product(out, out, i);
    shown_[as_size(i)] = pivot > kLeastShown ? 1.0 : 0.0;
    const double scale = pivot > kLeastShown ? 1.0 / std::sqrt(pivot) : 1.0;
    for (int k = 0; k <= i; ++k) out[k] *= scale;
  }
  for (int i = 0; i < d_; ++i) {
    for (int j = 0; j <= i; ++j) to_[at(i, j)] /= scales_[as_size(j)];
  }
  fixed_ = 1.0;
}

// x' M y of the first `last` + 1 numbers, M scaled.
double Whitening::product(const double* x, const double* y, int last) const {
  double sum = 0.0;
  for (int i = 0; i <= last; ++i) {
    if (x[i] == 0.0) continue;
    sum += x[i] * kernels().dot(m_.data() + as_size(i) * as_size(d_), y, last + 1);
  }
  return sum;
}

void Whitening::write(std::span<const double> phi, std::span<double> psi) const {
  for (int i = 0; i < d_; ++i) {
    psi[as_size(i)] = kernels().dot(to_.data() + as_size(i) * as_size(d_), phi.data(), i + 1);
  }
}

}  // namespace rein
