// Heart: the implementation of Engine. Members above the line are state; those below it are working
// memory.
//
// Open decisions are counted twice. For the price: the predicted cost of each, in 2^-32 of the
// cost's unit, rounded up. These are integers, so the order of additions does not matter and no
// rounding error builds up. For the hard budget: the largest cost of each, in micro-units, in the
// ledger.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "engine/config.h"
#include "engine/ids.h"
#include "engine/open.h"
#include "engine/settled.h"
#include "price/ledger.h"
#include "rein/engine.h"

namespace rein {

struct Engine::Heart {
  Heart(Config made_from, std::unique_ptr<Policy> made_policy);
  // Refuses options for which there is not enough memory.
  static Result<std::unique_ptr<Heart>> make(Config config);
  // Throws std::bad_alloc.
  static Result<std::unique_ptr<Heart>> make_with_memory(Config config);

  Result<> choose(const Round& round, Scratch& working, DecideRecord& out) const;
  Result<Ticket> decide(const Round& round);
  Result<Ticket> look(const Round& round, LookScratch& memory) const;
  Result<LearnResult> learn(std::uint64_t id, const Outcome& outcome);
  Result<std::int64_t> tick(std::int64_t to);
  Result<> fold(const DecideRecord& decided);
  // Applies any record from its bytes.
  Result<> fold(std::string_view record);
  // The record of the last change.
  std::string_view record();

  std::string snapshot() const;
  static Result<Config> config_in(std::string_view snapshot);
  // Makes a heart of this config with the state of a snapshot. The snapshot must have the same
  // config.
  static Result<std::unique_ptr<Heart>> revive(Config config, std::string_view snapshot);
  std::uint64_t hash() const;

  // The ticket of a decision that was just chosen from this round. It refers to the decision and to
  // `room`.
  static Ticket ticket(const Round& round, const DecideRecord& decided, AllActions& room);
  // The answer to learn() for an id that is not open.
  Result<LearnResult> answer_settled(std::uint64_t id, const Outcome& outcome) const;
  // Finds the actions of a round that fit the rest of the hard budget; empty if all fit.
  Result<> find_places(const Round& round, std::vector<std::int32_t>& places) const;
  Result<> check_room() const;
  std::uint64_t next_id() const;
  Result<> check_next(const DecideRecord& decided) const;
  // Refuses a decision that this engine cannot have made, now or before.
  Result<> check_decided(const DecideRecord& decided) const;
  // Adds the predicted cost of a decision to what is reserved, or subtracts it (sign -1).
  void reserve(const DecideRecord& decided, std::int64_t sign);
  // Adds the draft to the open decisions and their books. REQUIRES that check_decided accepts it.
  void open_up(std::uint64_t number);
  // Adds the draft as the next decision. REQUIRES that check_next accepts it.
  void take_next();
  // Closes a decision. `actual` is what it cost.
  void close(std::int32_t slot, std::uint64_t digest, const Micros& actual);
  // The outcome to learn when a decision expires: the default outcome, within the action's largest
  // cost.
  Outcome outcome_of(const DecideRecord& decided) const;
  // `learned_it`: whether the policy learned outcome_of() this decision.
  void expire(std::int32_t slot, bool learned_it);
  // Lets the policy learn the oldest `count` decisions as they expire. `known` says which ones it
  // learned. If an oracle of the caller's throws, the policy stays as it was.
  void learn_expiring(std::int64_t count);
  Costs reserved_costs() const;
  Result<> read_state(ByteReader& in);
  Result<> read_open(ByteReader& in);
  Result<> read_settled(ByteReader& in);

  Config config;
  std::string config_bytes;
  std::unique_ptr<Policy> policy;
  HardBudget budget;
  IdCipher cipher;

  std::int64_t now = 0;
  std::uint64_t decided_count = 0;
  std::uint64_t draws = 0;
  std::int64_t learned = 0;
  std::int64_t expired = 0;
  Ledger ledger;
  Open open;
  Settled settled;
  std::array<std::int64_t, kMaxCosts> reserved{};  // derived from the open decisions
  // ---
  // What the last call changed. A decision is in the newest open slot; a tick is in `now`.
  enum class Change { kNothing, kDecided, kLearned, kTicked };
  Change change = Change::kNothing;
  LearnRecord last_learned;
  std::string bytes;                       // the last record that was asked for
  std::array<std::uint64_t, 4> ids_ahead;  // ids of the decisions from this number on:
  std::uint64_t ids_ahead_from = 0;
  std::vector<double> units;  // unit of each cost
  Scratch scratch;
  AllActions all_actions;   // of the last decision
  std::vector<bool> known;  // for each expiring decision: whether the policy learned it
};

}  // namespace rein
