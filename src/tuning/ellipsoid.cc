#include "tuning/ellipsoid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/kernels.h"
#include "base/math.h"
#include "base/size.h"
#include "tuning/square_matrix.h"

namespace rein {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Sizes a of the tries: |<u, w psi>| |e| stays below a for the directions u that a try covers. The
// j-th has the share 1 / ((j + 1) (j + 2)) of delta. k = (-ln(1 - a) - a) / a^2.
struct Size {
  double a, k, log_share;
};
constexpr int kSizes = 8;
std::array<Size, kSizes> sizes() {
  std::array<Size, kSizes> all{};
  double a = 0.8;
  for (int j = 0; j < kSizes; ++j, a *= 0.75) {
    all[as_size(j)] = {
        .a = a, .k = (-log(1.0 - a) - a) / (a * a), .log_share = log((j + 1.0) * (j + 2.0))};
  }
  return all;
}

// What keeps A invertible, as a share of its largest diagonal entry.
constexpr double kTiny = 1e-6;
// The squared width is multiplied by 1 + kSplit so that the effect of kTiny may be added to it as a
// square of its own, times 1 + 1 / kSplit.
constexpr double kSplit = 1e-3;
// The largest |theta| in the numbers that the first rounds showed. Where all actions share theta
// the range alone gives 1.
constexpr double kLargestTheta = 100.0;
// A number of psi was not seen if its square summed up to less than this: rounding.
constexpr double kUnseen = 1e-18;
// Width per unit of a number of psi that was never seen: beyond every range.
constexpr double kUnknownWidth = 1e6;
// Pairs count less where the length of psi times the largest |e|, as a share of the width of the
// range, passes kReach sqrt(d). |psi|^2 is d on average, and the share at least a half. A larger
// one costs where there is little noise, a smaller one where there is much: from 1 to 1/4 the
// bounds of docs/theory/certificate.md change by a tenth.
constexpr double kReach = 0.5;
constexpr double kGrowth = 16.0;  // bounds are refreshed when outcomes grow by 1 / kGrowth
constexpr int kMostSteps = 6;     // of the search for L in one refresh

}  // namespace

Ellipsoid::Ellipsoid(int d, std::vector<Range> ranges, double delta)
    : d_(d),
      ranges_(std::move(ranges)),
      log_delta_(log(2.0 / delta)),
      log_gamma_(0.0),
      next_(static_cast<double>(d)),
      a_(square()),
      b_(ranges_.size() * as_size(d)),
      v_(ranges_.size() * square()),
      floor_(ranges_.size()),
      sums_(ranges_.size()),
      theta_(b_.size()),
      width_(v_.size()),
      radius_(ranges_.size(), kNever),
      inverse_(square()),
      seen_(square()),
      prior_(square()),
      shown_(as_size(d), 1.0),
      w_(square()),
      factor_(square()),
      other_(square()),
      expected_(ranges_.size()) {
  // Gamma(x + 1) = x Gamma(x), down to Gamma(1) = 1 or Gamma(1/2) = sqrt pi.
  constexpr double kLogPi = 1.1447298858494002;
  for (double x = d / 2.0; x > 0.25; x -= 1.0) log_gamma_ += log(x);
  if (d % 2 == 1) log_gamma_ += kLogPi / 2.0;
}

std::size_t Ellipsoid::size(int d, int heads) {
  return as_size(d) * as_size(d) * (7 + 2 * as_size(heads)) + as_size(heads) * (as_size(d) * 2 + 5);
}

double Ellipsoid::predict(const double* psi, int head) const {
  const auto at = as_size(head);
  const Range& range = ranges_[at];
  const double middle = count_ > 0.0 ? sums_[at] / count_ : (range.low + range.high) / 2.0;
  double found = middle;
  if (radius_[at] < kNever) {
    const double width = std::sqrt(std::max(form(d_, matrix(width_, head), psi), 0.0));
    const double mean = kernels().dot(theta_.data() + at * as_size(d_), psi, d_);
    if (width < (range.high - range.low) / 2.0) found = mean;
  }
  return std::clamp(found, range.low, range.high);
}

double Ellipsoid::miss(const double* psi, int head, double mean) const {
  if (!(radius_[as_size(head)] < kNever)) return kNan;
  const double width = std::sqrt(std::max(form(d_, matrix(width_, head), psi), 0.0));
  const double found = kernels().dot(theta_.data() + as_size(head) * as_size(d_), psi, d_);
  return width > 0.0 ? (mean - found) / width : kNan;
}

