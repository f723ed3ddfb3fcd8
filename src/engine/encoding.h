// The byte form of records (rein/record.h).
#pragma once

#include <string_view>

#include "rein/record.h"

namespace rein {

// Whether the bytes, if they are a record, are the record of a decision.
bool is_decision(std::string_view bytes);

// Decodes a decision into an existing record. Allocates only to grow.
Result<> decode(std::string_view bytes, DecideRecord& out);

}  // namespace rein
