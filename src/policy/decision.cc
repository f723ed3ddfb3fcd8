#include "rein/policy.h"

namespace rein {

Scratch::Scratch(const Policy& policy) { reset(policy.scratch()); }

Decision::Decision(const Policy& policy) {
  const Shape& shape = policy.shape();
  prepare(shape.heads(), shape.actions);
  prepare(shape.heads(), 0);
}

void Decision::prepare(int heads, int actions) {
  actions_ = actions;
  holdout = Holdout::kNone;
  if (numbers_.size() < 2 * size()) numbers_.resize(2 * size());
  estimates.prepare(heads, actions);
}

}  // namespace rein
