#include "policy/upper_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/size.h"
#include "base/units.h"
#include "policy/common.h"
#include "policy/plan.h"
#include "rein/oracle.h"
#include "tuning/coordinates.h"
#include "tuning/ellipsoid.h"

namespace rein {
namespace {

// Features, and numbers of all ellipsoids (32 MiB): a refresh takes d^3 per cost.
constexpr int kMostFeatures = 128;
constexpr std::size_t kMostNumbers = std::size_t{1} << 22;

class OracleBounds final : public UpperBounds {
 public:
  OracleBounds(const Shape& shape, std::unique_ptr<Oracle> oracle, const Confidence& confidence)
      : shape_(shape), oracle_(std::move(oracle)), confidence_(confidence) {}

  std::size_t scratch() const override { return oracle_->scratch(); }
  void write(const Round& round, Scratch& scratch, Decision& decision,
             std::span<double> out) const override {
    decision.prepare(shape_.heads(), round.actions);
    oracle_->predict(round, scratch, decision.estimates);
    write_upper(shape_, decision.estimates, confidence_.radius(learned_), out);
  }
  void learn(const Round& round, int action, std::span<const double> heads) override {
    oracle_->learn(round, action, heads);
    ++learned_;
  }
  void save(ByteWriter& out) const override {
    out.i64(learned_);
    oracle_->save(out);
  }
  Result<> load(ByteReader& in) override {
    learned_ = in.count();
    return oracle_->load(in);
  }

 private:
  Shape shape_;
  std::unique_ptr<Oracle> oracle_;
  Confidence confidence_;
  std::int64_t learned_ = 0;
};

// While coordinates are not fixed, and of numbers that no outcome has shown, the bound is the largest cost.
class RangeBounds final : public UpperBounds {
 public:
  RangeBounds(const Shape& shape, const Confidence& confidence)
      : coordinates_(shape), phi_(as_size(coordinates_.map().size())), psi_(phi_.size()) {
    const int sets = coordinates_.map().parameter_sets();
    const double all = sets * static_cast<double>(shape.costs.size());
    for (const CostShape& cost : shape.costs) {
      const double unit = unit_of(cost.range);
      costs_.push_back({.range = cost.range, .unit = unit});
      const Range range{cost.range.low / unit, cost.range.high / unit};
      costs_.back().sets.assign(
          as_size(sets), Ellipsoid(coordinates_.map().size(), {range}, confidence.delta / all));
      for (Ellipsoid& set : costs_.back().sets) set.scale_radius(confidence.scale);
    }
  }
  static bool fits(const Shape& shape) {
    const FeatureMap map = plain_map(shape);
    const std::size_t all = as_size(map.parameter_sets()) * shape.costs.size();
    return map.size() <= kMostFeatures && Ellipsoid::size(map.size(), 1) <= kMostNumbers / all;
  }

  std::size_t scratch() const override { return 2 * phi_.size(); }
  void write(const Round& round, Scratch& scratch, Decision&,
             std::span<double> out) const override {
    const std::span<double> phi = scratch.take(phi_.size());
    const std::span<double> psi = scratch.take(psi_.size());
    const std::size_t n = as_size(round.actions);
    for (int a = 0; a < round.actions; ++a) {
      if (coordinates_.fixed() && (a == 0 || !coordinates_.alike())) {
        coordinates_.write(round, a, phi, psi);
      }
      for (std::size_t i = 0; i < costs_.size(); ++i) {
        const Cost& cost = costs_[i];
        double& most = out[i * n + as_size(a)];
        most = cost.range.high;
        if (!coordinates_.fixed()) continue;
        const Ellipsoid& set = cost.sets[as_size(coordinates_.map().set_of(round, a))];
        most = std::min(most, cost.unit * set.bounds(psi.data(), 0).high);
      }
    }
  }
  void learn(const Round& round, int action, std::span<const double> heads) override {
    if (!coordinates_.fixed()) {
      if (!coordinates_.collect(round, phi_)) return;
      for (Cost& cost : costs_) {
        for (Ellipsoid& set : cost.sets) set.set_shown(coordinates_.shown());
      }
      return;
    }
    coordinates_.write(round, action, phi_, psi_);
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      if (is_missing(heads[i + 1])) continue;
      const double y = heads[i + 1] / costs_[i].unit;
      costs_[i].sets[as_size(coordinates_.map().set_of(round, action))].learn(psi_.data(), {&y, 1});
    }
  }
  void save(ByteWriter& out) const override {
    out.tag("range bounds");
    out.parts(coordinates_);
    for (const Cost& cost : costs_) {
      for (const Ellipsoid& set : cost.sets) set.save(out);
    }
  }
  Result<> load(ByteReader& in) override {
    in.tag("range bounds");
    in.parts(coordinates_);
    for (Cost& cost : costs_) {
      for (Ellipsoid& set : cost.sets) set.load(in);
    }
    return in.status();
  }

 private:
  struct Cost {
    Range range;
    double unit = 1.0;
    std::vector<Ellipsoid> sets = {};
  };
  Coordinates coordinates_;
  std::vector<Cost> costs_;
  std::vector<double> phi_, psi_;
};

}  // namespace

void write_upper(const Shape& shape, const Estimates& said, double radius, std::span<double> out) {
  const std::size_t n = as_size(said.actions());
  for (std::size_t i = 0; i < shape.costs.size(); ++i) {
    const Range& range = shape.costs[i].range;
    const double unit = unit_of(range);
    const int head = static_cast<int>(i) + 1;
    const std::span<const double> mean = said.mean(head), width = said.width(head);
    for (std::size_t a = 0; a < n; ++a) {
      out[i * n + a] = std::min(range.high, mean[a] + unit * radius * half_width(width[a]));
    }
  }
}

Result<std::unique_ptr<UpperBounds>> make_upper_bounds(const Spec& oracle, Confidence confidence,
                                                       const Shape& shape, const Own& own) {
  if (oracle.name == "none") {
    if (!RangeBounds::fits(shape)) {
      return Error{
          fmt::format("policy spec: bounds from ranges are for at most {} features, and fewer of "
                      "them with many "
                      "actions or costs; accepted: oracle=ridge",
                      kMostFeatures)};
    }
    return std::make_unique<RangeBounds>(shape, confidence);
  }
  // A plan without a setting, whose oracle learns costs as they come.
  Spec bare("bounds");
  bare.set("oracle", {.is = oracle});
  SpecReader plain(bare, "policy spec");
  const PlanKeys keys(plain, "ridge");
  auto plan = make_plan(keys, shape, Setting::kExpectation, /*reward_only=*/false, own);
  if (!plan) return plan.failure();
  if (auto fits = fit_confidence(plan.value(), keys, confidence); !fits) return fits.failure();
  return std::make_unique<OracleBounds>(shape, std::move(plan.value().oracle), confidence);
}

}  // namespace rein
