// heavy: actions whose costs differ by a factor of 500, as those of language models or channels do.
//
// psi is a unit vector, drawn in every round. The context is x = (sqrt 3, psi) / 2. Every action
// has its own parameters, theta = scale (sqrt 3, w) / 2 with a unit vector w:
//
//     mean(x, a) = scale_a (3 + w_a . psi) / 4      between half of scale_a and scale_a
//
// The scales of costs grow geometrically from 1 / ratio (action 0) to 1 (the last action). The
// scales of rewards range from 0.4 to 1. With several costs, action 0 is the cheapest in all of
// them and the others are shuffled, so an action that saves one resource may spend another. There
// is always a budget: `rate` per round, or `budget` in all. A rate below 1 / ratio may be
// infeasible even with action 0.
#pragma once

#include "rein/world.h"

namespace rein {

Result<std::unique_ptr<World>> make_heavy(const Spec& spec, std::uint64_t seed,
                                          std::int64_t rounds);

}  // namespace rein
