// Answers of what-if for several budgets: one curve per cost, a grid over two costs, and both as
// one object of JSON, which the report page draws (rein/report.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rein/segments.h"
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

// `options` as for whatif, without limits. `limits` ascend.
Result<WhatifGrid> whatif_grid(const OfflineRows& rows, const WhatifOptions& options, int other,
                               const std::vector<double>& limits);

// Everything that one question found.
struct WhatifReport {
  std::vector<Whatif> curves;  // one per budget that was asked for
  std::optional<WhatifGrid> grid;
  std::optional<Segments> segments;  // whom the policy of one budget serves, if it was asked for
  std::string title, command;  // for the page; may be empty
};

// The curves of all questions, and with `grid` also the grid over the budgets of the first two
// questions, whose costs differ and which have no limits. All of it is one call of whatif_curves().
Result<WhatifReport> whatif_report(const OfflineRows& rows, const WhatifOptions& options,
                                   const std::vector<WhatifQuestion>& questions, bool grid);
// The same in two steps, if the curves are made elsewhere (rein/whatif_passes.h): the questions to
// ask about a log with so many heads, and the report from their curves.
Result<std::vector<WhatifQuestion>> report_questions(const std::vector<WhatifQuestion>& questions,
                                                     bool grid, int heads);
WhatifReport report_of(const std::vector<WhatifQuestion>& questions, bool grid,
                       std::vector<Whatif> curves);

// A single curve without a grid gives the object of that curve. Otherwise {"kind": "whatif_slices",
// "curves": [...], "grid": {...} or null}. docs/whatif.md has the keys.
Json to_value(const WhatifReport& report);

}  // namespace rein
