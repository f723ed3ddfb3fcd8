// two_arm: the smallest problem on which a negative price fails.
//
//     arm 0: f = 1, g = -1        arm 1: f = 0, g = +1        no noise, no context
//
// With m costs all of them are equal.
//
// The best policy always plays arm 0, so regret counts the plays of arm 1. The cost of arm 0 is
// negative, so its queue sinks. If the potential is x^2 / V also for negative x (as printed in the
// paper), the price becomes negative and rewards cost: the regret is almost T / 2. With the
// positive part the regret grows like sqrt T.
#pragma once

#include "rein/world.h"

namespace rein {

Result<std::unique_ptr<World>> make_two_arm(const Spec& spec, std::uint64_t seed,
                                            std::int64_t rounds);

}  // namespace rein
