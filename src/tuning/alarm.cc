#include "tuning/alarm.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math.h"
#include "base/size.h"
#include "estimate/free_regret.h"
#include "rein/bytes.h"
#include "rein/rng.h"

namespace rein {
namespace {

// A look is one use of the shadow. Looks come every `every` rounds up to round kOften. Then the gap
// grows with the square of the rounds, up to kRarest times the first gap. So a long run pays very
// little: about 23 looks per thousand rounds over the first million, at every = 2.
constexpr double kOften = 16'384.0;
constexpr double kRarest = 64.0;
constexpr double kShadowReg = 1.0;
constexpr double kParts = 3.0;  // parts that share delta
// With more actions than this and no features, all actions share one shadow: it bounds memory.
constexpr int kMostSets = 64;
constexpr std::uint64_t kStream = std::uint64_t{0xB2} << 56;

// Joint if actions have features; one set per action if there is only a context.
FeatureMap shadow_map(const Shape& shape) {
  Spec spec("alarm");
  spec.set("features", {.is = Spec(shape.features > 0 ? "joint" : "per_action")});
  spec.set("bias", {.is = shape.features + shape.context > 0 ? 0.0 : 1.0});
  SpecReader read(spec, "alarm");
  return FeatureMap(read, shape);
}

// The regret of an oracle against a class of any size; `u` without one. What is not known never rings.
double most_of(const Oracle* of, double u) {
  if (of == nullptr) return u;
  const double free = free_regret(*of);
  return std::isnan(free) ? std::numeric_limits<double>::infinity() : std::max(free, u);
}

// A regret against a class of any size takes about d times as long as a look, which is asked for it at one
// look of so many.
std::int64_t asks_every(const Oracle* of) {
  constexpr int kDimensions = 16;
  return of == nullptr ? 1 : 1 + of->dimension() / kDimensions;
}

}  // namespace

Alarm::Alarm(const Shape& shape, const Options& options)
    : options_(options),
      heads_(shape),
      map_(shadow_map(shape)),
      sets_(map_.parameter_sets() <= kMostSets ? map_.parameter_sets() : 1),
      curves_(map_.size(), options.size, options.width, options.seed),
      shadow_(options.size, sets_, residual_heads(shape), kShadowReg),
      log_(log(kParts * heads_.size() / options.delta)),
      cells_(as_size(shape.actions) * as_size(heads_.size())),
      excess_(as_size(heads_.size())),
      work_(as_size(map_.size()) + as_size(options.size) + 3 * as_size(heads_.size())) {}

std::string_view Alarm::word() const {
  return why_ == Why::kQuiet ? "quiet" : why_ == Why::kShadow ? "shadow" : "bias";
}

void Alarm::ring(Why why, int head) {
  if (ringing()) return;
  why_ = why;
  head_ = head;
  since_ = rounds_;
}

void Alarm::learn(const Round& round, int action, std::span<const double> predicted_units,
                  std::span<const double> outcomes, double u, const Oracle* of) {
  ++rounds_;
  const Regret regret{std::max(u, 1.0), of};
  double* y = work_.data() + map_.size() + options_.size;
  for (int h = 0; h < heads_.size(); ++h) {
    y[h] = heads_.to_units(h, outcomes[h]);
    const double miss = y[h] - predicted_units[h];
    if (!std::isnan(miss)) learn_bias(round.id(action), h, miss, regret);
  }
  if (rounds_ < next_) return;
  look(round, action, predicted_units, regret);
  const double past = static_cast<double>(rounds_) / kOften;
  const auto gap =
      static_cast<std::int64_t>(options_.every * std::clamp(past * past, 1.0, kRarest));
  Rng rng(options_.seed, kStream);
  rng.set_counter(static_cast<std::uint64_t>(looks_));
  next_ = rounds_ + 1 + rng.below(2 * gap - 1);  // mean `gap`, without a fixed rhythm
}

void Alarm::learn_bias(int id, int head, double miss, const Regret& regret) {
  Cell& cell = cells_[as_size(id) * as_size(heads_.size()) + as_size(head)];
  cell.plays += 1.0;
  cell.sum += miss;
  cell.squares += miss * miss;
  if (cell.plays < cell.size) return;  // only ends of blocks are looks: L counts those
  const double n = cell.plays;
  const double over = std::abs(cell.sum) - noise_of(cell);
  const auto rings = [&](double u) { return over > std::sqrt(n * (2.0 * u + 8.0 * log_)); };
  if (!ringing() && rings(regret.u) && rings(most_of(regret.of, regret.u))) ring(Why::kBias, head);
  cell = {.size = 2.0 * n};
}

// What the noise of a block may sum to; see alarm.h.
double Alarm::noise_of(const Cell& cell) const {
  const int block = 1 + std::ilogb(cell.plays / Cell::kFirst);
  const int tries = 1 + block / 2;
  const double looks = 2.0 * tries * block * (block + 1.0) * static_cast<double>(cells_.size());
  const double l = log(looks * kParts / options_.delta);
  double least = std::numeric_limits<double>::infinity();
  double x = 0.5;
  for (int j = 0; j < tries; ++j, x /= 2.0) {
    const double psi = -log(1.0 - x) - x;
    least = std::min(least, psi * cell.squares / (2.0 * x) + 2.0 * l / x);
  }
  return least;
}

void Alarm::look(const Round& round, int action, std::span<const double> predicted,
                 const Regret& regret) {
  ++looks_;
  double* z = work_.data();
  double* psi = z + map_.size();
  double* y = psi + options_.size;
  double* residual = y + heads_.size();
  double* correction = residual + heads_.size();
  const std::size_t heads = as_size(heads_.size());
  for (int h = 0; h < heads_.size(); ++h) {
    residual[h] = std::isnan(predicted[h]) ? 0.0 : y[h] - predicted[h];
  }
  map_.row(round, action, {z, as_size(map_.size())});
  curves_.row(0, z, psi, nullptr);
  shadow_.learn(sets_ > 1 ? round.id(action) : 0, psi, {residual, heads}, {correction, heads});
  for (int h = 0; h < heads_.size(); ++h) {
    if (std::isnan(predicted[h])) continue;
    const double theirs = heads_.clip_units(h, predicted[h] + correction[h]) - y[h];
    excess_[as_size(h)] += residual[h] * residual[h] - theirs * theirs;
    const auto rings = [&](double u) { return excess_[as_size(h)] > u + 2.0 * log_; };
    if (ringing() || !rings(regret.u) || looks_ % asks_every(regret.of) != 0) continue;
    if (rings(most_of(regret.of, regret.u))) ring(Why::kShadow, h);
  }
}

void Alarm::save(ByteWriter& out) const {
  out.tag("alarm");
  shadow_.save(out);
  for (const Cell& cell : cells_) out.parts(cell.plays, cell.sum, cell.squares, cell.size);
  out.f64s(excess_);
  for (std::int64_t n : {rounds_, next_, looks_, since_}) out.i64(n);
  out.i64(static_cast<std::int64_t>(why_));
  out.i64(head_);
}

void Alarm::load(ByteReader& in) {
  in.tag("alarm");
  shadow_.load(in);
  const auto actions = static_cast<int>(cells_.size()) / heads_.size();
  for (Cell& cell : in.saved(cells_, actions))
    in.parts(cell.plays, cell.sum, cell.squares, cell.size);
  in.put_back();
  in.f64s(excess_);
  for (std::int64_t* n : {&rounds_, &next_, &looks_}) *n = in.count();
  since_ = in.i64();
  const std::int64_t why = in.i64();
  const std::int64_t head = in.i64();
  if (why < 0 || why > 2 || head < -1 || head >= heads_.size()) {
    in.fail("alarm: the saved head or reason is invalid");
  }
  why_ = in.ok() ? static_cast<Why>(why) : Why::kQuiet;
  head_ = in.ok() ? static_cast<int>(head) : -1;
}

}  // namespace rein
