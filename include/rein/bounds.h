// Bounds: what the theorem guarantees, for given constants or for a policy. docs/bounds.md derives
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "rein/costs.h"
#include "rein/terms.h"

namespace rein {

class Policy;

// What the theorem guarantees; see docs/bounds.md. A bound above T says nothing: print it as
// vacuous. Each Costs has one number per cost, or is empty if no bound applies.
struct Bounds {
  std::optional<double> regret;
  Costs ccv;          // CCV: cumulative violation, the sum of each cost
  Costs ccv_average;  // average of the CCV over time; setting slater with its margin
  Costs ccv_share;    // the CCV stays under it in a share of the rounds; slater, with its margin
  Costs queue_rms;    // part (e): root mean square over time of the CCV's positive part
  // The bound on regret from Slater's margin (docs/theory/slater.md), of order sqrt(KTU) / margin.
  std::optional<double> regret_margin;
  Costs ccv_max;  // the largest CCV over time
};

// What is known or assumed besides the terms. All numbers are in units.
struct BoundOptions {
  double margin = 0.0;  // Slater's eps; 0 if unknown
  bool margin_is_measured = false;  // the margin was measured in the run that the bounds are for
  // c of part (e): the time average of Regret_t is at least -c sqrt(K T U). Negative: not assumed.
  double premise = -1.0;
  // Sum over rounds of the squared distance from the nearest functions of the class to the truth.
  double misspecified = 0.0;
  double share = 0.99;  // share of the rounds for ccv_share
  // For a policy without a horizon: after so many rounds. 0: after those that it has learned.
  std::int64_t rounds = 0;
  // The probability that the bounds fail in one run. 0: bounds on means over runs, for errors that
  // never exceed Terms::errors.
  double delta = kBoundDelta;
};
// The bounds in units. Empty if the exponential settings have multipliers other than 1, or if the
// terms are too small for any bound.
Bounds bounds(const Terms& terms, const BoundOptions& options = {});
// What the theorem guarantees for this policy with probability 1 - kBoundDelta, in the units of its
// shape. Empty if the theorem does not cover the policy (PolicyState::theorem). The assumptions are
// in docs/bounds.md: immediate outcomes, functions in the oracle's class, a feasible problem.
Bounds bounds(const Policy& policy, const BoundOptions& options = {});
// The bound on the squared errors of one head: Terms::errors, plus the part that comes from a
// misspecified class.
double error_bound(const Terms& terms, const BoundOptions& options = {});

// Why a run has no bound although the theorem covers its policy.
enum class NoBound {
  kNone,        // the run has a bound, or the theorem does not cover its policy
  kHorizon,     // the policy was made for a different number of rounds
  kDelay,       // outcomes came late
  kMeans,       // the world has no known means: neither U nor the benchmark can be checked
  kBenchmark,   // regret is measured against the benchmark of another setting
  kInfeasible,  // in some round no choice satisfies the constraint
  kPositive,    // almost_sure: the means of the positive parts are unknown
  kNorm,        // features exceeded the norm that U assumes
  kErrors,      // the oracle's errors exceeded what the bound assumes
  kConstants,   // multipliers or sizes for which no bound exists
  kLive,        // the run had live budgets, or outcomes in parts (RunOptions::live)
};
// One line for people, such as "outcomes came late". Empty for kNone.
std::string_view why(NoBound reason);

}  // namespace rein
