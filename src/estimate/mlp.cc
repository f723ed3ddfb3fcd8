#include "estimate/mlp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/allowance.h"
#include "base/kernels.h"
#include "base/math.h"
#include "rein/bytes.h"
#include "rein/rng.h"

namespace rein {
namespace {

constexpr int kMaxLayers = 8;
constexpr int kMaxUnits = 4096;
constexpr double kMaxInput = 4.0;  // limit of |z|
constexpr double kMaxWeight = 16.0;
constexpr double kMaxSlope = 4.0;      // limit of the slope of a hidden unit, in the backward pass
constexpr double kFirstSquare = 0.01;  // G before the first round
constexpr double kLeak = 0.01;         // slope of relu below 0, so that no unit dies

}  // namespace

std::size_t Mlp::weights_of(const std::vector<int>& hidden, int inputs, int heads) {
  std::size_t total = 0;
  int in = inputs;
  for (int units : hidden) {
    total += as_size(in + 1) * as_size(units);
    in = units;
  }
  return total + as_size(in + inputs + 1) * as_size(heads);
}

Mlp::Options Mlp::options_of(SpecReader& read) {
  Options options;
  const std::vector<double> hidden = read.numbers("hidden", {.low = 1.0, .high = kMaxUnits});
  for (double units : hidden) {
    if (units != std::floor(units)) read.refuse("key \"hidden\" takes whole numbers of units");
    options.hidden.push_back(static_cast<int>(units));
  }
  if (options.hidden.empty()) options.hidden = {32, 32};
  if (options.hidden.size() > kMaxLayers) {
    read.refuse(fmt::format("key \"hidden\" has {} layers; at most {} are accepted",
                            options.hidden.size(), kMaxLayers));
  }
  options.rate = read.number("rate", 0.2, {.above = 0.0, .high = 10.0});
  options.tanh = read.word("activation", "relu", {"relu", "tanh"}) == "tanh";
  options.seed = static_cast<std::uint64_t>(read.integer("seed", 1, 0, kMaxHorizon));
  return options;
}

Result<std::unique_ptr<Oracle>> Mlp::make(const Spec& spec, const Shape& shape) {
  SpecReader read(spec, "oracle spec");
  const FeatureMap map(read, shape, "joint");
  const Options options = options_of(read);
  const std::size_t doubles =
      2 * as_size(map.parameter_sets()) *
      (weights_of(options.hidden, map.size(), shape.heads()) + as_size(map.size()));
  if (doubles > Allowance::doubles()) {
    read.refuse(fmt::format(
        "{} features in {} networks need {} numbers; mlp takes at most {}; accepted: fewer, "
        "smaller hidden layers, or adagrad",
        map.size(), map.parameter_sets(), doubles, Allowance::doubles()));
  }
  if (auto done = read.finish(); !done) return done.failure();
  return std::unique_ptr<Oracle>(new Mlp(map, shape, options));
}

// The values of one run are stored as h_1 1 h_2 1 ... h_last z 1. The output layer reads the last
// hidden layer, z and a constant in one row. The first layer reads z and the constant.
Mlp::Mlp(const FeatureMap& map, const Shape& shape, const Options& options)
    : map_(map), heads_(shape), options_(options) {
  const int d = map.size();
  int in = d;
  std::size_t at = 0;
  for (std::size_t i = 0; i < options.hidden.size(); ++i) {
    const int units = options.hidden[i];
    layers_.push_back({.in = in + 1, .out = units, .weights = set_size_, .input = 0, .output = at});
    if (i > 0) layers_[i].input = layers_[i - 1].output;
    set_size_ += as_size(in + 1) * as_size(units);
    at += as_size(units) + (i + 1 < options.hidden.size() ? 1 : 0);
    in = units;
  }
  z_ = layers_[0].input = at;
  layers_.push_back({.in = in + d + 1,
                     .out = heads_.size(),
                     .weights = set_size_,
                     .input = layers_.back().output,
                     .output = 0});
  set_size_ += as_size(in + d + 1) * as_size(heads_.size());
  values_ = z_ + as_size(d) + 1;
  for (Layer& layer : layers_) layer.rate = options.rate / std::sqrt(layer.in);
  const std::size_t sets = as_size(map.parameter_sets());
  weights_.resize(sets * set_size_);
  squares_.assign(sets * set_size_, kFirstSquare);
  sizes_.resize(sets * as_size(d));
  counts_.resize(sets * as_size(d));
  loss_.resize(as_size(heads_.size()));
  int widest = 0;
  for (const Layer& layer : layers_) widest = std::max(widest, layer.in);
  work_.resize(values_ + as_size(d) + 3 * as_size(widest));
  start(options.seed);
}

void Mlp::start(std::uint64_t seed) {
  for (int set = 0; set < map_.parameter_sets(); ++set) {
    Rng rng(seed, static_cast<std::uint64_t>(set));
    double* weight = weights_.data() + as_size(set) * set_size_;
    for (std::size_t i = 0; i + 1 < layers_.size(); ++i) {
      const double spread = std::sqrt(2.0 / layers_[i].in);
      for (int row = 0; row < layers_[i].out; ++row) {
        for (int j = 0; j + 1 < layers_[i].in; ++j) *weight++ = spread * rng.normal();
        *weight++ = 0.0;
      }
    }
  }
}

double Mlp::activate(double x) const {
  if (!options_.tanh) return x > 0.0 ? x : kLeak * x;
  const double e = exp(-2.0 * std::abs(x));
  return std::copysign((1.0 - e) / (1.0 + e), x);
}

double Mlp::slope(double activated) const {
  if (!options_.tanh) return activated > 0.0 ? 1.0 : kLeak;
  return 1.0 - activated * activated;
}

// A coordinate that was never seen has size 1.
void Mlp::scale(int set, std::span<const double> phi, double* z) const {
  const double* sizes = sizes_.data() + as_size(set) * phi.size();
  for (std::size_t j = 0; j < phi.size(); ++j) {
    const double size = sizes[j] > 0.0 ? std::sqrt(sizes[j]) : 1.0;
    z[j] = std::clamp(phi[j] / size, -kMaxInput, kMaxInput);
  }
}

// Zeros carry no information about a size. One extreme number may change it only by a bounded
// factor.
void Mlp::grow_scale(int set, std::span<const double> phi) {
  double* sizes = sizes_.data() + as_size(set) * phi.size();
  double* counts = counts_.data() + as_size(set) * phi.size();
  for (std::size_t j = 0; j < phi.size(); ++j) {
    const double square = phi[j] * phi[j];
    if (square == 0.0) continue;
    counts[j] += 1.0;
    const double taken =
        counts[j] == 1.0 ? square : std::clamp(square, 0.25 * sizes[j], 4.0 * sizes[j]);
    sizes[j] += (taken - sizes[j]) / counts[j];
  }
}

void Mlp::forward(int set, double* values, std::span<double> out) const {
  const double* weights = weights_.data() + as_size(set) * set_size_;
  values[values_ - 1] = 1.0;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    const bool last = i + 1 == layers_.size();
    double* to = last ? out.data() : values + layer.output;
    kernels().dots(weights + layer.weights, as_size(layer.in), layer.out, layer.in,
                   values + layer.input, to);
    if (last) return;
    for (int j = 0; j < layer.out; ++j) to[j] = activate(to[j]);
    if (i + 2 < layers_.size()) to[layer.out] = 1.0;
  }
}

