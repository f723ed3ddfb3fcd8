#include "tuning/shared_regression.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/size.h"
#include "base/tuned.h"
#include "rein/bytes.h"

namespace rein {
namespace {

// Limits of memory and time: features, and the product of actions and features.
constexpr int kMostFeatures = 256;
constexpr int kMostNumbers = 1 << 20;
// A step leaves at least this share of a variance, because the solver divides by it.
constexpr double kLeast = 1e-6;
// Noise below this share of the spread of outcomes is rounding, and counts as 0.
constexpr double kExact = 1e-12;

}  // namespace

bool SharedRegression::fits(int actions, int features) {
  return features < kMostFeatures && actions <= kMostNumbers / (features + 1);
}

SharedRegression::SharedRegression(int actions, int features)
    : d_(as_size(features) + 1),
      counts_(as_size(actions)),
      x_(as_size(actions) * d_),
      y_(as_size(actions)),
      xx_(d_ * d_),
      xy_(d_),
      theta_(d_),
      own_(as_size(actions)),
      variance_(d_),
      factor_(d_ * d_),
      inverse_(d_ * d_),
      right_(d_),
      column_(d_) {}

void SharedRegression::add(int id, std::span<const double> x, double y) {
  std::ranges::copy(x, column_.begin());
  column_.back() = 1.0;
  double* sums = x_.data() + as_size(id) * d_;
  for (std::size_t i = 0; i < d_; ++i) {
    if (column_[i] == 0.0) continue;
    sums[i] += column_[i];
    xy_[i] += y * column_[i];
    for (std::size_t j = 0; j <= i; ++j) xx_[i * d_ + j] += column_[i] * column_[j];
  }
  plays_ += 1.0;
  counts_[as_size(id)] += 1.0;
  y_[as_size(id)] += y;
  yy_ += y * y;
}

double SharedRegression::predict(int id, std::span<const double> x) const {
  const double level = pooled_ + own_[as_size(id)] + theta_.back();
  return std::inner_product(x.begin(), x.end(), theta_.begin(), level);
}

double SharedRegression::left(int id) const {
  return y_[as_size(id)] - counts_[as_size(id)] * pooled_;
}

double SharedRegression::known(int id) const {
  return 1.0 / (counts_[as_size(id)] + 1.0 / own_variance_);
}

void SharedRegression::fit() {
  double actions = 0.0, means = 0.0;
  for (std::size_t a = 0; a < counts_.size(); ++a) {
    if (counts_[a] == 0.0) continue;
    actions += 1.0;
    means += y_[a] / counts_[a];
  }
  pooled_ = means / actions;
  start();
  for (int step = 0; step < tuned::kSharedSteps; ++step) {
    solve();
    if (noise_ == 0.0) return;  // every outcome is explained
    expect();
  }
  solve();
}

// Numbers of about the same size start alike, as in UnitFeatures; others by their own.
void SharedRegression::start() {
  const double usual = tuned::kScaleUsual * tuned::kScaleUsual;
  const double apart = usual * usual;  // of squares
  const std::size_t features = d_ - 1;
  for (std::size_t j = 0; j < features; ++j) right_[j] = xx_[j * d_ + j];
  const auto end = std::remove(right_.begin(), right_.begin() + static_cast<int>(features), 0.0);
  const auto middle = right_.begin() + (end - right_.begin()) / 2;
  std::nth_element(right_.begin(), middle, end);
  const double median = end == right_.begin() ? plays_ : *middle;
  for (std::size_t j = 0; j < features; ++j) {
    const double square = xx_[j * d_ + j];
    const bool alike = square <= apart * median && square * apart >= median;
    const double size = alike || square == 0.0 ? median : square;
    variance_[j] = tuned::kSharedSignal * plays_ / (static_cast<double>(features) * size);
  }
  variance_.back() = 1.0;  // that of the noise
  own_variance_ = tuned::kSharedOwn;
}

// S = sum x x' + 1 / variance - sum over actions of x_a x_a' known_a, and t likewise.
void SharedRegression::eliminate() {
  std::ranges::copy(xx_, factor_.begin());
  std::ranges::copy(xy_, right_.begin());
  spread_ = yy_;
  for (std::size_t j = 0; j < d_; ++j) {
    factor_[j * d_ + j] += 1.0 / variance_[j];
    right_[j] -= pooled_ * xx_[(d_ - 1) * d_ + j];  // the row of the constant: sums of x
  }
  for (int a = 0; a < static_cast<int>(counts_.size()); ++a) {
    if (plays(a) == 0.0) continue;
    const double* x = sums(a);
    const double rest = left(a), weight = known(a);
    spread_ -= pooled_ * (y_[as_size(a)] + rest) + weight * rest * rest;
    for (std::size_t i = 0; i < d_; ++i) {
      if (x[i] == 0.0) continue;
      right_[i] -= weight * rest * x[i];
      for (std::size_t j = 0; j <= i; ++j) factor_[i * d_ + j] -= weight * x[i] * x[j];
    }
  }
}

void SharedRegression::solve() {
  eliminate();
  for (std::size_t j = 0; j < d_; ++j) {
    double* pivot = factor_.data() + j * d_ + j;
    *pivot = std::sqrt(
        std::max(*pivot, kLeast / variance_[j]));  // at least 1 / variance_ but for rounding
    for (std::size_t i = j + 1; i < d_; ++i) column_[i] = factor_[i * d_ + j] /= *pivot;
    for (std::size_t i = j + 1; i < d_; ++i) {
      double* row = factor_.data() + i * d_;
      for (std::size_t k = j + 1; k <= i; ++k) row[k] -= column_[i] * column_[k];
    }
  }
  double explained = 0.0;
  for (std::size_t i = 0; i < d_; ++i) {
    const double* row = factor_.data() + i * d_;
    theta_[i] = (right_[i] - std::inner_product(row, row + i, theta_.data(), 0.0)) / row[i];
    explained += theta_[i] * theta_[i];
  }
  for (std::size_t i = d_; i-- > 0;) {
    theta_[i] /= factor_[i * d_ + i];
    for (std::size_t j = 0; j < i; ++j) theta_[j] -= factor_[i * d_ + j] * theta_[i];
  }
  for (int a = 0; a < static_cast<int>(counts_.size()); ++a) {
    if (plays(a) == 0.0) continue;
    own_[as_size(a)] =
        known(a) * (left(a) - std::inner_product(sums(a), sums(a) + d_, theta_.data(), 0.0));
  }
  const double rest = spread_ - explained;
  noise_ = rest > kExact * yy_ ? rest / plays_ : 0.0;
}

void SharedRegression::expect() {
  for (std::size_t i = 0; i < d_; ++i) {  // rows of L^-1
    double* row = inverse_.data() + i * d_;
    std::fill_n(row, i, 0.0);
    for (std::size_t k = 0; k < i; ++k) {
      const double* above = inverse_.data() + k * d_;
      for (std::size_t j = 0; j <= k; ++j) row[j] -= factor_[i * d_ + k] * above[j];
    }
    row[i] = 1.0;
    for (std::size_t j = 0; j <= i; ++j) row[j] /= factor_[i * d_ + i];
  }
  double squares = 0.0, actions = 0.0;
  for (int a = 0; a < static_cast<int>(counts_.size()); ++a) {
    if (plays(a) == 0.0) continue;
    double through = 0.0;  // of own by theta
    for (std::size_t i = 0; i < d_; ++i) {
      const double* row = inverse_.data() + i * d_;
      const double z = std::inner_product(row, row + i + 1, sums(a), 0.0);
      through += z * z;
    }
    const double own = own_[as_size(a)], weight = known(a);
    squares += own * own / noise_ + weight + weight * weight * through;
    actions += 1.0;
  }
  own_variance_ = std::max(squares / actions, kLeast * tuned::kSharedOwn);
  std::ranges::fill(right_, 0.0);
  for (std::size_t i = 0; i < d_; ++i) {
    const double* row = inverse_.data() + i * d_;
    for (std::size_t j = 0; j <= i; ++j) right_[j] += row[j] * row[j];
  }
  for (std::size_t j = 0; j + 1 < d_; ++j) {
    const double next = theta_[j] * theta_[j] / noise_ + right_[j];
    variance_[j] = std::max(next, kLeast * variance_[j]);
  }
}

void SharedRegression::save(ByteWriter& out) const {
  out.state("shared regression", plays_, counts_, x_, y_, xx_, xy_, yy_, pooled_, theta_, own_);
}

void SharedRegression::load(ByteReader& in) {
  const auto actions = static_cast<int>(counts_.size());
  in.tag("shared regression");
  in.parts(plays_, in.saved(counts_, actions), in.saved(x_, actions), in.saved(y_, actions), xx_,
           xy_, yy_, pooled_, theta_, in.saved(own_, actions));
  in.put_back();
}

}  // namespace rein
