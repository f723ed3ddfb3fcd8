#include "world/curved.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/kernels.h"
#include "base/math.h"
#include "base/size.h"
#include "world/keys.h"
#include "world/known_means.h"
#include "world/means.h"
#include "world/unit.h"

namespace rein {
namespace {

constexpr double kPi = 3.141592653589793;
constexpr double kRootTwo = 1.4142135623730951;
constexpr double kAlmostOne = 1.0 - 1e-12;  // so that rounding never moves a context over 1
constexpr double kSafeSlope = 0.1;

double sign(double x) { return x < 0.0 ? -1.0 : 1.0; }
double half_sine(double x) { return cos(0.5 * kPi * (x - 1.0)); }  // sin(pi x / 2)

class Curved final : public KnownMeans {
 public:
  Curved(const CurvedOptions& options, const Shape& shape, const Noise& noise, std::uint64_t seed,
         std::int64_t rounds)
      : KnownMeans(shape, noise, rounds),
        seed_(seed),
        cube_(options.cube),
        spread_(options.spread),
        context_(as_size(shape.context)) {}
  bool iid() const override { return true; }

 private:
  void arrange(std::int64_t t) override {
    const std::size_t n = as_size(cube_);
    const bool constant = context_.size() > n;
    Rng rng = world_rng(seed_, Purpose::kContexts);
    rng.set_counter(static_cast<std::uint64_t>(t) * n);
    const double scale = (constant ? kRootHalf : 1.0) * kAlmostOne / std::sqrt(cube_);
    if (constant) context_[0] = kRootHalf;
    for (std::size_t j = context_.size() - n; j < context_.size(); ++j) {
      const double xi = 2.0 * rng.uniform() - 1.0;
      context_[j] = scale * (spread_ == 1.0 ? xi : 1.0 - spread_ + spread_ * xi);
    }
    round_ = {.actions = shape().actions, .context = context_};
  }

  std::uint64_t seed_;
  int cube_;
  double spread_;
  std::vector<double> context_;
};

}  // namespace

CurvedMeans::CurvedMeans(const CurvedOptions& options, std::uint64_t seed) : options_(options) {
  Rng rng = world_rng(seed, Purpose::kParameters);
  for (int i = 0; i < options.actions * (options.costs + 1); ++i) {
    Curve curve;
    curve.p = static_cast<int>(rng.below(options.cube));
    curve.q = static_cast<int>(rng.below(options.cube));
    curve.r = (curve.q + 1 + static_cast<int>(rng.below(options.cube - 1))) % options.cube;
    curve.first = 0.5 * rng.rademacher();
    curve.second = 0.5 * rng.rademacher();
    curves_.push_back(curve);
    for (double value : random_unit(rng, options.cube)) w_.push_back(value);
  }
}

double CurvedMeans::unit(std::span<const double> context, int action, int head) const {
  const int n = options_.cube;
  const std::size_t at = as_size(action) * as_size(options_.costs + 1) + as_size(head);
  const std::span<const double> shown = context.last(as_size(n));
  const double unscale = options_.constant ? kRootTwo : 1.0;
  const double side = unscale * std::sqrt(n);
  const auto xi = [&](int j) {
    const double number = side * shown[as_size(j)];
    const double wide = options_.spread == 1.0
                            ? number
                            : (number - (1.0 - options_.spread) * kAlmostOne) / options_.spread;
    return std::clamp(wide, -1.0, 1.0);
  };
  const Curve& curve = curves_[at];
  const double x = xi(curve.p);
  const double y = xi(curve.q);
  const double z = xi(curve.r);
  const double bend = options_.steps
                          ? curve.first * sign(0.5 - std::abs(x)) + curve.second * sign(y * z)
                          : curve.first * cos(kPi * x) + curve.second * half_sine(y) * half_sine(z);
  double line = 0.0;
  if (options_.linear != 0.0) {
    const double* w = w_.data() + at * as_size(n);
    line = unscale * kernels().dot(w, shown.data(), n);
    if (options_.spread != 1.0) {
      double all = 0.0;
      for (int j = 0; j < n; ++j) all += w[j];
      line = (line - all * (1.0 - options_.spread) * kAlmostOne / std::sqrt(n)) / options_.spread;
    }
  }
  return std::clamp(options_.linear * line + options_.curved * bend, -1.0, 1.0);
}

void CurvedMeans::evaluate(int, const Round& round, int action, std::span<double> out) const {
  const int id = round.id(action);
  double costs = 0.0;  // all costs: the reward needs their mean, whatever heads are asked for
  for (int i = 1; i <= options_.costs; ++i) {
    const double q = unit(round.context, id, i);
    double cost = options_.positive ? 0.5 * (1.0 + q) : q;
    if (id == 0)
      cost = options_.positive ? options_.safe * cost : -options_.margin + kSafeSlope * (q - 1.0);
    costs += cost;
    if (as_size(i) < out.size()) out[as_size(i)] = cost;
  }
  const double q = unit(round.context, id, 0);
  const double own = options_.positive ? 0.5 * (1.0 + q) : q;
  const double tension = options_.costs > 0 ? options_.tension : 0.0;
  const double mean_cost = options_.costs > 0 ? costs / options_.costs : 0.0;
  if (!out.empty()) out[0] = std::clamp((1.0 - tension) * own + tension * mean_cost, -1.0, 1.0);
}

Result<std::unique_ptr<World>> make_curved(SpecReader& read, CurvedOptions options,
                                           std::uint64_t seed, std::int64_t rounds) {
  options.actions = static_cast<int>(read.integer("k", options.actions, 1, kMaxActions));
  options.costs = static_cast<int>(read.integer("m", options.costs, 0, kMaxCosts));
  options.positive = read.word("costs", "signed", {"signed", "positive"}) == "positive";
  options.steps = read.word("kind", "smooth", {"smooth", "steps"}) == "steps";
  options.margin = read.number("margin", options.margin, {.low = 0.0, .high = 0.5});
  options.tension = read.number("tension", options.tension, {.low = 0.0, .high = 1.0});
  const Noise noise(read, "gaussian", seed);
  Shape shape{.actions = options.actions,
              .context = options.cube + (options.constant ? 1 : 0),
              .costs = cost_shapes(options.costs, options.positive)};
  shape.budgets = read_budgets(read, options.costs, rounds);
  options.safe = read_safe(read, shape.budgets, rounds);
  margin_or_safe(read, options.positive);
  const std::int64_t numbers = std::int64_t{options.actions} * options.cube * shape.heads();
  if (numbers > kMaxWorldNumbers) {
    read.refuse(fmt::format("k={}, d={} and m={} make {} parameters; accepted: at most {}",
                            options.actions, shape.context, options.costs, numbers, kMaxWorldNumbers));
  }
  if (auto done = read.finish(); !done) return done.failure();

  if (options.spread < 1.0) shape.theta = 1.0 + 1.0 / options.spread;
  shape.truth = std::make_shared<CurvedMeans>(options, seed);
  if (options.constant && options.curved > 0.0) {
    CurvedOptions straight = options;
    straight.curved = 0.0;
    shape.nearest = std::make_shared<CurvedMeans>(straight, seed);
  }
  return std::make_unique<Curved>(options, shape, noise, seed, rounds);
}

}  // namespace rein
