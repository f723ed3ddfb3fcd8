// What a decision must be before it is believed: ours is checked as one from a journal is, so that
// whatever was accepted once is accepted when it is replayed.
#pragma once

#include "rein/record.h"
#include "rein/shape.h"

namespace rein {

// REQUIRES a round that fits the shape. Refuses an action that is not there, probabilities that are
// none, and numbers that are not finite.
Result<> check_decision(const Shape& shape, const DecideRecord& record);

}  // namespace rein
