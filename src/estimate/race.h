// auto: a race between oracles of several function classes. The linear member plays alone, to the bit,
// until a test says that another member predicts better.
//
// Only the member that plays predicts all actions. The other members predict the played action, just
// before its outcome is learned. So with late outcomes too, all predictions are of the same moment. The
// player and the linear member learn every outcome. So do the others for 20 outcomes per parameter of
// the action. From then on a member with no evidence for it on any head learns one outcome in four of
// that action, and is compared on that one only (challengers=sparse). The test for changes of the linear
// member then learns one in d / 8 (change.h). Per head and member, with the squared errors l of the player and of
// the member, in units,
//
//     x    = 1/4 ((l of the player - l of the member) / s^2 - 0.01)         at most 1/2
//     gain = x - x^2/2 + x^3/3 - x^4/2                                      at most ln(1 + x)
//     sum  = max(-ln 1000, sum + gain),     the member plays from sum > ln 1000 on
//
// s^2 is the running mean of the player's squared errors, over about 500 outcomes. Because of the term
// 0.01, a member must gain 1 % of s^2 per round to take over. The linear member needs no such gain to
// come back. After a move all sums of the head start again at 0. Every head moves by itself.
//
// What is proved. Where x >= -1/2, exp(gain) <= 1 + x. Assume that x never falls below -1/2, and that
// in no round the member's mean squared error is better by more than 1 % of s^2. Then exp(sum of gains)
// is a supermartingale. From a given start it exceeds 1000 with a chance of at most 1/1000 (Ville). The
// sum starts again whenever it reaches -ln 1000, so chances add up over a long run. Rare outcomes break
// both assumptions: docs/estimate/auto.md has how often the test was then wrong. Nothing proves that a
// member with smaller errors earns more.
//
// While no head has moved, regret() is that of the linear member. After a move, let L_i be the loss of
// member i, and Reg_i its regret. regret() is the largest of Reg_i + (loss of what was played - L_i) over
// the members that know their regret, as for stack. That is a certificate if the class of any of these
// members contains the truth. Once the linear member has forgotten, a policy certifies nothing. bound()
// is that of the linear member, and does not hold after a move.
//
// Widths are those of the member that plays the reward; where outcomes come in parts, those of the
// member that plays each head. dimension() is the larger of two: that of the member that plays the
// reward, and that of the linear member.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "estimate/abilities.h"
#include "estimate/free_regret.h"
#include "estimate/heads.h"
#include "estimate/weights.h"
#include "rein/oracle.h"

namespace rein {

class Race final : public Oracle, public OracleAbilities {
 public:
  static Result<std::unique_ptr<Oracle>> make(const Spec& spec, const Shape& shape, const Own& own);
  // REQUIRES at least one member. The first member is the linear one, which plays at first.
  // `sparse`: a challenger that is behind learns one outcome in four.
  Race(std::vector<std::unique_ptr<Oracle>> members, const Shape& shape, bool sparse);

  void predict(const Round& round, Scratch& scratch, Estimates& estimates) const override;
  std::size_t scratch() const override;
  void learn(const Round& round, int action, std::span<const double> outcomes) override;
  double bound(std::int64_t rounds) const override;
  double regret() const override { return regret_by(regret_of); }
  std::optional<double> free_regret() const override { return regret_by(rein::free_regret); }
  WidthSum width_sum(std::int64_t rounds) const override;
  int dimension() const override {
    return std::max(members_[0]->dimension(), player(0).dimension());
  }
  bool forgets() const override;
  double memory() const override;
  std::optional<Changes> change() const override;
  bool weights(const Round& round, int action, int head, std::vector<Term>& out) const override;
  const OracleAbilities& abilities() const override { return *this; }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

  int size() const { return static_cast<int>(members_.size()); }
  // The member that plays a head.
  int leader(int head) const { return static_cast<int>(leaders_[static_cast<std::size_t>(head)]); }
  // How many outcomes a member did not learn.
  std::int64_t left_out(int member) const { return left_out_[static_cast<std::size_t>(member)]; }

 private:
  // regret() or free_regret(), by that of the members.
  double regret_by(double (*regret_of)(const Oracle&)) const;
  std::size_t at(int member, int head) const {
    return static_cast<std::size_t>(member) * static_cast<std::size_t>(heads_.size()) +
           static_cast<std::size_t>(head);
  }
  const Oracle& player(int head) const {
    return *members_[static_cast<std::size_t>(leader(head))];
  }
  // Compares the members on a head by misses_, and lets another member play if the test says so.
  void judge(int head);
  double miss(int member, int head) const { return misses_[at(member, head)]; }
  // Whether a member learns this outcome, the `seen`th with these parameters.
  bool is_taught(int member, double seen) const;
  bool keeps_prediction(int member) const;
  // What a member predicts for the only action of this round, into asked_.
  void ask(int member, const Round& round);
  // Compares what a member predicted with the outcome.
  void take(int member, std::span<const double> predicted, std::span<const double> outcomes);
  // Whether a head has moved, and a member that knows its regret has not learned every outcome.
  bool leaves_out() const;

  std::vector<std::unique_ptr<Oracle>> members_;
  bool sparse_;
  Heads heads_;
  int features_;  // length of an action's feature row
  std::size_t most_actions_;
  std::vector<std::int64_t> leaders_;  // by head
  std::vector<std::int64_t> moves_;    // by head
  std::vector<double> noise_;          // by head: running mean of the leader's square error,
  std::vector<double> counts_;         // over this many outcomes
  std::vector<double> sums_;           // members x heads: evidence against the leader
  std::vector<double> losses_;         // members x heads
  std::vector<double> loss_;           // of what was played, by head
  std::vector<double> misses_;         // members x heads, of the outcome being learned
  std::vector<double> seen_;           // by set of parameters: outcomes
  std::vector<std::int64_t> left_out_;  // by member: outcomes that it did not learn
  std::vector<bool> is_due_;           // by member: learns the outcome being learned
  std::vector<double> asked_;          // by head
  Scratch scratch_;                    // for learn()
  Estimates one_;                      // the same
};

}  // namespace rein
