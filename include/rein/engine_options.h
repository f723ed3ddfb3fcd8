// What an engine is made with, and what a decision and a new action may bring.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rein/budget.h"
#include "rein/policy.h"
#include "rein/schema.h"

namespace rein {

// Upper limits of most_open, of remember, of the logical clock, and of most_keys.
inline constexpr std::int64_t kMaxOpen = std::int64_t{1} << 24;
inline constexpr std::int64_t kMaxRemember = std::int64_t{1} << 26;
inline constexpr std::int64_t kMaxClock = std::int64_t{1} << 62;
inline constexpr int kMaxKeys = 1 << 20;

struct EngineOptions {
  // Seed of the engine's random numbers. Ids are encrypted with a key derived from `seed` and
  // `secret`. If ids must not be guessable, take `seed` or `secret` from the system's entropy and
  // keep that number private.
  std::uint64_t seed = 1;
  std::array<std::uint64_t, 2> secret = {0, 0};

  // Limit on decisions whose outcome is not complete. At the limit, a new decision makes an open
  // decision give way, which then expires before its time: the oldest open decision that holds no
  // money of a hard budget. A decision holds none if no hard budget counts its costs, or if all
  // these costs came. Engine::set_limits() changes most_open and expire_after.
  std::int64_t most_open = 10'000;
  std::int64_t remember = 65'536;   // number of settled decisions whose outcome is remembered
  std::int64_t expire_after = 0;    // a decision older than this expires at a tick; 0: never
  // The outcome that is learned when a decision expires, for the parts that have not come. Parts
  // that are missing here too are not learned. A hard budget counts the largest cost of a missing
  // bill as spent.
  std::optional<Outcome> default_outcome;

  // Budgets with their windows and scopes (rein/budget.h); each has a name of its own. If any
  // budget steers, or if a ccb has no budget of its own, the prices follow the tightest budget that
  // applies.
  std::vector<Budget> budgets;
  // The short form of hard budgets over the whole run: one total per cost, named after the cost.
  // Infinity: this cost has no budget.
  std::vector<double> hard_budget;
  int most_keys = 100'000;  // keys per scope that have money of their own at a time

  // Names of the actions, in the order of their ids; empty: they have none. `numbered`: the names are
  // whole numbers of the caller's own, and interfaces show them as numbers.
  std::vector<std::string> actions;
  bool numbered = false;

  // The schema that turns rows with names into contexts; its size must be that of the shape's
  // context. The engine keeps a copy, which observes every row that is decided on. Null: contexts
  // are numbers.
  std::shared_ptr<const Schema> schema;

  // For hard budgets. The largest cost of each action: one entry per action id. Empty: the upper
  // end of the range in the shape, for every action. A round may bring largest costs of its own
  // (DecideOptions). decide() refuses a hard budget if none of these three says the largest cost.
  std::vector<Costs> largest_costs;
  // The id of a fallback action and its largest cost. If the cost is empty, the largest cost is the
  // entry in largest_costs, or 0. The action is played if no other action fits the budget and the
  // round offers this action.
  std::optional<std::int32_t> safe_action;
  Costs safe_cost;
};

// What a decision may bring besides its round.
struct DecideOptions {
  // The context as a row of the schema: one cell per column. It takes the place of the numbers of
  // the round.
  std::span<const Cell> row = {};
  std::span<const Scope> scopes;  // who it is for
  // The largest cost of every action in this round, actions x costs; empty: as declared.
  std::span<const double> largest_costs;
  // The most that this decision may cost, one per cost. Actions whose largest cost is higher are
  // not played. Where no largest cost is declared, the learned one counts (learned_largest_costs).
  // Empty: no limit.
  std::span<const double> most_costs;
  // The run that the decision is part of (rein/agent_run.h); 0: none.
  std::uint64_t run = 0;
};

// What add_action() may say about a new action, one number per cost.
struct NewAction {
  Costs largest_costs;   // needed if EngineOptions has some
  Costs expected_costs;  // needed if expect() was called for the other actions
};

}  // namespace rein
