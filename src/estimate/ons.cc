#include "estimate/ons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/allowance.h"
#include "base/kernels.h"
#include "base/math.h"
#include "base/size.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr int kMaxDimension = 16'384;
constexpr double kSigma = 0.125;

// theta -= by v
void move(double* theta, const double* v, int d, double by) {
  for (int i = 0; i < d; ++i) theta[i] = std::fma(-by, v[i], theta[i]);
}

}  // namespace

Result<std::unique_ptr<Oracle>> Ons::make(const Spec& spec, const Shape& shape) {
  SpecReader read(spec, "oracle spec");
  const FeatureMap map(read, shape);
  const Options options{.reg = read.number("reg", 8.0, {.low = 1e-12, .high = 1e12})};
  const std::size_t doubles = as_size(map.parameter_sets()) * as_size(shape.heads()) *
                              (packed_size(map.size()) + as_size(map.size()));
  if (map.size() > kMaxDimension || doubles > Allowance::doubles()) {
    read.refuse(
        fmt::format("{} features, {} heads and {} sets of parameters need {} numbers; ons takes at "
                    "most {} features and {} numbers; accepted: fewer, or adagrad",
                    map.size(), shape.heads(), map.parameter_sets(), doubles, kMaxDimension,
                    Allowance::doubles()));
  }
  if (auto done = read.finish(); !done) return done.failure();
  return std::unique_ptr<Oracle>(new Ons(map, shape, options));
}

Ons::Ons(const FeatureMap& map, const Shape& shape, const Options& options)
    : map_(map),
      heads_(shape),
      options_(options),
      tame_(options.reg),
      scores_(map, heads_.size()),
      factors_(map.size(), map.parameter_sets() * heads_.size(), options.reg),
      theta_(scores_.at(map.parameter_sets(), 0)),
      loss_(as_size(heads_.size())),
      squares_(as_size(heads_.size())),
      work_(as_size(7 * map.size() + 8) + scores_.scratch()) {}

void Ons::predict(const Round& round, Scratch& scratch, Estimates& estimates) const {
  scores_.all(round, theta_.data(), scratch, estimates);
  for (int h = 0; h < heads_.size(); ++h) {
    for (double& mean : estimates.mean(h)) mean = heads_.from_units(h, mean);
  }
  std::fill(estimates.width().begin(), estimates.width().end(), 0.0);
}

void Ons::learn(const Round& round, int action, std::span<const double> outcomes) {
  const int set = map_.set_of(round, action);
  double* phi = work_.data();
  map_.row(round, action, {phi, as_size(map_.size())});
  HeadValues score;
  scores_.one(round, action, theta_.data(), work_.data() + 7 * map_.size() + 8, score.of(heads_));
  const double weight = tame_.weight({phi, as_size(map_.size())});
  if (weight != 1.0) {
    for (int j = 0; j < map_.size(); ++j) phi[j] *= weight;
  }
  for (int h = 0; h < heads_.size(); ++h) {
    if (std::isnan(outcomes[h])) continue;
    double* factor = factors_.at(set * heads_.size() + h);
    double* theta = theta_.data() + scores_.at(set, h);
    const double p = heads_.clip_units(h, score[h]);
    const double miss = p - heads_.to_units(h, outcomes[h]);
    loss_[h] += miss * miss;
    if (score[h] != p) project(factor, theta, phi, weight * (score[h] - p));
    if (miss != 0.0) squares_[h] += step(factor, theta, phi, weight * miss);
    squares_[h] += 2.0 * (1.0 - weight * weight) * miss * miss;
  }
}

void Ons::project(const double* factor, double* theta, const double* phi, double excess) {
  const int d = map_.size();
  double* y = work_.data() + d;
  double* v = y + d;
  kernels().solve_one(factor, d, phi, y);
  kernels().solve_transposed(factor, d, y, v);
  const double square = kernels().dot(y, y, d);
  if (square > 0.0) move(theta, v, d, excess / square);
}

double Ons::step(double* factor, double* theta, const double* phi, double miss) {
  const int d = map_.size();
  double* x = work_.data() + d;
  double* v = x + d;
  double* update = v + d;
  const double scale = 2.0 * std::sqrt(kSigma) * miss;
  for (int i = 0; i < d; ++i) x[i] = scale * phi[i];
  const double t = kernels().update(factor, d, x, nullptr, 0, nullptr, update, nullptr);
  kernels().solve_transposed(factor, d, update + 2 * as_size(d), v);  // A^-1 x, A grown
  move(theta, v, d, 1.0 / std::sqrt(kSigma));
  return (t - 1.0) / (t * kSigma);
}

bool Ons::weights(const Round& round, int action, int head, std::vector<Term>& out) const {
  const double* theta = theta_.data() + scores_.at(map_.set_of(round, action), head);
  write_terms(map_, round, action, {theta, as_size(map_.size())}, heads_.unit(head), out);
  return true;
}

double Ons::bound(std::int64_t rounds) const {
  const double sets = map_.parameter_sets();
  const double d = map_.size();
  const double steps = static_cast<double>(rounds) * map_.norm_squared();
  return sets * (0.5 * options_.reg * heads_.theta_squared() +
                 0.5 / kSigma * d * log(1.0 + 16.0 * kSigma * steps / (sets * d * options_.reg)));
}

double Ons::regret() const {
  const double start = 0.5 * options_.reg * heads_.theta_squared() * map_.parameter_sets();
  double worst = 0.0;
  for (int h = 0; h < heads_.size(); ++h) {
    worst = std::max(worst, std::min(loss_[h], start + 0.5 * squares_[h]));
  }
  return worst;
}

void Ons::save(ByteWriter& out) const {
  out.state("ons", heads_.known(map_.size(), map_.parameter_sets()), factors_, theta_, loss_,
            squares_);
}

Result<> Ons::load(ByteReader& in) {
  const int sets = map_.parameter_sets(), saved = in.saved(sets);
  auto read = in.state("ons", heads_.known(map_.size(), saved));
  factors_.load_sets(in, sets);
  in.parts(in.saved(theta_, sets), loss_, squares_);
  in.put_back();
  return read ? in.status() : read;
}

}  // namespace rein
