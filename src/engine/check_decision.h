// What a decision must be before it is believed.
#pragma once

#include "rein/record.h"
#include "rein/shape.h"

namespace rein {

// REQUIRES a round that fits the shape. Refuses an action that is not there, probabilities that are
// none, and numbers that are not finite.
Result<> check_decision(const Shape& shape, const DecideRecord& record);
// The same of a decision that the policy has just made: what is left that can be wrong is a number
// that overflowed. So whatever is accepted once is accepted when it is replayed.
Result<> check_own(const Decision& decision);

}  // namespace rein
