// spend_or_save: a budget for half of the rounds, and a future that cannot be predicted.
//
//     first half    context (1, 0, 0)   spend: f = medium, g = 1     skip: f = 0, g = 0
//     second half   context (0, 1, 0)   spend: f = high,   g = 1     skip: f = 0, g = 0
//     or            context (0, 0, 1)   spend: f = low,    g = 1     skip: f = 0, g = 0
//
// With m costs all of them are equal.
//
// Action 0 skips, action 1 spends. The budget is T/2. A policy that spends s in the first half
// loses s (high - medium) if the future is high and (T/2 - s)(medium - low) if it is low. At the
// defaults the larger of the two is at least T/8. So no policy has sublinear regret under a hard
// budget against an adversary, even without noise. (The usual lower bound for knapsacks with
// adversarial contexts.)
#pragma once

#include "rein/world.h"

namespace rein {

Result<std::unique_ptr<World>> make_spend_or_save(const Spec& spec, std::uint64_t seed,
                                                  std::int64_t rounds);

}  // namespace rein
