// Confidence: scores made of confidence bounds instead of means, for policies that explore by
// optimism. While one matrix serves all heads, in units every head has the same half-width r sqrt(w),
// w = phi' A^-1 phi, and the bounds add one term to a score:
//
//     (f^ + r sqrt(w)) - sum_i price_i (g^_i - r sqrt(w))
//         = f^ - sum_i price_i g^_i  +  r (reward + costs sum_i price_i) sqrt(w)
//
// Once outcomes have come in parts, each head has its own w, and the terms are added one by one.
// Here reward = costs = 1; costs = 0 leaves the costs at their means. Not clipped. Estimates in the
// decision stay means. There are two radii, with t rounds learned:
//
//     lincbwk     r = scale (sqrt(d ln((m + t d m) / delta)) + sqrt d)      as linCBwK prints it
//     ellipsoid   r = scale (R sqrt(2 ln(n / delta) + d ln(1 + t L^2 / (reg d))) + sqrt(reg) S)
//
// The second is Theorem 2 of Abbasi-Yadkori, Pal, Szepesvari (NeurIPS 2011) with the largest value
// that ln det(A / reg) can have after t rounds. R is half of the widest range in units (Hoeffding's
// lemma), S = 1 or the shape's theta if more, and n = m + 1 bounds for each set of parameters: all
// hold together with probability 1 - delta, in every round. docs/estimate/ridge.md derives it.
// Where d is 0, r = scale.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "base/math.h"
#include "policy/plan.h"

namespace rein {

// sqrt(w) from the width w / (1 + w) of an estimate; finite even if that width rounds to 1.
inline double half_width(double width) { return std::sqrt(width / std::max(1.0 - width, 0x1p-53)); }

enum class Radius { kLinCBwK, kEllipsoid };

struct Confidence {
  double reward = 0.0;  // 1: the upper bound of the reward, 0: its mean
  double costs = 0.0;   // 1: the lower bound of every cost, 0: their means
  double scale = 1.0;
  double delta = 0.05;
  Radius kind = Radius::kLinCBwK;
  // Filled by fit_confidence().
  int dimension = 0;    // d
  int heads = 1;        // m, at least 1
  double bounds = 1.0;  // n
  double noise = 1.0;   // R
  double centre = 1.0;  // sqrt(reg) S
  double growth = 1.0;  // L^2 / (reg d)

  bool active() const { return reward != 0.0 || costs != 0.0; }

  double radius(std::int64_t rounds) const {
    if (dimension == 0) return scale;
    const double d = dimension, m = heads;
    const double t = static_cast<double>(rounds);
    if (kind == Radius::kLinCBwK) {
      return scale * (std::sqrt(d * log((m + t * d * m) / delta)) + std::sqrt(d));
    }
    return scale *
           (noise * std::sqrt(2.0 * log(bounds / delta) + d * log(1.0 + t * growth)) + centre);
  }

  // Adds the term above to scores that were divided by exp(log_scale), like the prices.
  void add(const Prices& prices, double shrink, std::int64_t rounds, const Estimates& said,
           std::span<double> scores) const {
    if (said.apart()) return add_apart(prices, shrink, rounds, said, scores);
    const std::span<const double> width = said.width();
    double lift = reward * shrink;
    for (double price : prices.scaled) lift += costs * price;
    lift *= radius(rounds);
    for (std::size_t a = 0; a < scores.size(); ++a) {
      scores[a] = std::fma(lift, half_width(width[a]), scores[a]);
    }
  }

 private:
  void add_apart(const Prices& prices, double shrink, std::int64_t rounds, const Estimates& said,
                 std::span<double> scores) const {
    const double r = radius(rounds);
    for (int h = 0; h < said.heads(); ++h) {
      const double lift = r * (h == 0                      ? reward * shrink
                               : h <= prices.scaled.size() ? costs * prices.scaled[h - 1]
                                                           : 0.0);
      for (std::size_t a = 0; a < scores.size(); ++a) {
        scores[a] = std::fma(lift, half_width(said.width(h)[a]), scores[a]);
      }
    }
  }
};

// Reads radius_scale and delta; bounds of the reward and of the costs.
inline Confidence read_confidence(SpecReader& read, Radius kind) {
  return {.reward = 1.0,
          .costs = 1.0,
          .scale = read.number("radius_scale", 1.0, {.low = 0.0, .high = kMaxScale}),
          .delta = read.number("delta", 0.05, {.low = kMinScale, .high = 1.0}),
          .kind = kind};
}

// Refuses an oracle without widths; otherwise completes the bounds for it.
Result<> fit_confidence(const Plan& plan, const PlanKeys& keys, Confidence& confidence);

}  // namespace rein
