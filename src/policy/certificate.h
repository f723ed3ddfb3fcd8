// Certificate: a bound on the squared error of the estimates that tuning=auto plays with.
//
// What is played differs from what the oracle predicts when it learns the round: rewards carry a
// bonus (estimate/optimistic.h), costs a correction (tuning/calibration.h), and an outcome that
// came late belongs to an older estimate. Per head, in units, over the rounds learned,
//
//     sum (p - f*)^2  <=  X = 2 Reg + 8 ln((m + 1) / delta)      p: the oracle's, as it learns
//     Y               =   sum (played - p)^2                      added up here, round by round
//     sum (played - f*)^2  <=  (sqrt X + sqrt Y)^2  <=  2 X + 2 Y            (Minkowski)
//
// The first line holds for all rounds and heads at once with probability 1 - delta, if the truth is
// in the oracle's class (for linear oracles with a theta of any size: free()) and noise is fresh: independent of what was learned before, whichever
// outcome comes next. The rest is arithmetic. For a bonus Y adds min(alpha^2 w, 4), w at the time
// of the decision: clipping to the range, which holds the truth, brings no estimate further from
// it. The bonus of tuning/optimism.h is added in full. A correction is taken after clipping. For an outcome that waited, p is asked for again. A
// decision without its estimates counts as 4 per cost, the most there can be, and as (2 + bonus)^2
// for the reward.
#pragma once

#include <vector>

#include "estimate/optimistic.h"
#include "rein/policy.h"

namespace rein {

class Certificate {
 public:
  // `units` of the reward and every cost.
  Certificate(const Shape& shape, const Oracle& oracle, std::vector<double> units);

  // The estimates that the action was played with, in units.
  struct Played {
    double bonus = 0.0;  // the most that optimism added to the reward for its score
    double lift = 0.0;   // added to the reward besides (tuning/prior.h)
    Costs costs;         // as the oracle learns them
    Costs relief;        // the most by which optimism lowered each of them for its score
  };
  // Before the oracle learns an outcome. `fresh`: nothing was learned since the decision. Changes
  // nothing that lasts, in case the oracle throws.
  void look(const Round& round, const Decision& decision, const Played& with, bool fresh);
  // Leaves out the heads whose bits are set, because they did not come with this outcome: the last
  // look() then adds nothing for them. So the sums of a head are over the rounds in which that head
  // was seen.
  void leave_out(std::uint32_t heads);
  // After it: the round of the last look() counts.
  void learn();

  // X of so many rounds, now. Where the oracle does not know its regret, its bound: 4 per round for
  // the caller's own, which no estimate can pass.
  double plain(std::int64_t rounds) const;
  // The same for functions of any size (estimate/free_regret.h); NaN where it is not known. It takes long.
  double free(std::int64_t rounds) const;
  // U of what was played: the largest over heads, where X is this.
  double played(double x) const;

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  const Oracle& plain_;           // the oracle without optimism
  const Optimistic* optimistic_;  // the oracle, if it is an Optimistic; else null
  bool knows_regret_;
  int features_;
  std::vector<double> units_;
  std::vector<double> apart_;  // Y, one per head
  std::vector<double> next_;   // what the last look() adds to it
  Scratch scratch_;
  Estimates one_;  // estimates of a single action
};

}  // namespace rein
