#include "estimate/ridge.h"

#include <algorithm>
#include <cmath>

#include "base/kernels.h"
#include "base/math.h"
#include "base/size.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr double kStale = 0x1p-10;  // s at which a set is brought up to date

// |phi|^2 of one lane of a block of columns.
double length_of(const double* column, int d) {
  double sum = 0.0;
  for (int j = 0; j < d; ++j) sum = std::fma(column[kLanes * j], column[kLanes * j], sum);
  return sum;
}

}  // namespace

std::size_t Ridge::numbers(int d, int sets, int heads) {
  return as_size(sets) * (packed_size(d) + as_size(heads) * as_size(d));
}

bool Ridge::fits(int d, int sets, int heads) {
  return d <= kMaxDimension && numbers(d, sets, heads) <= Allowance::doubles();
}

Ridge::Ridge(int d, int sets, const Heads& heads, double reg, Kind kind, double memory)
    : d_(d),
      sets_(sets),
      heads_(heads),
      reg_(reg),
      kind_(kind),
      tame_(reg),
      factors_(d, sets, reg),
      heads_rows_(as_size(heads.size() * d) * as_size(sets)),
      loss_(as_size(heads.size())),
      best_loss_(as_size(heads.size())),
      rate_(memory == 0.0 ? 0.0 : -log(1.0 - 1.0 / memory)),
      since_(memory == 0.0 ? 0 : as_size(sets)),
      work_(update_work(d) + as_size(d + 2 * heads.size())) {}

double Ridge::scale(int set) const {
  return since_.empty() ? 1.0 : exp(since_[as_size(set)] - clock_);
}

double Ridge::restore(int set, double length, double& square) const {
  const double s = scale(set);
  if (s == 1.0 || square == 0.0) return 1.0;  // also where nothing was forgotten yet
  const double known = s / square;
  square = 1.0 / (known + (1.0 - s) * reg_ / length);
  return square * known;
}

// (1 - s) reg I is put back as d outcomes of 0, one per direction.
void Ridge::refresh(int set, double s) {
  double* step = work_.data();
  double* zeros = step + update_work(d_);
  double* residual = zeros + heads_.size();
  double* direction = residual + heads_.size();
  double* factor = factors_.at(set);
  const double root = std::sqrt(s);
  for (std::size_t j = 0; j < packed_size(d_); ++j) factor[j] *= root;
  for (int j = 0; j < heads_.size() * d_; ++j) rows(set)[j] *= root;
  std::fill_n(zeros, heads_.size(), 0.0);
  std::fill_n(direction, d_, 0.0);
  for (int j = 0; j < d_; ++j) {
    direction[j] = std::sqrt((1.0 - s) * reg_);
    kernels().update(factor, d_, direction, rows(set), heads_.size(), zeros, step, residual);
    direction[j] = 0.0;
  }
  since_[as_size(set)] = clock_;
}

void Ridge::forget(double keep) { clock_ -= log(keep); }

double* Ridge::rows(int set) {
  return heads_rows_.data() + as_size(set) * as_size(heads_.size() * d_);
}
const double* Ridge::rows(int set) const {
  return heads_rows_.data() + as_size(set) * as_size(heads_.size() * d_);
}

void Ridge::weigh_columns(int count, double* columns, std::span<double> weights) const {
  for (int a = 0; a < count; ++a) {
    double* column = columns + as_size(a / kLanes * kLanes) * as_size(d_) + a % kLanes;
    double largest = 0.0;
    for (int j = 0; j < d_; ++j) largest = std::max(largest, std::abs(column[kLanes * j]));
    weights[as_size(a)] = tame_.weight(largest);
    if (weights[as_size(a)] == 1.0) continue;
    for (int j = 0; j < d_; ++j) column[kLanes * j] *= weights[as_size(a)];
  }
}

void Ridge::predict_group(int first, int count, bool tame, double* columns, double* group_scratch,
                          Estimates& estimates) const {
  double weights[kGroup];
  std::fill_n(weights, kGroup, 1.0);
  if (!tame) weigh_columns(count, columns, weights);
  const int blocks = round_up_to_lanes(count) / kLanes;
  double* squares = group_scratch;
  double* dots = squares + kGroup;
  double lengths[kGroup];
  for (int a = 0; a < count && !since_.empty(); ++a) {
    lengths[a] = length_of(columns + as_size(a / kLanes * kLanes) * as_size(d_) + a % kLanes, d_);
  }
  kernels().solve(factors_.at(0), d_, columns, blocks, rows(0), heads_.size(), squares, dots);
  double kept[kGroup];
  std::fill_n(kept, kGroup, 1.0);
  for (int a = 0; a < count && !since_.empty(); ++a) kept[a] = restore(0, lengths[a], squares[a]);
  const std::span<double> width = estimates.width().subspan(as_size(first), as_size(count));
  for (int a = 0; a < count; ++a) width[a] = squares[a] / (1.0 + squares[a]);
  for (int h = 0; h < heads_.size(); ++h) {
    const std::span<double> mean = estimates.mean(h).subspan(as_size(first), as_size(count));
    const double* dot = dots + as_size(h * blocks * kLanes);
    for (int a = 0; a < count; ++a) {
      mean[a] = heads_.from_units(h, kept[a] * dot[a] / (shrink(1.0 + squares[a]) * weights[a]));
    }
  }
}

