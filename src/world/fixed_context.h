// fixed_context: the experiment of SquareCBwK (Han, Zeng, Wang, Xu, AISTATS 2023). It has one
// context that never changes, k actions that overlap in one direction, m resources, and a null
// action.
//
//     x_a = (e_1 + e_{a+1}) / sqrt 2,  a = 1 .. k;   x_0 = 0, the null action
//     reward   theta_0 = (e_1 + e_2) / sqrt 2
//     costs    theta_1 = (e_1 + e_3) / sqrt 2,  theta_2 = (e_2 + e_3 + e_4 + e_5) / 2,
//              theta_i = e_{i+1} for i >= 3
//
// The noise has sd 0.2, and the budget of every cost is T / 4. Action 1 earns 1 and costs 1/2 of
// resource 1. Action 2 earns 1/2 and costs 1 of it. The best policy plays action 1 half of the
// time.
#pragma once

#include "rein/world.h"

namespace rein {

Result<std::unique_ptr<World>> make_fixed_context(const Spec& spec, std::uint64_t seed,
                                                  std::int64_t rounds);

}  // namespace rein
