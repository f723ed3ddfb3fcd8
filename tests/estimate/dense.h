// A small dense solver in long double, written for clarity. The oracles are checked against it.
#pragma once

#include <cmath>
#include <span>
#include <vector>

namespace rein {

using Vector = std::vector<long double>;

struct Matrix {
  int d = 0;
  Vector a;

  explicit Matrix(int size, long double diagonal = 0.0L)
      : d(size), a(static_cast<std::size_t>(size * size)) {
    for (int i = 0; i < d; ++i) (*this)(i, i) = diagonal;
  }
  long double& operator()(int i, int j) { return a[static_cast<std::size_t>(i * d + j)]; }
  long double operator()(int i, int j) const { return a[static_cast<std::size_t>(i * d + j)]; }
  void add_square(const Vector& x, long double times = 1.0L) {
    for (int i = 0; i < d; ++i) {
      for (int j = 0; j < d; ++j) (*this)(i, j) += times * x[i] * x[j];
    }
  }
};

inline long double dot(const Vector& a, const Vector& b) {
  long double sum = 0.0L;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Gauss's elimination with partial pivoting. Writes ln |det| where asked.
inline Vector solve(Matrix a, Vector b, long double* log_det = nullptr) {
  long double total = 0.0L;
  for (int k = 0; k < a.d; ++k) {
    int pivot = k;
    for (int i = k + 1; i < a.d; ++i) {
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    }
    for (int j = 0; j < a.d; ++j) std::swap(a(k, j), a(pivot, j));
    std::swap(b[k], b[pivot]);
    total += std::log(std::abs(a(k, k)));
    for (int i = k + 1; i < a.d; ++i) {
      const long double by = a(i, k) / a(k, k);
      for (int j = k; j < a.d; ++j) a(i, j) -= by * a(k, j);
      b[i] -= by * b[k];
    }
  }
  for (int i = a.d - 1; i >= 0; --i) {
    for (int j = i + 1; j < a.d; ++j) b[i] -= a(i, j) * b[j];
    b[i] /= a(i, i);
  }
  if (log_det) *log_det = total;
  return b;
}

// Sums that give the square loss of any theta, and the theta of least loss within the unit ball.
class LeastSquares {
 public:
  explicit LeastSquares(int d) : squares_(d), products_(static_cast<std::size_t>(d)) {}

  void add(const Vector& x, long double y) {
    squares_.add_square(x);
    for (int i = 0; i < squares_.d; ++i) products_[i] += x[i] * y;
    total_ += y * y;
  }
  long double loss(const Vector& theta) const {
    long double sum = total_ - 2.0L * dot(theta, products_);
    for (int i = 0; i < squares_.d; ++i) {
      for (int j = 0; j < squares_.d; ++j) sum += theta[i] * squares_(i, j) * theta[j];
    }
    return sum;
  }
  // min over theta of loss + reg |theta|^2, which is sum y^2 - b' A^-1 b.
  long double ridge_loss(long double reg) const { return total_ - dot(products_, ridge(reg)); }
  Vector ridge(long double reg) const {
    Matrix a = squares_;
    for (int i = 0; i < a.d; ++i) a(i, i) += reg;
    return solve(a, products_);
  }
  // By bisection on the multiplier of |theta|^2 <= 1.
  Vector best_in_ball() const {
    long double low = 1e-9L, high = 1e9L;
    if (dot(ridge(low), ridge(low)) <= 1.0L) return ridge(low);
    for (int step = 0; step < 80; ++step) {
      const long double mid = std::sqrt(low * high);
      (dot(ridge(mid), ridge(mid)) > 1.0L ? low : high) = mid;
    }
    return ridge(high);
  }
  // By descent along one coordinate at a time, which for a convex loss in a box finds the least.
  Vector best_in_box(long double radius) const {
    Vector theta(static_cast<std::size_t>(squares_.d));
    for (int sweep = 0; sweep < 300; ++sweep) {
      for (int i = 0; i < squares_.d; ++i) {
        if (squares_(i, i) == 0.0L) continue;
        long double slope = products_[i];
        for (int j = 0; j < squares_.d; ++j) slope -= squares_(i, j) * theta[j];
        theta[i] = std::min(std::max(theta[i] + slope / squares_(i, i), -radius), radius);
      }
    }
    return theta;
  }
  const Matrix& squares() const { return squares_; }

 private:
  Matrix squares_;
  Vector products_;
  long double total_ = 0.0L;
};

}  // namespace rein