void Ridge::predict_one(int set, int action, const double* phi, double* y,
                        Estimates& estimates) const {
  const double weight = tame_.weight({phi, as_size(d_)});
  if (weight != 1.0) {
    for (int j = 0; j < d_; ++j) y[j] = weight * phi[j];
    phi = y;  // solve_one() may work in place
  }
  const double length = since_.empty() ? 0.0 : kernels().dot(phi, phi, d_);
  kernels().solve_one(factors_.at(set), d_, phi, y);
  double square = kernels().dot(y, y, d_);
  const double kept = since_.empty() ? 1.0 : restore(set, length, square);
  estimates.width()[action] = square / (1.0 + square);
  for (int h = 0; h < heads_.size(); ++h) {
    const double dot = kernels().dot(y, rows(set) + as_size(h) * as_size(d_), d_);
    estimates.mean(h)[action] = heads_.from_units(h, kept * dot / (shrink(1.0 + square) * weight));
  }
}

double Ridge::learn(int set, const double* phi, std::span<const double> outcomes,
                    std::span<double> predicted) {
  double* step = work_.data();
  double* y = step + update_work(d_);
  double* residual = y + heads_.size();
  double weight = tame_.weight({phi, as_size(d_)});
  if (!since_.empty()) {
    clock_ += rate_;
    if (const double s = scale(set); s < kStale) refresh(set, s);
    if (const double s = scale(set); s != 1.0) weight /= std::sqrt(s);
  }
  for (int h = 0; h < heads_.size(); ++h) y[h] = weight * heads_.to_units(h, outcomes[h]);
  if (weight != 1.0) {
    double* weighted = residual + heads_.size();
    for (int j = 0; j < d_; ++j) weighted[j] = weight * phi[j];
    phi = weighted;
  }
  const double t =
      kernels().update(factors_.at(set), d_, phi, rows(set), heads_.size(), y, step, residual);
  for (int h = 0; h < heads_.size(); ++h) {
    const double prediction = heads_.clip_units(h, (y[h] - residual[h]) / (shrink(t) * weight));
    if (!predicted.empty()) predicted[h] = heads_.from_units(h, prediction);
    const double miss = prediction - y[h] / weight;
    loss_[h] += miss * miss;
    best_loss_[h] += residual[h] * residual[h] / t;  // sum y^2 - b' A^-1 b grows by this
  }
  return t;
}

double Ridge::bound(std::int64_t rounds, double norm_squared) const {
  const double sets = sets_;
  const double d = d_;
  const double steps = static_cast<double>(rounds) * norm_squared;
  const double factor = kind_ == Kind::kPlain ? 4.0 : 1.0;
  return sets * (reg_ * heads_.theta_squared() + factor * d * log(1.0 + steps / (reg_ * sets * d)));
}

WidthSum Ridge::width_sum(std::int64_t rounds, double norm_squared) const {
  const double size = static_cast<double>(sets_) * d_;
  const double steps = static_cast<double>(rounds) * norm_squared;
  return {.sum = size * log(1.0 + steps / (reg_ * size)), .largest = norm_squared / reg_};
}

double Ridge::regret() const {
  if (clock_ > 0.0) return kNan;
  double worst = 0.0;
  for (int h = 0; h < heads_.size(); ++h) worst = std::max(worst, loss_[h] - best_loss_[h]);
  return worst + reg_ * heads_.theta_squared() * sets_;
}

void Ridge::save(ByteWriter& out) const {
  out.parts(heads_.known(d_, sets_), factors_, heads_rows_, loss_, best_loss_);
  if (!since_.empty()) out.parts(clock_, since_);
}

void Ridge::load(ByteReader& in) {
  in.parts(heads_.known(d_, sets_), factors_, heads_rows_, loss_, best_loss_);
  if (!since_.empty()) in.parts(clock_, since_);
}

}  // namespace rein
