// Records: everything that changes an engine, as values with an exact byte form.
//
// The state of an engine is a fold over its records: it depends on nothing else, not on the wall
// clock. A record contains the random results (the action, the probabilities, the number of draws),
// so a replay never draws again. The records, in order, rebuild the state bit for bit.
//
//     bytes := kind, version and numbers, each 8 bytes little-endian (doubles as their bits), then
//              8 bytes of hash over all before it
//
// Bytes that were truncated, changed or made by another program are refused (Reason::kCorrupt).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rein/budget.h"
#include "rein/policy.h"
#include "rein/result.h"
#include "rein/round.h"

namespace rein {

// Limits of one call of warm_start(): rounds, and numbers in these rounds. Its record has all of
// them.
inline constexpr std::int64_t kMaxWarmRounds = 4096;
inline constexpr std::int64_t kMaxWarmNumbers = std::int64_t{1} << 20;

// The largest number of ids that one record leaves out.
inline constexpr std::uint64_t kMostSkippedIds = std::uint64_t{1} << 48U;

// A round that owns its numbers. Copying a round into it allocates only to grow.
struct StoredRound {
  int actions = 0;
  std::vector<double> context;
  std::vector<double> features;
  std::vector<std::int32_t> sparse_begin;
  std::vector<std::int32_t> sparse_index;
  std::vector<double> sparse_value;
  std::vector<std::int32_t> ids;
  std::vector<double> expected_costs;
  std::vector<double> baseline;

  // Valid until this object changes.
  Round view() const;
  void copy(const Round& round);
  // Copies only the actions at these places, with their ids. The baseline of a round is renormalised
  // over them. REQUIRES a valid round and places in ascending order.
  void copy(const Round& round, std::span<const std::int32_t> places);
};

// A decision was made.
struct DecideRecord {
  std::uint64_t id = 0;
  std::int64_t at = 0;      // time on the logical clock
  std::uint64_t draws = 0;  // draws of the Rng so far, this decision included
  // The number of actions offered, and the places of those that fit the hard budget (ascending;
  // empty: all fit).
  int offered = 0;
  std::vector<std::int32_t> places;
  // The round that was decided on, without the actions that did not fit, and the decision.
  // decision.action is an index into this round.
  StoredRound round;
  Decision decision;
  // Who it is for, and the largest costs of the chosen action if the round brought its own.
  ScopeKeys keys{};
  Costs largest;
  std::vector<KeyName> names;  // of keys whose names are kept, where they were not known yet
  // In coins, one per cost, where a hard budget holds quantiles of bills (Budget::hold_quantile): what is held,
  // and what the bill will be compared with to learn from it. Empty: the largest costs are held.
  struct LearnedHold {
    std::int64_t hold = 0;
    std::int64_t base = 0;
  };
  std::vector<LearnedHold> holds;
  std::uint64_t run = 0;  // the id of its run (rein/agent_run.h); 0: none
  // What the row of this decision changes in the statistics of the schema; empty without a row. The
  // round has the row as numbers.
  std::string observed;
  std::vector<double> encoded;  // working memory, as the next
  std::vector<std::int32_t> seats;

