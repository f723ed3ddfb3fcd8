// subset: another world that offers only some of its actions in each round.
//
// Every action is offered with probability `share`. The draws depend only on the seed, so all
// policies are offered the same actions. The action `always` is offered in every round: without an
// affordable action a budget may be infeasible, whatever is played. Ids, contexts, features and
// outcomes are those of the inner world.
#pragma once

#include "rein/world.h"

namespace rein {

Result<std::unique_ptr<World>> make_subset(const Spec& spec, std::uint64_t seed,
                                           std::int64_t rounds, const Own& own);

}  // namespace rein
