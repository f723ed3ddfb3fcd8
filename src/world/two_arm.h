// two_arm: the smallest problem on which a price may not go below zero.
//
//     arm 0: f = 1, g = -1        arm 1: f = 0, g = +1        no noise, no context
//
// The best policy plays arm 0 always, so regret counts the plays of arm 1. The cost of arm 0 is
// negative: its queue sinks, and a potential that is x^2 / V for negative x too (the paper's, as
// printed) then gets a negative price and buys cost, at a regret of almost T / 2. With the positive
// part the regret grows like sqrt T.
#pragma once

#include "rein/world.h"

namespace rein {

Result<std::unique_ptr<World>> make_two_arm(const Spec& spec, std::uint64_t seed,
                                            std::int64_t rounds);

}  // namespace rein
