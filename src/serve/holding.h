// How many bytes of memory a model may hold. Open decisions are nearly all of it: each keeps its
// round, its probabilities and its estimates until its outcome is complete. So memory and snapshots
// grow with the number of offered actions.
#pragma once

#include <cstdint>

#include "base/json.h"

namespace rein::serve {

class Model;

// Limit on the bytes of a model's open decisions. A snapshot has about as many bytes, and memory
// holds them twice while a snapshot is made.
inline constexpr std::int64_t kMostOpenBytes = std::int64_t{4} << 30U;
// How many dropped actions a note names. A note is kept while its decision is open.
inline constexpr std::size_t kMostDroppedInNote = 8;

// Refuses a decision while open decisions have too many bytes. Throws Refused.
void check_open_bytes(const Model& model);
// The limits of a model, as one object.
void write_limits(JsonWriter& json, const Model& model);

}  // namespace rein::serve
