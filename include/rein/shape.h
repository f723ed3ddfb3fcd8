// Shape: what is known before the first round.
//
// It comes from the world or from the caller; keys of a policy spec (rounds=, budget=, rate=)
// override what it says. A policy sizes all of its buffers from it, so that a round within the
// shape allocates nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rein/result.h"

namespace rein {

class FunctionClass;

// The values that a reward or a cost may take. Outcomes outside are refused.
struct Range {
  double low = -1.0;
  double high = 1.0;
  bool operator==(const Range&) const = default;
};

struct CostShape {
  std::string name = "cost";
  Range range;
};

// Limits on what may be asked for (docs/limits.md has all of them). Those of a shape are checked
// when a policy is made, those of a round with every round.
inline constexpr int kMaxActions = 1'000'000;
inline constexpr int kMaxFeatures = 1 << 24;
// Every count of rounds is exact as a double.
inline constexpr std::int64_t kMaxHorizon = std::int64_t{1} << 53;
// In size, of a number in a context or a feature and of the ends of a range: what is made of such
// numbers (products, squares, sums over all rounds) stays finite.
inline constexpr double kMaxNumber = 1e50;
// The smallest unit: the larger end of a range, in size.
inline constexpr double kMinUnit = 1e-50;
// In size, of a budget or a reservation, in units.
inline constexpr double kMaxTotal = 1e100;

struct Shape {
  int actions = 0;               // the most actions that one round may offer (K)
  int context = 0;               // numbers in a round's context
  int features = 0;              // numbers that describe each action
  Range reward;                  // the values a reward may take
  std::vector<CostShape> costs;  // one entry a resource; empty where nothing is constrained

  std::int64_t rounds = 0;      // the horizon T; 0 when unknown
  std::vector<double> budgets;  // total consumption allowed, one a cost; empty when none is known

  // Where the problem comes with them (experiments): the class that contains the true functions,
  // for oracle `finite`, and the true functions themselves, for oracle `truth`.
  std::shared_ptr<const FunctionClass> functions;
  std::shared_ptr<const FunctionClass> truth;
  // Where the truth is not linear in what is shown: one linear function near it, which an oracle of
  // linear functions can learn. How far off it is enters the bounds (docs/bounds.md).
  std::shared_ptr<const FunctionClass> nearest;
  // The largest |theta| with which the truth is linear in what is shown. Linear oracles assume 1; a
  // world that knows it to be more says so, and their U grows.
  double theta = 1.0;

  int heads() const { return 1 + static_cast<int>(costs.size()); }
};

// Refuses a shape that no policy could work with: no actions, sizes over the limits, an empty or
// infinite range, budgets that are not one a cost. A shape without context and features is fine:
// parameters kept per action tell its actions apart.
Result<> validate(const Shape& shape);

}  // namespace rein