void Mlp::predict(const Round& round, Scratch& scratch, Estimates& estimates) const {
  const std::span<double> phi = scratch.take(as_size(map_.size()));
  const std::span<double> values = scratch.take(values_);
  HeadValues score;
  for (int a = 0; a < round.actions; ++a) {
    const int set = map_.set_of(round, a);
    map_.row(round, a, phi);
    scale(set, phi, values.data() + z_);
    forward(set, values.data(), score.of(heads_));
    for (int h = 0; h < heads_.size(); ++h) {
      estimates.mean(h)[a] = heads_.from_units(h, score[h]);
    }
  }
  std::fill(estimates.width().begin(), estimates.width().end(), 0.0);
}

void Mlp::learn(const Round& round, int action, std::span<const double> outcomes) {
  const int set = map_.set_of(round, action);
  const std::span<double> phi{work_.data(), as_size(map_.size())};
  double* values = work_.data() + map_.size();
  map_.row(round, action, phi);
  scale(set, phi, values + z_);
  HeadValues score;
  forward(set, values, score.of(heads_));
  for (int h = 0; h < heads_.size(); ++h) {
    if (std::isnan(outcomes[h])) {
      score[h] = 0.0;  // no slope: only the heads that came move the weights
      continue;
    }
    const double miss = heads_.clip_units(h, score[h]) - heads_.to_units(h, outcomes[h]);
    loss_[h] += miss * miss;
    score[h] = 2.0 * miss;
  }
  backward(set, values, score.of(heads_));
  grow_scale(set, phi);
}

// From the last layer to the first: computes the slope of a layer's input with the old weights,
// then updates the weights.
void Mlp::backward(int set, const double* values, std::span<double> slopes) {
  const std::size_t base = as_size(set) * set_size_;
  const std::size_t widest = (work_.size() - values_ - as_size(map_.size())) / 3;
  const double* zeros = work_.data() + map_.size() + values_;
  double* spare[2] = {work_.data() + (work_.size() - 2 * widest),
                      work_.data() + (work_.size() - widest)};
  const double* slope_out = slopes.data();
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const Layer& layer = layers_[i];
    double* weights = weights_.data() + base + layer.weights;
    double* slope_in = spare[i % 2];
    const double* input = values + layer.input;
    if (i > 0) {
      kernels().fold(zeros, weights, layer.out, layer.in, slope_out, slope_in);
      const int units = layers_[i - 1].out;
      for (int j = 0; j < units; ++j) {
        slope_in[j] = std::clamp(slope_in[j] * slope(input[j]), -kMaxSlope, kMaxSlope);
      }
    }
    for (int row = 0; row < layer.out; ++row) {
      if (slope_out[row] == 0.0) continue;
      const std::size_t at = as_size(row) * as_size(layer.in);
      kernels().adagrad(weights + at, squares_.data() + base + layer.weights + at, input, layer.in,
                        slope_out[row], layer.rate, kMaxWeight);
    }
    slope_out = slope_in;
  }
}

double Mlp::bound(std::int64_t rounds) const {
  double width = 0.0;
  for (int h = 0; h < heads_.size(); ++h) width = std::max(width, heads_.width(h));
  return width * width * static_cast<double>(rounds);
}

double Mlp::regret() const { return *std::max_element(loss_.begin(), loss_.end()); }

std::vector<Known> Mlp::known() const {
  const auto shared = heads_.known(map_.size(), map_.parameter_sets());
  std::vector<Known> all(shared.begin(), shared.end());
  all.push_back({"hidden layers", static_cast<std::int64_t>(options_.hidden.size())});
  for (int units : options_.hidden) all.push_back({"units", units});
  return all;
}

void Mlp::save(ByteWriter& out) const {
  out.state("mlp", known(), weights_, squares_, sizes_, counts_, loss_);
}

Result<> Mlp::load(ByteReader& in) {
  return in.state("mlp", known(), weights_, squares_, sizes_, counts_, loss_);
}

}  // namespace rein
