// Engine: a policy that remembers its decisions. decide() returns a decision with an id. The outcome
// is given to learn() later, under that id, in any order.
//
//     auto engine = rein::Engine::make("ccb(budget=1000,rounds=50000)", shape).value();
//     const rein::Engine::Decision d = engine.decide(round).value();    // d.id, d.action, ...
//     engine.learn(d.id, {.reward = 1.0, .costs = {0.02}}).check();
//
// Guarantees (docs/engine.md has the details):
// - Each part of an outcome is applied once, even if it is sent several times. Outcomes may come in
//   any order, and in parts: the reward and each cost on its own.
// - A refused call changes nothing. Result::reason() says why it was refused.
// - A hard budget is never exceeded, not by one micro-unit, however many decisions are open:
//   spent + held <= limit while each bill is at most its hold. A bill above it is booked in full and
//   counted (over_holds), and nothing more is spent until there is money again.
// - The state is a fold over records (rein/record.h). The same records give the same state_hash(),
//   whether replayed from the beginning or from any snapshot. There is no wall clock, and the only
//   randomness is the seeded Rng.
//
// Threads: one writer. A call that is not const needs exclusive access to the engine. Const calls
// may run at the same time as each other. The engine takes no locks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rein/agent_run.h"
#include "rein/budget_view.h"
#include "rein/engine_options.h"
#include "rein/engine_state.h"
#include "rein/history.h"
#include "rein/policy.h"
#include "rein/record.h"

namespace rein {

// An action of a round that cannot be played now, because its largest cost does not fit.
struct BarredAction {
  std::int32_t action = 0;  // its id
  // The first hard budget that it does not fit; "" if only the round's own most_costs bar it. Valid as
  // long as the engine.
  std::string_view budget;
  // The first tick at which it fits every budget again, if nothing is spent meanwhile: windows have
  // ended, or enough has left a rolling window. -1: no time makes it fit.
  std::int64_t until = -1;
};

enum class LearnResult {
  kApplied,
  kDuplicate,  // every part was applied before, with the same value; nothing has changed
  kLate,       // the decision had expired: its costs are booked, once, and no reward is accepted
  // The decision was settled so long ago that its outcome is no longer remembered (`remember`).
  // Nothing has changed: what was applied before is not applied again.
  kForgotten,
};

// A round that somebody else decided, and its outcome. Parts of the outcome may be missing.
struct LoggedRound {
  Round round;
  int action = 0;  // the action that was played: index into the round's actions
  Outcome outcome;
};

// Probabilities and estimates of all actions offered, if some did not fit the hard budget.
struct AllActions {
  std::vector<double> probabilities;
  Estimates estimates;
};

// Working memory of Engine::look(). Use one per thread. The decision refers to it.
struct LookScratch {
  Scratch scratch;
  DecideRecord record;
  AllActions all_actions;
  std::vector<BarredAction> barred;  // of a refused look() too
};

class Engine {
 public:
  // One decision. The views stay valid until the next call that is not const.
  struct Decision {
    std::uint64_t id = 0;
    std::int32_t action = -1;  // id of the chosen action
    int place = -1;            // its index among the actions of the round
    int best = -1;             // the same of the action with the best score
    double probability = 0.0;  // of the chosen action
    // number of actions that fit the hard budgets; without such a budget all actions
    int fitting = 0;
    Holdout holdout = Holdout::kNone;  // whether it is in the control group (holdout=)
    Costs prices;                      // reward per unit of each cost
    // One probability per action of the round; 0 for actions that did not fit.
    std::span<const double> probabilities;
    // The oracle's estimates for every action of the round; NaN for actions that did not fit.
    const Estimates* estimates = nullptr;
    std::span<const BarredAction> barred;  // those that did not fit, in the order of the round
  };

  // `own` holds pieces that the caller brings to the policy (rein/own.h).
  static Result<Engine> make(std::string_view policy, const Shape& shape,
                             const EngineOptions& options = {}, const Own& own = {});
  static Result<Engine> make(const Spec& policy, const Shape& shape,
                             const EngineOptions& options = {}, const Own& own = {});
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine();

