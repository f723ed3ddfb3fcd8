// The problems on which the theorem is measured, and its claims about them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rein/run.h"
#include "rein/spec.h"

namespace rein {

// One policy on one world, at every horizon.
struct VerifyCase {
  const char* parts;   // the parts of the theorem that cover it
  const char* world;   // a spec; $B, $C, $D: budgets of sqrt T, T^(5/8), T^(3/4)
  const char* policy;  // a spec with every option written out
  double margin;       // Slater's eps, for parts (b) and (g); 0: as measured
  int first, last;     // horizons 2^first .. 2^last of the full profile
  int quick_first;     // ... of the quick profile, which has six
  bool quick;          // whether the quick profile includes it
};
const std::vector<VerifyCase>& verify_cases();

// The spec with the budget of this horizon, and with the budget as a formula.
std::string with_budget(const char* world, std::int64_t rounds);
std::string named_budget(const char* world);

// A quantity that is measured for a part, and the theorem's claim about it.
struct BoundClaim {
  const char* quantity;
  double (*measured)(const Totals&);
  double (*bound)(const Totals&);  // NaN if there is none
  double (*rate)(const Terms&);    // the rate of growth, without constants
  const char* formula;             // the rate as a formula
};
std::vector<BoundClaim> claims_of(char part);
// The oracle's errors against their bound, for worlds that know the distance from the truth to
// every function of the class.
BoundClaim error_claim();

}  // namespace rein
