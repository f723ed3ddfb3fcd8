// stack: exponential weights over other oracles, separately for each head. Use it if the right
// function class is unknown.
//
//     L_i          = sum over rounds learned of (prediction of member i - y)^2       in units
//     weight_i     ~ exp(-eta (L_i - min L)),  eta = 1/8
//     prediction   = sum_i weight_i (prediction of member i)
//
// Every member learns every round. With predictions and outcomes in [-1, 1] the square loss is
// 1/8-exp-concave. So the loss of the stack exceeds that of its best member by at most 8 ln n, in
// any order and for any members. (Vovk 1990; Cesa-Bianchi, Lugosi 2006, 3.3.)
//
// U = min over members + 8 ln n. This is a bound if the assumption of the member with the smallest
// bound holds. More precisely, for every member whose assumption holds, the squared error is within
// that member's U + 8 ln n.
//
// regret(). Against the class of member i the stack's regret is Reg_i + (loss of the stack - L_i).
// It is unknown which member's class contains the truth, and it need not be the leading member's.
// So regret() is the largest of these over members and heads. It is a certificate if the class of
// any member contains the truth. Members with unknown regret are left out, and the certificate does
// not cover their classes.
//
// eta=auto takes eta = 1/8 divided by the mean loss of the best member, and at least 1/8. With low
// noise the weights then move sooner; the bound is not proved. memory=N forgets losses: L_i = sum of
// (1 - 1 / N)^age (prediction - y)^2. Use it where members forget; nothing is certified then.
//
// Widths are the weighted mean of the members' widths, by their weights for the reward, over the
// members that have widths. If these weights are all 0 within rounding, it is the plain mean. The
// sum over rounds is at most that of all members together. dimension() is the largest of the
// members'.
//
// Outcomes in parts: a loss is that of the rounds in which its head was seen, and each member learns
// those. The width of a cost is then the mean of the members' widths of that cost.
#pragma once

#include <memory>
#include <vector>

#include "estimate/abilities.h"
#include "estimate/free_regret.h"
#include "estimate/heads.h"
#include "rein/oracle.h"

namespace rein {

class Stack final : public Oracle, public OracleAbilities {
 public:
  static Result<std::unique_ptr<Oracle>> make(const Spec& spec, const Shape& shape, const Own& own);
  struct Weighing {
    bool by_noise = false;  // eta = 1/8 divided by the mean loss of the best member
    double memory = 0.0;    // of the losses, in outcomes; 0: they are not forgotten
  };
  // REQUIRES at least one member.
  Stack(std::vector<std::unique_ptr<Oracle>> members, const Shape& shape, Weighing weighing);
  Stack(std::vector<std::unique_ptr<Oracle>> members, const Shape& shape)
      : Stack(std::move(members), shape, Weighing()) {}

  void predict(const Round& round, Scratch& scratch, Estimates& estimates) const override;
  std::size_t scratch() const override;
  void learn(const Round& round, int action, std::span<const double> outcomes) override;
  double bound(std::int64_t rounds) const override;
  double regret() const override { return regret_by(regret_of); }
  std::optional<double> free_regret() const override { return regret_by(rein::free_regret); }
  WidthSum width_sum(std::int64_t rounds) const override;
  int dimension() const override;
  const OracleAbilities& abilities() const override { return *this; }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

  int size() const { return static_cast<int>(members_.size()); }
  double weight(int member, int head) const { return weights_[at(member, head)]; }

 private:
  // regret() or free_regret(), by that of the members.
  double regret_by(double (*regret_of)(const Oracle&)) const;
  std::size_t at(int member, int head) const {
    return static_cast<std::size_t>(member) * static_cast<std::size_t>(heads_.size()) +
           static_cast<std::size_t>(head);
  }
  // Computes the weights from the losses. Only the losses are saved.
  void weigh();
  double eta(int head, double best) const;
  // Whether the weights are those of the theorem: nothing is forgotten, eta is 1/8.
  bool proved() const { return !weighing_.by_noise && weighing_.memory == 0.0; }

  std::vector<std::unique_ptr<Oracle>> members_;
  Heads heads_;
  int features_;  // length of an action's feature row
  std::size_t most_actions_;
  Weighing weighing_;
  std::vector<double> counts_;   // outcomes in the losses, one per head
  std::vector<double> losses_;   // members x heads: L_i
  std::vector<double> weights_;  // members x heads: a distribution for every head
  std::vector<double> shares_;   // weight of each member in the width
  std::vector<double> loss_;     // loss of our own predictions, one per head
  Scratch scratch_;              // for learn()
  Estimates one_;                // the same
};

}  // namespace rein