  // Chooses an action and stores the decision. Under a hard budget the policy sees only the actions
  // whose largest cost still fits, so the probabilities are exact. Refuses rounds that do not fit
  // the shape. Answers kFull if too many decisions are open and none may give way
  // (EngineOptions::most_open), or if a key is new and no other may leave (most_keys), and kBudget
  // if no action fits.
  Result<Decision> decide(const Round& round, const DecideOptions& options = {});
  // Returns what decide() would return, and changes nothing. The decision is valid until the next
  // call with this scratch.
  Result<Decision> look(const Round& round, LookScratch& scratch,
                        const DecideOptions& options = {}) const;
  // The actions that the last decide() could not play. If it was refused with kBudget, these are all
  // actions of its round. Valid until the next call that is not const.
  std::span<const BarredAction> barred() const;
  // Applies the outcome of a decision, or any part of it (rein/round.h). The decision stays open
  // until the reward and every cost came, or until it expires. The round counts with its first
  // part. A cost is booked, and its hold released, when it comes. A cost above its range is booked
  // in full and clipped for learning; other numbers outside their range are refused. Parts that
  // were applied before are skipped. Answers kUnknown for an id that was never given, or kConflict
  // if a part came before with another value. After expiry missing costs are booked while the id is
  // remembered (kLate), and nothing is learned. A reward that comes then is left out if costs come
  // with it (kLate, each time), and refused if it comes without costs (kExpired).
  Result<LearnResult> learn(std::uint64_t id, const Outcome& outcome);
  // The same, but the policy learns only `lesson`: parts of the outcome, perhaps with other values. Money
  // counts as in the outcome. Of a lesson without parts nothing is learned, as of a late bill.
  Result<LearnResult> learn(std::uint64_t id, const Outcome& outcome, const Outcome& lesson);
  // Gives up an open decision: nothing was bought, its holds are released, nothing is learned.
  // kConflict if any part of its outcome came.
  Result<> cancel(std::uint64_t id);
  // A run: a budget for one task, inside another run or none (rein/agent_run.h). Its decisions name it
  // (DecideOptions::run) and are played only if their largest cost fits it and all runs around it, as for
  // a hard budget. Returns its id. Answers kFull if kMaxOpenRuns are open, and kExpired if the parent is closed.
  Result<std::uint64_t> open_run(const NewAgentRun& about);
  // Ends a run and those inside it. Its open decisions still count. Closing it again changes nothing.
  // Answers kUnknown for an id that was never given, and kExpired for one that is forgotten.
  Result<> close_run(std::uint64_t id);
  Result<AgentRunState> agent_run(std::uint64_t id) const;
  // Runs that are remembered, oldest first: at most `most`, after the first `first`.
  std::vector<AgentRunState> agent_runs(bool only_open, std::int64_t first = 0, std::int64_t most = 100) const;
  // The tick at which the next run closes by itself; -1: none is open.
  std::int64_t next_run_end() const;

  // Changes the limits on open decisions. With a lower most_open, open decisions give way as new
  // decisions come; with a shorter expire_after, decisions expire at the next tick.
  Result<> set_limits(std::int64_t most_open, std::int64_t expire_after);
  // How many decisions decide() would accept now, one after the other, without an outcome between
  // them. Costs a pass over the open decisions where most_open is near.
  std::int64_t room() const;
  // When decide() or top_up() for these scopes, refused with kFull, may find room, if no outcome comes
  // before: the tick at which a window ends or the oldest decision expires. -1: nobody knows.
  std::int64_t room_at(std::span<const Scope> scopes) const;
  // The open decisions, oldest first, at most so many.
  std::vector<OpenDecision> open(std::int64_t most = kMaxOpen) const;
  // The record of an open decision, valid until the next call that is not const. Answers kUnknown
  // or kExpired if the decision is not open.
  Result<const DecideRecord*> open_record(std::uint64_t id) const;
  // Moves the logical clock, which never goes back. Returns the number of decisions that expired.
  // With calendar windows a tick is a UTC second, and the clock must be set before the first
  // decision.
  Result<std::int64_t> tick(std::int64_t now);
  // Sets a wrong clock back. No other call moves the clock to an earlier time. Decisions that were
  // made later count as made now, and what they spent and hold counts in the windows of this time.
  // So setting the clock back grants no money. Decisions that expired meanwhile stay expired.
  Result<> set_clock(std::int64_t now);
  // Leaves out the ids that the next `count` decisions would have had. Use it for an engine that
  // was restored from an old state. Decisions made after that state may have had these ids. Without
  // the gap their outcomes would be taken for outcomes of other decisions; with the gap they are
  // kUnknown. At most kMostSkippedIds.
  Result<> skip_ids(std::uint64_t count);
  // Sets what each action is expected to cost from now on: one row of costs per action id that was
  // given, in the units of the shape. The rows of removed actions do not matter. A round's own
  // expected costs count instead where it brings them. Empty: no costs are expected any more.
  Result<> expect(std::span<const double> costs);
  bool expects() const;  // whether some are expected

