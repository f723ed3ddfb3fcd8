// Heart: the implementation of Engine. Members above the line are state; those below it are working
// memory.
//
// Open decisions are counted twice. For the price: the predicted cost of each, in 2^-32 of the
// cost's unit, or in 2^-64 where its range is not known, rounded up. These are integers, so the
// order of additions does not matter and no rounding error builds up. For the budgets: the holds of
// each, in micro-units (money/budgets.h).
//
// Its files: heart.cc and choosing.cc decide, outcomes.cc learns, expires and gives up, warm.cc learns logged
// rounds, fitting.cc says which
// actions may be played, heart_money.cc keeps the budgets, learned_holds.cc what they hold where that is
// learned, runs.cc the runs of agents, actions.cc adds and removes actions, rows.cc reads rows
// with names, rules.cc moves to newer rules, room.cc lets open decisions give way, expected.cc
// keeps expected costs, skip_ids.cc leaves ids out, snapshot.cc saves.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>

#include "engine/config.h"
#include "engine/history.h"
#include "engine/id_gaps.h"
#include "engine/ids.h"
#include "engine/open.h"
#include "engine/roster.h"
#include "engine/settled.h"
#include "money/agent_runs.h"
#include "money/bill_ratios.h"
#include "money/seen_costs.h"
#include "rein/engine.h"
#include "rein/state_version.h"

namespace rein {

struct Engine::Heart {
  Heart(Config made_from, std::unique_ptr<Policy> made_policy);
  // Refuses options for which there is not enough memory.
  static Result<std::unique_ptr<Heart>> make(Config config);
  // Throws std::bad_alloc.
  static Result<std::unique_ptr<Heart>> make_with_memory(Config config);

  Result<> choose(const Round& round, const DecideOptions& options, Scratch& working,
                  DecideRecord& out, std::vector<BarredAction>& left_out) const;
  // The second half of choose(), when the keys are known and the context is numbers.
  Result<> choose_from(const Round& round, const DecideOptions& options, Scratch& working,
                       DecideRecord& out, std::vector<BarredAction>& left_out) const;
  Result<Decision> decide(const Round& round, const DecideOptions& options);
  Result<Decision> look(const Round& round, const DecideOptions& options,
                        LookScratch& memory) const;
  Result<LearnResult> learn(std::uint64_t id, const Outcome& outcome, const Outcome* lesson = nullptr);
  Result<> cancel(std::uint64_t id);
  // Moves the clock to `to` and opens the calendar windows that are due.
  Result<std::int64_t> tick(std::int64_t to);
  Result<std::int64_t> fold(const TickRecord& ticked);
  // Sets the clock back (set_clock.cc).
  Result<> set_clock(std::int64_t to);
  Result<> check_clock(const ClockRecord& record) const;
  Result<> fold(const ClockRecord& record);
  // Refuses windows that are not due, and a tick that leaves a due window out.
  Result<> check_opened(const TickRecord& ticked) const;
  Result<> fold(const BudgetRecord& record);
  Result<> change_budget(std::string_view name, std::span<const Scope> scopes, BudgetRecord record);
  Result<int> budget_named(std::string_view name) const;
  // Engine::keys() and Engine::windows() (budget_view.cc).
  Result<KeyPage> keys_of_budget(std::string_view name, const KeyQuery& query) const;
  Result<std::vector<WindowState>> windows_of_budget(std::string_view name,
                                                     std::span<const Scope> scopes) const;
  std::optional<AccountState> account(int i, const ScopeKeys& keys) const;  // see Engine::account()
  BudgetState state_of(int i, const ScopeKeys& keys) const;
  BudgetState balance_of(int i, const ScopeKeys& keys) const;  // without its pace
  Result<> expect(std::span<const double> costs);
  Result<> check_expected(std::span<const double> costs) const;
  // Adds or removes an action (actions.cc). A refused record changes nothing.
  Result<> fold(const ActionRecord& record);
  Result<> add(const ActionRecord& record);
  // A policy for all places of the roster, and as many more, that has learned nothing.
  Result<std::unique_ptr<Policy>> make_larger(int more, int new_place = -1) const;
  // grown(): the policy with an additional place. renewed(): the policy without what it knows of
  // the action at this place.
  Result<std::unique_ptr<Policy>> grown() const;
  Result<std::unique_ptr<Policy>> renewed(std::int32_t place) const;
  // is_free(): whether the place belonged to an added action that was removed and that no open
  // decision offers. free_place(): the first such place, or -1.
  bool is_free(std::int32_t place);
  std::int32_t free_place();
  // The round as the policy knows it: with places in the room of ids. `places` is working memory.
  Round in_places(const Round& round, std::vector<std::int32_t>& places) const;
  Result<std::int64_t> warm_start(std::span<const LoggedRound> rounds, std::int64_t number);
  Result<> check_logged(std::span<const LoggedRound> rounds, std::int64_t number) const;
  // Lets the policy learn rounds that check_logged() accepts. Names the first that it refuses.
  Result<> learn_logged(std::span<const LoggedRound> rounds, std::int64_t number);
  Result<> fold(const WarmRecord& record);
  // Moves to newer rules; adopt_rules() to the newest (rules.cc).
  Result<> fold(const RulesRecord& record);
  Result<> adopt_rules(std::int64_t began);
  // Rows with names (rows.cc): moves the statistics of the schema, without a decision.
  Result<> observe(std::span<const ColumnValues> columns);
  Result<> fold(const ObserveRecord& record);
  Result<> fold(const LimitsRecord& record);
  Result<> fold(const SkipRecord& record);  // skip_ids.cc
  // Runs of agents (runs.cc). number_of_run(): refuses an id that was not given, and runs that are forgotten.
  Result<> fold(const AgentRunRecord& record);
  Result<std::uint64_t> open_run(const NewAgentRun& about);
  Result<std::uint64_t> number_of_run(std::uint64_t id) const;
  Result<> check_run(std::uint64_t id) const;  // refuses runs that are not open
  Result<AgentRunState> agent_run(std::uint64_t id) const;
  std::vector<AgentRunState> agent_runs(bool only_open, std::int64_t first, std::int64_t most) const;
  // What is left in this run for a decision; without a run no limit.
  Micros left_in_run(std::uint64_t id) const;
  void hold_in_run(std::int32_t slot);
  // What the decision holds in its run. REQUIRES that it has one.
  RunClaim run_claim_of(const DecideRecord& decided) const;
  // Runs and the claims of expired decisions on them, where there ever was a run.
  void write_runs(ByteWriter& out) const;
  Result<> read_runs(ByteReader& in);
  Result<> fold(const DecideRecord& decided);
  // Applies what a decision observed to the schema, or what so many rows did.
  Result<> observe(std::string_view observed, std::int64_t rows = 1);
  // Applies any record from its bytes.
  Result<> fold(std::string_view record);
  // The record of the last change.
  std::string_view record();

