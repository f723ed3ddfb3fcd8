// loe2d: LOE2D (Guo, Liu, COLT 2024), the primal-dual peer that ccb is closest to.
//
//     Q_i   <- max(Q_i + g_i, 0)                  price_i = Q_i / V,  V = sqrt(T U ln T)
//     beta  = V / (V + sum_i Q_i)                 gamma = K sqrt(T / U), or sqrt(K T / U)
//     p_a   = 1 / (eta + 2 gamma beta gap_a)      eta such that the sum is 1
//
// For zero-threshold problems; a budget is read as g = c - B / T (price/forms.h). Its guarantee
// needs i.i.d. contexts: T^(3/4) without Slater's condition, min(sqrt(T) / eps^2, T^(3/4)) with it,
// eps unknown. Parts: pricer quadratic(queue=reflect,v=2V), gain
// loe2d, explorer igw. ln T is taken of at least 2 rounds.
#pragma once

#include "rein/policy.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_loe2d(const Spec& spec, const Shape& shape, const Own& own);

}  // namespace rein
