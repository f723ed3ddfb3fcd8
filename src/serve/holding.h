// How many bytes of memory a model may hold, besides what it learns. Open decisions: each keeps its
// round, its probabilities and its estimates until its outcome is complete. So memory and snapshots
// grow with the number of offered actions. And keys: each has an account per budget.
#pragma once

#include <cstdint>

#include "base/json.h"
#include "rein/engine_options.h"

namespace rein::serve {

class Model;

// Limit on the bytes of a model's open decisions. A snapshot has about as many bytes, and memory
// holds them twice while a snapshot is made.
inline constexpr std::int64_t kMostOpenBytes = std::int64_t{4} << 30U;
// How many dropped actions a note names. A note is kept while its decision is open.
inline constexpr std::size_t kMostDroppedInNote = 8;

// Limit on the bytes of all keys that may have money of their own. A snapshot has about as many.
inline constexpr std::int64_t kMostKeyBytes = std::int64_t{4} << 30U;
// What the keys of all scopes take in memory when there are most_keys of each, about.
std::int64_t key_bytes(const EngineOptions& options);
// Refuses a model whose keys could take more than kMostKeyBytes. Throws Refused.
void check_key_bytes(const EngineOptions& options);

// Refuses a decision while open decisions have too many bytes. Throws Refused.
void check_open_bytes(const Model& model);
// The limits of a model, as one object.
void write_limits(JsonWriter& json, const Model& model);

}  // namespace rein::serve
