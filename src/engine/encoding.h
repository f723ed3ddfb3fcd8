// The byte form of records, and the parts of it that snapshots share.
#pragma once

#include <string>
#include <string_view>

#include "rein/bytes.h"
#include "rein/record.h"

namespace rein {

void write(ByteWriter& out, const Outcome& outcome);
Outcome read_outcome(ByteReader& in);

// seal() appends an 8-byte hash of all bytes before it; unseal() removes it and refuses bytes whose
// hash does not match.
std::string seal(ByteWriter& out);
Result<std::string_view> unseal(std::string_view bytes, std::string_view what);

// Whether the bytes, if they are a record, are that of a decision.
bool is_decision(std::string_view bytes);

// Decodes a decision into an existing record. Allocates only to grow.
Result<> decode(std::string_view bytes, DecideRecord& out);

}  // namespace rein
