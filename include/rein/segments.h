// Segments: in words, who gets what under the priced policy of a budget, and what it is worth.
//
//     auto found = rein::segments(log.view(), {.cost = 1, .budget = 0.08, .heads = log.heads,
//                                              .actions = log.actions, .columns = columns}).value();
//     found.segments[0].words      // "recency over 0.6 and region is west"
//
// The rows are cut in two at random, whole units together; of a log that a learner made, the first half and
// the second. On one half the regressions are fitted, the price is set, and a shallow tree is grown that says
// by few columns what the policy plays. On the other half the policy is valued in each leaf, beside the
// action that costs least. So no interval is about a row that chose the policy or the leaf. Each holds in
// 95 % of logs, alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rein/json.h"
#include "rein/whatif.h"

namespace rein {

inline constexpr int kMaxSegments = 16;

struct SegmentsOptions {
  int cost = 1;         // the head that has the budget
  double budget = 0.0;  // per round
  int most = 4;         // segments, 2 to kMaxSegments
  std::vector<std::string> heads, actions;  // names; empty: reward, cost1, ... and 0, 1, ...
  // Names of the features; NAME=VALUE is 1 where column NAME has this value. Empty: 0, 1, ...
  std::vector<std::string> columns;
  FitOptions fit;
  Adaptive adaptive = Adaptive::kAuto;
  std::uint64_t seed = 1;  // of the cut
};

// A feature is above this number, or at most it.
struct SegmentCondition {
  int feature = 0;
  bool above = false;
  double at = 0.0;
};

// What a policy earns and spends per round, with its interval at 95 %; NaN: no interval.
struct SegmentValue {
  double value = 0.0, low = 0.0, high = 0.0;
};

struct Segment {
  std::vector<SegmentCondition> conditions;  // all hold; none: everybody
  std::string words;
  std::int64_t rows = 0;  // of the half that is valued
  double share = 0.0;     // of its weight
  std::vector<double> actions;        // how often the policy plays each of them here
  int action = 0;                     // the most frequent one
  std::vector<SegmentValue> values;   // per head, of the policy
  std::vector<SegmentValue> gain;     // per head: less the action that costs least
};

struct Segments {
  std::vector<std::string> heads, actions, columns;
  int cost = 1;
  double budget = 0.0, price = 0.0;
  int cheapest = 0;  // the action that costs least on average. A row that does not offer it: its own cheapest
  std::int64_t grown = 0, valued = 0;  // rows of the two halves
  std::vector<Segment> segments;       // those with the largest gain per round first
  Segment all;                         // everybody
  std::vector<std::string> warnings;
};

// Refuses what priced_policy() refuses.
Result<Segments> segments(const OfflineRows& rows, const SegmentsOptions& options);

// The segments as one object (docs/whatif.md has its keys).
Json to_value(const Segments& found);

}  // namespace rein
