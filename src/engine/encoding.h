// The byte form of records, and the pieces of it that snapshots share.
#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "rein/record.h"

namespace rein {

void write(ByteWriter& out, const Outcome& outcome);
Outcome read_outcome(ByteReader& in);

// Ends bytes with 8 bytes of hash over all before it, and takes them off again; refuses bytes that
// do not end with theirs.
std::string seal(ByteWriter& out);
Result<std::string_view> unseal(std::string_view bytes, std::string_view what);

// Whether bytes, if they are a record, are that of a decision.
bool is_decision(std::string_view bytes);

// The record of a decision, into one that has held others: allocates nothing once it has held the
// largest.
Result<> decode(std::string_view bytes, DecideRecord& out);

}  // namespace rein
