// Checks a decision before an engine accepts it.
#pragma once

#include "rein/record.h"
#include "rein/shape.h"

namespace rein {

// REQUIRES a round that fits the shape. Refuses an action out of range, invalid probabilities, and
// numbers that are not finite.
Result<> check_decision(const Shape& shape, const DecideRecord& record);
// Checks a decision that the policy has just made, in which only numbers that overflowed can be
// wrong. So a decision that is accepted once is also accepted in a replay.
Result<> check_own(const Decision& decision);

}  // namespace rein
