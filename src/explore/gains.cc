#include "explore/gains.h"

#include <algorithm>
#include <cmath>

#include "base/catalog.h"
#include "base/math.h"
#include "base/spec_reader.h"
#include "base/tuned.h"
#include "explore/options.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr double kLeast = 1e-200;    // square of a noise: a gamma stays finite

}  // namespace

Result<std::unique_ptr<Gain>> TheoryGain::make(const Spec& spec, const Terms& terms) {
  if (auto done = SpecReader(spec, "gain spec").finish(); !done) return done.failure();
  return std::unique_ptr<Gain>(new TheoryGain(terms));
}

double TheoryGain::gamma(const Books&, const Prices& prices, int actions) const {
  // z + S, over exp(2 top). If no price ever exceeded 1, this is exactly 1 + rounds.
  const double l = prices.log_scale;
  const double top = std::max(l, scale_);
  const double z = l == top ? 1.0 : exp(2.0 * (l - top));
  const double before = scale_ == top ? sum_ : sum_ * exp(2.0 * (scale_ - top));
  const double lift = top == l ? 1.0 : exp(top - l);
  return factor_ * std::sqrt(actions / u() * (z + before)) * lift;
}

void TheoryGain::learn(double log_scale) {
  if (log_scale > scale_) {
    sum_ = std::fma(sum_, exp(2.0 * (scale_ - log_scale)), 1.0);
    scale_ = log_scale;
  } else {
    sum_ += log_scale == scale_ ? 1.0 : exp(2.0 * (log_scale - scale_));
  }
  ++rounds_;
  const bool restarts = blocks_ && blocks_->costs > 0 && is_nonnegative(blocks_->setting);
  if (restarts && Terms::blocks(rounds_ + 1) > Terms::blocks(rounds_)) sum_ = scale_ = 0.0;
}

void TheoryGain::save(ByteWriter& out) const {
  out.state("theory", sum_, scale_);
  if (blocks_) out.i64(rounds_);
}
Result<> TheoryGain::load(ByteReader& in) {
  if (auto read = in.state("theory", sum_, scale_); !read) return read;
  if (blocks_) rounds_ = in.count();
  return in.status();
}

void StillGain::save(ByteWriter& out) const { out.state(name_); }
Result<> StillGain::load(ByteReader& in) { return in.state(name_); }

Result<std::unique_ptr<Gain>> ConstantGain::make(const Spec& spec, const Terms& terms) {
  SpecReader read(spec, "gain spec");
  const double gamma = read.number("gamma", 1.0, {.low = 0.0, .high = 1e12});
  if (auto done = read.finish(); !done) return done.failure();
  return std::make_unique<ConstantGain>(terms.gamma_scale * gamma);
}

double ConstantGain::gamma(const Books&, const Prices& prices, int) const {
  return prices.log_scale == 0.0 ? gamma_ : gamma_ * exp(prices.log_scale);
}

Result<std::unique_ptr<Gain>> RootGain::make(const Spec& spec, const Terms& terms) {
  SpecReader read(spec, "gain spec");
  const double factor = read.number("factor", 10.0, {.low = 0.0, .high = 1e12});
  const double power = read.number("power", 0.5, {.low = 0.0, .high = 1.0});
  const double relief = read.number("relief", 0.0, {.low = 0.0, .high = 1.0});
  if (auto done = read.finish(); !done) return done.failure();
  return std::make_unique<RootGain>(terms.gamma_scale * factor, power, relief);
}

double RootGain::gamma(const Books& books, const Prices& prices, int) const {
  const double t = static_cast<double>(books.rounds + 1);
  const double growth = power_ == 0.5 ? std::sqrt(t) : exp(power_ * log(t));
  return factor_ * growth * exp((1.0 - relief_) * prices.log_scale);
}

Result<std::unique_ptr<Gain>> NoiseGain::make(const Spec& spec, const Terms& terms) {
  SpecReader read(spec, "gain spec");
  const double factor = read.number("factor", 30.0, {.low = 0.0, .high = 1e12});
  if (auto done = read.finish(); !done) return done.failure();
  return std::make_unique<NoiseGain>(terms.gamma_scale * factor);
}

// Prices are divided by exp(log_scale); so is the noise of the reward, and gamma comes out
// multiplied by it.
double NoiseGain::gamma(const Books& books, const Prices& prices, int actions) const {
  const double reward =
      prices.log_scale == 0.0 ? books.noise : books.noise * exp(-prices.log_scale);
  double square = reward * reward;
  for (int i = 0; i < prices.scaled.size(); ++i) {
    const double cost = prices.scaled[i] * (books.noises.empty() ? 1.0 : books.noises[i]);
    square += cost * cost;
  }
  const double t = static_cast<double>(books.rounds + 1);
  const double many = std::max(1.0, actions / tuned::kGainActions);
  return factor_ * many * std::sqrt(t / std::max(square, kLeast));
}

Result<std::unique_ptr<Gain>> Loe2dGain::make(const Spec& spec, const Terms& terms) {
  SpecReader read(spec, "gain spec");
  const bool balanced = read.flag("balanced", false);
  if (auto done = read.finish(); !done) return done.failure();
  const double factor = terms.gamma_scale * std::sqrt(static_cast<double>(terms.rounds) / terms.u);
  return std::make_unique<Loe2dGain>(factor, balanced);
}

double Loe2dGain::gamma(const Books&, const Prices& prices, int actions) const {
  const auto k = static_cast<double>(actions);
  double sum = prices.log_scale == 0.0 ? 1.0 : exp(-prices.log_scale);
  for (double price : prices.scaled) sum += price;
  return factor_ * (balanced_ ? std::sqrt(k) : k) / sum;
}

namespace {

using Make = Result<std::unique_ptr<Gain>> (*)(const Spec&, const Terms&);

constexpr TableRow<Make> kTable[] = {
    {{"theory", "the theorem's: sqrt(K S / U) / ((m + 1) z)"}, TheoryGain::make},
    {{"constant", "one number for all rounds", options::kConstant}, ConstantGain::make},
    {{"root_t", "factor * t^power / max(1, price)^relief", options::kRootT}, RootGain::make},
    {{"noise", "factor * max(1, K / 5) * sqrt(t) / noise of a score", options::kNoise},
     NoiseGain::make},
    {{"loe2d", "LOE2D's: K sqrt(T / U) / (1 + sum of prices)", options::kLoe2dGain},
     Loe2dGain::make},
};

}  // namespace

std::vector<Entry> gains() { return entries_of(kTable); }

Result<std::unique_ptr<Gain>> make_gain(const Spec& spec, const Terms& terms) {
  return make_from(kTable, "gain spec", spec, terms);
}

}  // namespace rein
