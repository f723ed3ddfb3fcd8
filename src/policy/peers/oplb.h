// oplb: optimistic about rewards, pessimistic about costs. Pacchiano, Ghavamzadeh, Bartlett, Jiang,
// Stochastic bandits with linear constraints, AISTATS 2021 (arXiv 2006.10185), and with contexts
// Pacchiano, Ghavamzadeh, Bartlett, Contextual bandits with stage-wise constraints (arXiv 2401.08016).
//
//     p = argmax <p, f_upper>   such that   <p, u> <= limit
//     f_upper(a) = f^(a) + alpha_r r sqrt(w(a)),   u(a) = g^(a) + r sqrt(w(a)),   u(a_0) known
//     alpha_r    = 1 + 2 (largest cost - cost of a_0) / (limit - cost of a_0), the largest over costs
//
// The expected cost of every round keeps the limit, with probability 1 - delta. alpha_r is what pays
// for playing the safe action instead: it makes the optimistic reward of the best allowed
// distribution, moved towards a_0 until it is certified, at least its true reward.
//
// Where we differ: widths are those of single actions, so the program is linear and has a solution
// that mixes two actions (the papers have the norm of the mean vector of a distribution, which is
// smaller, and an oracle for the program). The safe action's row of the cost matrix is not projected
// out. Bounds of costs end at the largest cost. Of several costs each action has the one that is the
// largest share of its room, (u_i(a) - cost_i of a_0) / (limit_i - cost_i of a_0): then a mix that
// keeps that below 1 keeps every limit.
#pragma once

#include "rein/policy.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_oplb(const Spec& spec, const Shape& shape, const Own& own);

}  // namespace rein
