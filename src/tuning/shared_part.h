// SharedPart: what actions have in common, where there are fewer plays than features.
//
// With many features and little money, a regression per action learns next to nothing: 40 plays say
// little about 7 x 87 parameters. They do say something about 87 that all actions share. The estimate
// of an action, from its own regression and the prior, is called `alone` here. What is played is
//
//     alone + s f_a w (other - alone)
//
//   other  of the reward: one regression for all actions (shared_regression.h). Of a cost: the mean
//          of the action, (sum + pooled) / (1 + plays), pooled over actions as in prior.h. Of a
//          declared cost: (sum + weight declared) / (weight + plays), as in prior.h
//   w      the odds of the two as predictors, per head: 1 / (1 + exp((n / 2) (L_other - L_alone) /
//          min L - b)). L are the sums of their squared errors in the n plays so far, made before
//          the outcome was known. b = 3 for the reward, 0 for a cost
//   f_a    1 up to one play of the action per feature, 0 from two on, linear between them
//   s      set by the policy: 0 where there will be more plays than features
//
// The mean of an action is no candidate for the reward. It predicts well which reward the next play
// earns, because plays are chosen to be alike. But it cannot say which rounds are better than others.
//
// An action that gave nothing but exact zeros may be a null action: it neither teaches nor is moved.
// Costs of an action that was never played stay with the prior, whose rules find the free one. Only
// plays whose parts came together teach, and none of an action with f_a = 0: so time is bounded. While
// s is 0 plays are added up, and nothing is fitted or judged.
#pragma once

#include <span>
#include <vector>

#include "rein/oracle.h"
#include "rein/shape.h"
#include "tuning/prior.h"
#include "tuning/shared_regression.h"

namespace rein {

class SharedPart {
 public:
  // `units` are those of the reward and every cost. REQUIRES that the shape fits.
  SharedPart(const Shape& shape, std::vector<double> units);
  // A context, no features of actions, and sizes for which a fit takes milliseconds.
  static bool fits(const Shape& shape);

  int features() const { return features_; }  // of the context, and a constant
  // Sets s, in [0, 1].
  void set_share(double share);
  bool is_active() const { return share_ > 0.0; }
  // Whether the estimates of an action are moved.
  bool moves(int id) const { return weight(id) > 0.0; }
  // Whether a play of it teaches something; `nothing`: it gave exactly 0 in every head.
  bool teaches(int id, bool nothing) const;

  // Moves the estimates of every action, and clips rewards to their range. The prior knows declared
  // costs. REQUIRES that none speaks of the reward.
  void apply(const Round& round, Estimates& estimates, const Prior& prior) const;
  // The same for one cost of one action, in units.
  double moved(const Round& round, int action, int cost, double alone, const Prior& prior) const;
  // One outcome of all heads, and what the action alone was predicted to give, in units; that is read
  // only while it is active. REQUIRES that it teaches.
  void learn(const Round& round, int action, std::span<const double> outcome,
             std::span<const double> alone, const Prior& prior);

  double odds(int head) const { return odds_[static_cast<std::size_t>(head)]; }  // w

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  double fade(int id) const;    // f_a
  double weight(int id) const;  // s f_a, 0 before there is anything to move to
  // What an action costs by itself, in units.
  double level(const Round& round, int action, int cost, const Prior& prior) const;
  void judge(int head, double outcome, double other, double alone);
  void add_cost(int id, int cost, double paid);

  int features_;
  Range reward_;
  std::vector<double> units_;
  double share_ = 0.0;
  SharedRegression regression_;
  std::vector<double> zeros_;   // 1 for an action that gave nothing but exact zeros
  std::vector<double> costs_;   // actions x costs: sums
  std::vector<double> means_;   // of each cost: the sum over actions of their means
  double actions_ = 0.0;        // how many those are
  double judged_ = 0.0;         // plays in the losses
  std::vector<double> losses_;  // heads x (other, alone)
  std::vector<double> odds_;    // of each head
};

}  // namespace rein
