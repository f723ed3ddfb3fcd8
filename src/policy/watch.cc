#include "policy/watch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/size.h"

namespace rein {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
// Numbers of an action, and actions times heads, that are watched: 256 KiB and 2 MiB.
constexpr int kMaxWatchedFeatures = 1024;
constexpr int kMaxWatchedCells = 1 << 16;

}  // namespace

bool Watch::fits(const Shape& shape) {
  return shape.context <= kMaxWatchedFeatures && shape.features <= kMaxWatchedFeatures &&
         shape.actions <= kMaxWatchedCells / shape.heads();
}

Watch::Watch(const Shape& shape, const Oracle& oracle)
    : plain_(plain(oracle)),
      optimistic_(dynamic_cast<const Optimistic*>(&oracle)),
      heads_(shape),
      most_reward_(heads_.to_units(0, shape.reward.high)),
      alarm_(shape),
      predicted_(as_size(shape.heads())) {
  scratch_.reset(plain_.scratch());
  estimates_.prepare(shape.heads(), std::max(1, shape.actions));
}

// The reward as it was before optimism. Where that ended at the top of the range, nobody can tell.
void Watch::keep_reward(double mean, double width) {
  const double units = heads_.to_units(0, mean);
  const double bonus = optimistic_ == nullptr ? 0.0 : optimistic_->bonus(width);
  predicted_[0] = bonus > 0.0 && units >= most_reward_ ? kNone : units - bonus;
}

// The oracle's own estimates of this one action, now.
void Watch::predict(const Round& round, int action) {
  const auto at = as_size(action);
  const std::int32_t id = round.id(action);
  Round one{.actions = 1, .context = round.context, .ids = {&id, 1}};
  if (!round.features.empty()) {
    const std::size_t d = round.features.size() / as_size(round.actions);
    one.features = round.features.subspan(at * d, d);
  }
  if (!round.sparse.begin.empty()) {  // offsets count from the start of all rows
    one.sparse = round.sparse;
    one.sparse.begin = round.sparse.begin.subspan(at, 2);
  }
  estimates_.set_actions(1);
  scratch_.reset(plain_.scratch());
  plain_.predict(one, scratch_, estimates_);
  for (int h = 0; h < heads_.size(); ++h) {
    predicted_[as_size(h)] = heads_.to_units(h, estimates_.mean(h)[0]);
  }
}

void Watch::look(const Round& round, const Decision& decision, bool fresh) {
  const auto action = as_size(decision.action);
  if (fresh && decision.predicted.size() + 1 == heads_.size()) {
    keep_reward(decision.estimates.mean(0)[action], decision.estimates.width()[action]);
    std::copy(decision.predicted.begin(), decision.predicted.end(), predicted_.begin() + 1);
  } else if (alarm_.due()) {
    predict(round, decision.action);
  } else {
    std::fill(predicted_.begin(), predicted_.end(), kNone);
  }
}

void Watch::learn(const Round& round, int action, std::span<const double> outcomes) {
  const double regret = plain_.regret();
  alarm_.learn(round, action, predicted_, outcomes,
               std::isnan(regret) ? plain_.bound(alarm_.rounds() + 1) : regret);
}

AlarmState Watch::state() const {
  return {.ringing = alarm_.ringing(),
          .why = alarm_.word(),
          .head = alarm_.head(),
          .round = alarm_.since()};
}

}  // namespace rein
