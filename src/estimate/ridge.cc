#include "estimate/ridge.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

Ridge::Ridge(int d, int sets, const Heads& heads, double reg, Kind kind, double memory,
             double forward)
    : d_(d),
      sets_(sets),
      heads_(heads),
      reg_(reg),
      forward_(kind == Kind::kPlain ? 0.0 : forward),
      tame_(reg),
      factors_(d, sets, reg),
      order_(as_size(heads.size())),
      starts_{0, heads.size()},
      heads_rows_(as_size(heads.size() * d) * as_size(sets)),
      grown_(as_size(heads.size()), 1.0),
      loss_(as_size(heads.size())),
      best_loss_(as_size(heads.size())),
      rate_(memory == 0.0 ? 0.0 : -log(1.0 - 1.0 / memory)),
      since_(memory == 0.0 ? 0 : as_size(sets)),
      work_(update_work(d) + as_size(d + 2 * heads.size())) {
  std::iota(order_.begin(), order_.end(), 0);
}

std::size_t Ridge::state_size() const {
  return factors_.size() * as_size(parts()) + heads_rows_.size();
}

double Ridge::scale(int set) const {
  if (since_.empty() || since_[as_size(set)] == clock_) return 1.0;
  return exp(since_[as_size(set)] - clock_);
}

double Ridge::restore(double s, double length, double& square) const {
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
  const double root = std::sqrt(s);
  for (int j = 0; j < heads_.size() * d_; ++j) rows(set)[j] *= root;
  std::fill_n(zeros, heads_.size(), 0.0);
  std::fill_n(direction, d_, 0.0);
  for (int part = 0; part < parts(); ++part) {
    double* factor = factors(part).at(set);
    double* c = rows(set) + as_size(starts_[at(part)] * d_);
    for (std::size_t j = 0; j < packed_size(d_); ++j) factor[j] *= root;
    for (int j = 0; j < d_; ++j) {
      direction[j] = std::sqrt((1.0 - s) * reg_);
      kernels().update(factor, d_, direction, c, heads_in(part), zeros, step, residual);
      direction[j] = 0.0;
    }
  }
  since_[as_size(set)] = clock_;
}

// The clock says that something was forgotten, so it goes on; the other sets keep their distance.
void Ridge::forget(double keep, int set) {
  const double more = -log(keep);
  clock_ += more;
  for (std::size_t i = 0; i < since_.size(); ++i) {
    if (i != as_size(set)) since_[i] += more;
  }
}

int Ridge::part_of(int head) const {
  int part = 0;
  while (std::find(order_.begin() + starts_[at(part)], order_.begin() + starts_[at(part) + 1],
                   head) == order_.begin() + starts_[at(part) + 1]) {
    ++part;
  }
  return part;
}

void Ridge::theta(int set, int head, double* out) const {
  const auto place = std::ranges::find(order_, head) - order_.begin();
  kernels().solve_transposed(factors(part_of(head)).at(set), d_,
                             rows(set) + as_size(static_cast<int>(place) * d_), out);
}

// c = L' theta for the new factor L, so that b = A theta.
void Ridge::take_over(int set, Ridge& recent, int head, double share) {
  for (Ridge* ridge : {this, &recent}) {
    if (const double s = ridge->scale(set); s != 1.0) ridge->refresh(set, s);
  }
  double* more = work_.data();
  double* sum = more + update_work(d_) + 2 * as_size(heads_.size());
  for (int part = 0; part < parts(); ++part) {
    const int begin = starts_[at(part)], end = starts_[at(part) + 1];
    const double* factor = recent.factors(recent.part_of(order_[at(begin)])).at(set);
    for (int i = begin; i < end; ++i) {
      theta(set, order_[at(i)], sum);
      if (order_[at(i)] == head) {
        recent.theta(set, head, more);
        for (int j = 0; j < d_; ++j) sum[j] += more[j] / share;
      }
      double* c = rows(set) + as_size(i) * as_size(d_);
      for (int j = 0; j < d_; ++j) {
        c[j] = 0.0;
        for (int k = j; k < d_; ++k) c[j] = std::fma(factor[packed_at(d_, k, j)], sum[k], c[j]);
      }
    }
    std::copy_n(factor, packed_size(d_), factors(part).at(set));
  }
  forget(share, set);
}

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

// A block of columns of which only the first lane counts: an eighth of the work.
void Ridge::solve_first_lane(const double* factor, const double* c, int heads, double* columns,
                             double* square, double* dots) const {
  for (int j = 1; j < d_; ++j) columns[j] = columns[kLanes * j];
  double lanes[1 + kMaxCosts];
  kernels().solve_lane(factor, d_, columns, columns, c, heads, square, lanes);
  for (int h = 0; h < heads; ++h) dots[kLanes * h] = lanes[h];
}

