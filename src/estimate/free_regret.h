// Regret against linear functions of any size (OracleAbilities::free_regret).
//
// Oracle::regret() of ridge regression counts reg |theta|^2 with |theta| at most Shape::theta, 1 unless
// said. Where features hardly differ from each other, a mean inside its range may need a theta of
// hundreds. So what is certified does not rest on that size:
//
//     sum (p - y)^2 - sum (theta . phi - y)^2
//         <=  sum (p - y)^2  -  min over theta of { sum (theta . phi - y)^2 + tiny |theta|^2 }  +  tiny |theta|^2
//
// for every tiny > 0. It is as small as rounding allows, so that a theta of kLargestFreeTheta adds little.
// It takes d^3 multiply-adds per set of parameters, so it is for those who ask rarely.
#pragma once

#include "estimate/abilities.h"

namespace rein {

// In units of the head, per unit of the scaled features.
inline constexpr double kLargestFreeTheta = 1000.0;

inline double regret_of(const Oracle& oracle) { return oracle.regret(); }
// That of any oracle: regret() of those whose class has no such size. NaN once something was forgotten,
// or where it would take too long.
inline double free_regret(const Oracle& oracle) {
  const std::optional<double> known = oracle.abilities().free_regret();
  return known ? *known : oracle.regret();
}

}  // namespace rein
