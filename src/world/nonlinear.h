// nonlinear: means that bend, and that no linear function of the context can see.
//
// The context is xi / sqrt d with xi uniform in the cube [-1, 1]^d; every action and head is a
// smooth curve or a set of steps over it (see curved.h) whose linear part is exactly 0. An oracle
// that is linear in the context, with or without a constant, predicts no better than a constant
// ever; one that knows curves learns it.
#pragma once

#include "rein/world.h"

namespace rein {

Result<std::unique_ptr<World>> make_nonlinear(const Spec& spec, std::uint64_t seed,
                                              std::int64_t rounds);

}  // namespace rein