  std::string snapshot() const;
  // All but the config, in the form of the writer's version.
  void write_state(ByteWriter& out) const;
  void write_state(ByteWriter& out, std::string_view policy_bytes) const;
  static Result<Config> config_in(std::string_view snapshot);
  // An engine as it was saved, with these pieces of the caller's own. Blind: without its policy.
  static Result<std::unique_ptr<Heart>> restore(std::string_view snapshot, const Own& own,
                                                bool blind);
  // Makes a heart of this config with the state of a snapshot. The snapshot must have the same
  // config.
  static Result<std::unique_ptr<Heart>> revive(Config config, std::string_view snapshot);
  std::uint64_t hash() const;

  // The decision in the form that the caller sees, just chosen from this round. The result refers
  // to the record, to what was barred and to `room`.
  static Decision shown(const Round& round, const DecideRecord& decided,
                        std::span<const BarredAction> barred, AllActions& room);
  // The answer to learn() for an id that is not open.
  Result<LearnResult> answer_settled(std::uint64_t id, const Outcome& outcome);
  // The answer to learn() for a decision of which some parts came, or come now.
  Result<LearnResult> learn_part(std::int32_t slot, const Outcome& outcome, const Outcome* lesson);
  // Lets the policy learn these parts of a lesson, and books the rest of the outcome as bills. Returns what
  // was learned.
  Result<Outcome> learn_lesson(const Open::Slot& held, Came news, const Outcome& outcome, const Outcome& lesson);
  // Books bills of a decision that has expired: these parts of the outcome.
  void learn_late(std::uint64_t id, Came which, const Outcome& outcome);
  Error conflict(std::uint64_t id, int part) const;
  // The context of a round that brings a row, and what the row changes in the schema. Refuses rows
  // that do not fit.
  Result<> encode_row(const Round& round, std::span<const Cell> row, DecideRecord& out) const;
  // Finds the actions of a round that fit the rest of the hard budgets and the limit of the request
  // (fitting.cc). Reads out.keys. Writes out.places, empty if all fit, and what bars the other actions.
  Result<> find_places(const Round& round, const DecideOptions& options, Scratch& working,
                       DecideRecord& out, std::vector<BarredAction>& barred) const;
  // Lets the policy decide on the actions of out.places, or on all. Writes out.decision.
  Result<> ask_policy(const Round& round, Scratch& working, Rng& rng, DecideRecord& out) const;
  // Learned holds (learned_holds.cc). base_of(): what a bill is compared with, from the estimate of the action's
  // cost and from its largest hold. find_learned_holds() writes out.holds.
  Micro base_of(const Estimates& estimates, int action, int cost, Micro most) const;
  void find_learned_holds(const DecideOptions& options, DecideRecord& out) const;
  void learn_bills(const DecideRecord& decided, std::int32_t place, Came which, const Costs& costs);
  Error nothing_fits(int actions) const;
  std::string action_words(std::int32_t id) const;
  // An action that may be played: its place, the largest costs that its round brings for it (empty: as
  // declared), and the limit of the request (empty: none).
  struct Play {
    std::int32_t place = 0;
    std::span<const double> largest, limits;
    // Its place in the round, and the estimates of all its actions where a learned hold is needed.
    int index = 0;
    const Estimates* estimates = nullptr;
  };
  // What the hard budgets and the run leave of every cost: for largest costs, and for learned holds.
  struct Free {
    Micros largest, learned;
  };
  // Whether anything says what the action can cost, and its hold. REQUIRES for hold_of() that it does.
  bool declared(const Play& play, int cost) const;
  Micro hold_of(const Play& play, int cost) const;
  // Whether this cost is within the limit of the request, and all costs also within what is `left`.
  bool within_request(const Play& play, int cost) const;
  Result<bool> may_play(const Play& play, const Free& left) const;
  // Whether only its learned hold can say whether it fits.
  bool needs_estimates(const Play& play, const Free& left) const;
  Micro learned_hold_of(const Play& play, int cost) const;
  // REQUIRES an action that may not be played.
  BarredAction what_bars(std::int32_t id, const Play& play, const DecideRecord& decided) const;
  // Refuses a decision whose holds do not fit.
  Result<> check_fits(const DecideRecord& decided) const;
  // Finds the holds of a decision: the largest costs of its action for hard budgets, and the
  // expected costs for others. Writes one number per cost; the other numbers stay 0.
  void find_holds(const DecideRecord& decided, Holds& holds) const;
  // Books the bills of a decision, one per cost; kMissing: the bill has not come.
  void pay(Claim& claim, RunClaim& run_claim, const Costs& costs);
  // Refuses a cost that the budgets cannot count, or the run of the decision.
  Result<> check_bills(const Costs& costs, bool in_run) const;
  // The expected costs of the actions of a round.
  void fill_expected(const Round& round, std::vector<double>& rows) const;
  Result<> check_room() const;
  std::int64_t room_at(const ScopeKeys& keys) const;  // see Engine::room_at()
  // Whether no hard budget counts a cost of this open decision that has not come.
  bool holds_no_money(const Open::Slot& decision) const;
  // The slot of the open decision that gives way to a new decision: the oldest that holds no money;
  // -1 if all of them hold money.
  std::int32_t oldest_to_give_way() const;
  // How many open decisions leave when a new decision comes. If more are open than the limit,
  // because most_open was lowered, two leave for each that comes. So their number falls, and no
  // decision waits until thousands have left.
  static constexpr int kLeaveAtOnce = 2;
  // Lets decisions expire before their time, so that there is room. REQUIRES that check_room() is ok.
  void make_room();
  // Decisions are numbered in the order in which they were made, except for the numbers of gaps,
  // which lost decisions may have had.
  std::uint64_t next_number() const { return gaps.next(decided_count); }
  bool given(std::uint64_t number) const { return gaps.given(number, decided_count); }
  std::uint64_t next_id() const;
  Error unknown_id(std::uint64_t id) const;  // of a number that was not given
  Error not_open(std::uint64_t id) const;
  Result<> check_next(const DecideRecord& decided) const;
  // Refuses a decision that this engine cannot have made, now or before.
  Result<> check_record(const DecideRecord& decided) const;
  // Adds the predicted costs of a decision to the reserved amounts (sign 1), or subtracts them
  // (sign -1), for the parts `which`.
  void reserve(const DecideRecord& decided, Came which, std::int64_t sign);
  // Adds the draft to the open decisions and their books. REQUIRES that check_record accepts it.
  void open_up(std::uint64_t number);
  // Books with the policy what it did not learn of an outcome, because it was above its range.
  void bill_rest(const Outcome& outcome, const Outcome& learned_part);
  // Parts of the outcome of an open decision came.
  void take_parts(std::int32_t slot, Came which, const Outcome& outcome);
  Came all_parts() const { return all_came(billed.size()); }
  // Adds the draft as the next decision. REQUIRES that check_next accepts it.
  void take_next();
  // Removes a decision whose money is settled. Parts that have not come get this digest.
  void close(std::int32_t slot, std::uint64_t missing_digest);
  Digests digests_of(std::uint64_t id, const Outcome& outcome, Came came,
                     std::uint64_t missing_digest) const;
  // Removes a decision whose reservations are released.
  void settle(std::int32_t slot, const Digests& digests);
  void expire(std::int32_t slot);
  // Lets the policy learn the default outcome of `count` decisions as they expire: of this decision
  // and of the next newer ones. If an oracle of the caller's throws, the policy stays as it was.
  void learn_expiring(std::int32_t slot, std::int64_t count);
  Costs reserved_costs() const;
  // What the plans of the budgets allow so far: the least per cost. A policy with a budget of its own says it.
  Costs allowed_by(const PolicyState& known) const;
  HistoryPoint point() const;  // of the history, now; what the history itself counts is left out
  // An engine with these books and another policy, which has learned nothing.
  Result<std::unique_ptr<Heart>> with_policy(const Spec& spec) const;
  Result<> read_state(ByteReader& in);
  Result<> read_books(ByteReader& in);  // what write_state() wrote
  Result<> read_open(ByteReader& in);
  Result<> read_parts(ByteReader& in, std::int32_t slot);
  Result<> read_settled(ByteReader& in);
  Result<> read_expired_claims(ByteReader& in);

