// Optimism: what tuning=auto adds to the score of an action that it knows little about.
//
//     reach = optimism min(1, 3 / sqrt d) sqrt(min(w, 64)) sqrt(min(1, n / (20 p))) q^(1 - m)
//     bonus = reach (10/3 s_0 + sum of price_i s_i)
//
// s_h is the noise of a head (tuning/noise.h) and w = phi' A^-1 phi. So rewards are taken to be up to
// 10/3 standard deviations larger and costs one smaller, whatever ranges were declared. d is the number
// of features of the oracle and p the number of parameters to be learned. q is the share of rounds so
// far in which anything was paid. n = q T is the number of rounds that teach something; without a
// horizon n is infinite. Few rounds per parameter mean less optimism, because an action that is found
// now is played too few times later.
//
// m = min(1, plays that the budget buys / (20 p)), at the mean cost of a round in which anything was
// paid. Where money buys few plays, the price lets the policy play in one of 1 / q rounds: the round
// whose estimate is highest. An estimate that is too high is then tried out without a bonus. Where every
// round costs something, or without a horizon, q^(1 - m) is 1.
#pragma once

#include "rein/oracle.h"
#include "rein/pricer.h"

namespace rein {

class Optimism {
 public:
  // An oracle without widths gets no bonus. `scale` is 0 for an oracle that is optimistic itself. The
  // oracle is borrowed and asked for its number of features again: an oracle that changes its class
  // (estimate/race.h) may get more features than at first, and never fewer.
  Optimism(const Shape& shape, const Terms& terms, const Oracle& oracle, double scale);

  bool active() const { return alpha_ > 0.0; }
  // Standard deviations by which a cost of this width is taken to be smaller.
  double reach(double width) const { return of(reach_, width); }
  // The bonus for the reward, in units.
  double bonus(double width) const { return of(factor_, width); }
  // Upper bounds on every reach() and bonus() of this width so far.
  double most_reach(double width) const { return of(alpha_, width); }
  double most(double width) const { return of(most_, width); }
  // After a round: `paid` is 1 if any of its costs was not 0. If the costs come one by one,
  // each call brings the share of all costs that came, or 0 if none of these was paid.
  void learn(const Books& books, double paid);
  // n: how many rounds of the horizon teach something, judged by the `seen` rounds so far; 0 without a
  // horizon.
  double teaching(double seen) const { return rounds_ * (1.0 + paid_) / (1.0 + seen); }

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  static double of(double factor, double width);
  // 1 - m.
  double scarcity(const Books& books, double parameters) const;

  double alpha_of(int d) const;
  // p: how many parameters there are with so many features.
  double parameters(int d) const { return static_cast<double>(d) * sets_; }

  const Oracle& oracle_;
  double scale_;
  double sets_;          // sets of parameters: one per action, or one for all
  double alpha_ = 0.0;   // reach_ at first, which is its largest value
  double rounds_;        // the horizon; 0: unknown
  Costs rates_;          // budgets per round, in units
  double paid_ = 0.0;    // rounds in which something was paid
  double reach_ = 0.0;   // factor of sqrt(w) for a cost, in standard deviations
  double factor_ = 0.0;  // factor of sqrt(w) for the reward, in units
  double most_ = 0.0;    // largest factor_ so far
};

}  // namespace rein
