// Records: everything that changes an engine, as values with an exact byte form.
//
// The state of an engine is a fold over its records and nothing else: no wall clock, no chance.
// What chance decided (the action, the probabilities, how many draws were made) stands in the
// record and is never recomputed. Whoever keeps the records, in order, can rebuild the state bit
// for bit.
//
//     bytes := kind, version and numbers, each 8 bytes little-endian (doubles as their bits), then
//              8 bytes of hash over all before it
//
// Bytes that were cut, changed or made by something else are refused (Reason::kCorrupt).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rein/policy.h"
#include "rein/result.h"
#include "rein/round.h"

namespace rein {

// A round that owns its numbers. Copying into one that has held a round as large allocates nothing.
struct StoredRound {
  int actions = 0;
  std::vector<double> context;
  std::vector<double> features;
  std::vector<std::int32_t> sparse_begin;
  std::vector<std::int32_t> sparse_index;
  std::vector<double> sparse_value;
  std::vector<std::int32_t> ids;

  // Valid until this changes.
  Round view() const;
  void copy(const Round& round);
  // Only the actions that stood at these places, with their ids. REQUIRES a valid round and
  // ascending places in it.
  void copy(const Round& round, std::span<const std::int32_t> places);
};

// A decision was made.
struct DecideRecord {
  std::uint64_t id = 0;
  std::int64_t at = 0;      // on the logical clock
  std::uint64_t draws = 0;  // of the Rng, this decision's included
  // How many actions were offered, and where those that fitted the hard budget stood among them
  // (ascending; empty: all fitted).
  int offered = 0;
  std::vector<std::int32_t> places;
  // What was decided on, and all that learn() needs to know of it. decision.action counts within
  // this round.
  StoredRound round;
  Decision decision;

  // Where the chosen action stood in the round that was offered.
  int offered_action() const {
    return places.empty() ? decision.action : places[static_cast<std::size_t>(decision.action)];
  }
};

// The outcome of a decision came.
struct LearnRecord {
  std::uint64_t id = 0;
  Outcome outcome;
};

// The logical clock moved; decisions that were open too long expire.
struct TickRecord {
  std::int64_t now = 0;
};

using Record = std::variant<DecideRecord, LearnRecord, TickRecord>;

// Replaces what `out` holds; allocates only where its room is too small.
void encode(const DecideRecord& record, std::string& out);
void encode(const LearnRecord& record, std::string& out);
void encode(const TickRecord& record, std::string& out);
void encode(const Record& record, std::string& out);

// Refuses bytes that encode() cannot have written. What the numbers mean is checked by the engine.
Result<Record> decode(std::string_view bytes);

}  // namespace rein
