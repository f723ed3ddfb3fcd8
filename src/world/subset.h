// subset: another world, of whose actions only some are offered in each round.
//
// Every action is offered with probability `share`, by chance that only the seed decides, so all
// policies are offered the same. The action `always` is offered in every round: without one that
// can be afforded, a budget may be out of reach whatever is played. Ids, contexts, features and
// outcomes are those of the world inside.
#pragma once

#include "rein/world.h"

namespace rein {

Result<std::unique_ptr<World>> make_subset(const Spec& spec, std::uint64_t seed,
                                           std::int64_t rounds);

}  // namespace rein
