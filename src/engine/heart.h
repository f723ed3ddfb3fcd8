// Heart: what an engine is inside. Everything that decides what comes next is in the members above
// the line; those below it are working memory.
//
// The books of open decisions are kept twice. For the price: the predicted cost of each, in 2^-32
// of the cost's unit, rounded up, as integers, so that no order of additions matters and nothing
// drifts. For the hard budget: the largest cost of each, in micro-units, in the ledger.
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
  static Result<std::unique_ptr<Heart>> make(Config config);

  Result<> choose(const Round& round, DecideRecord& out);
  Ticket ticket(const Round& round);  // of chosen, which was just chosen from this round
  Result<> fold(const DecideRecord& decided);
  Result<LearnResult> fold(const LearnRecord& learned_record);
  Result<std::int64_t> fold(const TickRecord& tick);

  // Any record, from its bytes.
  Result<> fold(std::string_view record);

  std::string snapshot() const;
  static Result<Config> config_in(std::string_view snapshot);
  // A heart of this config with the state of a snapshot, which must be of the same config.
  static Result<std::unique_ptr<Heart>> revive(Config config, std::string_view snapshot);
  std::uint64_t hash() const;

  // Where the id is not open: what is known of it.
  Result<LearnResult> answer_settled(const LearnRecord& learned_record) const;
  // Which actions of a round fit what is left of the hard budget; empty where all do.
  Result<> find_places(const Round& round, std::vector<std::int32_t>& places) const;
  Result<> check_room() const;
  Result<> check_next(const DecideRecord& decided) const;
  // Refuses a decision that this engine cannot have made, now or before.
  Result<> check_decided(const DecideRecord& decided) const;
  // Reads the record of an open decision into `recalled`.
  void recall(std::int32_t slot);
  // Adds the predicted cost of a decision to what is reserved, or takes it off (sign -1).
  void reserve(const DecideRecord& decided, std::int64_t sign);
  // Adds to the open decisions and their books. REQUIRES that check_next accepts.
  void open_up(const DecideRecord& decided, std::string_view bytes);
  // The decision in `recalled` is over: `actual` is what it cost.
  void close(std::int32_t slot, std::uint64_t digest, const Micros& actual);
  void expire(std::int32_t slot);
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
  std::array<std::int64_t, kMaxCosts> reserved{};  // follows from the open decisions
  // ---
  Scratch scratch;
  DecideRecord chosen;                // by the last decide() or look()
  DecideRecord recalled;              // an open decision, while its outcome is learned
  std::string bytes;                  // of the last record
  std::string draft;                  // of a record that may still be refused
  std::vector<double> probabilities;  // of all actions that were offered, where some did not fit
  Estimates estimates;                // the same
};

}  // namespace rein
