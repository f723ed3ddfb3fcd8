// Many decisions, and many outcomes, in one call on plain arrays: for callers to whom a call is
// dear, such as Python.
//
// The decisions of one batch are made from what was learned before it, since no outcome can come
// between; what each is predicted to cost is reserved before the next one, as ever. The result is
// the same as that of as many calls of Engine::decide(), to the bit.
#pragma once

#include <cstdint>
#include <span>

#include "rein/engine.h"

namespace rein {

// Rounds that all offer as many actions. Arrays by row: round, then action, then feature.
struct RoundBatch {
  std::int64_t rounds = 0;
  int actions = 0;
  std::span<const double> contexts;   // rounds x shape.context
  std::span<const double> features;   // rounds x actions x shape.features
  std::span<const std::int32_t> ids;  // rounds x actions; empty: 0, 1, ..., actions - 1
};

// What was decided, into memory of the caller: for every round an entry of each array. An empty
// array is not written. Where the hard budget left no action: id 0, action -1, probabilities 0.
struct TicketBatch {
  std::span<std::uint64_t> ids;
  std::span<std::int32_t> actions;  // index into the round's actions
  std::span<double> probability;    // of the action that was chosen
  std::span<double> probabilities;  // rounds x actions
  std::span<double> prices;         // rounds x costs
  std::span<double> estimates;      // rounds x (1 + costs) x actions; NaN where there is none
};

// Decides every round, in order, and says for how many an action was found. Before the first
// decision it refuses arrays of the wrong size, any round that does not fit the shape, and kFull
// where not all of them could be open together.
Result<std::int64_t> decide_many(Engine& engine, const RoundBatch& rounds, const TicketBatch& out);

// Learns the outcomes in order (costs: outcomes x costs), and says how many were new. Stops at the
// first that is refused and names its place; those before it are learned, and sending all again
// after mending is fine, since an outcome is applied once.
Result<std::int64_t> learn_many(Engine& engine, std::span<const std::uint64_t> ids,
                                std::span<const double> rewards, std::span<const double> costs);

}  // namespace rein
