#include "policy/watch.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/size.h"
#include "estimate/one_action.h"

namespace rein {
namespace {

// Numbers of an action, and actions times heads, that are watched: 256 KiB and 2 MiB.
constexpr int kMaxWatchedFeatures = 1024;
constexpr int kMaxWatchedCells = 1 << 16;

}  // namespace

bool Watch::fits(const Shape& shape) {
  return shape.context <= kMaxWatchedFeatures && shape.features <= kMaxWatchedFeatures &&
         shape.actions <= kMaxWatchedCells / shape.heads();
}

Watch::Watch(const Shape& shape, const Oracle& oracle, const Prior* prior, const SharedPart* shared)
    : plain_(plain(oracle)),
      optimistic_(oracle.abilities().optimistic()),
      prior_(prior),
      shared_(shared),
      heads_(shape),
      features_(shape.features),
      most_reward_(heads_.to_units(0, shape.reward.high)),
      least_reward_(heads_.to_units(0, shape.reward.low)),
      alarm_(shape),
      predicted_(as_size(shape.heads())) {
  scratch_.reset(plain_.scratch());
  estimates_.prepare(shape.heads(), 1);
}

// The reward as it was before optimism and the prior. Where they ended at an end of the range,
// nobody can tell.
void Watch::keep_reward(double mean, double width, double lift) {
  const double units = heads_.to_units(0, mean);
  const double bonus = optimistic_ == nullptr ? 0.0 : optimistic_->bonus(width);
  const double more = bonus + lift;
  const bool clipped =
      (more > 0.0 && units >= most_reward_) || (lift < 0.0 && units <= least_reward_);
  predicted_[0] = clipped ? kNan : units - more;
}

// The oracle's own estimates of this one action, now.
void Watch::predict(const Round& round, int action) {
  const OneAction alone(round, action, features_);
  scratch_.reset(plain_.scratch());
  plain_.predict(alone.round(), scratch_, estimates_);
  for (int h = 0; h < heads_.size(); ++h) {
    predicted_[as_size(h)] = heads_.to_units(h, estimates_.mean(h)[0]);
  }
}

void Watch::look(const Lesson& lesson) {
  const Decision& decision = lesson.decision;
  const auto action = as_size(decision.action);
  // A declared reward is played as an average, not with something added.
  const bool told = prior_ != nullptr && prior_->declares_reward(lesson.round);
  const bool moved = shared_ != nullptr && shared_->moves(lesson.round.id(decision.action));
  if (lesson.fresh && !told && !moved && decision.predicted.size() + 1 == heads_.size()) {
    keep_reward(decision.estimates.mean(0)[action], decision.estimates.width()[action],
                prior_ == nullptr ? 0.0 : prior_->lift(lesson.round.id(decision.action)));
    std::copy(decision.predicted.begin(), decision.predicted.end(), predicted_.begin() + 1);
  } else if (moved || alarm_.due()) {
    predict(lesson.round, decision.action);
  } else {
    std::fill(predicted_.begin(), predicted_.end(), kNan);
  }
  for (int h = 0; h < heads_.size(); ++h) {
    if (!lesson.has(h)) predicted_[as_size(h)] = kNan;  // nothing to compare it with
  }
}

void Watch::learn(const Lesson& lesson, Books&, Pricer&) {
  if (lesson.came == 0) return;
  const double regret = plain_.regret();
  const bool known = !std::isnan(regret);
  alarm_.learn(lesson.round, lesson.decision.action, predicted_, lesson.heads,
               known ? regret : plain_.bound(alarm_.rounds() + 1), known ? &plain_ : nullptr);
}

void Watch::tell(PolicyState& state) const {
  state.alarm = AlarmState{.ringing = alarm_.ringing(),
                           .why = alarm_.word(),
                           .head = alarm_.head(),
                           .round = alarm_.since()};
}

}  // namespace rein
