// BroughtPolicy: a policy that the caller brings (rein/own.h), made from own(name=NAME).
//
// PolicyBase checks, draws, counts and saves. The caller's policy says how probable each action is,
// and learns. Probabilities that are not a distribution throw Failure, and no decision is made.
#pragma once

#include <memory>

#include "rein/policy.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_own_policy(const Spec& spec, const Shape& shape,
                                                const Own& own);

}  // namespace rein
