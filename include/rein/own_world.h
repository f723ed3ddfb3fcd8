// A world of the caller's own, for the spec own(name=NAME), or own where the name is "own".
// docs/own.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "rein/loan.h"
#include "rein/world.h"

namespace rein {

// Called from the threads of a run, once for every play.
using WorldMaker =
    std::function<Result<std::unique_ptr<World>>(std::uint64_t seed, std::int64_t rounds)>;
// Refuses a name that is lent already.
Result<Loan> lend_world(const std::string& name, WorldMaker maker);

}  // namespace rein
