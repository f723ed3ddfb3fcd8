#include "evaluate/late.h"

namespace rein {

Late::Late(const Policy& policy, int delay)
    : ring_(static_cast<std::size_t>(delay)),
      reserved_(static_cast<int>(policy.shape().costs.size())) {
  for (Open& open : ring_) open.decision = Decision(policy);
}

std::span<const double> Late::reserved() const {
  return ring_.empty() ? std::span<const double>() : reserved_.span();
}

// Policies without an oracle, or with an oracle for the reward only, predict no costs.
void Late::reserve(const Open& open, double sign) {
  const Estimates& estimates = open.decision.estimates;
  if (estimates.heads() != reserved_.size() + 1) return;
  const auto action = static_cast<std::size_t>(open.decision.action);
  for (int i = 0; i < reserved_.size(); ++i) reserved_[i] += sign * estimates.mean(i + 1)[action];
}

Result<> Late::learn(Policy& policy, const Round& round, const Decision& decision,
                     const Outcome& outcome) {
  if (ring_.empty()) return policy.learn(round, decision, outcome);
  Open& open = ring_[at_];
  if (used_ == ring_.size()) {
    reserve(open, -1.0);
    auto learned = policy.learn(open.round.view(), open.decision, open.outcome);
    if (!learned) return learned;
  } else {
    ++used_;
  }
  open.round.copy(round);
  open.decision = decision;
  open.outcome = outcome;
  reserve(open, 1.0);
  at_ = (at_ + 1) % ring_.size();
  return {};
}

}  // namespace rein
