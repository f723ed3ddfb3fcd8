// ccb: the constrained contextual bandit of the paper (Sarkar, Sinha, arXiv 2602.05019, Theorem 1).
//
// Estimate rewards and costs, price the costs by the slope of a potential of what was spent,
// explore by inverse gap weighting. The setting says what is known, and picks the potential:
//
//   expectation         some policy keeps E[cost] <= 0 in every context      quadratic
//   slater              the same with a margin                               quadratic
//   almost_sure         some policy never incurs a positive cost             exponential, cost+
//   knapsack            a total budget, costs >= 0                           exponential
//   linear_constraints  a total budget, signed costs, i.i.d. contexts        quadratic
//   pacing              a total budget, spread over the rounds               quadratic on g - B/T
//
// pacing is not in the paper. Where we differ from it, and why, is in docs/policy/ccb.md.
#pragma once

#include "rein/policy.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_ccb(const Spec& spec, const Shape& shape, const Own& own);

// The spec with the defaults that ccb takes from the shape and from its other options, except the
// pricer's: it depends on the terms of the problem.
Spec with_ccb_defaults(const Spec& spec, const Shape& shape);

}  // namespace rein
