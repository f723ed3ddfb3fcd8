#include "estimate/finite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/spec_reader.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr double kEta = 0.125;
constexpr int kMaxFunctions = 1 << 24;

}  // namespace

Result<std::unique_ptr<Oracle>> Finite::make(const Spec& spec, const Shape& shape) {
  SpecReader read(spec, "oracle spec");
  if (auto done = read.finish(); !done) return done.failure();
  if (!shape.functions) {
    return Error{
        "oracle spec: finite needs a list of functions, and the shape has none; accepted: world "
        "finite, or a shape whose functions are set"};
  }
  const int size = shape.functions->size();
  if (size < 1 || size > kMaxFunctions) {
    return Error{fmt::format("oracle spec: the shape has {} functions; finite takes 1 to {}", size,
                             kMaxFunctions)};
  }
  return std::unique_ptr<Oracle>(new Finite(shape));
}

Finite::Finite(const Shape& shape)
    : functions_(shape.functions),
      heads_(shape),
      losses_(at(shape.functions->size(), 0)),
      weights_(losses_.size()),
      values_(losses_.size()),
      loss_(static_cast<std::size_t>(heads_.size())) {
  weigh();
}

void Finite::weigh() {
  const int n = functions_->size();
  for (int h = 0; h < heads_.size(); ++h) {
    double best = losses_[at(0, h)];
    for (int f = 1; f < n; ++f) best = std::min(best, losses_[at(f, h)]);
    double total = 0.0;
    for (int f = 0; f < n; ++f) {
      const double weight = exp(-kEta * (losses_[at(f, h)] - best));
      weights_[at(f, h)] = weight;
      total += weight;
    }
    for (int f = 0; f < n; ++f) weights_[at(f, h)] /= total;
  }
}

void Finite::predict(const Round& round, Scratch&, Estimates& estimates) const {
  const int n = functions_->size();
  HeadValues value, mean;
  for (int a = 0; a < round.actions; ++a) {
    std::fill(mean.of(heads_).begin(), mean.of(heads_).end(), 0.0);
    for (int f = 0; f < n; ++f) {
      functions_->evaluate(f, round, a, value.of(heads_));
      const double* weight = weights_.data() + at(f, 0);
      for (int h = 0; h < heads_.size(); ++h) {
        mean[h] = std::fma(weight[h], heads_.clip(h, value[h]), mean[h]);
      }
    }
    for (int h = 0; h < heads_.size(); ++h) estimates.mean(h)[a] = heads_.clip(h, mean[h]);
  }
  std::fill(estimates.width().begin(), estimates.width().end(), 0.0);
}

void Finite::learn(const Round& round, int action, std::span<const double> outcomes) {
  const int n = functions_->size();
  HeadValues value, y, mean;
  for (int h = 0; h < heads_.size(); ++h) {
    y[h] = heads_.to_units(h, outcomes[h]);
    mean[h] = 0.0;
  }
  for (int f = 0; f < n; ++f) {
    functions_->evaluate(f, round, action, value.of(heads_));
    for (int h = 0; h < heads_.size(); ++h) {
      const double units = heads_.to_units(h, heads_.clip(h, value[h]));
      values_[at(f, h)] = units;
      mean[h] = std::fma(weights_[at(f, h)], units, mean[h]);
    }
  }
  for (int h = 0; h < heads_.size(); ++h) {
    if (std::isnan(y[h])) continue;
    const double miss = heads_.clip_units(h, mean[h]) - y[h];
    loss_[h] += miss * miss;
  }
  for (int f = 0; f < n; ++f) {
    for (int h = 0; h < heads_.size(); ++h) {
      if (std::isnan(y[h])) continue;
      const double miss = values_[at(f, h)] - y[h];
      losses_[at(f, h)] += miss * miss;
    }
  }
  weigh();
}

double Finite::bound(std::int64_t) const { return log(functions_->size()) / kEta; }

double Finite::regret() const {
  double worst = 0.0;
  for (int h = 0; h < heads_.size(); ++h) {
    double best = losses_[at(0, h)];
    for (int f = 1; f < functions_->size(); ++f) best = std::min(best, losses_[at(f, h)]);
    worst = std::max(worst, loss_[h] - best);
  }
  return worst;
}

void Finite::save(ByteWriter& out) const {
  out.state("finite", Known{"functions", functions_->size()}, Known{"heads", heads_.size()},
            losses_, loss_);
}

Result<> Finite::load(ByteReader& in) {
  auto loaded = in.state("finite", Known{"functions", functions_->size()},
                         Known{"heads", heads_.size()}, losses_, loss_);
  weigh();
  return loaded;
}

}  // namespace rein
