// The spend of a policy at given prices, over a window of remembered rounds. Included only by
// kernels_level.cc. Lanes are rounds, so every lane does the same scalar sequence.
#pragma once

#include "base/lanes.h"

namespace rein::REIN_LEVEL {

// lambda of inverse gap weighting for eight rounds at once. c holds `actions` x 8 gaps. Four
// decimals of the probabilities are accurate enough.
inline Lanes window_normaliser(const double* c, long actions) {
  const Lanes one = Lanes::all(1.0), minus = Lanes::all(-1.0);
  Lanes lambda = one;
  for (int step = 0; step < 8; ++step) {
    Lanes h = Lanes::all(0.0), slope = h;
    for (long a = 0; a < actions; ++a) {
      const Lanes p = one / (lambda + Lanes::load(c + 8 * a));
      h = h + p;
      slope = fma(p, p, slope);
    }
    lambda = fma(h * (h + minus), one / slope, lambda);
    double all[8];
    h.store(all);
    double most = 0.0;
    for (double x : all) most = x > most ? x : most;
    if (most - 1.0 < 1e-4) break;
  }
  return lambda;
}

// reward[a * rounds + r], cost[(i * actions + a) * rounds + r]. The number of rounds is a multiple
// of eight; work holds 8 actions numbers. spend[i] and slopes[i * costs + j] (the decrease of spend
// i as price j rises) are sums over the rounds. Rounds of zeros add nothing.
inline void window_spend(const double* reward, const double* cost, int actions, int rounds,
                         int costs, const double* prices, double twice_gamma, double* work,
                         double* spend, double* slopes) {
  const long n = rounds, k = actions, m = costs;
  for (long i = 0; i < m; ++i) spend[i] = 0.0;
  for (long i = 0; i < m * m; ++i) slopes[i] = 0.0;
  const Lanes one = Lanes::all(1.0);
  for (long r = 0; r < n; r += 8) {
    Lanes top = Lanes::all(-1e300);
    for (long a = 0; a < k; ++a) {
      Lanes score = Lanes::load(reward + a * n + r);
      for (long i = 0; i < m; ++i) {
        score = fnma(Lanes::all(prices[i]), Lanes::load(cost + (i * k + a) * n + r), score);
      }
      score.store(work + 8 * a);
      top = max(top, score);
    }
    const Lanes gamma = Lanes::all(twice_gamma);
    for (long a = 0; a < k; ++a) {
      (gamma * fnma(one, Lanes::load(work + 8 * a), top)).store(work + 8 * a);
    }
    const Lanes lambda = window_normaliser(work, k);
    Lanes squares = Lanes::all(0.0);
    for (long a = 0; a < k; ++a) {
      const Lanes p = one / (lambda + Lanes::load(work + 8 * a));
      p.store(work + 8 * a);
      squares = fma(p, p, squares);
    }
    for (long i = 0; i < m; ++i) {
      const double* cost_i = cost + i * k * n + r;
      Lanes paid = Lanes::all(0.0), weighted = paid;
      for (long a = 0; a < k; ++a) {
        const Lanes p = Lanes::load(work + 8 * a), g = Lanes::load(cost_i + a * n);
        paid = fma(p, g, paid);
        weighted = fma(p * p, g, weighted);
      }
      spend[i] += sum(paid);
      for (long j = 0; j <= i; ++j) {
        const double* cost_j = cost + j * k * n + r;
        Lanes both = Lanes::all(0.0), other = both;
        for (long a = 0; a < k; ++a) {
          const Lanes p = Lanes::load(work + 8 * a), g = Lanes::load(cost_j + a * n);
          both = fma(p * p * Lanes::load(cost_i + a * n), g, both);
          other = fma(p * p, g, other);
        }
        const double slope = twice_gamma * sum(fnma(weighted, other / squares, both));
        slopes[i * m + j] += slope;
        if (i != j) slopes[j * m + i] += slope;
      }
    }
  }
}

}  // namespace rein::REIN_LEVEL
