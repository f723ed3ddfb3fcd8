#include "price/gradient.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "price/forms.h"
#include "price/scaled.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr std::int64_t kLastRegime = 40;  // a step of 2^40 / sqrt(T) is large enough for any use

}  // namespace

GradientPrice::Options GradientPrice::read_options(SpecReader& read) {
  const Limits scale{.low = kMinScale, .high = kMaxScale};
  Options options;
  options.adaptive = read.flag("adaptive", true);
  options.margin_scale = read.number("margin_scale", 1.0, {.low = 0.0, .high = kMaxScale});
  options.step_scale = read.number("step_scale", 1.0, scale);
  options.threshold_scale = read.number("threshold_scale", 1.0, scale);
  return options;
}

Result<std::unique_ptr<Pricer>> GradientPrice::make(const Spec& spec, const Terms& terms) {
  SpecReader read(spec, "pricer spec");
  Options options = read_options(read);
  options.delta = read.number("delta", 0.05, {.low = kMinScale, .high = 1.0});
  if (auto done = read.finish(); !done) return done.failure();
  if (terms.rounds < 1) {
    return Error{"pricer spec: gradient needs the number of rounds; accepted: rounds=N"};
  }
  return std::unique_ptr<Pricer>(new GradientPrice(terms, options));
}

GradientPrice::GradientPrice(const Terms& terms, const Options& options)
    : options_(options),
      root_(std::sqrt(static_cast<double>(terms.rounds))),
      margins_(terms.costs, options.margin_scale / root_),
      lam_(terms.costs),
      sums_(terms.costs) {
  const Costs rates = Form::zero_threshold(terms).rates();
  for (int i = 0; i < rates.size(); ++i) {
    if (rates[i] > 0.0) margins_[i] = std::min(margins_[i], 0.5 * rates[i]);
  }
}

double GradientPrice::size() const {
  return options_.step_scale * std::ldexp(1.0, regime()) / root_;
}

double GradientPrice::threshold() const {
  const double m = lam_.size();
  const auto k = static_cast<double>(regime_);
  const double chance = 2.0 * m * log(m * (k + 1.0) * (k + 2.0) / options_.delta);
  return options_.threshold_scale * root_ * (4.0 + std::sqrt(chance));
}

void GradientPrice::price(const Books& books, Prices& out) const {
  Costs plain = lam_;
  for (int i = 0; i < plain.size(); ++i) {
    plain[i] = std::clamp(plain[i] + size() * books.owed(i), 0.0, kMaxParameter);
  }
  out = scaled_down(plain);
}

// The margin counts once per round.
void GradientPrice::step(std::span<const double> gradient, std::span<const double> costs,
                         bool first) {
  double squares = 0.0;
  for (int i = 0; i < lam_.size(); ++i) {
    const double margin = first ? margins_[i] : 0.0;
    const double moved = lam_[i] + size() * (gradient[i] + margin);
    lam_[i] = std::clamp(moved, 0.0, kMaxParameter);
    sums_[i] += costs[i] + margin;
    squares += std::max(sums_[i], 0.0) * std::max(sums_[i], 0.0);
  }
  if (!options_.adaptive || lam_.empty() || regime_ >= kLastRegime) return;
  if (std::sqrt(squares) <= threshold()) return;
  regime_ += 1;
  lam_ = Costs(lam_.size());
  sums_ = Costs(sums_.size());
}

void GradientPrice::save(ByteWriter& out) const {
  out.tag("gradient");
  out.i64(regime_);
  out.parts(lam_, sums_);
}

Result<> GradientPrice::load(ByteReader& in) {
  in.tag("gradient");
  regime_ = std::clamp<std::int64_t>(in.i64(), 0, kLastRegime);
  in.parts(lam_, sums_);
  return in.status();
}

}  // namespace rein
