// scaled: another world in other units. Rewards are multiplied by `reward`, costs and budgets by
// `cost`, with their ranges. `room` lowers the low ends of the ranges of signed costs below every
// outcome.
//
// `reward` and `cost` must not change any number measured in units, and must change all other
// numbers by exactly these factors. Tests use this world to check that.
#pragma once

#include "rein/world.h"

namespace rein {

Result<std::unique_ptr<World>> make_scaled(const Spec& spec, std::uint64_t seed,
                                           std::int64_t rounds, const Own& own);

}  // namespace rein
