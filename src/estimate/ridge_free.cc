// Ridge against functions of any size (free_regret.h). With A = L L' = reg I + sum phi phi', c = L^-1 b and
// M = A - (reg - tiny) I,
//
//     min { sum (theta . phi - y)^2 + reg |theta|^2 }   =  sum y^2 - c' c         best_loss_ has its sum
//     min { sum (theta . phi - y)^2 + tiny |theta|^2 }  =  sum y^2 - b' M^-1 b
#include <algorithm>
#include <cmath>

#include "base/kernels.h"
#include "base/math.h"
#include "base/size.h"
#include "estimate/free_regret.h"
#include "estimate/ridge.h"

namespace rein {
namespace {

// tiny as a share of the largest diagonal entry of A: 3.6e-12. Rounding changes the factor of A by about
// 1e-16 times the root of the number of updates, so by a thirtieth of tiny after a million.
constexpr double kTinyShare = 0x1p-38;
// Multiply-adds that one answer may take: half a second.
constexpr double kMostWork = 5e8;

// The Cholesky factor of the symmetric a in the place of its lower half. False if a pivot is not above 0.
bool factorise(int d, std::span<double> a) {
  const std::size_t n = as_size(d);
  for (std::size_t i = 0; i < n; ++i) {
    double* row = a.data() + i * n;
    for (std::size_t j = 0; j <= i; ++j) {
      const double* other = a.data() + j * n;
      const double left = row[j] - kernels().dot(row, other, static_cast<int>(j));
      if (j < i) {
        row[j] = left / other[j];
      } else if (left > 0.0) {
        row[i] = std::sqrt(left);
      } else {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

double Ridge::add_gains(int part, int set, std::span<double> a, std::span<double> b,
                        std::span<double> gains) const {
  const std::size_t n = as_size(d_);
  const double* factor = factors(part).at(set);
  const auto l = [&](std::size_t i, std::size_t j) {
    return factor[packed_at(d_, static_cast<int>(i), static_cast<int>(j))];
  };
  std::vector<double> plain(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) plain[i * n + j] = l(i, j);
  }
  double largest = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      a[i * n + j] =
          kernels().dot(plain.data() + i * n, plain.data() + j * n, static_cast<int>(j) + 1);
    }
    largest = std::max(largest, a[i * n + i]);
  }
  if (largest <= reg_ * (1.0 + kTinyShare)) return 0.0;  // nothing was learned
  const double tiny = std::min(reg_, kTinyShare * largest);
  for (std::size_t i = 0; i < n; ++i) a[i * n + i] -= reg_ - tiny;
  if (!factorise(d_, a)) return kNan;
  const double* c = rows(set) + as_size(starts_[at(part)]) * n;
  for (int i = 0; i < heads_in(part); ++i, c += n) {
    double less = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      b[j] = kernels().dot(plain.data() + j * n, c, static_cast<int>(j) + 1);
      b[j] = (b[j] - kernels().dot(a.data() + j * n, b.data(), static_cast<int>(j))) / a[j * n + j];
      less += b[j] * b[j] - c[j] * c[j];
    }
    gains[as_size(order_[as_size(starts_[at(part)] + i)])] += std::max(less, 0.0);
  }
  return tiny;
}

std::vector<double> Ridge::free_losses() const {
  const double work = static_cast<double>(sets_) * parts() * d_ * d_ * d_;
  if (forgot() || work > kMostWork) return {};
  std::vector<double> a(as_size(d_) * as_size(d_)), b(as_size(d_));
  std::vector<double> gains(as_size(heads_.size()));
  double tiny = 0.0;
  for (int part = 0; part < parts(); ++part) {
    for (int set = 0; set < sets_; ++set) tiny += add_gains(part, set, a, b, gains);
  }
  if (std::isnan(tiny)) return {};
  std::vector<double> losses(best_loss_);
  for (std::size_t h = 0; h < losses.size(); ++h) {
    losses[h] -= gains[h] + tiny * kLargestFreeTheta * kLargestFreeTheta;
  }
  return losses;
}

}  // namespace rein
