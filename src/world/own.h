// The world that the caller brings: own(name=NAME), see rein/own.h.
#pragma once

#include "rein/world.h"

namespace rein {

Result<std::unique_ptr<World>> make_own_world(const Spec& spec, std::uint64_t seed,
                                              std::int64_t rounds, const Own& own);

}  // namespace rein
