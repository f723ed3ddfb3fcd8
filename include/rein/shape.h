// Shape: what is known about a problem before the first round.
//
// The world or the caller provides it. Keys of a policy spec (rounds=, budget=, rate=) override it.
// A policy sizes all of its buffers from the shape, so a round that fits the shape allocates
// nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rein/result.h"

namespace rein {

class FunctionClass;

// An end of a range that nobody declared. Outcomes of any usual size are far inside.
inline constexpr double kUnknownEnd = 0x1p60;

// The values that a reward or a cost may take. Outcomes outside are refused; the engine books a cost
// above its range, and clips it for learning. With an end that is not known, scales are learned from
// what is seen: `ccb` with tuning=auto needs no others.
struct Range {
  double low = -1.0;
  double high = 1.0;

  static constexpr Range unknown() { return {-kUnknownEnd, kUnknownEnd}; }
  static constexpr Range from(double low) { return {low, kUnknownEnd}; }  // the largest is unknown
  constexpr bool has_top() const { return high != kUnknownEnd; }
  constexpr bool known() const { return has_top() && low != -kUnknownEnd; }
  bool operator==(const Range&) const = default;
};

struct CostShape {
  std::string name = "cost";
  Range range;
};

// Limits; docs/limits.md lists all of them. Limits of a shape are checked when a policy is made,
// limits of a round in every round.
inline constexpr int kMaxActions = 1'000'000;
inline constexpr int kMaxFeatures = 1 << 24;
// Limit on the horizon: every count of rounds is exact as a double.
inline constexpr std::int64_t kMaxHorizon = std::int64_t{1} << 53;
// Limit on the absolute value of context and feature numbers and of the ends of a range. Products,
// squares and sums of such numbers over all rounds stay finite.
inline constexpr double kMaxNumber = 1e50;
// The smallest unit. The unit of a range is the larger absolute value of its two ends.
inline constexpr double kMinUnit = 1e-50;
// Limit on the absolute value of a budget or a reservation, in units.
inline constexpr double kMaxTotal = 1e100;
// By how much the probabilities of a baseline may miss a sum of 1; they are renormalised.
inline constexpr double kBaselineSlack = 1e-3;

// In a problem that the goal of a policy was mapped to (docs/quality_floor.md), which expected cost
// speaks of a head: head = sign x cost + zero.
struct ExpectedHead {
  int cost = -1;  // index of the cost of the original problem; -1: none
  Range range;    // of that cost
  double sign = 1.0;
  double zero = 0.0;
};

struct Shape {
  int actions = 0;               // the largest number of actions in one round (K)
  // how many of these actions, the last ones, were added while running
  int added = 0;
  // The place of a removed action that a new action takes. A policy with this shape loads a saved
  // state without what it knows of the removed action alone. -1: no place.
  int new_place = -1;
  int context = 0;               // numbers in a round's context
  int features = 0;              // numbers that describe each action
  Range reward;                  // the values a reward may take
  std::vector<CostShape> costs;  // one entry per resource; empty if nothing is constrained

  std::int64_t rounds = 0;      // the horizon T; 0 if unknown
  std::vector<double> budgets;  // total consumption allowed, one per cost; empty if unknown
  // Whether the engine keeps the budgets: decide() then gets how fast each cost may be spent
  // (Money::paces).
  bool paced = false;

  // For experiments: the class that contains the true functions (oracle `finite`), and the true
  // functions themselves (oracle `truth`). Null if the problem does not provide them.
  std::shared_ptr<const FunctionClass> functions;
  std::shared_ptr<const FunctionClass> truth;
  // If the truth is not linear in the features: a linear function near it, which a linear oracle
  // can learn. Its distance from the truth enters the bounds (docs/bounds.md).
  std::shared_ptr<const FunctionClass> nearest;
  // The largest norm |theta| of the truth as a linear function of the features. Linear oracles
  // assume 1. A world with a larger norm sets it here, and their U grows.
  double theta = 1.0;
  // One entry per head; set by policies with a goal. Empty: expected cost i is the expectation of
  // cost i.
  std::vector<ExpectedHead> expected = {};

  int heads() const { return 1 + static_cast<int>(costs.size()); }
  // The values that expected cost i may have.
  const Range& expected_range(std::size_t i) const {
    for (const ExpectedHead& head : expected) {
      if (head.cost == static_cast<int>(i)) return head.range;
    }
    return costs[i].range;
  }
  // The name of a reward or cost whose range is not known: the first; empty if there is none.
  std::string unknown() const {
    if (!reward.known()) return "reward";
    for (const CostShape& cost : costs) {
      if (!cost.range.known()) return "cost \"" + cost.name + "\"";
    }
    return "";
  }
};

// Refuses a shape that no policy can use: no actions, sizes over the limits, an empty or infinite
// range, or a number of budgets other than one per cost. A shape without context and features is
// valid: parameters are then kept per action.
Result<> validate(const Shape& shape);

}  // namespace rein
