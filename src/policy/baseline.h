// Baseline: never much worse than a given action or policy, with confidence: a conservative bandit.
//
// Rewards r are scaled to [0, 1] by their range. pi is the baseline's distribution over the actions
// of the round, alpha the share that may be lost, c = 1 - alpha, p_s the distribution of round s.
// The promise, with probability 1 - delta:
//
//     Z_t = sum_{s <= t} sum_a (p_s(a) - c pi_s(a)) f(x_s, a) >= 0     for every t
//
// where f is the mean reward. Each round is estimated without bias, with m the estimates of f that
// the decision was made from, M = sum_a pi(a) m(a), and a the action that was played:
//
//     Y = r - c (M + (r - m(a)) pi(a) / p(a)),       E Y = sum_a (p(a) - c pi(a)) f(a)
//
// So a lower bound L of Z, at all times at once, is the largest over the rates eta of
//
//     sum Y - (sum psi(eta B) (Y - y)^2 / B^2 + ln(J / delta)) / eta,    psi(x) = -ln(1 - x) - x
//
// y is the mean of Y by the estimates. This is Fan's inequality for bounded martingales, mixed over
// J rates. It needs B >= y - Y. With rho = pi(a) / p(a),
//
//     y - Y = sum_b p(b) m(b) - r + c rho (r - m(a)) <= max(1, c rho)
//
// since it is linear in r: at r = 1 it is at most c rho (1 - m(a)), at r = 0 at most 1. B is
// max(1 + c, c rho) with the largest rho of the round. The distribution is mixed:
//
//     p <- (1 - w) p + w pi,    w = 1 if L < 0, else max(q, c - L)
//
// Proof: a round adds at least (w - c) sum pi f, which is at least -(c - w) since 0 <= f <= 1. If
// L >= 0 then Z_t >= L - (c - w) >= 0. If L < 0 then w = 1 and Z_t >= Z_{t-1}. It needs no model of
// the rewards. An adversary may choose contexts and baselines, before the action is drawn.
// q, the least share of the baseline, keeps rho at most 1 / q, and B at most max(1 + c, c / q).
//
// A fixed mix is renormalised over the actions of the round. Rounds that offer no action of the
// baseline count on neither side.
//
// After Kazerouni, Ghavamzadeh, Abbasi-Yadkori, Van Roy, Conservative contextual linear bandits,
// 2017. There the bound comes from confidence sets of a linear model. Here it comes from the
// propensities, so it does not rely on the oracle.
#pragma once

#include <array>
#include <vector>

#include "base/spec_reader.h"
#include "policy/lesson.h"
#include "rein/bytes.h"

namespace rein {

class Baseline {
 public:
  Baseline() = default;
  // The keys baseline, baseline_loss, baseline_delta and baseline_share.
  Baseline(SpecReader& read, const Shape& shape);

  bool active() const { return active_; }
  // Moves probability to the baseline, if the round offers any of its actions.
  void mix(const Round& round, Decision& decision) const;
  void learn(const Lesson& lesson);
  double lower() const { return lower_; }  // L, in ranges of the reward
  double share() const;                    // w of the next round

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  static constexpr int kRates = 8;
  void read_kind(SpecReader& read, const Shape& shape);
  void read_mix(SpecReader& read, const Shape& shape);
  // The baseline's weight of an action of the round, and the sum over all its actions.
  double weight(const Round& round, int action) const;
  double total(const Round& round) const;
  double scaled(double reward) const;
  double largest_at(double p) const;
  void bound();

  bool active_ = false;
  int action_ = -1;          // the baseline, if it is a single action
  std::vector<double> mix_;  // or its probabilities by id. Neither: rounds bring it
  Range range_;
  double keep_ = 0.9;  // c
  double delta_ = 0.05;
  double least_ = 0.1;                   // q
  double sum_ = 0.0;                     // of Y
  std::array<double, kRates> spread_{};  // sums of psi(eta B) (Y - y)^2 / B^2
  double lower_ = 0.0;
};

}  // namespace rein