Interval Ellipsoid::bounds(const double* psi, int head) const {
  const auto at = as_size(head);
  const Range& range = ranges_[at];
  if (!(radius_[at] < kNever)) return {range.low, range.high};
  const double width = std::sqrt(std::max(form(d_, matrix(width_, head), psi), 0.0));
  const double mean = kernels().dot(theta_.data() + at * as_size(d_), psi, d_);
  // Where the bounds contradict the range they are false, and the nearest end is all there is.
  return {std::clamp(mean - width, range.low, range.high),
          std::clamp(mean + width, range.low, range.high)};
}

void Ellipsoid::learn(const double* psi, std::span<const double> outcomes) {
  double ratio = 0.0;  // the largest that |e| can be, as a share of the width of the range
  for (std::size_t h = 0; h < ranges_.size(); ++h) {
    const double p = expected_[h] = predict(psi, static_cast<int>(h));
    const double whole = ranges_[h].high - ranges_[h].low;
    const double most = std::max(p - ranges_[h].low, ranges_[h].high - p);
    if (whole > 0.0) ratio = std::max(ratio, most / whole);
  }
  const double length = std::sqrt(kernels().dot(psi, psi, d_) / d_) * ratio / kReach;
  const double weight = length <= 1.0 ? 1.0 : 1.0 / length;
  add_outer(d_, weight, psi, a_.data());
  weights_ += weight;
  for (std::size_t h = 0; h < ranges_.size(); ++h) {
    const double y = outcomes[h];
    const double miss = weight * (y - expected_[h]);
    add_outer(d_, miss * miss, psi, matrix(v_, static_cast<int>(h)));
    double* b = b_.data() + h * as_size(d_);
    for (int i = 0; i < d_; ++i) b[i] = std::fma(weight * y, psi[i], b[i]);
    sums_[h] += y;
  }
  count_ += 1.0;
  if (count_ < next_) return;
  refresh();
  next_ = count_ + std::max({1.0, std::floor(d_ / 4.0), std::floor(count_ / kGrowth)});
}

void Ellipsoid::refresh() {
  double largest = 1.0;
  for (int i = 0; i < d_; ++i) largest = std::max(largest, a_[as_size(i) * as_size(d_ + 1)]);
  const double tiny = kTiny * largest;
  std::ranges::copy(a_, w_.begin());
  for (int i = 0; i < d_; ++i) w_[as_size(i) * as_size(d_ + 1)] += tiny;
  if (std::isnan(invert(d_, w_.data(), inverse_.data(), factor_.data()))) return;  // bounds stay
  // G A G = G - tiny G G
  multiply(d_, inverse_.data(), inverse_.data(), seen_.data());
  for (std::size_t i = 0; i < square(); ++i) seen_[i] = inverse_[i] - tiny * seen_[i];
  // C^-1, C = A / sum of weights + 1 / kLargestTheta^2 for every number that the first rounds
  // showed
  for (std::size_t i = 0; i < square(); ++i) w_[i] = a_[i] / weights_;
  for (int i = 0; i < d_; ++i) {
    const std::size_t at = as_size(i) * as_size(d_ + 1);
    if (a_[at] <= kUnseen) w_[at] += 1.0;
    if (shown_[as_size(i)] != 0.0) w_[at] += 1.0 / (kLargestTheta * kLargestTheta);
  }
  if (std::isnan(invert(d_, w_.data(), prior_.data(), factor_.data()))) return;
  for (int h = 0; h < static_cast<int>(ranges_.size()); ++h) refresh_head(h, tiny);
}

// R for one W = V + L: the least over sizes. `trace` is that of W^-1, `inverse_norm` at least its
// largest eigenvalue.
double Ellipsoid::radius_of(int head, double log_det, double trace, double inverse_norm) const {
  static const std::array<Size, kSizes> kAll = sizes();
  const Range& range = ranges_[as_size(head)];
  const double reach = kReach * (range.high - range.low) * std::sqrt(static_cast<double>(d_));
  double best = kNever;
  for (const Size& size : kAll) {
    const double r = size.a / reach;
    const double spread = std::min(d_ * inverse_norm, 2.0 * trace) / (2.0 * size.k);
    const double rho = 2.0 * size.k * (r - std::sqrt(spread)) / std::sqrt(inverse_norm);
    if (!(rho > 0.0)) continue;
    const double b = std::max(
        0.0, log_delta_ + size.log_share + 0.5 * (d_ * log(size.k * r * r) + log_det) - log_gamma_);
    const double plain = std::sqrt(4.0 * size.k * b);
    best = std::min(best, plain <= rho ? plain : 2.0 * size.k * b / rho + rho / 2.0);
  }
  return best;
}

