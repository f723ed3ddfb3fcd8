// Claims as saved bytes.
#pragma once

#include "money/budgets.h"
#include "rein/bytes.h"

namespace rein {

// A claim without what its decision says: its windows, and which bills are missing.
void write_windows(ByteWriter& out, const Claim& claim);
void read_windows(ByteReader& in, Claim& claim);
// A whole claim, with its learned holds where budgets hold those.
void write_claim(ByteWriter& out, const Claim& claim, bool learned);
Claim read_claim(ByteReader& in, bool learned);

}  // namespace rein
