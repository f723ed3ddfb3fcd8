// Tries: every action that is offered keeps being tried, however certain the estimates look.
//
//     n    = rounds so far, or the plays that the money of so many rounds buys
//     an action with fewer than c sqrt(n) / K - 1 plays gets at least the probability
//
//         q = c / (K sqrt n) * n / rounds
//
// Estimates can be certain and wrong: the noise of an action that always gives the same is 0, and
// the noise of an action that gave 0 in its first plays looks like 0. Every scale of exploration
// follows from the noise, so such an action would be played for ever and the others never again.
// With the floor on tries each of the K actions has about c sqrt(n) / K plays after n of them.
// Tries cost at most 2 c sqrt(T) times the range of the rewards in regret, which is the rate of the
// theorem.
//
// Rounds and plays count from the last change on that the oracle noticed (estimate/changes.h). What one
// action gave has changed, so what the others gave before says little: an action that is not played
// shows no change. From then on c is 0.4 times as large.
//
// The first play of an action is left to the policy's own choice, which knows the context. Where a budget
// limits the spend, tries are limited too: at the estimated costs they spend at most 1/64 of the budget
// per round, and as much of what was due so far and was not spent. Barred actions are not tried.
#pragma once

#include <vector>

#include "policy/extra.h"
#include "rein/oracle.h"
#include "rein/shape.h"
#include "tuning/prior.h"

namespace rein {

class Tries final : public Extra {
 public:
  // `count` is c. The rates of `terms` are budgets per round in units. Where `prior` has rewards that the
  // caller declared, as with list prices that are to be kept small, nothing is tried: they are known.
  // `oracle` is asked for the changes that it noticed.
  Tries(const Shape& shape, const Terms& terms, double count, const Prior* prior = nullptr,
        const Oracle* oracle = nullptr);

  void mix(const Round& round, const Books& books, Decision& decision) const override;
  void learn(const Lesson& lesson, Books& books, Pricer& pricer) override;
  void save(ByteWriter& out) const override;
  void load(ByteReader& in) override;

 private:
  // The budget per round of a cost, in units; 0: no budget.
  double rate(const Books& books, int cost) const;
  // How much the tries of a round may cost. For a cost that may be negative this is a share of what
  // is paid per round, while the rest is paid back.
  double limit(const Books& books, int cost) const;
  // n for so many rounds.
  double bought(const Books& books, double rounds) const;
  // Whether an action is on offer and has fewer plays than `least`.
  bool is_tried(const Round& round, const Decision& decision, int action, double least) const;

  double count_;
  const Prior* prior_;
  const Oracle* oracle_;
  Costs rates_;
  bool paced_;
  std::vector<double> units_;
  std::vector<bool> refunds_;  // which costs may be negative: those limit nothing
  std::vector<double> plays_;     // by action id
  std::vector<double> turnover_;  // the sum of what was paid of each cost, refunds left out
  double paid_ = 0.0;          // rounds in which something was paid
  std::int64_t changes_ = 0;   // that were noticed,
  std::int64_t since_ = 0;     // the last change came after this many rounds
};

}  // namespace rein