  // Index of the chosen action in the round that was offered.
  int offered_action() const {
    return places.empty() ? decision.action : places[static_cast<std::size_t>(decision.action)];
  }
};

// The outcome of a decision came, or parts of it: those that are not kMissing.
struct LearnRecord {
  std::uint64_t id = 0;
  Outcome outcome;
  // What of it may be learned, if that is not all of it: the policy learns the parts of the lesson, and money
  // counts as in the outcome.
  std::optional<Outcome> lesson = {};
};

// The logical clock moved. Decisions that were open too long expire, and calendar windows open:
// their seconds are in the record, so that a replay reads no time zones.
struct TickRecord {
  struct Opened {
    int budget = 0;  // its index
    CalendarWindow window;
  };
  std::int64_t now = 0;
  std::vector<Opened> opened;
};

// The logical clock was set back, because it had been wrong. The calendar windows of the new time are
// in the record. Windows after it end, and what they spent counts in the window of the new time.
struct ClockRecord {
  std::int64_t now = 0;
  std::vector<TickRecord::Opened> opened;
};

// A decision was given up.
struct CancelRecord {
  std::uint64_t id = 0;
};

// A budget was changed.
struct BudgetRecord {
  // kKeyAmount: the amount of one key; NaN: it has that of the others again.
  enum class Change { kTopUp, kAmount, kWindow, kRounds, kKeyAmount };
  Change change = Change::kTopUp;
  int budget = 0;  // its index
  ScopeKeys keys{};
  double amount = 0.0;
  std::string name;  // of the key, for those who list keys; may be empty
};

// The limits on open decisions changed.
struct LimitsRecord {
  std::int64_t most_open = 0;
  std::int64_t expire_after = 0;
};

// The caller's expected costs changed: one row of costs per action id; empty: none.
struct ExpectRecord {
  std::vector<double> costs;
};

// An action was added, with the next id, or removed.
struct ActionRecord {
  bool added = true;
  std::int32_t id = 0;
  // For an added action: the place of a removed action that it takes; -1: a new place.
  std::int32_t place = -1;
  std::string name;
  Costs largest;   // of an added action; empty: as declared for all
  Costs expected;  // of an added action; empty: none
};

// The schema observed rows without a decision.
struct ObserveRecord {
  std::int64_t rows = 0;
  std::string changes;  // of its statistics, row by row
};

// Logged rounds were learned (Engine::warm_start()).
struct WarmRecord {
  struct Row {
    StoredRound round;
    std::int32_t action = 0;  // index into the round's actions
    Outcome outcome;
  };
  std::vector<Row> rows;
};

// From here on, records are folded by these rules (rein/state_version.h).
struct RulesRecord {
  int rules = 0;
  std::int64_t began = 0;  // when the first windows opened: carry granted those before them too
};

// Leaves out the ids of the next `count` decisions, because decisions that were lost may have had
// them.
struct SkipRecord {
  std::uint64_t ids = 0;
};

// A run of an agent was opened, with the next id, or closed. Caps are kMissing where there is none.
struct AgentRunRecord {
  bool opened = true;
  std::uint64_t run = 0;     // its id
  std::uint64_t parent = 0;  // of an opened run; 0: none
  std::int64_t expire_after = 0;
  Costs amounts;
};

using Record = std::variant<DecideRecord, LearnRecord, TickRecord, CancelRecord, BudgetRecord,
                            ExpectRecord, ActionRecord, ObserveRecord, WarmRecord, RulesRecord,
                            LimitsRecord, ClockRecord, SkipRecord, AgentRunRecord>;

// Writes the record to `out` and replaces its contents. Allocates only to grow.
void encode(const DecideRecord& record, std::string& out);
void encode(const LearnRecord& record, std::string& out);
void encode(const TickRecord& record, std::string& out);
void encode(const CancelRecord& record, std::string& out);
void encode(const BudgetRecord& record, std::string& out);
void encode(const ExpectRecord& record, std::string& out);
void encode(const ActionRecord& record, std::string& out);
void encode(const ObserveRecord& record, std::string& out);
void encode(const WarmRecord& record, std::string& out);
void encode(const RulesRecord& record, std::string& out);
void encode(const LimitsRecord& record, std::string& out);
void encode(const ClockRecord& record, std::string& out);
void encode(const SkipRecord& record, std::string& out);
void encode(const AgentRunRecord& record, std::string& out);
void encode(const Record& record, std::string& out);

// Whether these bytes begin as a ClockRecord does.
bool sets_clock(std::string_view record);
// Refuses bytes that encode() cannot have written. The engine checks what the numbers mean.
Result<Record> decode(std::string_view bytes);

}  // namespace rein
