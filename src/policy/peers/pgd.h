// pgd: contextual bandits with small total-cost constraints by projected gradient descent on the
// dual (Chzhen, Giraud, Li, Stoltz, NeurIPS 2023).
//
//     a_t = argmax  f_ucb(a) - sum_i lam_i c_lcb,i(a)           ridge, ellipsoid of Confidence
//     lam <- (lam + step_k (c_lcb(a_t) - (b_i - b)))_+           pricer gradient: steps that double
//
// In the step the bound is clipped to the range of the cost; in the choice bounds are not clipped:
// clipped ones are all alike for most of a short run. Made for signed costs and i.i.d. contexts;
// total budgets may be as small as sqrt(T) up to logarithms. docs/policy/pgd.md says what is the
// paper's and what is ours. It is no Composed, because its price moves by the bound of the cost at
// the action that was played, not by the cost.
#pragma once

#include "rein/policy.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_pgd(const Spec& spec, const Shape& shape, const Own& own);

}  // namespace rein
