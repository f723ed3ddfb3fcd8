// linear: means that are linear in action features. The experiment is the order of contexts.
//
//     f*(x, a) = theta_0 . phi_a      g_i*(x, a) = theta_i . phi_a      |phi| <= 1, |theta| <= 1
//
// Every round offers k actions by their features, without a context. One of them is safe (see
// linear_problem.h). The order:
//
//   iid        fresh features in every round, from one distribution
//   switching  the distribution changes every `block` rounds
//   cyclic     a list of `period` contexts, repeated
//   drift      the distribution turns slowly: `turns` full circles in the run
//   adaptive   an adversary picks the worst of `candidates` fresh contexts (see adversary.h)
//
// The world assumes nothing about the learner. Every order except adaptive ignores what the learner
// does.
#pragma once

#include "rein/world.h"

namespace rein {

Result<std::unique_ptr<World>> make_linear(const Spec& spec, std::uint64_t seed,
                                           std::int64_t rounds);

}  // namespace rein
