// Round and Outcome: one decision to make, and its result. A Round is a view: it owns nothing.
#pragma once

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
  std::span<const double> features;  // actions x shape.features, one row per action; or
  SparseRows sparse;                 // the same rows in sparse form
  // Identity of each action, in [0, shape.actions). Parameters kept per action are stored by id.
  // Empty means 0, 1, ..., actions - 1.
  std::span<const std::int32_t> ids;
  // What each action is expected to cost, as far as the caller knows: actions x shape.costs, one
  // row per action, inside the ranges of the costs. Empty: nothing is known. It may change from
  // round to round. tuning=auto uses it (docs/tuning.md); other policies ignore it.
  std::span<const double> expected_costs = {};

  std::int32_t id(int action) const { return ids.empty() ? action : ids[action]; }
};

// The result of the chosen action. Costs are in the order of shape.costs.
struct Outcome {
  double reward = 0.0;
  Costs costs;
};

// Refuses a round that does not fit the shape: no actions or too many, wrong sizes, ids out of
// range, malformed sparse rows, rows both dense and sparse. Also numbers that are not finite or
// exceed kMaxNumber in absolute value.
Result<> validate(const Shape& shape, const Round& round);
// Refuses rewards and costs that are missing, not finite, or outside their declared ranges.
Result<> validate(const Shape& shape, const Outcome& outcome);

}  // namespace rein
