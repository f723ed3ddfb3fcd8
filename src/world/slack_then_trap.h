// slack_then_trap: first the best action saves, then the best action costs. The result depends on
// how a queue treats early savings, so this world separates the three queues of the quadratic
// price.
//
//     slack, context (1, 0)   action 0: f = 1, g = -1     action 1: f = 0, g = +1
//     trap,  context (0, 1)   action 0: f = 0, g = -1     action 1: f = 1, g = +1
//
// With m costs all of them are equal.
//
// The first `slack` share of the rounds is slack. There action 0 is best in every respect. In the
// trap the best choice with E[g] <= 0 is half of each, f = 1/2.
//
//   literal   the queue sinks, its price turns negative, and cost is rewarded: regret in the slack
//   positive  savings are kept: the trap is free until they are spent. The policy earns more than
//             the per-round benchmark, and the trap alone is violated by all that was saved
//   reflect   savings are discarded: the trap is priced from its start, and its own violation
//             stays small
#pragma once

#include "rein/world.h"

namespace rein {

Result<std::unique_ptr<World>> make_slack_then_trap(const Spec& spec, std::uint64_t seed,
                                                    std::int64_t rounds);

}  // namespace rein
