#include "world/linear_problem.h"

#include <algorithm>
#include <cmath>

#include "base/size.h"
#include "world/noise.h"
#include "world/unit.h"

namespace rein {
namespace {

constexpr double kHair = 1e-9;  // extra safety, so that the guarantee holds after rounding

}  // namespace

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
  const std::uint64_t draws = 1 + as_size(options_.actions) * draws_of(inner);
  rng.set_counter(static_cast<std::uint64_t>(index) * draws);
  const auto safe = static_cast<int>(rng.below(options_.actions));
  for (int a = 0; a < options_.actions; ++a) {
    double* row = features.data() + as_size(a) * as_size(options_.features);
    const std::span<double> psi(row + (options_.positive ? 1 : 0), inner);
    fill_direction(rng, psi);
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
  const std::span<const double> psi(row + (options_.positive ? 1 : 0), u_.size());
  for (int i = 1; i <= options_.costs; ++i) worst = std::max(worst, inner_product(w(i), psi));
  if (options_.positive) {
    const double cost = 0.5 + kRootHalf * worst;
    const double cost_most = options_.safe * (1.0 - kHair);
    if (options_.costs == 0 || cost <= cost_most) return;
    const double scale = cost_most / cost;
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
