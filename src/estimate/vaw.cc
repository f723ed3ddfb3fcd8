#include "estimate/vaw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "base/kernels.h"
#include "base/math.h"

namespace rein {
namespace {

// The factor of a d x d matrix takes d^2 / 2 doubles; this keeps one set under 1 GiB.
constexpr int kMaxDimension = 16'384;
constexpr std::size_t kMaxDoubles = std::size_t{1} << 31;

// Actions that are predicted at once.
constexpr int kGroup = 2 * kLanes;

std::size_t as_size(int n) { return static_cast<std::size_t>(n); }

}  // namespace

Result<std::unique_ptr<Oracle>> Vaw::make(const Spec& spec, const Shape& shape) {
  return make(spec, shape, /*ridge=*/false);
}

Result<std::unique_ptr<Oracle>> Vaw::make_ridge(const Spec& spec, const Shape& shape) {
  return make(spec, shape, /*ridge=*/true);
}

Result<std::unique_ptr<Oracle>> Vaw::make(const Spec& spec, const Shape& shape, bool ridge) {
  SpecReader read(spec, "oracle spec");
  const FeatureMap map(read, shape);
  const Options options{.reg = read.number("reg", 1.0, {.low = 1e-12, .high = 1e12}),
                        .ridge = ridge};
  const std::size_t doubles = as_size(map.parameter_sets()) *
                              (packed_size(map.size()) + as_size(shape.heads() * map.size()));
  if (map.size() > kMaxDimension || doubles > kMaxDoubles) {
    read.refuse(fmt::format(
        "{} features in {} sets of parameters need {} numbers; {} takes at most {} "
        "features and {} "
        "numbers; accepted: fewer, or adagrad",
        map.size(), map.parameter_sets(), doubles, spec.name, kMaxDimension, kMaxDoubles));
  }
  if (auto done = read.finish(); !done) return Error{done.error()};
  return std::unique_ptr<Oracle>(new Vaw(map, shape, options));
}

Vaw::Vaw(const FeatureMap& map, const Shape& shape, const Options& options)
    : map_(map),
      heads_(shape),
      options_(options),
      factors_(map.size(), map.parameter_sets(), options.reg),
      heads_rows_(as_size(heads_.size() * map.size()) * as_size(map.parameter_sets())),
      loss_(as_size(heads_.size())),
      best_loss_(as_size(heads_.size())),
      work_(as_size(5 * map.size() + 8 + 2 * heads_.size())) {}

double* Vaw::rows(int set) {
  return heads_rows_.data() + as_size(set) * as_size(heads_.size() * map_.size());
}
const double* Vaw::rows(int set) const {
  return heads_rows_.data() + as_size(set) * as_size(heads_.size() * map_.size());
}

std::size_t Vaw::scratch() const {
  const std::size_t d = as_size(map_.size());
  if (map_.parameter_sets() > 1) return 2 * d;
  return kLineDoubles + kGroup * (d + 1 + as_size(heads_.size()));
}

void Vaw::predict(const Round& round, Scratch& scratch, Estimates& estimates) const {
  if (map_.parameter_sets() > 1) {
    predict_per_action(round, scratch, estimates);
  } else {
    predict_shared(round, scratch, estimates);
  }
}

// A few blocks of eight actions at a time, so that what is being solved stays in the first cache.
void Vaw::predict_shared(const Round& round, Scratch& scratch, Estimates& estimates) const {
  const int d = map_.size();
  const std::span<double> columns = take_aligned(scratch, kGroup * as_size(d));
  const std::span<double> squares = scratch.take(kGroup);
  const std::span<double> dots = scratch.take(kGroup * as_size(heads_.size()));
  for (int first = 0; first < round.actions; first += kGroup) {
    const int count = std::min(kGroup, round.actions - first);
    const int blocks = round_up_to_lanes(count) / kLanes;
    for (int b = 0; b < blocks; ++b) {
      map_.pack(round, first + b * kLanes, std::min(kLanes, count - b * kLanes),
                columns.data() + as_size(b * kLanes) * as_size(d));
    }
    kernels().solve(factors_.at(0), d, columns.data(), blocks, rows(0), heads_.size(),
                    squares.data(), dots.data());
    const std::span<double> width = estimates.width().subspan(as_size(first), as_size(count));
    for (int a = 0; a < count; ++a) width[a] = squares[a] / (1.0 + squares[a]);
    for (int h = 0; h < heads_.size(); ++h) {
      const std::span<double> mean = estimates.mean(h).subspan(as_size(first), as_size(count));
      const double* dot = dots.data() + as_size(h * blocks * kLanes);
      for (int a = 0; a < count; ++a) {
        mean[a] = heads_.from_units(h, dot[a] / shrink(squares[a]));
      }
    }
  }
}

void Vaw::predict_per_action(const Round& round, Scratch& scratch, Estimates& estimates) const {
  const int d = map_.size();
  const std::span<double> phi = scratch.take(as_size(d));
  const std::span<double> y = scratch.take(as_size(d));
  for (int a = 0; a < round.actions; ++a) {
    const int set = map_.set_of(round, a);
    map_.row(round, a, phi);
    kernels().solve_one(factors_.at(set), d, phi.data(), y.data());
    const double square = kernels().dot(y.data(), y.data(), d);
    estimates.width()[a] = square / (1.0 + square);
    for (int h = 0; h < heads_.size(); ++h) {
      const double dot = kernels().dot(y.data(), rows(set) + as_size(h) * as_size(d), d);
      estimates.mean(h)[a] = heads_.from_units(h, dot / shrink(square));
    }
  }
}

void Vaw::learn(const Round& round, int action, std::span<const double> outcomes) {
  const int d = map_.size();
  const int set = map_.set_of(round, action);
  double* phi = work_.data();
  double* step = phi + d;
  double* y = step + update_work(d);
  double* residual = y + heads_.size();
  map_.row(round, action, {phi, as_size(d)});
  for (int h = 0; h < heads_.size(); ++h) y[h] = heads_.to_units(h, outcomes[h]);
  const double t =
      kernels().update(factors_.at(set), d, phi, rows(set), heads_.size(), y, step, residual);
  for (int h = 0; h < heads_.size(); ++h) {
    const double prediction =
        heads_.clip_units(h, (y[h] - residual[h]) / (options_.ridge ? 1.0 : t));
    const double miss = prediction - y[h];
    loss_[h] += miss * miss;
    best_loss_[h] += residual[h] * residual[h] / t;  // sum y^2 - b' A^-1 b grows by this
  }
}

double Vaw::bound(std::int64_t rounds) const {
  const double sets = map_.parameter_sets();
  const double d = map_.size();
  const double steps = static_cast<double>(rounds) * map_.norm_squared();
  const double factor = options_.ridge ? 4.0 : 1.0;
  return sets * (options_.reg + factor * d * log(1.0 + steps / (options_.reg * sets * d)));
}

double Vaw::regret() const {
  double worst = 0.0;
  for (int h = 0; h < heads_.size(); ++h) worst = std::max(worst, loss_[h] - best_loss_[h]);
  return worst + options_.reg * map_.parameter_sets();
}

void Vaw::save(ByteWriter& out) const {
  out.tag(name());
  out.i64(map_.size());
  out.i64(map_.parameter_sets());
  out.i64(heads_.size());
  factors_.save(out);
  out.f64s(heads_rows_);
  out.f64s(loss_);
  out.f64s(best_loss_);
}

Result<> Vaw::load(ByteReader& in) {
  in.tag(name());
  in.expect("features", in.i64(), map_.size());
  in.expect("parameter sets", in.i64(), map_.parameter_sets());
  in.expect("heads", in.i64(), heads_.size());
  factors_.load(in);
  in.f64s(heads_rows_);
  in.f64s(loss_);
  in.f64s(best_loss_);
  return in.status();
}

}  // namespace rein
