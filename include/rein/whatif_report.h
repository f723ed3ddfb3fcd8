// Answers of what-if for several budgets: one curve per cost, a grid over two costs, and both as
// one object of JSON, which the report page draws (rein/report.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rein/whatif.h"

namespace rein {

inline constexpr int kWhatifVersion = 1;  // of the object; keys are only added to a version

// The reward over two budgets. Row i is a curve over the budgets of the first cost, where the second
// cost keeps the limit limits[i] (WhatifOptions::limits, at most). So each row has the promises of a
// curve with a limit, and its joint bands hold along the row.
struct WhatifGrid {
  int cost = 1, other = 2;      // heads
  std::vector<double> budgets;  // of the first cost, per round
  std::vector<double> limits;   // of the second cost, per round
  std::vector<Whatif> rows;     // one per limit
};

// `options` as for whatif, without limits. `limits` ascend. Progress counts all rows.
Result<WhatifGrid> whatif_grid(const OfflineRows& rows, const WhatifOptions& options, int other,
                               const std::vector<double>& limits);

// Everything that one question found.
struct WhatifReport {
  std::vector<Whatif> curves;  // one per budget that was asked for
  std::optional<WhatifGrid> grid;
  std::string title, command;  // for the page; may be empty
};

// A single curve without a grid gives the object of that curve. Otherwise {"kind": "whatif_slices",
// "curves": [...], "grid": {...} or null}. docs/whatif.md has the keys.
Json to_value(const WhatifReport& report);

}  // namespace rein
