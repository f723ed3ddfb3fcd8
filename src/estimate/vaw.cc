#include "estimate/vaw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/aligned.h"
#include "base/kernels.h"
#include "base/size.h"
#include "base/units.h"
#include "rein/bytes.h"

namespace rein {
namespace {

struct Memory {
  double outcomes = 0.0;
  bool notices = false;
};

// 0, a number of outcomes, or `auto`.
Memory read_memory(SpecReader& read, const FeatureMap& map, const Shape& shape) {
  const SpecValue* value = read.value("memory");
  if (value == nullptr) return {};
  if (const auto* word = std::get_if<Spec>(&value->is); word != nullptr && word->str() == "auto") {
    if (!Change::fits(map.size(), map.parameter_sets(), shape.heads())) return {};
    return {.outcomes = std::numeric_limits<double>::infinity(), .notices = true};
  }
  const auto* number = std::get_if<double>(&value->is);
  if (number == nullptr || !(*number == 0.0 || (*number >= 2.0 && *number <= 1e12))) {
    read.wrong("memory", *value, "0 (nothing is forgotten), 2 to 1e12 outcomes, or auto");
    return {};
  }
  return {.outcomes = *number};
}

}  // namespace

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
  const Memory memory = read_memory(read, map, shape);
  const bool plain = kind == Ridge::Kind::kPlain;
  const double forward = plain ? 0.0 : read.number("forward", 1.0, {.low = 0.0, .high = 1.0});
  if (!Ridge::fits(map.size(), map.parameter_sets(), shape.heads())) {
    read.refuse(fmt::format(
        "{} features in {} sets of parameters need {} numbers; {} takes at most {} features and "
        "{} numbers; accepted: fewer, or adagrad",
        map.size(), map.parameter_sets(),
        Ridge::numbers(map.size(), map.parameter_sets(), shape.heads()), spec.name, kMaxDimension,
        Allowance::doubles()));
  }
  if (auto done = read.finish(); !done) return done.failure();
  return std::unique_ptr<Oracle>(
      new Vaw(map, shape, reg, kind, memory.outcomes, memory.notices, forward));
}

Vaw::Vaw(const FeatureMap& map, const Shape& shape, double reg, Ridge::Kind kind, double memory,
         bool notices, double forward)
    : name_(kind == Ridge::Kind::kPlain ? "ridge" : "vaw"),
      map_(map),
      units_(units_of(shape)),
      ridge_(map.size(), map.parameter_sets(), Heads(shape), reg, kind, memory, forward),
      phi_(as_size(map.size())),
      memory_(std::isfinite(memory) ? memory : 0.0),
      predicted_(as_size(shape.heads())) {
  if (notices) change_.emplace(map.size(), map.parameter_sets(), shape);
}

std::size_t Vaw::scratch() const {
  const std::size_t d = as_size(map_.size());
  if (map_.parameter_sets() > 1) return 2 * d;
  return kLineDoubles + Ridge::kGroup * d + ridge_.group_scratch();
}

void Vaw::predict(const Round& round, Scratch& scratch, Estimates& estimates) const {
  ridge_.begin(estimates);
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
  const int set = map_.set_of(round, action);
  if (!change_) {
    ridge_.learn(set, phi_.data(), outcomes);
    return;
  }
  ridge_.learn(set, phi_.data(), outcomes, predicted_);
  notice(set, outcomes);
}

// A part of an outcome counts as its share of the heads.
void Vaw::notice(int set, std::span<const double> outcomes) {
  HeadValues widths;
  double came = 0.0;
  for (std::size_t h = 0; h < outcomes.size(); ++h) {
    if (std::isnan(outcomes[h])) continue;
    const int head = static_cast<int>(h);
    came += 1.0;
    // Without the division, which is a bias that a correction would find.
    predicted_[h] *= ridge_.shrink(ridge_.grown(head));
    widths[head] = 1.0 - 1.0 / ridge_.grown(head);
  }
  learned_ += came / static_cast<double>(outcomes.size());
  const auto found = change_->learn(set, phi_.data(), predicted_, outcomes, widths);
  if (!found) return;
  seen_ = {
      .times = seen_.times + 1, .round = static_cast<std::int64_t>(learned_), .head = found->head};
  change_->hand_over(*found, ridge_);
}

std::optional<Changes> Vaw::change() const {
  return change_ ? std::optional<Changes>(seen_) : std::nullopt;
}

bool Vaw::weights(const Round& round, int action, int head, std::vector<Term>& out) const {
  std::vector<double> theta(as_size(map_.size()));
  ridge_.weights(map_.set_of(round, action), head, theta);
  write_terms(map_, round, action, theta, units_[as_size(head)], out);
  return true;
}

double Vaw::bound(std::int64_t rounds) const { return ridge_.bound(rounds, map_.norm_squared()); }

WidthSum Vaw::width_sum(std::int64_t rounds) const {
  return ridge_.width_sum(rounds, map_.norm_squared());
}

void Vaw::save(ByteWriter& out) const {
  out.state(name_, ridge_);
  if (!change_) return;
  change_->save(out);
  out.f64(learned_);
  for (std::int64_t n : {seen_.times, seen_.round, std::int64_t{seen_.head}}) out.i64(n);
}

Result<> Vaw::load(ByteReader& in) {
  auto done = in.state(name_, ridge_);
  if (!done || !change_) return done;
  change_->load(in);
  in.parts(learned_);
  seen_ = {.times = in.i64(), .round = in.i64()};
  seen_.head = static_cast<int>(in.i64());
  return in.status();
}

}  // namespace rein
