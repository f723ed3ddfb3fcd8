// lincbwk: linear contextual bandits with knapsacks (Agrawal, Devanur, NeurIPS 2016).
//
//     a_t   = argmax  f_ucb(a) - Z sum_i theta_i c_lcb,i(a)    ridge, reg 1; radius of Confidence
//     theta on {theta >= 0, sum <= 1} by multiplicative weights on c - b, step sqrt(ln(m + 1) / T)
//
// Z = OPT / B is known (z=) or estimated from a first stage of min(d sqrt T, T / 2) rounds:
// Z = OPT^ / B + 1. Assumes i.i.d. contexts and means linear in the features; regret of the order
// (OPT / B + 1) d sqrt(T ln(...)). What is printed and what is inferred: docs/policy/lincbwk.md.
#pragma once

#include "rein/policy.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_lincbwk(const Spec& spec, const Shape& shape, const Own& own);

}  // namespace rein