  // Adds an action and returns its id, the next free number. Nothing is known about the action, so
  // it is explored. In the policy it takes the place of an added action that was removed and that
  // no open decision offers; if there is none, the memory of the policy grows. Policies that cannot
  // grow refuse the action: policies whose theorem holds for a fixed number of actions, and pieces
  // of the caller's own.
  Result<std::int32_t> add_action(std::string_view name = {}, const NewAction& about = {});
  // Rounds can no longer offer this action. Its open decisions can still be learned, and its id is
  // never used again. An action that comes back under its old name is a new action.
  Result<> remove_action(std::int32_t id);
  // How many ids were given: they are 0, 1, ... And the place of an action in the policy; -1 if it was
  // removed and another action has its place: then its name is forgotten too.
  std::int32_t ids() const;
  std::int32_t place_of(std::int32_t id) const;
  // The round as the policy sees it: with places instead of ids. The result refers to `places`.
  Round in_places(const Round& round, std::vector<std::int32_t>& places) const;
  // The ids of the actions that rounds may offer, ascending; valid until the next change.
  std::span<const std::int32_t> offered() const;
  // Refuses a round that offers a removed action, as decide() does.
  Result<> check_offered(const Round& round) const;
  // The id of the action with this name, among those; and the name of any id, or "".
  Result<std::int32_t> action_id(std::string_view name) const;
  std::string_view action_name(std::int32_t id) const;
  // Lets the schema observe rows that are not decided on, such as rows of a log; at most
  // kMaxWarmRounds rows. Refused rows change nothing.
  Result<> observe(std::span<const ColumnValues> columns);
  // Learns logged rounds, all of them or none. They teach the oracle and the pricer. No id, budget,
  // queue or count of the engine changes, and nothing is spent (docs/warm_start.md). May be called
  // at any time, also while decisions are open. A cost above its range is clipped. Refuses rounds
  // and outcomes that do not fit the shape, and names the first one. At most kMaxWarmRounds rounds
  // and kMaxWarmNumbers numbers per call; rein/batch.h has a form without these limits. Returns the
  // number of rounds. `number` is the number of the first round in messages.
  Result<std::int64_t> warm_start(std::span<const LoggedRound> rounds, std::int64_t number = 0);
  // The failure that warm_start() would return for these rounds.
  Result<> check_logged(std::span<const LoggedRound> rounds, std::int64_t number = 0) const;

  // Changes a budget while the engine runs. The amount is in the units of its cost.
  Result<> top_up(std::string_view budget, double amount, std::span<const Scope> scopes = {});
  Result<> set_amount(std::string_view budget, double amount);  // this window and later ones
  // The amount of one key of a budget with a scope. None: it has that of the others again, which
  // set_amount() without scopes changes.
  Result<> set_amount(std::string_view budget, std::optional<double> amount,
                      std::span<const Scope> scopes);
  Result<> begin_window(std::string_view budget);               // closes the open window now
  // The decisions that a window is expected to bring: how long a run lasts, for a start.
  Result<> set_rounds(std::string_view budget, std::int64_t rounds);
  // What each action can cost, learned from its costs: the 0.95 quantile of its last 32 costs, or
  // the largest of fewer than 20. One row per place of an action; NaN where no cost was seen. Empty
  // if every largest cost is declared. Steered budgets and most_costs use it, hard ones never do.
  std::span<const double> learned_largest_costs() const;
  // Costs above their range so far: EngineState::clipped.
  std::int64_t clipped() const;
  // Decisions that gave way so far: EngineState::gave_way.
  std::int64_t gave_way() const;
  // The ids of the decisions that gave way to the last decision. Valid until the next decision.
  std::span<const std::uint64_t> gave_way_last() const;
  // The budgets that apply to a decision with these scopes.
  Result<std::vector<BudgetState>> budgets(std::span<const Scope> scopes) const;
  // The budgets with their present amounts, amounts of keys included, and their present rounds.
  std::vector<Budget> present_budgets() const;
  // The keys of a budget with a scope, page by page, and its windows that are remembered, oldest
  // first (rein/budget_view.h). keys() costs a pass over all keys.
  Result<KeyPage> keys(std::string_view budget, const KeyQuery& query = {}) const;
  Result<std::vector<WindowState>> windows(std::string_view budget,
                                           std::span<const Scope> scopes = {}) const;

