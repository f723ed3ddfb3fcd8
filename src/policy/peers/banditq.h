// banditq: BanditQ (Sinha, UAI 2024), bandits with guaranteed rewards. No contexts: the learner is
// Exp3 over the actions.
//
//     surrogate  s_a = (Q_a + V) r_a - sum_j P_j (c_j - b_j)     V = v_scale sqrt T
//     Q_a <- max(0, Q_a + target_a - r_a 1{a played})            P_j <- max(0, P_j + c_j - b_j)
//     L_a += (M - s_a) / p_a  for the action played              p_a proportional to exp(-eta L_a)
//     eta  = eta_scale sqrt(ln K / (K sum_t M_t^2)),  M = V + max Q + sum_j P_j (1 + |b_j|)
//
// Printed: Q, V, the surrogate reward (Q_a + V) r_a, and that an adversarial bandit of adaptive
// scale plays on it (the paper uses a scale-free one). Inferred: the queues P of costs, which treat
// a budget as the mirror image of a target; Exp3 with this eta as the scale-free learner.
// O(T^{3/4}) regret and violation for targets, i.i.d. rewards; none is claimed for budgets.
#pragma once

#include "rein/policy.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_banditq(const Spec& spec, const Shape& shape, const Own& own);

}  // namespace rein
