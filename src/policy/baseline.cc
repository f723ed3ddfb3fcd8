#include "policy/baseline.h"

#include <algorithm>

#include "base/math.h"
#include "base/size.h"

namespace rein {
namespace {

// Rates times the largest B: a coarse grid, so that one of them is near the best at any time.
constexpr std::array<double, 8> kGrid = {0.9, 0.6, 0.4, 0.25, 0.15, 0.08, 0.04, 0.02};

constexpr double kRounding = 1.0 - 1e-9;

double psi(double x) { return -log(1.0 - x) - x; }

int place_of(const Round& round, int id) {
  for (int a = 0; a < round.actions; ++a) {
    if (round.id(a) == id) return a;
  }
  return -1;
}

}  // namespace

Baseline::Baseline(SpecReader& read, const Shape& shape)
    : action_(static_cast<int>(read.integer("baseline", -1, 0, shape.actions - 1))),
      range_(shape.reward),
      keep_(1.0 - read.number("baseline_loss", 0.1, {.above = 0.0, .high = 1.0})),
      delta_(read.number("baseline_delta", 0.05, {.above = 0.0, .high = 0.5})),
      least_(read.number("baseline_share", 0.1, {.low = 0.001, .high = 1.0})) {
  bound();
}

// B where the baseline has probability p: Y >= min(-c, 1 - c / p), and y <= 1.
double Baseline::largest_at(double p) const { return std::max(1.0 + keep_, keep_ / p); }

double Baseline::share() const {
  return lower_ < 0.0 ? 1.0 : std::clamp(keep_ - lower_, least_, 1.0);
}

void Baseline::mix(const Round& round, Decision& decision) const {
  const int place = place_of(round, action_);
  if (place < 0) return;
  const double w = share();
  for (double& p : decision.probabilities()) p *= 1.0 - w;
  decision.probabilities()[as_size(place)] += w;
}

void Baseline::learn(const Lesson& lesson) {
  const Round& round = lesson.round;
  const int place = place_of(round, action_);
  if (place < 0) return;
  const auto scaled = [&](double x) {
    return std::clamp((x - range_.low) / (range_.high - range_.low), 0.0, 1.0);
  };
  const Decision& d = lesson.decision;
  const std::span<const double> p = d.probabilities();
  const auto b = as_size(place);
  if (p.size() != as_size(round.actions) || d.estimates.actions() != round.actions ||
      !(p[b] >= kRounding * least_)) {
    sum_ -= keep_;  // a decision that was not made here: the least that it can add
    return bound();
  }
  const double r = scaled(lesson.outcome.reward), m = scaled(d.estimates.mean(0)[b]);
  double mean = 0.0;
  for (std::size_t a = 0; a < p.size(); ++a) mean += p[a] * scaled(d.estimates.mean(0)[a]);
  mean -= keep_ * m;
  const double played = d.action == place ? (r - m) / p[b] : 0.0;
  const double seen = r - keep_ * (m + played);
  const double most = largest_at(p[b]), largest = largest_at(kRounding * least_);
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