void Ridge::predict_group(int first, int count, bool tame, double* columns, double* group_scratch,
                          Estimates& estimates) const {
  double weights[kGroup];
  std::fill_n(weights, kGroup, 1.0);
  if (!tame) weigh_columns(count, columns, weights);
  const int blocks = round_up_to_lanes(count) / kLanes;
  double* squares = group_scratch;
  double* dots = squares + kGroup;
  const double s = scale(0);
  double lengths[kGroup];
  for (int a = 0; a < count && s != 1.0; ++a) {
    lengths[a] = length_of(columns + as_size(a / kLanes * kLanes) * as_size(d_) + a % kLanes, d_);
  }
  for (int part = 0; part < parts(); ++part) {
    double* solved = columns;
    if (part + 1 < parts()) {  // the others need the columns too
      solved = align_up(dots + as_size(kGroup * heads_.size()));
      std::copy_n(columns, as_size(blocks * kLanes) * as_size(d_), solved);
    }
    const double* c = rows(0) + as_size(starts_[at(part)] * d_);
    if (count == 1) {
      solve_first_lane(factors(part).at(0), c, heads_in(part), solved, squares, dots);
    } else {
      kernels().solve(factors(part).at(0), d_, solved, blocks, c, heads_in(part), squares, dots);
    }
    double kept[kGroup];
    std::fill_n(kept, kGroup, 1.0);
    for (int a = 0; a < count && s != 1.0; ++a) kept[a] = restore(s, lengths[a], squares[a]);
    for (int i = 0; i < heads_in(part); ++i) {
      const int h = order_[at(starts_[at(part)] + i)];
      if (h == 0 || estimates.apart()) {
        const std::span<double> width = estimates.width(h).subspan(as_size(first), as_size(count));
        for (int a = 0; a < count; ++a) width[a] = squares[a] / (1.0 + squares[a]);
      }
      const std::span<double> mean = estimates.mean(h).subspan(as_size(first), as_size(count));
      const double* dot = dots + as_size(i * blocks * kLanes);
      for (int a = 0; a < count; ++a) {
        mean[a] = heads_.from_units(h, kept[a] * dot[a] / (shrink(1.0 + squares[a]) * weights[a]));
      }
    }
  }
}

// Written so that one group, the usual case, costs no more than without groups.
void Ridge::predict_one(int set, int action, const double* phi, double* y,
                        Estimates& estimates) const {
  const double weight = tame_.weight({phi, as_size(d_)});
  const double s = scale(set);
  const auto solve = [&](const double* factor, double& square) {
    const double* x = phi;
    if (weight != 1.0) {
      for (int j = 0; j < d_; ++j) y[j] = weight * phi[j];
      x = y;  // solve_one() may work in place
    }
    const double length = s == 1.0 ? 0.0 : kernels().dot(x, x, d_);
    kernels().solve_one(factor, d_, x, y);
    square = kernels().dot(y, y, d_);
    return restore(s, length, square);
  };
  const auto mean = [&](int h, const double* c, double square, double kept) {
    const double dot = kernels().dot(y, c, d_);
    return heads_.from_units(h, kept * dot / (shrink(1.0 + square) * weight));
  };
  double square = 0.0;
  if (parts() == 1) {
    const double kept = solve(factors_.at(set), square);
    estimates.width()[action] = square / (1.0 + square);
    for (int h = 0; h < heads_.size(); ++h) {
      estimates.mean(h)[action] = mean(h, rows(set) + as_size(h) * as_size(d_), square, kept);
    }
    return;
  }
  for (int part = 0; part < parts(); ++part) {
    const double kept = solve(factors(part).at(set), square);
    for (int i = starts_[at(part)]; i < starts_[at(part) + 1]; ++i) {
      const int h = order_[at(i)];
      estimates.width(h)[action] = square / (1.0 + square);
      estimates.mean(h)[action] = mean(h, rows(set) + as_size(i) * as_size(d_), square, kept);
    }
  }
}

// With A = L L' and y = L^-1 phi, w is |y|^2 and A^-1 phi is L'^-1 y.
void Ridge::predict_around(int set, int action, const double* phi, const double* centre, double* y,
                           Estimates& estimates) const {
  const double weight = tame_.weight({phi, as_size(d_)});
  const double s = scale(set);
  double* inverse = y + d_;
  for (int part = 0; part < parts(); ++part) {
    const double* factor = factors(part).at(set);
    for (int j = 0; j < d_; ++j) y[j] = weight * phi[j];
    const double length = s == 1.0 ? 0.0 : kernels().dot(y, y, d_);
    kernels().solve_one(factor, d_, y, y);
    double square = kernels().dot(y, y, d_);
    kernels().solve_transposed(factor, d_, y, inverse);
    const double stored = square;
    const double kept = restore(s, length, square);
    const double grown = stored == square ? 1.0 : square / stored;  // of A^-1
    for (int i = starts_[at(part)]; i < starts_[at(part) + 1]; ++i) {
      const int h = order_[at(i)];
      const double* theta = centre + as_size(h) * as_size(d_);
      const double own = kernels().dot(y, rows(set) + as_size(i) * as_size(d_), d_);
      const double missing = reg_ * kernels().dot(inverse, theta, d_);
      const double all = weight * kernels().dot(phi, theta, d_);
      const double divisor = shrink(1.0 + square);
      const double mean = kept * own + grown * missing + (divisor - 1.0) * all;
      if (h == 0 || estimates.apart()) estimates.width(h)[action] = square / (1.0 + square);
      estimates.mean(h)[action] = heads_.from_units(h, mean / (divisor * weight));
    }
  }
}

