// aupd: the adaptive and universal primal-dual algorithm for small budgets (Guo, Liu, ICLR 2025).
//
//     a_t = argmax  f_ucb(a) - sum_i (Q_i / V) c_lcb,i(a)           ridge, ellipsoid of Confidence
//     Q_i <- max(0, Q_i + c_i - b),     V = v_scale b sqrt(T)
//
// Assumes i.i.d. contexts, costs in [0, 1] and a budget B >= sqrt(T) or so. Regret of the order
// (1 + nu / (delta b)) sqrt(T) with a margin delta, sqrt(T) + nu T^{3/4} / sqrt(b) without one, nu
// the best reward per round. The radius is ours: docs/policy/aupd.md.
#pragma once

#include "rein/policy.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_aupd(const Spec& spec, const Shape& shape, const Own& own);

}  // namespace rein
