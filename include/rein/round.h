// Round and Outcome: one decision to make, and its result. A Round is a view: it owns nothing.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "rein/costs.h"
#include "rein/result.h"
#include "rein/shape.h"

namespace rein {

// A sparse matrix with one row per action. Columns ascend within a row. Row a holds value[j] at
// column index[j], for each j with begin[a] <= j < begin[a + 1].
struct SparseRows {
  std::span<const std::int32_t> begin;
  std::span<const std::int32_t> index;
  std::span<const double> value;
};

// The actions to choose from. A round has a context, or features for every action, or both. The
// number of actions may change from round to round.
//
//     Round round{.actions = 3, .context = x};               // actions 0, 1 and 2
//     Round round{.actions = 3, .features = phi};            // phi: 3 rows of shape.features
//     Round round{.actions = 2, .context = x, .ids = ids};   // ids = {0, 7}: only these two
struct Round {
  int actions = 0;
  std::span<const double> context;   // shape.context numbers
  std::span<const double> features;  // actions x shape.features, one row per action; or `sparse`
  SparseRows sparse;                 // the same rows in sparse form
  // Identity of each action, in [0, shape.actions); no two are the same. Parameters kept per action
  // are stored by id. Empty means 0, 1, ..., actions - 1.
  std::span<const std::int32_t> ids;
  // What each action is expected to cost, as far as the caller knows: actions x shape.costs, one
  // row per action, inside the ranges of the costs. Empty: nothing is known. Expected costs may
  // change from round to round. tuning=auto uses them (docs/tuning.md); other policies ignore them.
  std::span<const double> expected_costs = {};
  // The baseline of this round: the probability with which the baseline would play each action.
  // These sum to 1, or all are 0: no baseline. Empty: the baseline of the spec. Only for
  // ccb(baseline=...) (docs/baseline.md); other policies refuse a baseline.
  std::span<const double> baseline = {};

  std::int32_t id(int action) const { return ids.empty() ? action : ids[action]; }
};

// The value of a part of an outcome that has not come. kMissing is a NaN with bits of its own. A
// NaN that a computation gives has other bits, and is refused.
inline constexpr double kMissing = std::bit_cast<double>(std::uint64_t{0x7ff8'6d69'7373'6e67});
inline bool is_missing(double part) {
  return std::bit_cast<std::uint64_t>(part) == std::bit_cast<std::uint64_t>(kMissing);
}

// The result of the chosen action. Costs are in the order of shape.costs. Parts may come one by one:
//
//     Outcome{.reward = 1.0, .costs = {0.02}}    // all of it
//     Outcome{.costs = {0.02}}                   // the costs; the reward has not come
//     Outcome{.reward = 1.0}                     // the reward; no cost has come
//     Outcome{.costs = {kMissing, 30.0}}         // the second of two costs
struct Outcome {
  double reward = kMissing;
  Costs costs;  // empty: none has come
};

// Refuses a round that does not fit the shape: no actions or too many, wrong sizes, ids out of
// range, malformed sparse rows, rows both dense and sparse, a baseline that is no distribution.
// Numbers that are not finite, or exceed kMaxNumber in absolute value, are refused too.
Result<> validate(const Shape& shape, const Round& round);
// Refuses rewards and costs that are missing, not finite, or outside their declared ranges.
Result<> validate(const Shape& shape, const Outcome& outcome);
// Like validate(), but parts may be missing; an outcome without any part is refused.
Result<> validate_parts(const Shape& shape, const Outcome& outcome);

}  // namespace rein
