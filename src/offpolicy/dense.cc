#include "offpolicy/dense.h"

#include <cmath>

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

void Standardizer::add(const double* x, double weight) {
  if (!(weight > 0.0)) return;
  total_ += weight;
  for (std::size_t j = 0; j < mean_.size(); ++j) {
    const double off = x[j] - mean_[j];
    mean_[j] += off * weight / total_;
    deviation_[j] += weight * off * (x[j] - mean_[j]);
  }
}

void Standardizer::finish() {
  for (double& d : deviation_) d = d > 0.0 ? std::sqrt(d / total_) : 1.0;
}

void add_moments(const double* x, std::span<const double> origin, std::span<double> sums) {
  const std::size_t features = origin.size();
  for (std::size_t j = 0; j < features; ++j) {
    const double off = x[j] - origin[j];
    sums[j] += off;
    sums[features + j] += off * off;
  }
}

Standardizer Standardizer::of_moments(std::span<const double> origin,
                                      std::span<const double> moments, double n) {
  const std::size_t features = origin.size();
  Standardizer out(features);
  for (std::size_t j = 0; j < features; ++j) {
    const double mean = moments[j] / n;
    const double variance = moments[features + j] / n - mean * mean;
    out.mean_[j] = origin[j] + mean;
    out.deviation_[j] = variance > 0.0 ? std::sqrt(variance) : 1.0;
  }
  return out;
}

void Standardizer::save(ByteWriter& out) const {
  save_numbers(out, mean_);
  save_numbers(out, deviation_);
}

void Standardizer::load(ByteReader& in) {
  mean_ = load_numbers(in);
  deviation_ = load_numbers(in);
}

void save_numbers(ByteWriter& out, std::span<const double> numbers) {
  out.u64(numbers.size());
  out.f64s(numbers);
}

std::vector<double> load_numbers(ByteReader& in) {
  const auto fitting = static_cast<std::int64_t>(in.left() / sizeof(double));
  std::vector<double> out(static_cast<std::size_t>(in.between("length", 0, fitting)));
  in.f64s(out);
  return out;
}

}  // namespace rein
