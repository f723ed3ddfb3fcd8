// The bounds of tuning=theory without a horizon, after T rounds. docs/theory/anytime.md proves them;
// the names here are its symbols.
#pragma once

#include "rein/bounds.h"

namespace rein {

// REQUIRES terms.anytime, and terms.rounds = T, at least 1.
Bounds anytime_bounds(const Terms& terms, const BoundOptions& options);

}  // namespace rein
