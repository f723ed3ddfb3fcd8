#include "estimate/vaw.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/aligned.h"
#include "base/kernels.h"
#include "base/size.h"
#include "rein/bytes.h"

namespace rein {
Result<std::unique_ptr<Oracle>> Vaw::make(const Spec& spec, const Shape& shape) {
  return make_kind(spec, shape, Ridge::Kind::kForward);
}

Result<std::unique_ptr<Oracle>> Vaw::make_ridge(const Spec& spec, const Shape& shape) {
  return make_kind(spec, shape, Ridge::Kind::kPlain);
}

Result<std::unique_ptr<Oracle>> Vaw::make_kind(const Spec& spec, const Shape& shape,
                                               Ridge::Kind kind) {
  SpecReader read(spec, "oracle spec");
  const FeatureMap map(read, shape);
  const double reg = read.number("reg", 1.0, {.low = 1e-12, .high = 1e12});
  if (!Ridge::fits(map.size(), map.parameter_sets(), shape.heads())) {
    read.refuse(fmt::format(
        "{} features in {} sets of parameters need {} numbers; {} takes at most {} features and "
        "{} numbers; accepted: fewer, or adagrad",
        map.size(), map.parameter_sets(),
        Ridge::numbers(map.size(), map.parameter_sets(), shape.heads()), spec.name, kMaxDimension,
        Allowance::doubles()));
  }
  if (auto done = read.finish(); !done) return done.failure();
  return std::unique_ptr<Oracle>(new Vaw(map, shape, reg, kind));
}

Vaw::Vaw(const FeatureMap& map, const Shape& shape, double reg, Ridge::Kind kind)
    : name_(kind == Ridge::Kind::kPlain ? "ridge" : "vaw"),
      map_(map),
      ridge_(map.size(), map.parameter_sets(), Heads(shape), reg, kind),
      phi_(as_size(map.size())) {}

std::size_t Vaw::scratch() const {
  const std::size_t d = as_size(map_.size());
  if (map_.parameter_sets() > 1) return 2 * d;
  return kLineDoubles + Ridge::kGroup * d + ridge_.group_scratch();
}

void Vaw::predict(const Round& round, Scratch& scratch, Estimates& estimates) const {
  if (map_.parameter_sets() > 1) {
    predict_per_action(round, scratch, estimates);
  } else {
    predict_shared(round, scratch, estimates);
  }
}

// A few blocks of eight actions at a time, so that the working set stays in the L1 cache.
void Vaw::predict_shared(const Round& round, Scratch& scratch, Estimates& estimates) const {
  const std::size_t d = as_size(map_.size());
  const std::span<double> columns = take_aligned(scratch, Ridge::kGroup * d);
  const std::span<double> group = scratch.take(ridge_.group_scratch());
  const bool tame = map_.within(round, ridge_.largest_tame());
  for (int first = 0; first < round.actions; first += Ridge::kGroup) {
    const int count = std::min(Ridge::kGroup, round.actions - first);
    for (int lane = 0; lane < count; lane += kLanes) {
      map_.pack(round, first + lane, std::min(kLanes, count - lane),
                columns.data() + as_size(lane) * d);
    }
    ridge_.predict_group(first, count, tame, columns.data(), group.data(), estimates);
  }
}

void Vaw::predict_per_action(const Round& round, Scratch& scratch, Estimates& estimates) const {
  const std::span<double> phi = scratch.take(as_size(map_.size()));
  const std::span<double> y = scratch.take(as_size(map_.size()));
  for (int a = 0; a < round.actions; ++a) {
    map_.row(round, a, phi);
    ridge_.predict_one(map_.set_of(round, a), a, phi.data(), y.data(), estimates);
  }
}

void Vaw::learn(const Round& round, int action, std::span<const double> outcomes) {
  map_.row(round, action, phi_);
  ridge_.learn(map_.set_of(round, action), phi_.data(), outcomes);
}

double Vaw::bound(std::int64_t rounds) const { return ridge_.bound(rounds, map_.norm_squared()); }

WidthSum Vaw::width_sum(std::int64_t rounds) const {
  return ridge_.width_sum(rounds, map_.norm_squared());
}

void Vaw::save(ByteWriter& out) const { out.state(name_, ridge_); }

Result<> Vaw::load(ByteReader& in) { return in.state(name_, ridge_); }

}  // namespace rein
