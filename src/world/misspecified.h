// misspecified: linear means, and a nonlinear part as large as you like.
//
//     mean = made of  q = (w . psi + strength n(xi)) / 2      psi = xi / sqrt(d - 1)
//
// see curved.h. The context is x = (1, psi) / sqrt 2. At strength 0 every mean is linear in x with
// |theta| <= 1, a theta of its own for every action: what vaw(features=per_action) assumes. The
// nonlinear part is uncorrelated with every linear function, so strength says how far the best
// linear prediction is from the truth: strength times the size of n / 2, 0.22 strength in root mean
// square of q for smooth curves, 0.35 strength for steps.
#pragma once

#include "rein/world.h"

namespace rein {

Result<std::unique_ptr<World>> make_misspecified(const Spec& spec, std::uint64_t seed,
                                                 std::int64_t rounds);

}  // namespace rein
