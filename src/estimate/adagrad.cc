#include "estimate/adagrad.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/allowance.h"
#include "base/kernels.h"
#include "base/size.h"
#include "rein/bytes.h"

namespace rein {

Result<std::unique_ptr<Oracle>> Adagrad::make(const Spec& spec, const Shape& shape) {
  SpecReader read(spec, "oracle spec");
  const FeatureMap map(read, shape);
  Options options;
  options.radius = read.number("radius", 1.0, {.low = 1e-12, .high = 1e12});
  options.rate = read.number("rate", 0.1 * options.radius, {.low = 1e-12, .high = 1e12});
  const std::size_t doubles =
      2 * as_size(map.parameter_sets()) * as_size(shape.heads()) * as_size(map.size());
  if (doubles > Allowance::doubles()) {
    read.refuse(fmt::format(
        "{} features in {} sets of parameters need {} numbers; adagrad takes at most {}",
        map.size(), map.parameter_sets(), doubles, Allowance::doubles()));
  }
  if (auto done = read.finish(); !done) return done.failure();
  return std::unique_ptr<Oracle>(new Adagrad(map, shape, options));
}

Adagrad::Adagrad(const FeatureMap& map, const Shape& shape, const Options& options)
    : map_(map),
      heads_(shape),
      options_(options),
      scores_(map, heads_.size()),
      theta_(scores_.at(map.parameter_sets(), 0)),
      squares_(theta_.size()),
      loss_(as_size(heads_.size())),
      work_(as_size(map.size()) + scores_.scratch()) {}

void Adagrad::predict(const Round& round, Scratch& scratch, Estimates& estimates) const {
  scores_.all(round, theta_.data(), scratch, estimates);
  for (int h = 0; h < heads_.size(); ++h) {
    for (double& mean : estimates.mean(h)) mean = heads_.from_units(h, mean);
  }
  std::fill(estimates.width().begin(), estimates.width().end(), 0.0);
}

void Adagrad::learn(const Round& round, int action, std::span<const double> outcomes) {
  const int set = map_.set_of(round, action);
  const bool sparse = round.features.empty() && !round.sparse.begin.empty();
  HeadValues score;
  scores_.one(round, action, theta_.data(), work_.data() + map_.size(), score.of(heads_));
  const double* phi = map_.plain_row(round, action);
  if (!phi && !sparse) {
    map_.row(round, action, {work_.data(), as_size(map_.size())});
    phi = work_.data();
  }
  for (int h = 0; h < heads_.size(); ++h) {
    if (std::isnan(outcomes[h])) continue;
    const double miss = heads_.clip_units(h, score[h]) - heads_.to_units(h, outcomes[h]);
    loss_[h] += miss * miss;
    if (miss == 0.0) continue;
    if (sparse) {
      step_sparse(scores_.at(set, h), round, action, 2.0 * miss);
    } else {
      step_dense(scores_.at(set, h), phi, 2.0 * miss);
    }
  }
}

void Adagrad::step_dense(std::size_t at, const double* phi, double slope) {
  kernels().adagrad(theta_.data() + at, squares_.data() + at, phi, map_.size(), slope,
                    options_.rate, options_.radius);
}

void Adagrad::step_sparse(std::size_t at, const Round& round, int action, double slope) {
  const double radius = options_.radius;
  const double rate = options_.rate;
  double* theta = theta_.data() + at;
  double* squares = squares_.data() + at;
  const Kernels& k = kernels();
  k.adagrad(theta, squares, round.context.data(), map_.context(), slope, rate, radius);
  const int begin = round.sparse.begin[action];
  const int count = round.sparse.begin[action + 1] - begin;
  const std::int32_t* index = round.sparse.index.data() + begin;
  const double* value = round.sparse.value.data() + begin;
  const auto step = [&](int offset, double by) {
    k.sparse_adagrad(theta + offset, squares + offset, index, value, count, by, rate, radius);
  };
  step(map_.context(), slope);
  if (map_.kind() == FeatureMap::Kind::kProduct) {
    int offset = map_.products();
    for (double x : round.context) {
      step(offset, slope * x);
      offset += map_.features();
    }
  }
  if (map_.bias()) {
    const double one = 1.0;
    k.adagrad(theta + map_.size() - 1, squares + map_.size() - 1, &one, 1, slope, rate, radius);
  }
}

bool Adagrad::weights(const Round& round, int action, int head, std::vector<Term>& out) const {
  const double* theta = theta_.data() + scores_.at(map_.set_of(round, action), head);
  write_terms(map_, round, action, {theta, as_size(map_.size())}, heads_.unit(head), out);
  return true;
}

double Adagrad::bound(std::int64_t rounds) const {
  const double t = static_cast<double>(rounds);
  const double n = static_cast<double>(map_.size()) * map_.parameter_sets();
  return std::min(4.0 * t, factor() * 4.0 * std::sqrt(map_.norm_squared() * n * t));
}

double Adagrad::regret() const {
  double worst = 0.0;
  for (int h = 0; h < heads_.size(); ++h) {
    double roots = 0.0;
    for (int set = 0; set < map_.parameter_sets(); ++set) {
      const double* squares = squares_.data() + scores_.at(set, h);
      for (int i = 0; i < map_.size(); ++i) roots += std::sqrt(squares[i]);
    }
    worst = std::max(worst, std::min(loss_[h], factor() * roots));
  }
  return worst;
}

void Adagrad::save(ByteWriter& out) const {
  out.state("adagrad", heads_.known(map_.size(), map_.parameter_sets()), theta_, squares_, loss_);
}

Result<> Adagrad::load(ByteReader& in) {
  const int sets = map_.parameter_sets();
  auto read = in.state("adagrad", heads_.known(map_.size(), in.saved(sets)),
                       in.saved(theta_, sets), in.saved(squares_, sets), loss_);
  in.put_back();
  return read;
}

}  // namespace rein
