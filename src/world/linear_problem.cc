#include "world/linear_problem.h"

#include <algorithm>
#include <cmath>

#include "world/noise.h"

namespace rein {
namespace {

constexpr double kRootHalf = 0.70710678118654752;
constexpr double kAlmostOne = 1.0 - 1e-12;
constexpr double kHair = 1e-9;  // how much safer than promised, to be safe after rounding

std::size_t as_size(int n) { return static_cast<std::size_t>(n); }

double dot(std::span<const double> a, const double* b) {
  double sum = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

// Two numbers in (-1, 1) from one draw: directions need no more than 32 bits.
void fill_cube(Rng& rng, std::span<double> x) {
  for (std::size_t j = 0; j < x.size(); j += 2) {
    const std::uint64_t bits = rng.bits();
    x[j] = (static_cast<double>(bits >> 32) + 0.5) * 0x1p-31 - 1.0;
    if (j + 1 < x.size()) {
      x[j + 1] = (static_cast<double>(bits & 0xffffffffU) + 0.5) * 0x1p-31 - 1.0;
    }
  }
}

}  // namespace

void make_unit(std::span<double> x) {
  const double square = dot(x, x.data());
  if (square < 1e-24) {  // no direction: any will do
    std::fill(x.begin(), x.end(), 0.0);
    x[0] = kAlmostOne;
    return;
  }
  const double scale = kAlmostOne / std::sqrt(square);
  for (double& value : x) value *= scale;
}

std::vector<double> random_unit(Rng& rng, int d) {
  std::vector<double> x(as_size(d));
  for (double& value : x) value = rng.normal();
  make_unit(x);
  return x;
}

std::vector<double> random_unit_across(Rng& rng, std::span<const double> u) {
  std::vector<double> x = random_unit(rng, static_cast<int>(u.size()));
  if (u.size() == 1) return {0.0};
  const double along = dot(u, x.data()) / dot(u, u.data());
  for (std::size_t j = 0; j < x.size(); ++j) x[j] -= along * u[j];
  make_unit(x);
  return x;
}

LinearProblem::LinearProblem(const Options& options, std::uint64_t seed)
    : options_(options),
      seed_(seed),
      inner_(options.positive ? options.features - 1 : options.features) {
  Rng rng = world_rng(seed, Purpose::kParameters);
  u_ = random_unit(rng, inner_);
  for (int h = 0; h <= options.costs; ++h) {
    const double along = h == 0 ? options.tension : most_margin(options.costs);
    const double across = std::sqrt(1.0 - along * along);
    const std::vector<double> v = random_unit_across(rng, u_);
    for (std::size_t j = 0; j < u_.size(); ++j) w_.push_back(along * u_[j] + across * v[j]);
  }
}

std::span<const double> LinearProblem::w(int head) const {
  return std::span(w_).subspan(as_size(head) * as_size(inner_), as_size(inner_));
}

std::vector<double> LinearProblem::theta() const {
  if (!options_.positive) return w_;
  std::vector<double> theta;
  for (int h = 0; h <= options_.costs; ++h) {
    theta.push_back(kRootHalf);
    for (double value : w(h)) theta.push_back(kRootHalf * value);
  }
  return theta;
}

void LinearProblem::draw(std::int64_t index, int which, std::span<const double> pull,
                         std::span<double> features) const {
  const std::size_t inner = as_size(inner_);
  Rng rng = world_rng(seed_, Purpose::kContexts, static_cast<std::uint64_t>(which));
  const std::uint64_t draws = 1 + as_size(options_.actions) * ((inner + 1) / 2);
  rng.set_counter(static_cast<std::uint64_t>(index) * draws);
  const auto safe = static_cast<int>(rng.below(options_.actions));
  for (int a = 0; a < options_.actions; ++a) {
    double* row = features.data() + as_size(a) * as_size(options_.features);
    const std::span<double> psi(row + (options_.positive ? 1 : 0), inner);
    fill_cube(rng, psi);
    make_unit(psi);
    if (!pull.empty()) {
      for (std::size_t j = 0; j < inner; ++j) psi[j] += pull[j];
      make_unit(psi);
    }
    if (options_.positive) {
      row[0] = kRootHalf;
      for (double& value : psi) value *= kRootHalf;
    }
    if (a == safe) make_safe(row);
  }
}

void LinearProblem::make_safe(double* row) const {
  double worst = -1.0;
  const double* psi = row + (options_.positive ? 1 : 0);
  for (int i = 1; i <= options_.costs; ++i) worst = std::max(worst, dot(w(i), psi));
  if (options_.positive) {
    const double cost = 0.5 + kRootHalf * worst;
    if (options_.costs == 0 || cost <= options_.safe * kAlmostOne) return;
    const double scale = options_.safe * (1.0 - kHair) / cost;
    for (int j = 0; j < options_.features; ++j) row[j] *= scale;
    return;
  }
  const double margin = options_.margin + kHair;
  if (options_.costs == 0 || worst <= -margin) return;
  const double along = most_margin(options_.costs);
  const double l = worst + along > 0.0 ? std::min(1.0, (worst + margin) / (worst + along)) : 1.0;
  for (std::size_t j = 0; j < u_.size(); ++j) row[j] = (1.0 - l) * row[j] - l * u_[j];
}

}  // namespace rein