  Config config;  // with the present most_open and expire_after
  std::unique_ptr<Policy> policy;
  LargestCosts largest;
  Roster roster;
  std::optional<Schema> schema;
  IdCipher cipher;
  IdCipher run_cipher;  // of the ids of runs

  int rules = kRules;  // the rules by which records are folded
  std::int64_t now = 0;
  std::uint64_t decided_count = 0;
  IdGaps gaps;
  std::uint64_t draws = 0;
  std::int64_t learned = 0;
  std::int64_t rewarded = 0;  // decisions whose reward was learned, defaults included
  std::int64_t expired = 0;   // including the decisions that gave way
  std::int64_t gave_way = 0;  // decisions that expired before their time, to make room
  std::int64_t cancelled = 0;
  std::int64_t late = 0;
  std::int64_t clipped = 0;
  Costs billed;  // all costs that were reported, in the units of the shape
  Budgets budgets;
  SeenCosts seen;  // empty if all largest costs are declared
  BillRatios bills;  // empty unless a budget holds quantiles of bills
  AgentRuns runs;
  Open open;
  Settled settled;
  std::vector<double> expected;  // costs that the caller expects, by action id; empty: none
  std::map<std::uint64_t, Claim> expired_claims;  // by number: their bills may still come
  std::map<std::uint64_t, RunClaim> expired_run_claims;  // the same in their runs
  // Derived from the open decisions: the predicted costs of those whose cost has not come, how many
  // lack each part, and of how many some part came.
  std::array<MicroSum, kMaxCosts> reserved{};
  std::array<std::int64_t, 1 + kMaxCosts> missing{};
  std::int64_t partly = 0;
  // ---
  History history;
  // Bills of decisions that are forgotten, since this object was made or restored.
  std::int64_t too_late = 0;
  // What the last call changed. A decision is in the newest open slot.
  enum class Change {
    kNothing,
    kDecided,
    kLearned,
    kTicked,
    kCancelled,
    kBudget,
    kExpected,
    kAction,
    kObserved,
    kWarmed,
    kAdopted,
    kLimits,
    kClock,
    kSkipped,
    kAgentRun
  };
  Change change = Change::kNothing;
  LearnRecord last_learned;
  TickRecord last_tick;
  CancelRecord last_cancelled;
  BudgetRecord last_budget;
  ActionRecord last_action;
  ObserveRecord last_observed;
  WarmRecord last_warm;
  RulesRecord last_rules;
  std::vector<std::uint64_t> last_gave_way;  // ids that the last decision made room with
  bool notes_keys = false;           // whether used_keys are noted
  std::vector<ScopeKeys> used_keys;  // of decisions whose money moved, see Engine::used_keys()
  ClockRecord last_clock;
  SkipRecord last_skipped;
  AgentRunRecord last_run;
  std::string bytes;                       // the last record that was asked for
  std::array<std::uint64_t, 4> ids_ahead;  // ids of the decisions from this number on:
  std::uint64_t ids_ahead_from = 0;
  // How predicted costs are reserved: in shares of this size; no more than `most` per decision.
  struct Share {
    double unit = 1.0;    // of the cost
    double shares = 0.0;  // in one unit
    double most = 1.0;    // in units
  };
  std::vector<Share> units;  // of each cost
  Came hard_costs = 0;       // those that a hard budget counts
  std::vector<std::int32_t> seats;  // of in_places()
  Scratch scratch;
  AllActions all_actions;  // of the last decision
  std::vector<BarredAction> last_barred;  // by the last decision, or by its refusal
};

}  // namespace rein
