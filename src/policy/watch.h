// Watch: feeds the realizability alarm (tuning/alarm.h) from the rounds of a policy.
//
// The alarm compares predictions that the oracle made just before it learned the outcome, without
// optimism or correction, with the oracle's certificate just after. A decision whose outcome came
// before anything else was learned has these predictions. For a decision that waited, the
// predictions are made again, but only in rounds that the alarm looks at.
#pragma once

#include "estimate/optimistic.h"
#include "policy/extra.h"
#include "tuning/alarm.h"
#include "tuning/prior.h"
#include "tuning/shared_part.h"

namespace rein {

class Watch final : public Extra {
 public:
  // Whether watching a problem of this shape takes little memory.
  static bool fits(const Shape& shape);
  // `prior` and `shared`: what corrects the oracle's estimates in decide(); null if nothing does.
  Watch(const Shape& shape, const Oracle& oracle, const Prior* prior = nullptr,
        const SharedPart* shared = nullptr);

  // Keeps what the oracle predicts. Changes nothing that lasts, in case it throws.
  void look(const Lesson& lesson) override;
  // The oracle has learned: its certificate must cover this round too.
  void learn(const Lesson& lesson, Books& books, Pricer& pricer) override;
  void tell(PolicyState& state) const override;
  void save(ByteWriter& out) const override { alarm_.save(out); }
  void load(ByteReader& in) override { alarm_.load(in); }

 private:
  void predict(const Round& round, int action);
  void keep_reward(double mean, double width, double lift);

  const Oracle& plain_;           // the oracle without optimism
  const Optimistic* optimistic_;  // the oracle, if it is an Optimistic; else null
  const Prior* prior_;
  const SharedPart* shared_;
  Heads heads_;
  int features_;
  double most_reward_;  // in units
  double least_reward_;
  Alarm alarm_;
  Scratch scratch_;
  Estimates estimates_;  // estimates of a single action
  std::vector<double> predicted_;
};

}  // namespace rein
