// The problems on which the theorem is measured, and what it says of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rein/evaluate.h"
#include "rein/spec.h"

namespace rein {

// One policy on one world, at every horizon.
struct VerifyCase {
  const char* parts;   // of the theorem that speak of it
  const char* world;   // a spec; $B stands for a budget of sqrt T
  const char* policy;  // a spec, with everything spelled out
  double margin;       // Slater's, where it is part (b)
  int first, last;     // horizons 2^first .. 2^last of the full profile
  int quick_first;     // ... of the quick one, which has six
  bool quick;          // whether the quick one has it
};
const std::vector<VerifyCase>& verify_cases();

// The budget at this horizon, and the specs with it.
double budget_at(std::int64_t rounds);
std::string with_budget(const char* text, const std::string& budget);

// What is measured of a part, and what the theorem says of it.
struct Claim {
  const char* quantity;
  double (*measured)(const Totals&);
  double (*bound)(const Totals&);  // NaN where there is none
  double (*rate)(const Terms&);    // what it grows like, constants aside
  const char* formula;             // the same, in words
};
std::vector<Claim> claims_of(char part);
// The errors of the oracle against what they are promised to stay under, for worlds that know how
// far the truth is from every function of the class.
Claim error_claim();

}  // namespace rein
