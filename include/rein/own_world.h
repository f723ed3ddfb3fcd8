// A world that the caller brings, for the spec own(name=NAME). The spec own means the name "own".
// See docs/own.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "rein/loan.h"
#include "rein/world.h"

namespace rein {

// Makes a world for one seed. Called from the threads of a run, at least once per policy and seed.
using WorldMaker =
    std::function<Result<std::unique_ptr<World>>(std::uint64_t seed, std::int64_t rounds)>;
// Registers the maker under a name. Refuses a name that is already in use.
Result<Loan> lend_world(const std::string& name, WorldMaker maker);

}  // namespace rein
