// The bounds from Slater's margin: regret and violation of order sqrt(KTU) / eps, at every time and
// for any contexts. docs/theory/slater.md proves it; the names here are its symbols.
//
//     Q_t <= q for all t <= T        if  q^2 >= max(Theta^2, m + 2V) + V w sigma + L' / h
//     Regret <= m T / V + w sigma + N / V
//
//     Theta = (m + 2V) / D,  D = 2 (eps - h m q) > 0,  w = c sqrt(KU),  sigma >= sqrt(S_T)
//
// Any h and q that satisfy these conditions give true bounds. The code tries powers of two for h,
// and takes the least q for each.
#pragma once

#include <optional>

namespace rein {

struct MarginProblem {
  double rounds = 1.0;      // T
  double costs = 1.0;       // m
  double v = 1.0;           // V
  double weight = 1.0;      // w = c sqrt(KU)
  double margin = 1.0;      // eps
  double delta = 0.05;      // the chance that these bounds fail
  bool is_measured = false;  // w or eps was measured in the run, so h may not depend on them
};

struct MarginBounds {
  double regret = 0.0;   // of the distributions; the actions drawn add their own chance
  double largest = 0.0;  // q: the largest value over time of the Euclidean norm of Q+
  double average = 0.0;  // of that norm, over time and before each round
};
// Nothing only if the numbers are beyond what doubles can hold. REQUIRES margin > 0.
std::optional<MarginBounds> margin_bounds(const MarginProblem& problem);

}  // namespace rein
