// Optimism: what tuning=auto adds to the score of an action that it knows little about.
//
//     reach = optimism min(1, 3 / sqrt d) sqrt(min(w, 64)) sqrt(min(1, n / (20 p))) q^(1 - m)
//     bonus = reach (10/3 s_0 + sum of price_i s_i)
//
// s_h is the noise of a head (estimate/noise.h) and w = phi' A^-1 phi. So rewards are taken to be
// up to 10/3 standard deviations larger and costs one smaller, whatever ranges were declared. p is the number of parameters to be learned. n is
// the number of rounds that teach something: of the T rounds, the share in which anything was
// paid so far. With few rounds per parameter, what is tried out now is used too seldom later.
// Without a horizon n is infinite.
//
// q is the share of rounds so far in which anything was paid, and m = min(1, plays that the budget
// buys / (20 p)), at the mean cost of such a round. Where money buys few plays, the price picks the
// best of 1 / q rounds for each. That is the best by its estimate, so errors upwards are tried out
// without a bonus. Where every round costs something, or without a horizon, this changes nothing.
#pragma once

#include "rein/oracle.h"
#include "rein/pricer.h"

namespace rein {

class Optimism {
 public:
  // No bonus for an oracle without widths. `scale` is 0 for one that is optimistic itself. Borrows
  // the oracle: one that changes its class (estimate/race.h) may get more features, never fewer
  // than at first.
  Optimism(const Shape& shape, const Terms& terms, const Oracle& oracle, double scale);

  bool active() const { return alpha_ > 0.0; }
  // Standard deviations by which a cost of this width is taken to be smaller.
  double reach(double width) const { return of(reach_, width); }
  // The bonus for the reward, in units.
  double bonus(double width) const { return of(factor_, width); }
  // Upper bounds on every reach() and bonus() of this width so far.
  double most_reach(double width) const { return of(alpha_, width); }
  double most(double width) const { return of(most_, width); }
  // After a round: `paid` is 1 if any of its costs was not 0. Costs that come one by one count as
  // their part of it.
  void learn(const Books& books, double paid);
  // The rounds of the horizon that teach something, by the `seen` rounds so far; 0 without one.
  double teaching(double seen) const { return rounds_ * (1.0 + paid_) / (1.0 + seen); }

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  static double of(double factor, double width);
  // 1 - m.
  double scarcity(const Books& books, double parameters) const;

  double alpha_of(int d) const;
  // What there is to learn with so many features.
  double parameters(int d) const { return static_cast<double>(d) * sets_; }

  const Oracle& oracle_;
  double scale_;
  double sets_;  // of parameters
  double alpha_ = 0.0;  // at first, which is the most
  double rounds_;        // the horizon; 0: unknown
  Costs rates_;          // budgets per round, in units
  double paid_ = 0.0;    // rounds in which something was paid
  double reach_ = 0.0;   // of sqrt(w), in standard deviations
  double factor_ = 0.0;  // of sqrt(w), for the reward
  double most_ = 0.0;    // the largest factor so far
};

}  // namespace rein
