// Blind: stands in the place of a policy that this program cannot make. The saved state of the policy
// stays bytes, and outcomes change nothing in it. All else in an engine folds as ever, because a record
// has what was decided: ids, money, open decisions, actions, the schema.
//
// For tools that only read a journal, and for rein migrate. It never decides.
#pragma once

#include <memory>

#include "rein/policy.h"

namespace rein {

std::unique_ptr<Policy> make_blind(const Spec& spec, const Shape& shape);

}  // namespace rein
