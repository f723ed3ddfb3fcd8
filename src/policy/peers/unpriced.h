// Policies that know nothing of costs: an oracle for the reward, a gain and an explorer.
#pragma once

#include "policy/plan.h"
#include "rein/policy.h"

namespace rein {

Result<std::unique_ptr<Policy>> compose_unpriced(const Spec& spec, Plan plan, const Spec& gain,
                                                 const Spec& explorer);

// The reference lines.
//   greedy   the action with the best estimate
//   epsilon  the same but for a share epsilon of uniform rounds
//   uniform  every action alike; learns nothing
Result<std::unique_ptr<Policy>> make_greedy(const Spec& spec, const Shape& shape, const Own& own);
Result<std::unique_ptr<Policy>> make_epsilon(const Spec& spec, const Shape& shape, const Own& own);
Result<std::unique_ptr<Policy>> make_uniform(const Spec& spec, const Shape& shape);

}  // namespace rein
