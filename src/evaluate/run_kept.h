// run(), with a memory: plays that a file of results already holds are not played again, and every
// play that ends is added to it.
#pragma once

#include "evaluate/result_file.h"
#include "rein/evaluate.h"

namespace rein {

// The options with the number of rounds filled in where 0 asks the world (a table) for its own.
Result<RunOptions> settle_rounds(const Spec& world, const RunOptions& options);

// `kept` may be null. Every number but cpu_seconds is the same with and without it.
Result<RunResult> run_kept(const Spec& world, const std::vector<Spec>& policies,
                           const RunOptions& options, ResultFile* kept);

}  // namespace rein
