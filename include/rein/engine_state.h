// What an engine says about itself: its counts, its budgets, its open decisions, its policy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rein/round.h"

namespace rein {

// An open decision, and the parts of its outcome that came; the others are kMissing.
struct OpenDecision {
  std::uint64_t id = 0;
  std::int64_t at = 0;      // when it was made, on the logical clock
  std::int32_t action = 0;  // its id
  Outcome came;             // with one number per cost
};

// One budget in its open window, in micro-units. For a hard budget spent + held <= limit, unless a
// bill was above its hold or the amount was lowered.
struct BudgetState {
  std::string name;
  std::int64_t limit = 0;
  std::int64_t spent = 0;
  std::int64_t held = 0;    // the largest costs of the open decisions
  std::int64_t window = 0;  // the number of the open window, from 0
  std::int64_t first = 0;   // its first and last round or tick
  std::int64_t last = 0;
  std::int64_t over_holds = 0;  // bills that were above their hold
  // Of a budget that holds quantiles of bills: bills that were above the quantile held, and what it reserves
  // for the next one.
  std::int64_t passed_holds = 0;
  std::int64_t reserve = 0;
  // If the prices follow the budgets: the amount per decision that this budget allows now, in the
  // units of the cost, and the number of decisions that its window is still expected to bring.
  // Otherwise 0.
  double pace = 0.0;
  double rounds_left = 0.0;
  bool past = false;  // the run is longer than `rounds`; it goes on at the rate it had
};

// The keys of one dimension of scopes that have money of their own now, such as tenants.
struct KeysState {
  std::string dimension;
  std::int64_t keys = 0;
  std::int64_t most = 0;    // EngineOptions::most_keys
  std::int64_t in_use = 0;  // those with open decisions
};

struct EngineState {
  std::int64_t now = 0;             // the logical clock
  std::int64_t decided = 0;         // decisions made
  std::int64_t open = 0;            // decisions whose outcome is not complete
  std::int64_t learned = 0;         // decisions with a complete outcome
  std::int64_t rewarded = 0;        // decisions whose reward was learned
  std::int64_t expired = 0;         // decisions that expired, those that gave way included
  std::int64_t gave_way = 0;        // expired decisions that gave way to new ones before their time
  std::int64_t cancelled = 0;       // decisions that were given up
  std::int64_t late = 0;            // bills that came after their decision expired
  std::int64_t too_late = 0;        // bills whose decision was no longer remembered: not booked
  std::int64_t clipped = 0;         // costs above their range: booked in full, clipped for learning
  std::int64_t remembered = 0;      // settled decisions whose outcome is remembered
  std::int64_t partly = 0;          // open decisions of which some part came
  std::int64_t without_reward = 0;  // open decisions whose reward has not come
  std::vector<std::int64_t> without_cost;  // the same, one number per cost
  std::int64_t open_since = -1;            // time of the oldest open decision; -1: none is open
  Costs billed;                            // all costs that were reported, late ones included
  Costs reserved;                    // predicted cost of the open decisions; prices include it
  std::vector<BudgetState> budgets;  // those for everybody
  std::vector<KeysState> keys;       // of every dimension that a budget has
  std::int64_t open_runs = 0;        // runs of agents (rein/agent_run.h)
};

// Where the policy of an engine comes from: what was asked for, and what that meant when the engine was
// made (rein/meaning.h), with its defaults written out.
struct PolicyOrigin {
  std::string asked;
  std::string resolved;
  int meaning = 0;
};

}  // namespace rein
