#include "policy/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/math.h"
#include "base/size.h"

namespace rein {
namespace {

// Rates times the largest B: a coarse grid, so that one of them is near the best at any time.
constexpr std::array<double, 8> kGrid = {0.9, 0.6, 0.4, 0.25, 0.15, 0.08, 0.04, 0.02};

constexpr double kRounding = 1.0 - 1e-9;

double psi(double x) { return -log(1.0 - x) - x; }

}  // namespace

Baseline::Baseline(SpecReader& read, const Shape& shape)
    : range_(shape.reward),
      keep_(1.0 - read.number("baseline_loss", 0.1, {.above = 0.0, .high = 1.0})),
      delta_(read.number("baseline_delta", 0.05, {.above = 0.0, .high = 0.5})),
      least_(read.number("baseline_share", 0.1, {.low = 0.001, .high = 1.0})) {
  read_kind(read, shape);
  bound();
}

void Baseline::read_kind(SpecReader& read, const Shape& shape) {
  const SpecValue* value = read.value("baseline");
  if (value == nullptr) return;
  active_ = true;
  if (std::holds_alternative<SpecValue::List>(value->is)) return read_mix(read, shape);
  const Spec* word = std::get_if<Spec>(&value->is);
  if (word != nullptr && word->name == "round" && word->options.empty()) return;
  const auto* id = std::get_if<double>(&value->is);
  if (id == nullptr || !(*id >= 0.0 && *id < shape.actions) || *id != std::floor(*id)) {
    return read.wrong("baseline", *value,
                      fmt::format("an action id, a whole number from 0 to {}; one probability per "
                                  "action, [0.2,0.8,...]; or round",
                                  shape.actions - 1));
  }
  action_ = static_cast<int>(*id);
}

// Actions that are added later are no part of it.
void Baseline::read_mix(SpecReader& read, const Shape& shape) {
  mix_ = read.numbers("baseline", {.low = 0.0, .high = 1.0});
  const double sum = std::accumulate(mix_.begin(), mix_.end(), 0.0);
  const std::size_t wanted = as_size(shape.actions - shape.added);
  if (mix_.size() != wanted && mix_.size() != as_size(shape.actions)) {
    read.refuse(fmt::format("key \"baseline\" has {} probabilities; accepted: one per action ({})",
                            mix_.size(), wanted));
  } else if (!(std::abs(sum - 1.0) <= kBaselineSlack)) {
    read.refuse(fmt::format(
        "key \"baseline\" has probabilities that sum to {:.6g}; accepted: a sum of 1", sum));
  }
  mix_.resize(as_size(shape.actions));
}

double Baseline::weight(const Round& round, int action) const {
  if (!round.baseline.empty()) return round.baseline[as_size(action)];
  const std::int32_t id = round.id(action);
  if (!mix_.empty()) return mix_[as_size(id)];
  return id == action_ ? 1.0 : 0.0;
}

double Baseline::total(const Round& round) const {
  double sum = 0.0;
  for (int a = 0; a < round.actions; ++a) sum += weight(round, a);
  return sum;
}

double Baseline::scaled(double reward) const {
  return std::clamp((reward - range_.low) / (range_.high - range_.low), 0.0, 1.0);
}

// B where the smallest p(a) / pi(a) is this.
double Baseline::largest_at(double p) const { return std::max(1.0 + keep_, keep_ / p); }

double Baseline::share() const {
  return lower_ < 0.0 ? 1.0 : std::clamp(keep_ - lower_, least_, 1.0);
}

void Baseline::mix(const Round& round, Decision& decision) const {
  const double all = total(round);
  if (!(all > 0.0)) return;
  const double w = share();
  const std::span<double> p = decision.probabilities();
  for (int a = 0; a < round.actions; ++a) {
    p[a] *= 1.0 - w;
    const double pi = weight(round, a);
    if (pi > 0.0) p[a] += w * (pi / all);
  }
}

void Baseline::learn(const Lesson& lesson) {
  const Round& round = lesson.round;
  const double all = total(round);
  if (!(all > 0.0)) return;
  const Decision& d = lesson.decision;
  const std::span<const double> p = d.probabilities();
  bool here = p.size() == as_size(round.actions) && d.estimates.actions() == round.actions;
  double rarest = 1.0, base = 0.0, mean = 0.0;  // the smallest p / pi, M, and the mean of r
  for (int a = 0; here && a < round.actions; ++a) {
    const double pi = weight(round, a) / all, m = scaled(d.estimates.mean(0)[a]);
    mean += p[a] * m;
    if (!(pi > 0.0)) continue;
    base += pi * m;
    rarest = std::min(rarest, p[a] / pi);
    here = rarest >= kRounding * least_;
  }
  if (!here) {
    sum_ -= keep_;  // a decision that was not made here: the least that it can add
    return bound();
  }
  mean -= keep_ * base;
  const double r = scaled(lesson.outcome.reward), m = scaled(d.estimates.mean(0)[d.action]);
  const double pi = weight(round, d.action) / all;
  const double played = pi > 0.0 ? pi * (r - m) / p[d.action] : 0.0;
  const double seen = r - keep_ * (base + played);
  const double most = largest_at(rarest), largest = largest_at(kRounding * least_);
  sum_ += seen;
  const double off = (seen - mean) / most;
  for (std::size_t j = 0; j < spread_.size(); ++j) {
    spread_[j] += psi(kGrid[j] / largest * most) * off * off;
  }
  bound();
}

void Baseline::bound() {
  const double largest = largest_at(kRounding * least_);
  const double sure = log(kRates / delta_);
  lower_ = -1e300;
  for (std::size_t j = 0; j < spread_.size(); ++j) {
    lower_ = std::max(lower_, sum_ - (spread_[j] + sure) * largest / kGrid[j]);
  }
}

void Baseline::save(ByteWriter& out) const {
  out.tag("baseline");
  out.f64(sum_);
  out.f64s(spread_);
}

void Baseline::load(ByteReader& in) {
  in.tag("baseline");
  sum_ = in.f64();
  in.f64s(spread_);
  bound();
}

}  // namespace rein
