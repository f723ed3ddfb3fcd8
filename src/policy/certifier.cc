#include "policy/certifier.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math.h"
#include "base/size.h"
#include "estimate/one_action.h"
#include "estimate/unit_features.h"
#include "policy/watch.h"
#include "rein/bytes.h"

namespace rein {
namespace {

// Features, and numbers of all ellipsoids (32 MiB): a refresh takes d^3 per head.
constexpr int kMostFeatures = 128;
constexpr std::size_t kMostNumbers = std::size_t{1} << 22;
// Shares of delta: the noise of rewards, for which a smaller chance costs little, and all
// ellipsoids together.
constexpr double kNoiseDelta = 0.01 * kCertificateDelta;
constexpr double kMeansDelta = 0.99 * kCertificateDelta;
// Multipliers of the long-term bound: 0, and powers of sqrt 2 from 1/16 to 32.
constexpr int kMultipliers = 20;
// Sizes at which the noise of rewards is bounded: 2^-1, ..., 2^-kNoiseSizes.
constexpr int kNoiseSizes = 24;

std::unique_ptr<Oracle> plain_of(const Shape& shape, const FeatureMap& map) {
  Spec spec("vaw");
  spec.set("bias", {.is = map.bias() ? 1.0 : 0.0});
  using Scales = UnitFeatures::Scales;
  return std::make_unique<UnitFeatures>(make_oracle(spec, shape).value(), shape,
                                        map.bias() ? Scales::kCentred : Scales::kSettled);
}

NoCertificate refusal(const Shape& shape, const FeatureMap& map, bool paced) {
  if (!shape.unknown().empty()) return NoCertificate::kRange;
  if (paced) return NoCertificate::kPaces;
  const std::size_t sets = as_size(map.parameter_sets());
  const bool fits = map.size() <= kMostFeatures && Watch::fits(shape) &&
                    Ellipsoid::size(map.size(), shape.heads()) <= kMostNumbers / sets;
  return fits ? NoCertificate::kNone : NoCertificate::kSize;
}

}  // namespace

Costs caps_of(const Terms& terms) {
  if (!terms.rates.empty()) return terms.rates;
  Costs caps(terms.costs);
  for (int i = 0; i < terms.budgets.size(); ++i) {
    caps[i] = terms.budgets[i] / static_cast<double>(std::max<std::int64_t>(terms.rounds, 1));
  }
  return caps;
}

Certifier::Certifier(const Shape& shape, Costs caps, bool paced)
    : heads_(shape),
      none_(refusal(shape, plain_map(shape), paced)),
      caps_(caps.empty() ? Costs(heads_.size() - 1) : caps),
      coordinates_(shape, none_ == NoCertificate::kNone),
      mixture_(shape.actions, heads_.size() - 1) {
  if (none_ != NoCertificate::kNone) return;
  const FeatureMap& map = coordinates_.map();
  const std::vector<Range> ranges = ranges_of(shape);
  for (int h = 0; h < heads_.size(); ++h) {
    const Range& range = ranges[as_size(h)];
    ranges_.push_back({range.low / heads_.unit(h), range.high / heads_.unit(h)});
  }
  const double all = map.parameter_sets() * static_cast<double>(heads_.size());
  sets_.assign(as_size(map.parameter_sets()), Ellipsoid(map.size(), ranges_, kMeansDelta / all));
  plain_ = plain_of(shape, map);
  alarm_.emplace(shape);
  for (int j = 0; j < kMultipliers; ++j) {
    multipliers_.push_back(
        {.x = j == 0 ? 0.0 : std::ldexp(j % 2 == 1 ? 1.0 : std::sqrt(2.0), (j - 1) / 2 - 4)});
  }
  phi_.resize(as_size(map.size()));
  psi_.resize(phi_.size());
  values_.resize(as_size(heads_.size()) * as_size(shape.actions));
  outcomes_.resize(as_size(heads_.size()));
  given_.resize(outcomes_.size());
  predicted_.resize(outcomes_.size());
  scratch_.reset(plain_->scratch());
  estimates_.prepare(heads_.size(), 1);
}

void Certifier::scale_radius(double by) {
  for (Ellipsoid& set : sets_) set.scale_radius(by);
}

const double* Certifier::coordinates(const Round& round, int action) {
  coordinates_.write(round, action, phi_, psi_);
  return psi_.data();
}

void Certifier::write_bounds(const Round& round) {
  const int actions = round.actions;
  const bool alike = coordinates_.alike();
  for (int a = 0; a < actions; ++a) {
    if (coordinates_.fixed() && (a == 0 || !alike)) coordinates(round, a);
    for (int h = 0; h < heads_.size(); ++h) {
      Interval mean{ranges_[as_size(h)].low, ranges_[as_size(h)].high};
      if (coordinates_.fixed()) {
        mean = sets_[as_size(coordinates_.map().set_of(round, a))].bounds(psi_.data(), h);
      }
      values_[as_size(h) * as_size(actions) + as_size(a)] = h == 0 ? mean.high : mean.low;
    }
  }
}

// A choice that must keep the caps earns at most V. Where even the lower bounds on costs keep no
// choice within them, no choice earns more than the largest upper bound.
void Certifier::add_best(int actions) {
  const std::span<const double> values(values_.data(), as_size(heads_.size()) * as_size(actions));
  const std::span<const double> rewards = values.first(as_size(actions));
  const MixtureAnswer answer = mixture_.solve(values, actions, caps_.span());
  best_ += answer.relaxed > 0.0 ? *std::ranges::max_element(rewards) : answer.value;
  double* costs = values_.data() + actions;  // of every action, added up in the first row
  for (int i = 1; i + 1 < heads_.size(); ++i) {
    for (int a = 0; a < actions; ++a) costs[a] += costs[i * actions + a];
  }
  for (Multiplier& each : multipliers_) {
    double most = -std::numeric_limits<double>::infinity();
    const double x = heads_.size() > 1 ? each.x : 0.0;
    for (int a = 0; a < actions; ++a) {
      most = std::max(most,
                      x > 0.0 ? std::fma(-x, costs[a], rewards[as_size(a)]) : rewards[as_size(a)]);
    }
    each.sum += most;
  }
}

void Certifier::watch(const Round& round, int action, std::span<const double> given) {
  const OneAction alone(round, action, coordinates_.map().features());
  scratch_.reset(plain_->scratch());
  plain_->predict(alone.round(), scratch_, estimates_);
  for (int h = 0; h < heads_.size(); ++h) {
    predicted_[as_size(h)] = heads_.to_units(h, estimates_.mean(h)[0]);
  }
  plain_->learn(round, action, given);
  alarm_->learn(round, action, predicted_, given, plain_->regret(), plain_.get());
  if (alarm_->ringing()) none_ = NoCertificate::kAlarm;
}

void Certifier::add(const Round& round, int action, const Outcome& outcome) {
  if (none_ != NoCertificate::kNone) return;
  given_[0] = outcome.reward;
  for (int i = 0; i + 1 < heads_.size(); ++i) {
    given_[as_size(i) + 1] = i < outcome.costs.size() ? outcome.costs[i] : kMissing;
  }
  for (int h = 0; h < heads_.size(); ++h) {
    if (is_missing(given_[as_size(h)])) none_ = NoCertificate::kParts;
    outcomes_[as_size(h)] = heads_.to_units(h, given_[as_size(h)]);
  }
  if (none_ != NoCertificate::kNone) return;
  write_bounds(round);
  add_best(round.actions);
  double expected = rounds_ > 0.0 ? reward_ / rounds_ : (ranges_[0].low + ranges_[0].high) / 2.0;
  if (coordinates_.fixed()) {
    Ellipsoid& set = sets_[as_size(coordinates_.map().set_of(round, action))];
    expected = set.predict(coordinates(round, action), 0);
    set.learn(psi_.data(), outcomes_);
  } else if (coordinates_.collect(round, phi_)) {
    for (Ellipsoid& set : sets_) set.set_shown(coordinates_.shown());
  }
  misses_ += (outcomes_[0] - expected) * (outcomes_[0] - expected);
  reward_ += outcomes_[0];
  rounds_ += 1.0;
  watch(round, action, given_);
}

void Certifier::check(const Round& round, int action, const Outcome& outcome,
                      std::span<const double> means) {
  if (none_ != NoCertificate::kNone) return;
  const std::size_t actions = as_size(round.actions);
  if (rounds_ > 0.0) noise_missed_ = std::max(noise_missed_, noise_sum_ / noise());
  noise_sum_ += heads_.to_units(0, outcome.reward - means[as_size(action)]);
  if (!coordinates_.fixed()) return;
  for (int a = 0; a < round.actions; ++a) {
    const double* psi = coordinates(round, a);
    const Ellipsoid& set = sets_[as_size(coordinates_.map().set_of(round, a))];
    for (int h = 0; h < heads_.size(); ++h) {
      const double mean = heads_.to_units(h, means[as_size(h) * actions + as_size(a)]);
      const double above = set.miss(psi, h, mean);
      means_missed_ = std::max(means_missed_, h == 0 ? above : -above);  // NaN changes nothing
    }
  }
}

void Certifier::learn(const Lesson& lesson, Books&, Pricer&) {
  if (lesson.warm || none_ != NoCertificate::kNone) return;
  if (!lesson.first) {
    none_ = NoCertificate::kParts;
    return;
  }
  add(lesson.round, lesson.decision.action, lesson.outcome);
}

// The sum of the noise of rewards is at most -ln(1 - x) - x over (x w) times the sum of squared
// misses over w, plus w l / x, for x = 1/2, 1/4, ...; w the width of the range.
double Certifier::noise() const {
  const double width = ranges_[0].high - ranges_[0].low;
  if (!(width > 0.0)) return 0.0;
  double least = std::numeric_limits<double>::infinity();
  double x = 0.5;
  for (int j = 1; j <= kNoiseSizes; ++j, x /= 2.0) {
    const double psi = -log(1.0 - x) - x;
    const double l = log(j * (j + 1.0) / kNoiseDelta);
    least = std::min(least, psi * misses_ / (x * width) + width * l / x);
  }
  return least;
}

Certified Certifier::now() const {
  Certified found{.none = none_,
                  .rounds = static_cast<std::int64_t>(rounds_),
                  .regret = kNan,
                  .regret_long_term = kNan};
  if (none_ != NoCertificate::kNone) return found;
  double cap = 0.0;
  for (double each : caps_) cap += each;
  double long_term = std::numeric_limits<double>::infinity();
  for (const Multiplier& each : multipliers_) {
    long_term = std::min(long_term, each.sum + each.x * cap * rounds_);
  }
  const double earned = reward_ - (rounds_ > 0.0 ? noise() : 0.0);
  found.regret = heads_.unit(0) * (best_ - earned);
  found.regret_long_term = heads_.unit(0) * (long_term - earned);
  return found;
}

void Certifier::save_parts(ByteWriter& out) const {
  out.i64(static_cast<std::int64_t>(none_));
  out.parts(rounds_, best_, reward_, misses_);
  for (const Multiplier& each : multipliers_) out.f64(each.sum);
  out.parts(coordinates_);
  for (const Ellipsoid& set : sets_) set.save(out);
  if (plain_) plain_->save(out);
  if (alarm_) alarm_->save(out);
}

void Certifier::load_parts(ByteReader& in) {
  const std::int64_t none =
      in.between("why there is no certificate", 0, static_cast<std::int64_t>(NoCertificate::kLive));
  none_ = static_cast<NoCertificate>(none);
  in.parts(rounds_, best_, reward_, misses_);
  for (Multiplier& each : multipliers_) each.sum = in.f64();
  in.parts(coordinates_);
  for (Ellipsoid& set : sets_) set.load(in);
  if (plain_) static_cast<void>(plain_->load(in));
  if (alarm_) alarm_->load(in);
}

// As one text: with other actions than were saved nothing of it is of use.
void Certifier::save(ByteWriter& out) const {
  ByteWriter inner(out.version());
  save_parts(inner);
  out.state("certifier");
  out.text(inner.bytes());
}

void Certifier::load(ByteReader& in) {
  in.tag("certifier");
  const std::string bytes = in.text();
  if (in.grows() || in.renewed() >= 0) {
    none_ = NoCertificate::kActions;
    return;
  }
  ByteReader inner(bytes, in.version());
  load_parts(inner);
  if (const auto done = inner.finish(); in.ok() && !done) in.fail(done.failure().message);
}

std::string_view why(NoCertificate reason) {
  switch (reason) {
    case NoCertificate::kNone:
      return "";
    case NoCertificate::kNotAsked:
      return "nobody asked for one";
    case NoCertificate::kRange:
      return "the range of the reward or of a cost is not declared";
    case NoCertificate::kSize:
      return "there are too many features or actions";
    case NoCertificate::kPaces:
      return "what may be spent changes from round to round";
    case NoCertificate::kParts:
      return "an outcome came in parts";
    case NoCertificate::kActions:
      return "actions were added or replaced";
    case NoCertificate::kAlarm:
      return "the outcomes do not fit means that are linear in the features";
    case NoCertificate::kLate:
      return "some outcomes have not come";
    case NoCertificate::kInfeasible:
      return "in some round no choice satisfies the constraint";
    case NoCertificate::kLive:
      return "the run had live budgets, or outcomes in parts";
  }
  return "";
}

}  // namespace rein
