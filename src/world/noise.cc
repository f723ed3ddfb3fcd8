#include "world/noise.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"

namespace rein {
namespace {

constexpr double kLowSd = 0.05;
// The numbers of its stream that a round may use: enough for kTries tries of two draws each.
constexpr std::uint64_t kDrawsPerRound = 128;
constexpr int kTries = 40;

}  // namespace

Noise::Noise(SpecReader& read, std::string_view usual, std::uint64_t seed, double usual_sd)
    : seed_(seed) {
  const std::string kind = read.word("noise", usual, {"rademacher", "gaussian", "low", "none"});
  const std::optional<double> sd = read.number("sd", {.above = 0.0, .high = 1e6});
  if (sd && kind != "gaussian") {
    read.refuse("key \"sd\" is for noise=gaussian, and noise is " + kind);
  }
  if (kind == "rademacher") kind_ = Kind::kRademacher;
  if (kind == "gaussian" || kind == "low") kind_ = Kind::kGaussian;
  sd_ = kind == "low" ? kLowSd : sd.value_or(usual_sd);
}

double Noise::draw(std::int64_t round, int action, int head, double mean,
                   const Range& range) const {
  if (kind_ == Kind::kNone) return mean;
  const std::uint64_t which =
      (static_cast<std::uint64_t>(action) << 8) | static_cast<std::uint64_t>(head);
  Rng rng = world_rng(seed_, Purpose::kNoise, which);
  rng.set_counter(static_cast<std::uint64_t>(round) * kDrawsPerRound);
  if (kind_ == Kind::kRademacher) {
    return rng.uniform() * (range.high - range.low) < mean - range.low ? range.high : range.low;
  }
  const double half_width = std::min(mean - range.low, range.high - mean);
  return std::clamp(mean + truncated(rng, half_width), range.low, range.high);
}

double Noise::highest(double mean, const Range& range) const {
  switch (kind_) {
    case Kind::kNone:
      return mean;
    case Kind::kRademacher:
      return mean > range.low ? range.high : range.low;
    case Kind::kGaussian:
      return mean + std::min(mean - range.low, range.high - mean);
  }
  return range.high;
}

// N(0, sd^2) given that it lies within +-half_width, by rejection. It draws from the normal if most
// of it lies inside, and from the uniform if the density is nearly flat. A try fails with
// probability below 0.4. If all tries fail it returns the mean, which keeps the distribution
// symmetric.
double Noise::truncated(Rng& rng, double half_width) const {
  const bool wide = half_width >= sd_;
  for (int i = 0; i < kTries; ++i) {
    if (wide) {
      const double x = sd_ * rng.normal();
      if (std::abs(x) <= half_width) return x;
    } else {
      const double x = half_width * (2.0 * rng.uniform() - 1.0);
      const double z = x / sd_;
      if (rng.uniform() < exp(-0.5 * z * z)) return x;
    }
  }
  return 0.0;
}

}  // namespace rein
