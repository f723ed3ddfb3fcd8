// heavy: actions whose costs differ by a factor of 500, as models or channels do.
//
// With psi a fresh unit vector every round, the context is x = (sqrt 3, psi) / 2 and every action
// has its own parameters, theta = scale (sqrt 3, w) / 2 with w a unit vector:
//
//     mean(x, a) = scale_a (3 + w_a . psi) / 4      between half of scale_a and scale_a
//
// The scales of costs climb in equal steps of ratio from 1 / ratio (action 0) to 1 (the last); the
// scales of rewards from 0.4 to 1. Where there are several costs, action 0 is the cheapest in all
// of them and the rest of the ladder is shuffled, so that what saves one resource may spend
// another. There is always a budget: `rate` a round, or `budget` in all. A rate below 1 / ratio may
// be more than even action 0 can keep.
#pragma once

#include "rein/world.h"

namespace rein {

Result<std::unique_ptr<World>> make_heavy(const Spec& spec, std::uint64_t seed,
                                          std::int64_t rounds);

}  // namespace rein
