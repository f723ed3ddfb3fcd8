// Blind: stands in the place of a policy that this program cannot make. The saved state of the
// policy stays bytes, and outcomes change nothing in it. All other parts of an engine fold as
// usual, because a record has the decision itself: ids, money, open decisions, actions, the schema.
//
// Blind is for tools that only read a journal, and for rein migrate. It never decides.
#pragma once

#include <memory>

#include "rein/policy.h"

namespace rein {

std::unique_ptr<Policy> make_blind(const Spec& spec, const Shape& shape);

}  // namespace rein
