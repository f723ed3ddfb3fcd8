// lagrange: LagrangeCBwLC (Slivkins, Sankararaman, Foster, COLT 2023), a game between a contextual
// bandit and a dual player that picks a resource.
//
//     score_a = f^_a + eta sum_i lambda_i (1 - (T / B) c^_{i,a})       resource 0: time, always 0
//     lambda  by Hedge on eta ((T / B) c_i - 1), step sqrt(ln(m + 1) / T) / (eta (1 + T / B))
//     p       = igw, gamma = (B / (eta T)) sqrt(K T / ((m + 1) U))
//
//     eta = budget   sqrt(B / R), R = sqrt(m T U ln(m T / delta))      no margin known
//           margin   2 / zeta, zeta the margin of some feasible policy
//           stop     1, and the null action once the budget could be passed (policy/stop.h)
//           a number
//
// The gamma that is printed lacks eta; scores are of size eta T / B, so it is put back. For
// knapsacks; other problems come through price/forms.h. Parts: pricer hedge or fixed_share, gain
// constant, explorer igw. Contexts are i.i.d., or (dual=fixed_share) switch now and then.
#pragma once

#include "rein/policy.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_lagrange(const Spec& spec, const Shape& shape, const Own& own);

}  // namespace rein