  // For those who tell people about money. used_keys(): the keys of the decisions whose money moved since the
  // last call; they are noted from the first call on. account(): the account of a budget, by its index, that
  // a decision with these keys uses; nothing where the budget does not apply.
  std::vector<ScopeKeys> used_keys();
  Result<ScopeKeys> keys_of(std::span<const Scope> scopes) const;
  int dimension_of(std::string_view scope) const;  // its index among ScopeKeys; -1: no budget has it
  std::optional<AccountState> account(int budget, const ScopeKeys& keys) const;

  // The record of what the last call changed; empty if that call changed nothing. record() makes
  // the bytes, which stay valid until the next call.
  std::string_view record();
  // Computes the record that decide() would produce. Changes nothing.
  Result<> choose(const Round& round, Scratch& scratch, DecideRecord& out,
                  const DecideOptions& options = {}) const;
  // Applies a record. Refuses what decide(), learn() or tick() would have refused. Answers
  // kSequence for a decision that cannot be the next decision, and kCorrupt for damaged bytes.
  Result<> fold(const DecideRecord& record);
  Result<LearnResult> fold(const LearnRecord& record);
  Result<std::int64_t> fold(const TickRecord& record);
  Result<> fold(const CancelRecord& record);
  Result<> fold(const BudgetRecord& record);
  Result<> fold(const ExpectRecord& record);
  Result<> fold(const ActionRecord& record);
  Result<> fold(const ObserveRecord& record);
  Result<> fold(const WarmRecord& record);
  Result<> fold(const RulesRecord& record);
  Result<> fold(const LimitsRecord& record);
  Result<> fold(const ClockRecord& record);
  Result<> fold(const AgentRunRecord& record);
  Result<> fold(const SkipRecord& record);
  Result<> fold(std::string_view record);
  // The rules by which records are folded now (rein/state_version.h). A new engine has the newest
  // rules. A restored engine has those of its snapshot, so that later records are folded as they
  // were made. adopt_rules() moves to the newest rules and makes a record of that: call it once the
  // last old record is folded. With the newest rules it does nothing.
  int rules() const;
  // `began` is the time at which its first windows opened. By default it is the time of the oldest
  // point of the history. That may be later than the true time and is never earlier, so nothing is
  // granted twice.
  Result<> adopt_rules(std::optional<std::int64_t> began = {});

  // The complete state, with spec, shape, options and seed: keep it as safe as the seed. The
  // function classes of a shape are not included: for those, load() into an engine that was made
  // with them. Pieces of the caller's own must be passed in again. Their load() gets the bytes of
  // their save(). A different potential is refused, by its name and slopes.
  std::string snapshot() const;
  static Result<Engine> restore(std::string_view snapshot, const Own& own = {});
  // Restores an engine for reading, without its policy, which this program may not know. Records
  // fold as usual, but nothing is learned, decide() is refused, and hashes differ from those of the
  // engine.
  static Result<Engine> restore_blind(std::string_view snapshot);
  bool blind() const;
  // An engine with the same books (ids, open and settled decisions, money, actions, schema, clock)
  // and another policy, which has learned nothing; warm_start() teaches it. The new policy must
  // follow the budgets of the engine if the present policy does. Refused for policies with pieces
  // of the caller's own.
  Result<Engine> with_policy(std::string_view policy) const;
  // REQUIRES a snapshot of an engine with the same spec, shape and options. Any other snapshot is
  // refused, and the engine stays as it was.
  Result<> load(std::string_view snapshot);
  // A 64-bit hash of everything that affects later calls. Equal states have equal hashes. The cost
  // is one save() of the policy and one pass over the open and remembered decisions. The hash is
  // not cryptographic.
  std::uint64_t state_hash() const;

  EngineState state() const;
  // What happened so far: points kept on the way, and the present. Snapshots keep the history. The
  // state hash leaves it out, because nothing depends on the history.
  std::vector<HistoryPoint> history() const;
  const Policy& policy() const;
  PolicyOrigin policy_origin() const;
  // The schema with its present statistics; null if the engine has none.
  const Schema* schema() const;
  // The state of the policy. Its status is also about the budgets of the engine for everybody: over
  // and past. So is what is allowed (HistoryPoint::allowed).
  PolicyState policy_state() const;
  // The same for those who ask often (Policy::brief).
  PolicyState brief_state() const;
  // The options that the engine was made with; most_open and expire_after are the present ones.
  const EngineOptions& options() const;

 private:
  // With the status as the engine's budgets and open decisions make it.
  PolicyState judged(PolicyState state) const;
  struct Heart;
  explicit Engine(std::unique_ptr<Heart> heart);
  std::unique_ptr<Heart> heart_;
};

}  // namespace rein
