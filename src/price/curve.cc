#include "price/curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr double kKnotsPerFold = 2.0 / 0.693147180559945309417;  // two per octave
constexpr double kLeastPace = 1e-250;
constexpr double kPerKnot = 1.4142135623730951;  // price x pace is the same
constexpr int kSteepest = 12;                    // knots over which a price rises so

}  // namespace

PriceCurve::Place PriceCurve::place(double pace) const {
  const double folds = log(std::max(pace, kLeastPace)) - log_anchor_;
  const double x = std::clamp(kSide + kKnotsPerFold * folds, 0.0, double{kKnots - 1});
  const auto knot = std::min<std::size_t>(static_cast<std::size_t>(x), kKnots - 2);
  return {knot, x - static_cast<double>(knot)};
}

double PriceCurve::at(double pace) const {
  if (anchor_ == 0.0) return 0.0;
  const auto [knot, share] = place(pace);
  return (1.0 - share) * prices_[knot] + share * prices_[knot + 1];
}

void PriceCurve::learn(double pace, double price) {
  if (anchor_ == 0.0) {
    if (!(pace > kLeastPace)) return;  // nothing may be spent: that says nothing about a scale
    anchor_ = pace;
    log_anchor_ = log(anchor_);
  }
  const auto [knot, share] = place(pace);
  const double miss = price - at(pace), keep = 1.0 - share;
  const double square = keep * keep + share * share;
  const auto move = [&](std::size_t i, double weight) {
    if (weight == 0.0) return;
    const bool met = (met_ >> i & 1U) != 0;
    prices_[i] = met ? std::max(0.0, prices_[i] + miss * weight / square) : price;
    met_ |= std::uint64_t{1} << i;
  };
  move(knot, keep);
  move(knot + 1, share);
  spread();
  find_free();
}

void PriceCurve::find_free() {
  std::size_t knot = kKnots;
  double pace = anchor_ * 0x1p12 * kPerKnot;  // pace of the knot after the last knot
  while (knot > 0 && prices_[knot - 1] == 0.0) {
    --knot;
    pace /= kPerKnot;
  }
  free_from_ = knot == kKnots ? std::numeric_limits<double>::infinity() : pace;
}

void PriceCurve::spread() {
  constexpr std::uint64_t kAll = (std::uint64_t{1} << kKnots) - 1;
  if (met_ == kAll) return;
  int below = -1;  // the last knot that was met
  const auto price = [&](int i) -> double& { return prices_[static_cast<std::size_t>(i)]; };
  for (int i = 0; i < kKnots; ++i) {
    if ((met_ >> i & 1U) == 0) continue;
    for (int j = i - 1; below < 0 && j >= 0; --j) {
      price(j) = price(j + 1) * (i - j <= kSteepest ? kPerKnot : 1.0);
    }
    for (int j = below + 1; below >= 0 && j < i; ++j) {
      const double share = static_cast<double>(j - below) / static_cast<double>(i - below);
      price(j) = (1.0 - share) * price(below) + share * price(i);
    }
    below = i;
  }
  for (int j = below + 1; below >= 0 && j < kKnots; ++j) price(j) = price(j - 1) / kPerKnot;
}

void PriceCurve::save(ByteWriter& out) const {
  out.tag("curve");
  out.f64(anchor_);
  out.u64(met_);
  out.f64s(prices_);
}

Result<> PriceCurve::load(ByteReader& in) {
  in.tag("curve");
  anchor_ = in.f64();
  met_ = in.u64();
  in.f64s(prices_);
  log_anchor_ = anchor_ > 0.0 && anchor_ < 1e300 ? log(anchor_) : 0.0;
  const bool sound = std::ranges::all_of(prices_, [](double p) { return p >= 0.0 && p < 1e300; });
  if (!sound || !(anchor_ >= 0.0 && anchor_ < 1e300))
    in.fail("saved state: a price that cannot be");
  if (anchor_ > 0.0) find_free();
  return in.status();
}

}  // namespace rein
