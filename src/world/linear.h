// linear: means that are linear in action features; the order of contexts is the experiment.
//
//     f*(x, a) = theta_0 . phi_a      g_i*(x, a) = theta_i . phi_a      |phi| <= 1, |theta| <= 1
//
// Every round offers k actions by their features, no context, and one of them is safe (see
// linear_problem.h). What comes when:
//
//   iid        fresh features every round, one law
//   switching  the law changes every `block` rounds
//   cyclic     a list of `period` contexts, again and again
//   drift      the law turns slowly: `turns` full circles in the run
//   adaptive   an adversary picks the worst of `candidates` fresh contexts (see adversary.h)
//
// Assumes nothing of the learner. All orders but adaptive ignore what it does.
#pragma once

#include "rein/world.h"

namespace rein {

Result<std::unique_ptr<World>> make_linear(const Spec& spec, std::uint64_t seed,
                                           std::int64_t rounds);

}  // namespace rein
