// Round and Outcome: one decision to make, and what came of it. Views only: nothing is owned.
#pragma once

#include <cstdint>
#include <span>

#include "rein/costs.h"
#include "rein/result.h"
#include "rein/shape.h"

namespace rein {

// The rows of a sparse matrix, one row an action: row a holds value[j] at column index[j] for
// begin[a] <= j < begin[a + 1]; columns ascend within a row.
struct SparseRows {
  std::span<const std::int32_t> begin;
  std::span<const std::int32_t> index;
  std::span<const double> value;
};

// What there is to choose from. A round carries a context, or features for every action, or both;
// the number of actions may change from round to round.
//
//     Round round{.actions = 3, .context = x};               // three known actions
//     Round round{.actions = 3, .features = phi};            // phi: 3 rows of shape.features
//     Round round{.actions = 2, .context = x, .ids = ids};   // ids = {0, 7}: only these two today
struct Round {
  int actions = 0;
  std::span<const double> context;   // shape.context numbers
  std::span<const double> features;  // actions x shape.features, one row an action; or
  SparseRows sparse;                 // the same rows, sparse
  // Who the actions are, each in [0, shape.actions): what parameters kept per action are kept by.
  // Empty means 0, 1, ..., actions - 1.
  std::span<const std::int32_t> ids;

  std::int32_t id(int action) const { return ids.empty() ? action : ids[action]; }
};

// What the chosen action gave. Costs in the order of shape.costs.
struct Outcome {
  double reward = 0.0;
  Costs costs;
};

// Refuses what does not fit the shape: no actions or too many, wrong sizes, ids out of range,
// sparse rows that are not rows, rows both dense and sparse, numbers that are not finite or over
// kMaxNumber in size.
Result<> validate(const Shape& shape, const Round& round);
// Refuses rewards and costs that are missing, not finite, or outside their declared ranges.
Result<> validate(const Shape& shape, const Outcome& outcome);

}  // namespace rein
