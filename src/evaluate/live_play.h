// A play through an engine: its decisions have ids, its money is kept in windows, and its outcomes
// come in parts.
#pragma once

#include "evaluate/play.h"

namespace rein {

// As play(), for a run whose options use RunOptions::live.
Result<PlayResult> play_live(const Run& run, const Play& play, SharedBenchmarks& shared,
                             const std::function<void(std::int64_t)>& tick);

}  // namespace rein
