// scaled: another world in other units. Rewards are multiplied by `reward`, costs and budgets by
// `cost`, with their ranges; `room` moves the low ends of the ranges of signed costs further down,
// to where nothing ever comes.
//
// Nothing that is said in units may change with the first two, and everything else must change by
// just these factors: this world is how that is tested.
#pragma once

#include "rein/world.h"

namespace rein {

Result<std::unique_ptr<World>> make_scaled(const Spec& spec, std::uint64_t seed,
                                           std::int64_t rounds);

}  // namespace rein
