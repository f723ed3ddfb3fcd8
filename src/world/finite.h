// finite: a list of n functions over c contexts and k actions; one of them is the truth.
//
//     mean_h(x, a) = F_j[x][a][h]      j hidden, F_1, ..., F_n known
//
// The shape offers the whole list to the oracle `finite` and the truth to the oracle `truth`. The
// context is one-hot, so linear oracles with parameters per action can learn it too.
//
// Every function of the list is a problem with the same guarantee: each context has one safe
// action, whose place differs between functions. Signed costs of the safe action lie in [-1,
// -margin], positive ones in [0, safe]. Other actions cost anything in the range. Reward is
// correlated with cost: (1 - tension) uniform + tension (mean of the costs).
#pragma once

#include "rein/world.h"

namespace rein {

Result<std::unique_ptr<World>> make_finite(const Spec& spec, std::uint64_t seed,
                                           std::int64_t rounds);

}  // namespace rein
