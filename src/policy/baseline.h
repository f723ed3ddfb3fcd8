// Baseline: never much worse than a given action, with confidence (a conservative bandit).
//
// Rewards r are scaled to [0, 1] by their range. b is the baseline, alpha the share that may be
// lost, c = 1 - alpha, p_s the distribution of round s. The promise, with probability 1 - delta:
//
//     Z_t = sum_{s <= t} (sum_a p_s(a) f(x_s, a) - c f(x_s, b)) >= 0     for every t
//
// where f is the mean reward. Each round is estimated without bias, with m the estimate of f(x, b)
// that the decision was made from:
//
//     Y = r - c (m + [a = b] (r - m) / p(b)),       E Y = sum_a p(a) f(a) - c f(b)
//
// So a lower bound L of Z, at all times at once, is the largest over the rates eta of
//
//     sum Y - (sum psi(eta B) (Y - y)^2 / B^2 + ln(J / delta)) / eta,    psi(x) = -ln(1 - x) - x
//
// y is the mean of Y by the estimates, B >= y - Y its largest value (Fan's inequality for bounded
// martingales, mixed over J rates). The distribution is mixed: p <- (1 - w) p + w [a = b] with
//
//     w = 1 if L < 0, else max(q, c - L)
//
// Proof: a round adds at least (w - c) f(b), which is at least -(c - w) since 0 <= f(b) <= 1. If
// L >= 0 then Z_t >= L - (c - w) >= 0. If L < 0 then w = 1 and Z_t >= Z_{t-1}. It needs no model of
// the rewards, and contexts may be chosen by an adversary. q, the least share of the baseline, keeps
// B at most c / q. Rounds that do not offer the baseline count on neither side.
//
// After Kazerouni, Ghavamzadeh, Abbasi-Yadkori, Van Roy, Conservative contextual linear bandits,
// 2017. There the bound comes from confidence sets of a linear model. Here it comes from the
// propensities, so it does not rely on the oracle.
#pragma once

#include <array>

#include "base/spec_reader.h"
#include "policy/lesson.h"
#include "rein/bytes.h"

namespace rein {

class Baseline {
 public:
  Baseline() = default;
  // The keys baseline, baseline_loss, baseline_delta and baseline_share.
  Baseline(SpecReader& read, const Shape& shape);

  bool active() const { return action_ >= 0; }
  // Moves probability to the baseline, where the round offers it.
  void mix(const Round& round, Decision& decision) const;
  void learn(const Lesson& lesson);
  double lower() const { return lower_; }  // L, in ranges of the reward
  double share() const;                    // w of the next round

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  static constexpr int kRates = 8;
  double largest_at(double p) const;
  void bound();

  int action_ = -1;
  Range range_;
  double keep_ = 0.9;  // c
  double delta_ = 0.05;
  double least_ = 0.1;                   // q
  double sum_ = 0.0;                     // of Y
  std::array<double, kRates> spread_{};  // sums of psi(eta B) (Y - y)^2 / B^2
  double lower_ = 0.0;
};

}  // namespace rein
