// Which policies and parts work where a range is not known (Range::unknown()): those whose scales
// are all learned from what is seen. Other policies and parts divide by the range, and are refused
// without a range.
#pragma once

#include "rein/shape.h"
#include "rein/spec.h"

namespace rein {

// Refuses a policy that needs a range which the shape does not know.
Result<> check_known_ranges(const Spec& policy, const Shape& shape);
// Refuses an oracle, or an oracle inside it, that needs a range which the shape does not know.
Result<> check_oracle_range(const Spec& oracle, const Shape& shape);
// "accepted: a range for ..., or `otherwise`", for a part that needs one.
Error needs_range(std::string_view part, const Shape& shape, std::string_view otherwise);

}  // namespace rein
