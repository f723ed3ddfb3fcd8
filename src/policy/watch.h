// Watch: feeds the realizability alarm (estimate/alarm.h) from the rounds of a policy.
//
// The alarm compares predictions that the oracle made just before it learned the outcome, without
// optimism or correction. A decision whose outcome came before anything else was learned carries
// them; for one that waited, the prediction is made again, but only in rounds that the alarm looks
// at.
#pragma once

#include "estimate/alarm.h"
#include "estimate/optimistic.h"
#include "rein/policy.h"

namespace rein {

class Watch {
 public:
  // Whether watching a problem of this shape takes little memory.
  static bool fits(const Shape& shape);
  Watch(const Shape& shape, const Oracle& oracle);

  // One outcome: first what was predicted, before the oracle learns it; this may ask the oracle,
  // and changes nothing. `fresh`: nothing was learned since the decision.
  void predict(const Round& round, const Decision& decision, bool fresh);
  // Then the outcome. Throws nothing.
  void learn(const Round& round, int action, std::span<const double> outcomes);
  AlarmState state() const;

  void save(ByteWriter& out) const { alarm_.save(out); }
  void load(ByteReader& in) { alarm_.load(in); }

 private:
  void ask(const Round& round, int action);
  void keep_reward(double mean, double width);

  const Oracle& oracle_;
  const Optimistic* optimistic_;  // the oracle, where it is one
  Heads heads_;
  double most_reward_;  // in units
  Alarm alarm_;
  Scratch scratch_;
  Estimates estimates_;  // of one action
  std::vector<double> predicted_;
  double regret_ = 0.0;  // of the oracle, when it predicted
};

}  // namespace rein
