// scaled: another world in other units. Rewards are multiplied by `reward`, costs and budgets by
// `cost`, with their ranges. `room` lowers the low ends of the ranges of signed costs below every
// outcome.
//
// The first two must not change anything measured in units, and must change everything else by
// exactly these factors. Tests use this world to check that.
#pragma once

#include "rein/world.h"

namespace rein {

Result<std::unique_ptr<World>> make_scaled(const Spec& spec, std::uint64_t seed,
                                           std::int64_t rounds, const Own& own);

}  // namespace rein
