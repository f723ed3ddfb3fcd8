// Watch: feeds the realizability alarm (estimate/alarm.h) from the rounds of a policy.
//
// The alarm compares predictions that the oracle made just before it learned the outcome, without
// optimism or correction, with the oracle's certificate just after. A decision whose outcome came
// before anything else was learned carries them; for one that waited, the prediction is made again,
// but only in rounds that the alarm looks at.
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

  // Before the oracle learns an outcome: keeps what it predicts. `fresh`: nothing was learned since
  // the decision. Changes nothing that lasts, in case the oracle throws.
  void look(const Round& round, const Decision& decision, bool fresh);
  // The outcome, after the oracle has learned it: the certificate must cover this round too.
  void learn(const Round& round, int action, std::span<const double> outcomes);
  AlarmState state() const;

  void save(ByteWriter& out) const { alarm_.save(out); }
  void load(ByteReader& in) { alarm_.load(in); }

 private:
  void predict(const Round& round, int action);
  void keep_reward(double mean, double width);

  const Oracle& plain_;           // the oracle without optimism
  const Optimistic* optimistic_;  // the oracle, where it is one
  Heads heads_;
  double most_reward_;  // in units
  Alarm alarm_;
  Scratch scratch_;
  Estimates estimates_;  // of one action
  std::vector<double> predicted_;
};

}  // namespace rein
