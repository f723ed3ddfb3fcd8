// squarecbwk: SquareCBwK (Han, Zeng, Wang, Xu, AISTATS 2023), contextual bandits with knapsacks by
// regression oracles.
//
//     score_a = f^_a + sum_i lambda_i (b - c^_{i,a})           b = B / T
//     lambda  by exponentiated gradient with slack on {lambda >= 0, sum <= Z},
//             loss <b - c, lambda>, step ln(m + 1) / sqrt T
//     p_a     = 1 / (K + gamma gap_a), the rest on the best
//     gamma   = sqrt(K T / (U + (Z + 1)^2 U + 4 ln(2 T)))      Z = T / B
//
// With `null` it stops at B - 1, as printed: once one more round could pass the budget
// (policy/stop.h). stages=2 estimates Z first (policy/peers/first_stage.h, uniform): when B = o(T), Z = T
// / B is larger than any price that is worth paying (OPT / B), and gamma, which falls with Z,
// explores more than it must. For knapsacks; other problems come through price/forms.h. Contexts
// are i.i.d. Parts: pricer hedge (which is exponentiated gradient with slack), gain constant,
// explorer square.
#pragma once

#include "rein/policy.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_squarecbwk(const Spec& spec, const Shape& shape,
                                                const Own& own);

}  // namespace rein
