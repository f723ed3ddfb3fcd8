// nonlinear: means that no linear function of the context can represent.
//
// The context is xi / sqrt d with xi uniform in the cube [-1, 1]^d. Every action and head is a
// smooth curve or a set of steps over it (see curved.h) whose linear part is exactly 0. An oracle
// that is linear in the context, with or without a constant, never predicts better than a constant.
// A nonlinear oracle can learn it.
#pragma once

#include "rein/world.h"

namespace rein {

Result<std::unique_ptr<World>> make_nonlinear(const Spec& spec, std::uint64_t seed,
                                              std::int64_t rounds);

}  // namespace rein
