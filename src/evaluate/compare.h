// Builds a comparison from results: one row per policy, one for the best of its grid, and paired
// differences.
#pragma once

#include "evaluate/lineup.h"
#include "rein/compare.h"

namespace rein {

// Makes the rows and pairs. `result` has the runs of lineup.specs. `units` are the largest absolute
// values of the costs.
Comparison compared(RunResult result, const Lineup& lineup, const std::vector<double>& units,
                    const CompareOptions& options);

}  // namespace rein
