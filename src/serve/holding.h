// What a model may hold in memory, in bytes. Open decisions are nearly all of it: each keeps its round,
// its probabilities and its estimates until its outcome is complete, so it grows with the number of
// actions that are offered, and with it every snapshot.
#pragma once

#include <cstdint>

#include "base/json.h"

namespace rein::serve {

class Model;

// Of the open decisions of a model. A snapshot has about as much, and memory has it twice while one is
// made.
inline constexpr std::int64_t kMostOpenBytes = std::int64_t{4} << 30U;
// Actions that a note names as dropped. It is kept while its decision is open.
inline constexpr std::size_t kMostDroppedInNote = 8;

// Refuses a decision while the open ones have too many bytes. Throws Refused.
void check_open_bytes(const Model& model);
// The limits of a model, as one object.
void write_limits(JsonWriter& json, const Model& model);

}  // namespace rein::serve
