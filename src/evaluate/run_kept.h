// run() with a result file: plays that the file already holds are not run again, and each finished
// play is added to it.
#pragma once

#include "evaluate/result_file.h"
#include "rein/evaluate.h"

namespace rein {

// The options with the number of rounds filled in: 0 means as many as the world (a table) has.
Result<RunOptions> settle_rounds(const Spec& world, const RunOptions& options);

// `kept` may be null. Every number except cpu_seconds is the same with and without it.
Result<RunResult> run_kept(const Spec& world, const std::vector<Spec>& policies,
                           const RunOptions& options, ResultFile* kept);

}  // namespace rein
