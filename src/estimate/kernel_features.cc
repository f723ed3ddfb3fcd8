#include "estimate/kernel_features.h"

#include <algorithm>
#include <cmath>

#include "base/kernels.h"
#include "base/size.h"
#include "base/tuned.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr double kHalfPi = 1.5707963267948966;
// The top byte of a stream identifies its user: worlds use 0xA., this file uses 0xB1.
constexpr std::uint64_t kStream = std::uint64_t{0xB1} << 56;

}  // namespace

void KernelWidths::add(const double* z) {
  count_ += 1;
  for (std::size_t j = 0; j < means_.size(); ++j) {
    const double apart = z[j] - means_[j];
    means_[j] += apart / static_cast<double>(count_);
    squares_[j] += apart * (z[j] - means_[j]);
  }
  if (count_ >= tuned::kWidthVectors) find();
}

void KernelWidths::find() {
  std::ranges::copy(squares_, widths_.begin());
  const auto end = std::remove_if(widths_.begin(), widths_.end(), [](double x) { return !(x > 0.0); });
  if (end == widths_.begin()) return;  // all vectors were the same
  const auto middle = widths_.begin() + (end - widths_.begin() - 1) / 2;
  std::nth_element(widths_.begin(), middle, end);
  const double most = tuned::kScaleUsual * tuned::kScaleUsual * *middle, median = *middle;
  double sum = 0.0;
  for (double square : squares_) sum += square > most ? median : square;
  const double width = std::sqrt(2.0 * sum / static_cast<double>(count_));
  for (std::size_t j = 0; j < squares_.size(); ++j) {
    widths_[j] = squares_[j] > most ? width * std::sqrt(squares_[j] / median) : width;
  }
  known_ = true;
}

void KernelWidths::save(ByteWriter& out) const {
  out.i64(count_);
  out.parts(means_, squares_);
}

void KernelWidths::load(ByteReader& in) {
  count_ = in.count();
  in.parts(means_, squares_);
  for (double square : squares_) {
    if (!(square >= 0.0)) in.fail("kernel: a sum of squares below 0");
  }
  known_ = false;
  if (in.ok() && count_ >= tuned::kWidthVectors) find();
}

FourierFeatures::FourierFeatures(int d, int size, double width, std::uint64_t seed)
    : d_(d),
      pairs_(size / 2),
      scale_(1.0 / std::sqrt(static_cast<double>(pairs_))),
      seed_(seed),
      frequencies_(as_size(pairs_) * as_size(d)) {
  Rng rng(seed, kStream);
  for (double& w : frequencies_) w = rng.normal() / width;
}

void FourierFeatures::set_widths(std::span<const double> widths) {
  Rng rng(seed_, kStream);
  for (std::size_t j = 0; j < frequencies_.size(); ++j) {
    frequencies_[j] = rng.normal() / widths[j % widths.size()];
  }
}

void FourierFeatures::row(int, const double* z, double* psi, double*) const {
  kernels().dots(frequencies_.data(), as_size(d_), pairs_, d_, z, psi);
  for (int j = 0; j < pairs_; ++j) {
    // Limits any input: a wave of a million turns is noise anyway.
    psi[j] = std::clamp(psi[j], -9e5, 9e5);
    psi[pairs_ + j] = psi[j] - kHalfPi;
  }
  kernels().cosines(psi, 2 * pairs_);
  for (int j = 0; j < 2 * pairs_; ++j) psi[j] *= scale_;
}

DictionaryFeatures::DictionaryFeatures(int d, int size, int sets, double width, double novelty)
    : d_(d),
      size_(size),
      stride_(round_up_to_lanes(size)),
      scale_(0.5 / (width * width)),
      novelty_(novelty),
      kept_(as_size(sets)),
      points_(as_size(sets) * as_size(d) * as_size(stride_)),
      factors_(size, sets, 1.0) {}

void DictionaryFeatures::row(int set, const double* z, double* psi, double* work) const {
  const int n = kept_[as_size(set)];
  const int lanes = round_up_to_lanes(n);
  kernels().distances(points_.data() + points_at(set), stride_, lanes, z, d_, scale_, work);
  kernels().decays(work, lanes);
  std::fill(work + n, work + stride_, 0.0);
  kernels().solve_one(factors_.at(set), size_, work, psi);
  const double unexplained = 1.0 - kernels().dot(psi, psi, size_);
  if (n < size_ && unexplained > novelty_) psi[n] = std::sqrt(unexplained);
}

void DictionaryFeatures::learn(int set, const double* z, const double* psi) {
  const int n = kept_[as_size(set)];
  if (n == size_ || psi[n] == 0.0) return;
  double* points = points_.data() + points_at(set);
  for (int j = 0; j < d_; ++j) points[as_size(j) * as_size(stride_) + as_size(n)] = z[j];
  for (int j = 0; j <= n; ++j) factors_.at(set)[packed_at(size_, n, j)] = psi[j];
  ++kept_[as_size(set)];
}

void DictionaryFeatures::save(ByteWriter& out) const {
  for (int n : kept_) out.i64(n);
  out.f64s(points_);
  factors_.save(out);
}

void DictionaryFeatures::load(ByteReader& in) {
  const auto sets = static_cast<int>(kept_.size());
  for (int& n : in.saved(kept_, sets)) {
    const std::int64_t found = in.i64();
    if (found < 0 || found > size_) in.fail("kernel: a dictionary has more points than its size");
    n = in.ok() ? static_cast<int>(found) : 0;
  }
  in.f64s(in.saved(points_, sets));
  in.put_back();
  factors_.load_sets(in, sets);
}

}  // namespace rein
