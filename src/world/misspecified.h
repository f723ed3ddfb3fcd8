// misspecified: linear means plus a nonlinear part of any size.
//
//     mean from   q = (w . psi + strength n(xi)) / 2          psi = xi / sqrt(d - 1)
//
// See curved.h. The context is x = (1, psi) / sqrt 2. At strength 0 every mean is linear in x with
// |theta| <= 1 and one theta per action, as vaw(features=per_action) assumes. The nonlinear part is
// uncorrelated with every linear function. So strength sets the distance of the best linear
// prediction from the truth, strength times the size of n / 2. In root mean square of q it is 0.22
// strength for smooth curves and 0.35 strength for steps.
#pragma once

#include "rein/world.h"

namespace rein {

Result<std::unique_ptr<World>> make_misspecified(const Spec& spec, std::uint64_t seed,
                                                 std::int64_t rounds);

}  // namespace rein
