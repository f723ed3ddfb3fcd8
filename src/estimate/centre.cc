#include "estimate/centre.h"

#include <algorithm>
#include <cmath>

#include "base/kernels.h"
#include "base/math.h"
#include "base/size.h"
#include "base/tuned.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr double kResidualUnit = 2.0;  // of residual_heads()

}  // namespace

bool Centre::fits(int d, int sets, int heads) {
  return Ridge::fits(d, 1, heads) &&
         as_size(sets) * as_size(heads) * as_size(d + 2) <= Allowance::doubles();
}

Centre::Centre(const FeatureMap& map, const Shape& shape, double reg, bool level)
    : heads_(shape),
      d_(map.size()),
      bias_(map.bias()),
      level_(level),
      slopes_(d_, 1, residual_heads(shape), reg, Ridge::Kind::kPlain),
      means_(as_size(map.parameter_sets()) * as_size(heads_.size())),
      vectors_(means_.size() * as_size(d_)),
      sets_(as_size(heads_.size())),
      outcomes_(sets_.size()),
      seen_(sets_.size()),
      sums_(sets_.size() * as_size(d_)),
      theta_(sums_.size()),
      pair_(as_size(d_)),
      pairs_(sets_.size()) {}

// Solving takes d^2 per head, and the slopes move little later on.
bool Centre::is_due(int head) const {
  const double seen = seen_[as_size(head)];
  return seen <= tuned::kSolveRoundsMost || std::fmod(seen, tuned::kSolveRounds) == 0.0;
}

double Centre::take(int set, int head, const double* phi, double y, double* pair) {
  Mean& mean = means_[cell(set, head)];
  double* vector = vectors_.data() + cell(set, head) * as_size(d_);
  double* sum = sums_.data() + at(head);
  const double before = mean.count;
  mean.count += 1.0;
  seen_[as_size(head)] += 1.0;
  if (before == 0.0) sets_[as_size(head)] += 1.0;
  const double root = std::sqrt(before / mean.count);
  for (int j = 0; j < d_; ++j) {
    const double apart = phi[j] - vector[j];
    pair[j] = root * apart;
    vector[j] += apart / mean.count;
    sum[j] += apart / mean.count;
  }
  const double apart = y - mean.outcome;
  mean.outcome += apart / mean.count;
  outcomes_[as_size(head)] += apart / mean.count;
  return before == 0.0 ? kNan : root * apart;
}

void Centre::learn(int set, const double* phi, std::span<const double> outcomes) {
  const auto came = [](double y) { return !std::isnan(y); };
  if (std::ranges::none_of(outcomes, came)) return;
  if (!std::ranges::all_of(outcomes, came)) together_ = false;
  std::ranges::fill(pairs_, kNan);
  for (int h = 0; h < heads_.size(); ++h) {
    if (!came(outcomes[as_size(h)])) continue;
    const double y = take(set, h, phi, heads_.to_units(h, outcomes[as_size(h)]), pair_.data());
    pairs_[as_size(h)] = y;
    if (together_ || std::isnan(y)) continue;
    slopes_.learn(0, pair_.data(), pairs_);  // heads have means of their own
    pairs_[as_size(h)] = kNan;
  }
  if (together_ && came(pairs_[0])) slopes_.learn(0, pair_.data(), pairs_);
  for (int h = 0; h < heads_.size(); ++h) {
    if (came(outcomes[as_size(h)]) && is_due(h)) find(h);
  }
}

void Centre::find(int head) {
  const std::span<double> theta(theta_.data() + at(head), as_size(d_));
  slopes_.weights(0, head, nullptr, theta);
  for (double& x : theta) x *= kResidualUnit;
  if (bias_) {
    const double sets = sets_[as_size(head)];
    theta.back() = 0.0;
    const double slope = kernels().dot(theta.data(), sums_.data() + at(head), d_);
    theta.back() = ((level_ ? outcomes_[as_size(head)] : 0.0) - slope) / sets;
  }
  const double length = kernels().dot(theta.data(), theta.data(), d_);
  if (length <= heads_.theta_squared()) return;
  const double factor = std::sqrt(heads_.theta_squared() / length);
  for (double& x : theta) x *= factor;
}

void Centre::save(ByteWriter& out) const {
  out.i64(together_ ? 1 : 0);
  out.parts(slopes_, vectors_, sets_, outcomes_, seen_, sums_, theta_);
  for (const Mean& mean : means_) out.parts(mean.count, mean.outcome);
}

void Centre::load(ByteReader& in) {
  const auto sets = static_cast<int>(means_.size()) / heads_.size();
  together_ = in.between("outcomes in parts", 0, 1) != 0;
  in.parts(slopes_, in.saved(vectors_, sets), sets_, outcomes_, seen_, sums_, theta_);
  for (Mean& mean : in.saved(means_, sets)) in.parts(mean.count, mean.outcome);
  in.put_back();
}

}  // namespace rein
