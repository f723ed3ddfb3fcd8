// squarecb: SquareCB (Foster, Rakhlin 2020), the algorithm that ccb is without prices.
//
//     p_a = 1 / (K + gamma gap_a), the rest on the best;  gamma = sqrt(K T / (U + ln(2 / delta)))
//
// Without a horizon, gamma = 10 sqrt(t), as Vowpal Wabbit does. Learns rewards only.
#pragma once

#include "rein/policy.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_squarecb(const Spec& spec, const Shape& shape, const Own& own);

}  // namespace rein
