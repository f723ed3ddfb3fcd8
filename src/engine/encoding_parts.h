// The byte form of what records and snapshots consist of: lists, rounds, decisions, outcomes, keys; and
// the hash that seals them. A reader that finds something wrong fails its ByteReader.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rein/bytes.h"
#include "rein/record.h"

namespace rein {

using Numbers = std::vector<double>;
using Indices = std::vector<std::int32_t>;

void write(ByteWriter& out, const Numbers& numbers);
void read(ByteReader& in, Numbers& numbers);
void write(ByteWriter& out, const Indices& indices);
void read(ByteReader& in, Indices& indices);
std::int32_t read_index(ByteReader& in);
// Reads a count of 8-byte items. A count larger than the remaining bytes is refused, so damaged
// bytes cannot cause a large allocation.
std::size_t read_count(ByteReader& in);

void write(ByteWriter& out, const Costs& costs);
Costs read_costs(ByteReader& in);
void write(ByteWriter& out, const Outcome& outcome);
Outcome read_outcome(ByteReader& in);
void write(ByteWriter& out, const ScopeKeys& keys);
ScopeKeys read_keys(ByteReader& in);
void write_names(ByteWriter& writer, std::span<const KeyName> names);
void read_names(ByteReader& in, std::vector<KeyName>& names);
// What a decision holds where that was learned, and its run.
void write_holds(ByteWriter& writer, const DecideRecord& record);
void read_holds(ByteReader& in, DecideRecord& record);
void write(ByteWriter& out, const StoredRound& round);
void read(ByteReader& in, StoredRound& round);
void write(ByteWriter& out, const Decision& decision);
void read(ByteReader& in, int actions, Decision& decision);

Error corrupt(const std::string& message);
// seal() appends an 8-byte hash of all bytes before it; unseal() removes it and refuses bytes whose
// hash does not match.
std::string seal(ByteWriter& out);
Result<std::string_view> unseal(std::string_view bytes, std::string_view what);

}  // namespace rein
