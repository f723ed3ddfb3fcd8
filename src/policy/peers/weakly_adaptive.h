// weakly_adaptive: a primal and a dual learner that both do well on every interval of rounds, so
// that prices stay bounded without a projection and without a known margin (Bernasconi,
// Castiglioni, Celli, arXiv 2405.06575, 2024). Its contextual form, in zero-threshold form (g = c -
// b):
//
//     lam_i <- max(0, lam_i + eta g_i)        eta = eta_scale / (sqrt(K T U) + sqrt(T ln(T / delta)))
//     p      = igw on f^ - sum_i lam_i g^_i,  gamma = gamma_scale sqrt(K T / U) / (1 + sum_i lam_i)
//
// Of the paper only the abstract was at hand: both formulas are reconstructed, and what follows
// from it is said in docs/policy/weakly_adaptive.md. Parts: pricer quadratic(queue=reflect), which
// is online gradient descent with step 2 / v; gain loe2d(balanced=1); explorer igw.
#pragma once

#include "rein/policy.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_weakly_adaptive(const Spec& spec, const Shape& shape,
                                                     const Own& own);

}  // namespace rein