// A = L L' and c = L^-1 b, so this is L'^-1 (c + reg L^-1 theta_0).
void Ridge::weights(int set, int head, const double* centre, std::span<double> theta) const {
  for (int part = 0; part < parts(); ++part) {
    for (int i = starts_[at(part)]; i < starts_[at(part) + 1]; ++i) {
      if (order_[at(i)] != head) continue;
      const double* factor = factors(part).at(set);
      const double* c = rows(set) + as_size(i) * as_size(d_);
      if (centre != nullptr) {
        kernels().solve_one(factor, d_, centre, theta.data());
        for (int j = 0; j < d_; ++j) theta[as_size(j)] = std::fma(reg_, theta[as_size(j)], c[j]);
        c = theta.data();
      }
      kernels().solve_transposed(factor, d_, c, theta.data());
    }
  }
}

void Ridge::learn(int set, const double* phi, std::span<const double> outcomes,
                  std::span<double> predicted) {
  double share = 1.0;
  if (std::ranges::any_of(outcomes, [](double y) { return std::isnan(y); })) {
    share = split(outcomes);
    if (share == 0.0) return;
  }
  double weight = tame_.weight({phi, as_size(d_)});
  if (!since_.empty()) {
    clock_ += share == 1.0 ? rate_ : rate_ * share;
    if (const double s = scale(set); s < kStale) refresh(set, s);
    if (const double s = scale(set); s != 1.0) weight /= std::sqrt(s);
  }
  if (weight != 1.0) {
    double* weighted = work_.data() + update_work(d_) + 2 * as_size(heads_.size());
    for (int j = 0; j < d_; ++j) weighted[j] = weight * phi[j];
    phi = weighted;
  }
  for (int part = 0; part < parts(); ++part) {
    if (std::isnan(outcomes[at(order_[at(starts_[at(part)])])])) continue;
    learn_part(part, set, phi, weight, outcomes, predicted);
  }
}

void Ridge::learn_part(int part, int set, const double* phi, double weight,
                       std::span<const double> outcomes, std::span<double> predicted) {
  double* step = work_.data();
  double* y = step + update_work(d_);
  double* residual = y + heads_.size();
  const int count = heads_in(part);
  const int* heads = order_.data() + starts_[at(part)];
  for (int i = 0; i < count; ++i) y[i] = weight * heads_.to_units(heads[i], outcomes[at(heads[i])]);
  const double t =
      kernels().update(factors(part).at(set), d_, phi, rows(set) + as_size(starts_[at(part)] * d_),
                       count, y, step, residual);
  for (int i = 0; i < count; ++i) {
    const int h = heads[i];
    grown_[at(h)] = t;
    const double prediction = heads_.clip_units(h, (y[i] - residual[i]) / (shrink(t) * weight));
    if (!predicted.empty()) predicted[at(h)] = heads_.from_units(h, prediction);
    const double miss = prediction - y[i] / weight;
    loss_[at(h)] += miss * miss;
    best_loss_[at(h)] += residual[i] * residual[i] / t;  // sum y^2 - b' A^-1 b grows by this
  }
}

double Ridge::bound(std::int64_t rounds, double norm_squared) const {
  const double sets = sets_;
  const double d = d_;
  const double steps = static_cast<double>(rounds) * norm_squared;
  const double factor = forward_ == 1.0 ? 1.0 : 4.0;  // predictions between the two: the larger
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
  return worst + class_term();
}

void Ridge::save(ByteWriter& out) const {
  out.parts(heads_.known(d_, sets_), factors_, heads_rows_, loss_, best_loss_);
  if (!since_.empty()) out.parts(clock_, since_);
  save_groups(out);
}

void Ridge::load(ByteReader& in) {
  in.parts(heads_.known(d_, in.saved(sets_)));
  factors_.load_sets(in, sets_);
  in.parts(in.saved(heads_rows_, sets_), loss_, best_loss_);
  if (!since_.empty()) in.parts(clock_, in.saved(since_, sets_));
  in.put_back();
  load_groups(in);
}

}  // namespace rein
