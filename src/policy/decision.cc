#include "rein/policy.h"

namespace rein {

Scratch::Scratch(const Policy& policy) { reset(policy.scratch()); }

Decision::Decision(const Policy& policy) {
  const Shape& shape = policy.shape();
  prepare(shape.heads(), shape.actions, 0);
}

void Decision::prepare(int heads, int most_actions, int actions) {
  const auto most = static_cast<std::size_t>(most_actions);
  if (probability_.size() < most) {
    probability_.resize(most);
    score_.resize(most);
  }
  estimates.prepare(heads, most_actions);
  estimates.set_actions(actions);
  actions_ = actions;
}

}  // namespace rein
