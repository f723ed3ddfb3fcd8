// Engine: a policy with memory. decide() gives a ticket with an id; the outcome comes later, in any
// order, by that id.
//
//     auto engine = rein::Engine::make("ccb(budget=1000,rounds=50000)", shape).value();
//     const rein::Ticket ticket = engine.decide(round).value();    // ticket.id, ticket.action, ...
//     engine.learn(ticket.id, {.reward = 1.0, .costs = {0.02}}).check();
//
// Promises (docs/engine.md says more):
// - An outcome is applied once, however often and in whatever order outcomes come.
// - A refusal changes nothing; Result::reason() says which kind it was.
// - A hard budget is never passed, not by a micro-unit, whatever costs come within their declared
//   largest values, and however many decisions are open.
// - The state is a fold over records (rein/record.h): the same records give the same state_hash(),
//   from the beginning or from any snapshot. No wall clock, no chance but the seeded Rng.
//
// Threads: one writer. Calls that are not const need the engine to themselves; const ones may run
// together while none of the others does. Nothing here locks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rein/policy.h"
#include "rein/record.h"

namespace rein {

// Limits on what may be asked for.
inline constexpr std::int64_t kMaxOpen = std::int64_t{1} << 24;
inline constexpr std::int64_t kMaxRemember = std::int64_t{1} << 26;
inline constexpr std::int64_t kMaxClock = std::int64_t{1} << 62;

struct EngineOptions {
  // Of all chance. Also the key that ids are made with, unless `secret` adds to it: where ids must
  // not be guessed, draw one of the two from the system's entropy and keep it to yourself.
  std::uint64_t seed = 1;
  std::array<std::uint64_t, 2> secret = {0, 0};

  std::int64_t most_open = 10'000;  // decisions without an outcome; one more is refused
  std::int64_t remember = 65'536;   // settled decisions whose outcome is remembered, latest first
  std::int64_t expire_after = 0;    // a decision older than this expires at a tick; 0: never
  // Learned for a decision that expires (its costs lowered to the action's largest, where those are
  // declared). Without one nothing is learned, and a hard budget counts the largest cost as spent.
  std::optional<Outcome> default_outcome;

  // Totals that may never be passed, one a cost in the units of the shape; infinity for a cost that
  // has none. Empty: no hard budget, and none of what follows.
  std::vector<double> hard_budget;
  // The most that the action of each id can cost, one entry an id; empty: the end of the range in
  // the shape for all. Outcomes above are refused.
  std::vector<Costs> largest_costs;
  // The id of an action to fall back on, and the most it can cost (empty: its entry in
  // largest_costs, or 0). It is played where no other fits, if the round offers it.
  std::optional<std::int32_t> safe_action;
  Costs safe_cost;
};

// What was decided. Views stay valid until the next call of the engine that is not const.
struct Ticket {
  std::uint64_t id = 0;
  int action = -1;             // index into the round's actions
  std::int32_t action_id = 0;  // who it is
  double probability = 0.0;    // with which it was chosen
  int fitting = 0;             // actions that the hard budget left; all, where there is none
  Costs prices;                // reward per unit of each cost
  // One number an action of the round; 0 for those that did not fit.
  std::span<const double> probabilities;
  // What the oracle said of every action of the round; NaN for those that did not fit.
  const Estimates* estimates = nullptr;
};

enum class LearnResult {
  kApplied,
  kDuplicate,  // this very outcome was applied before; nothing has changed
};

// One cost of a hard budget, in micro-units: spent + held <= limit, always.
struct Money {
  std::int64_t limit = 0;
  std::int64_t spent = 0;
  std::int64_t held = 0;  // the largest costs of open decisions
};

struct EngineState {
  std::int64_t now = 0;         // the logical clock
  std::int64_t decided = 0;     // decisions made
  std::int64_t open = 0;        // of these, without an outcome
  std::int64_t learned = 0;     // with one
  std::int64_t expired = 0;     // that will have none
  std::int64_t remembered = 0;  // settled ones whose outcome is remembered
  Costs reserved;               // predicted cost of the open ones, which prices include
  std::vector<Money> money;     // one a cost under a hard budget; empty where there is none
};

class Engine {
 public:
  // `own` has pieces of the caller's own for the policy (rein/own.h).
  static Result<Engine> make(std::string_view policy, const Shape& shape,
                             const EngineOptions& options = {}, const Own& own = {});
  static Result<Engine> make(const Spec& policy, const Shape& shape,
                             const EngineOptions& options = {}, const Own& own = {});
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine();

  // Chooses an action and remembers the decision. Under a hard budget only actions whose largest
  // cost still fits are given to the policy, so the probabilities are true. Refuses rounds that do
  // not fit the shape, kFull, and kBudget where no action fits.
  Result<Ticket> decide(const Round& round);
  // What decide() would answer, without deciding: nothing is remembered and no chance is used up.
  Result<Ticket> look(const Round& round);
  // Refuses outcomes out of range, kUnknown, kExpired, and kConflict where another outcome was
  // applied before.
  Result<LearnResult> learn(std::uint64_t id, const Outcome& outcome);
  // Moves the logical clock, never back, and says how many decisions expired.
  Result<std::int64_t> tick(std::int64_t now);

  // The bytes of what the last decide(), look(), learn(), tick() or fold() changed; empty where it
  // changed nothing. They are made when asked for, and valid until the next call.
  std::string_view record();
  // What decide() would record, without deciding: changes nothing.
  Result<> choose(const Round& round, DecideRecord& out);
  // Applies a record. Refuses what decide(), learn() or tick() would have refused, and kSequence
  // for a decision that cannot be the next one here. From bytes: also kCorrupt.
  Result<> fold(const DecideRecord& record);
  Result<LearnResult> fold(const LearnRecord& record);
  Result<std::int64_t> fold(const TickRecord& record);
  Result<> fold(std::string_view record);

  // Everything, with spec, shape, options and seed: keep it as safe as the seed. Only the function
  // classes of a shape are left out: load() into an engine that was made with them. A potential of
  // the caller's own is brought again; another one is refused, by its name and its slopes.
  std::string snapshot() const;
  static Result<Engine> restore(std::string_view snapshot, const Own& own = {});
  // REQUIRES a snapshot of an engine with the same spec, shape and options; refuses others, and
  // then leaves the engine as it was.
  Result<> load(std::string_view snapshot);
  // 64 bits of everything that decides what comes next. Costs one save() of the policy and a pass
  // over the decisions that are open and remembered. Equal states have equal hashes; the hash is no
  // secret and no proof.
  std::uint64_t state_hash() const;

  EngineState state() const;
  const Policy& policy() const;
  const EngineOptions& options() const;

 private:
  struct Heart;
  explicit Engine(std::unique_ptr<Heart> heart);
  std::unique_ptr<Heart> heart_;
};

}  // namespace rein
