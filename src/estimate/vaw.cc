#include "estimate/vaw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/aligned.h"
#include "base/kernels.h"
#include "base/math.h"
#include "base/size.h"
#include "base/units.h"
#include "rein/bytes.h"

namespace rein {
namespace {

// What features=both would predict, by an oracle that learns it beside its own.
class Around final : public Oracle, public OracleAbilities {
 public:
  explicit Around(const Vaw& of) : of_(of) {}
  void predict(const Round& round, Scratch& scratch, Estimates& estimates) const override {
    of_.predict_both(round, scratch, estimates);
  }
  std::size_t scratch() const override { return of_.scratch(); }
  void learn(const Round&, int, std::span<const double>) override {}
  double bound(std::int64_t rounds) const override { return of_.bound(rounds); }
  double regret() const override { return kNan; }
  int dimension() const override { return of_.dimension(); }
  bool weights(const Round& round, int action, int head, std::vector<Term>& out) const override {
    of_.weights_both(round, action, head, out);
    return true;
  }
  const OracleAbilities& abilities() const override { return *this; }
  void save(ByteWriter&) const override {}
  Result<> load(ByteReader&) override { return {}; }

 private:
  const Vaw& of_;
};

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
  auto made = make_kind(spec, shape, Ridge::Kind::kForward, /*often=*/true);
  if (!made) return made.failure();
  return std::unique_ptr<Oracle>(std::move(made).value());
}

Result<std::unique_ptr<Oracle>> Vaw::make_ridge(const Spec& spec, const Shape& shape) {
  auto made = make_kind(spec, shape, Ridge::Kind::kPlain, /*often=*/true);
  if (!made) return made.failure();
  return std::unique_ptr<Oracle>(std::move(made).value());
}

Result<std::unique_ptr<Vaw>> Vaw::make_kind(const Spec& spec, const Shape& shape,
                                            Ridge::Kind kind, bool often) {
  SpecReader read(spec, "oracle spec");
  const FeatureMap map(read, shape, "product", FeatureMap::Both::kTaken);
  const bool level = read.flag("level", true);
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
  std::unique_ptr<Vaw> vaw(new Vaw(map, shape, reg, kind, memory.outcomes, forward, level));
  if (memory.notices) vaw->change_.emplace(map.size(), map.parameter_sets(), shape, often);
  return vaw;
}

Vaw::Vaw(const FeatureMap& map, const Shape& shape, double reg, Ridge::Kind kind, double memory,
         double forward, bool level)
    : name_(kind == Ridge::Kind::kPlain ? "ridge" : "vaw"),
      map_(map),
      units_(units_of(shape)),
      ridge_(map.size(), map.parameter_sets(), Heads(shape), reg, kind, memory, forward),
      phi_(as_size(map.size())),
      memory_(std::isfinite(memory) ? memory : 0.0),
      predicted_(as_size(shape.heads())) {
  if (!map.both()) return;
  reg_ = reg;
  theta_squared_ = Heads(shape).theta_squared();
  centre_.emplace(map, shape, reg, level);
  loss_.resize(as_size(shape.heads()));
  work_.resize(2 * as_size(map.size()));
  one_.prepare(shape.heads(), 1);
}

std::size_t Vaw::scratch() const {
  const std::size_t d = as_size(map_.size());
  const std::size_t around = centre_ ? 3 * d : 0;
  const std::size_t own = map_.parameter_sets() > 1
                              ? 2 * d
                              : kLineDoubles + Ridge::kGroup * d + ridge_.group_scratch();
  return std::max(around, own);  // a race may ask for either
}

void Vaw::predict(const Round& round, Scratch& scratch, Estimates& estimates) const {
  if (centre_ && !plain_) return predict_both(round, scratch, estimates);
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

void Vaw::predict_both(const Round& round, Scratch& scratch, Estimates& estimates) const {
  ridge_.begin(estimates);
  const std::span<double> phi = scratch.take(as_size(map_.size()));
  const std::span<double> y = scratch.take(2 * as_size(map_.size()));
  for (int a = 0; a < round.actions; ++a) {
    if (a == 0 || map_.features() > 0) map_.row(round, a, phi);
    ridge_.predict_around(map_.set_of(round, a), a, phi.data(), centre_->theta(0).data(), y.data(),
                          estimates);
  }
}

void Vaw::learn(const Round& round, int action, std::span<const double> outcomes) {
  map_.row(round, action, phi_);
  if (centre_ && !plain_) add_loss(round, action, outcomes);
  if (centre_) centre_->learn(map_.set_of(round, action), phi_.data(), outcomes);
  const int set = map_.set_of(round, action);
  ridge_.learn(set, phi_.data(), outcomes, predicted_);
  if (change_) notice(set, outcomes);
}

void Vaw::add_loss(const Round& round, int action, std::span<const double> outcomes) {
  ridge_.begin(one_);
  ridge_.predict_around(map_.set_of(round, action), 0, phi_.data(), centre_->theta(0).data(),
                        work_.data(), one_);
  for (std::size_t h = 0; h < outcomes.size(); ++h) {
    if (std::isnan(outcomes[h])) continue;
    const double miss = (one_.mean(static_cast<int>(h))[0] - outcomes[h]) / units_[h];
    loss_[h] += miss * miss;
  }
}

std::unique_ptr<Oracle> Vaw::around() const {
  return centre_ ? std::make_unique<Around>(*this) : nullptr;
}

double Vaw::regret() const {
  if (!centre_ || plain_ || ridge_.forgot()) return ridge_.regret();
  double worst = 0.0;
  for (std::size_t h = 0; h < loss_.size(); ++h) {
    worst = std::max(worst, loss_[h] - ridge_.best_loss(static_cast<int>(h)));
  }
  return worst + ridge_.class_term();
}

std::optional<double> Vaw::free_regret() const {
  const std::vector<double> best = ridge_.free_losses();
  if (best.empty()) return kNan;
  double worst = 0.0;
  for (std::size_t h = 0; h < best.size(); ++h) {
    const int head = static_cast<int>(h);
    worst = std::max(worst, (centre_ && !plain_ ? loss_[h] : ridge_.loss(head)) - best[h]);
  }
  return worst;
}

// A part of an outcome counts as its share of the heads.
void Vaw::notice(int set, std::span<const double> outcomes) {
  HeadValues widths;
  double whole[1 + kMaxCosts];  // predictions without the division, which is a bias that a correction finds
  double came = 0.0;
  for (std::size_t h = 0; h < outcomes.size(); ++h) {
    if (std::isnan(outcomes[h])) continue;
    const int head = static_cast<int>(h);
    came += 1.0;
    whole[h] = predicted_[h] * ridge_.shrink(ridge_.grown(head));
    widths[head] = 1.0 - 1.0 / ridge_.grown(head);
  }
  learned_ += came / static_cast<double>(outcomes.size());
  const auto found = change_->learn(set, phi_.data(), {whole, outcomes.size()}, outcomes, widths);
  if (!found) return;
  seen_ = {
      .times = seen_.times + 1, .round = static_cast<std::int64_t>(learned_), .head = found->head};
  change_->hand_over(*found, ridge_);
}

std::optional<Changes> Vaw::change() const {
  return change_ ? std::optional<Changes>(seen_) : std::nullopt;
}

bool Vaw::weights(const Round& round, int action, int head, std::vector<Term>& out) const {
  write_weights(round, action, head, centre_ && !plain_, out);
  return true;
}

void Vaw::weights_both(const Round& round, int action, int head, std::vector<Term>& out) const {
  write_weights(round, action, head, true, out);
}

void Vaw::write_weights(const Round& round, int action, int head, bool around,
                        std::vector<Term>& out) const {
  std::vector<double> theta(as_size(map_.size()));
  const double* centre = around ? centre_->theta(head).data() : nullptr;
  ridge_.weights(map_.set_of(round, action), head, centre, theta);
  write_terms(map_, round, action, theta, units_[as_size(head)], out);
}

// What the centre adds to a prediction is at most (sqrt(reg w) + w L) |theta_0| / (1 + w). Its
// square is at most 2 (reg + L^2) |theta_0|^2 w / (1 + w), and these widths sum to at most
// width_sum().
double Vaw::bound(std::int64_t rounds) const {
  const double alone = ridge_.bound(rounds, map_.norm_squared());
  if (!centre_ || plain_) return alone;
  return 2.0 * alone + 4.0 * (reg_ + map_.norm_squared()) * theta_squared_ * width_sum(rounds).sum;
}

WidthSum Vaw::width_sum(std::int64_t rounds) const {
  return ridge_.width_sum(rounds, map_.norm_squared());
}

void Vaw::save(ByteWriter& out) const {
  out.state(name_, ridge_);
  if (centre_) out.parts(*centre_, loss_);
  if (!change_) return;
  change_->save(out);
  out.f64(learned_);
  for (std::int64_t n : {seen_.times, seen_.round, std::int64_t{seen_.head}}) out.i64(n);
}

Result<> Vaw::load(ByteReader& in) {
  auto done = in.state(name_, ridge_);
  if (centre_) in.parts(*centre_, loss_);
  if (!change_) return in.status();
  change_->load(in);
  in.parts(learned_);
  seen_ = {.times = in.i64(), .round = in.i64()};
  seen_.head = static_cast<int>(in.i64());
  return in.status();
}

}  // namespace rein
