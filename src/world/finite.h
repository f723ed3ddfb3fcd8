// finite: a list of n functions over c contexts and k actions, one of which is the truth.
//
//     mean_h(x, a) = F_j[x][a][h]      j hidden, F_1, ..., F_n known
//
// The shape offers the whole list to the oracle `finite` and the truth to the oracle `truth`. The
// context is shown one-hot, so that linear oracles with parameters per action can learn it too.
//
// Every function of the list is a problem of its own with the same promise: in each context one
// action is safe, at a place that differs between functions. Signed costs: the safe action's lie in
// [-1, -margin]; positive ones: in [0, safe]. Other actions cost anything in the range, and reward
// goes along with cost: (1 - tension) uniform + tension cost, costs being averaged.
#pragma once

#include "rein/world.h"

namespace rein {

Result<std::unique_ptr<World>> make_finite(const Spec& spec, std::uint64_t seed,
                                           std::int64_t rounds);

}  // namespace rein
