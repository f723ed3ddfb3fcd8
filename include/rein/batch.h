// Many decisions, or many outcomes, in one call on plain arrays. Use it when each call is
// expensive, for instance from Python.
//
// All decisions of a batch use what was learned before the batch. The predicted cost of each
// decision is reserved before the next one is made. The result has the same bits as the same number
// of calls of Engine::decide().
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "rein/engine.h"

namespace rein {

// Rounds that all offer the same number of actions. Arrays are row-major: round, action, feature.
struct RoundBatch {
  std::int64_t rounds = 0;
  int actions = 0;
  std::span<const double> contexts;  // rounds x shape.context
  // The columns of the schema, each with one value per round. They take the place of `contexts`.
  std::span<const ColumnValues> columns = {};
  std::span<const double> features;   // rounds x actions x shape.features
  std::span<const std::int32_t> ids;  // rounds x actions; empty: 0, 1, ..., actions - 1
};

// The decisions, written to the caller's memory: one entry per round in each array. An empty array
// is skipped. If the hard budget leaves no action, the id is 0, the action and its place
// are -1, and every probability is 0.
struct DecisionBatch {
  std::span<std::uint64_t> ids;
  std::span<std::int32_t> actions;  // id of the chosen action
  std::span<double> probability;    // of the chosen action
  std::span<double> probabilities;  // rounds x actions
  std::span<double> prices;         // rounds x costs
  // rounds x (1 + costs) x actions; NaN for actions without an estimate
  std::span<double> estimates;
  // 1 in the control group, 0 outside of the group, -1 if the round has no group (Holdout in
  // rein/policy.h).
  std::span<std::int8_t> holdout = {};
  std::span<std::int32_t> places = {};  // index of the chosen action among the actions of the round
};

// Asked now and then whether a batch should go on, with the number of entries that are done.
using GoOn = std::function<bool(std::int64_t done)>;

// Decides every round, in order. Returns the number of rounds for which an action was found. Arrays
// of the wrong size and rounds that do not fit the shape are refused before the first decision.
// Answers kFull if the decisions could not all be open at once.
//
// A batch that does not come to its end, because `go_on` says so or because a round fails or
// throws, leaves no decision behind that nobody knows of: if `out` has ids, the decisions that were
// made are cancelled, and their ids become 0.
Result<std::int64_t> decide_many(Engine& engine, const RoundBatch& rounds, const DecisionBatch& out,
                                 const GoOn& go_on = {});

// Learns the outcomes in order (costs: outcomes x costs). Empty rewards, or empty costs, mean that
// these parts have not come; kMissing marks a single missing number. Returns how many outcomes were
// new. Stops at the first outcome that is refused and names its index; the outcomes before it are
// learned. After a correction the whole batch may be sent again, since each outcome is applied only
// once. The same holds after `go_on` stopped it.
Result<std::int64_t> learn_many(Engine& engine, std::span<const std::uint64_t> ids,
                                std::span<const double> rewards, std::span<const double> costs,
                                const GoOn& go_on = {});

// Rounds of a log as arrays, for warm_start(). A round that offered fewer actions has -1 in the
// last places of its row of `rounds.ids`.
struct LoggedBatch {
  RoundBatch rounds;
  std::span<const std::int32_t> actions;  // ids of the actions that were played
  // kMissing: the reward has not come; empty: no reward has come
  std::span<const double> rewards;
  std::span<const double> costs;          // rounds x shape.costs; kMissing or empty as for rewards
};

// Refuses what Engine::warm_start() would refuse, and names the first such round.
Result<> check_logged(const Engine& engine, const LoggedBatch& log);
// Learns up to `most` rounds from `first` on, in calls of Engine::warm_start() that are within its
// limits. Rounds without any part of an outcome are skipped. Returns how many rounds were learned.
// If a round is refused, the rounds of earlier calls of Engine::warm_start() stay learned: use
// check_logged() first.
Result<std::int64_t> warm_start(Engine& engine, const LoggedBatch& log, std::int64_t first = 0,
                                std::int64_t most = kMaxWarmRounds);

}  // namespace rein