// Writes W = V + L to w_. L is `floor`, and more in directions without outcomes, where it costs
// nothing: psi and G psi are 0 there.
void Ellipsoid::write_w(int head, double floor) {
  const double whole = ranges_[as_size(head)].high - ranges_[as_size(head)].low;
  const double* v = matrix(v_, head);
  std::copy(v, v + square(), w_.data());
  for (int i = 0; i < d_; ++i) {
    const std::size_t at = as_size(i) * as_size(d_ + 1);
    const bool unseen = a_[at] <= kUnseen;
    w_[at] += unseen ? std::max(floor, 8.0 * d_ * d_ * whole * whole) : floor;
  }
}

Ellipsoid::Try Ellipsoid::attempt(int head, double floor) {
  write_w(head, floor);
  const double log_det = invert(d_, w_.data(), other_.data(), factor_.data());
  if (std::isnan(log_det)) return {kNever, kNever};
  double trace = 0.0;
  for (int i = 0; i < d_; ++i) trace += other_[as_size(i) * as_size(d_ + 1)];
  const double score = inner(d_, seen_.data(), w_.data());
  // The largest eigenvalue of W^-1 is at most |W^-4|^(1/4), the norm being the root of the sum of
  // squares. W^-1 is divided by its trace first, so that no power under- or overflows.
  std::vector<double>& fourth = w_;  // W is not needed any more
  for (double& x : other_) x /= trace;
  multiply(d_, other_.data(), other_.data(), factor_.data());
  multiply(d_, factor_.data(), factor_.data(), fourth.data());
  const double norm =
      std::sqrt(std::sqrt(std::sqrt(inner(d_, fourth.data(), fourth.data())))) * trace;
  const double radius = radius_of(head, log_det, trace, std::min(norm, trace));
  return {radius, radius < kNever ? radius * radius * score : kNever};
}

void Ellipsoid::refresh_head(int head, double tiny) {
  const auto at = as_size(head);
  const double whole = ranges_[at].high - ranges_[at].low;
  if (!(whole > 0.0)) return;  // the range says it all
  const double unit = whole * whole * d_;
  // Powers of two, from the last one in the direction in which it gets better.
  const auto floor_at = [&](double power) { return std::ldexp(unit, static_cast<int>(power)); };
  double exponent = floor_[at];
  Try best = attempt(head, floor_at(exponent));
  double step = 1.0;
  for (int tries = 0; tries < kMostSteps; ++tries) {
    const Try next = attempt(head, floor_at(exponent + step));
    if (next.score < best.score) {
      best = next;
      exponent += step;
    } else if (tries == 0 && best.score < kNever) {
      step = -1.0;
    } else {
      if (best.score < kNever) break;
      exponent += step;  // a larger L comes into reach
    }
  }
  floor_[at] = exponent;
  if (!(best.radius < kNever)) return;  // the bounds before hold
  const double radius = best.radius * scale_;
  write_w(head, floor_at(exponent));  // attempt() used its room
  double* width = matrix(width_, head);
  multiply(d_, inverse_.data(), w_.data(), other_.data());
  multiply(d_, other_.data(), inverse_.data(), width);
  multiply(d_, inverse_.data(), prior_.data(), w_.data());
  multiply(d_, w_.data(), inverse_.data(), other_.data());
  const double main = radius * radius * (1.0 + kSplit);
  const double rest = 2.0 * tiny * tiny * (1.0 + 1.0 / kSplit);
  for (std::size_t i = 0; i < square(); ++i) width[i] = main * width[i] + rest * other_[i];
  for (int i = 0; i < d_; ++i) {
    const std::size_t on = as_size(i) * as_size(d_ + 1);
    if (a_[on] <= kUnseen) width[on] += kUnknownWidth * kUnknownWidth;
  }
  apply(d_, inverse_.data(), b_.data() + at * as_size(d_), theta_.data() + at * as_size(d_));
  radius_[at] = radius;
}

void Ellipsoid::save(ByteWriter& out) const {
  out.state("ellipsoid", count_, next_, weights_, shown_, a_, b_, v_, floor_, sums_, theta_, width_,
            radius_);
}

void Ellipsoid::load(ByteReader& in) {
  static_cast<void>(in.state("ellipsoid", count_, next_, weights_, shown_, a_, b_, v_, floor_,
                             sums_, theta_, width_, radius_));
}

}  // namespace rein
