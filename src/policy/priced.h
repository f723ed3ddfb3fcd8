// Priced: the policy of a what-if curve, as it was valued. It estimates reward and costs by linear
// functions of the context that never change, and plays the action with the largest
//
//     f^(a) - sum_i price_i g^_i(a),      f^ and g^ = weights . (1, context)
//
// Of equal actions it plays the one whose costs are lower at these prices, then the first. A second list of
// prices is used with probability `share`: two neighbouring prices together meet a budget exactly where
// many rounds have the same price.
//
// It learns nothing; outcomes are counted. rein whatif --save-policy makes it (include/rein/priced_policy.h).
// docs/policy/priced.md
#pragma once

#include <memory>

#include "rein/policy.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_priced(const Spec& spec, const Shape& shape);

}  // namespace rein
