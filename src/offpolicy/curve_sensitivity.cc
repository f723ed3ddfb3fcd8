// Sensitivity bands of the points of a curve.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/pool.h"
#include "offpolicy/curve_points.h"
#include "offpolicy/scores.h"

namespace rein {
namespace {

// What the rows say about the mixture of one budget.
PolicyScores scores_of(const OfflineRows& rows, const WhatifTask& task, std::size_t grid,
                       const BudgetMix& mix) {
  PolicyScores out{.heads = rows.heads};
  const std::size_t heads = at(rows.heads);
  std::vector<double> target(at(rows.actions));
  ScoredRow row(task.models, std::span(task.grids).subspan(grid, 1), rows);
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    if (!row.load(i, i)) continue;
    mix.set_target(row.paths(0), row.fold, target);
    out.row.push_back(i);
    out.weight.push_back(row.weight);
    out.ratio.push_back(target[at(row.played)] * row.inverse);
    for (std::size_t h = 0; h < heads; ++h) {
      double direct = 0.0;
      for (std::size_t a = 0; a < target.size(); ++a) {
        if (target[a] > 0.0) direct += target[a] * row.predicted[a * heads + h];
      }
      out.outcome.push_back(row.outcome(h));
      out.direct.push_back(direct);
      out.residual.push_back(row.outcome(h) - row.predicted[at(row.played) * heads + h]);
    }
  }
  out.units = Units::some(rows, out.row);
  return out;
}

}  // namespace

bool add_sensitivity(const OfflineRows& rows, const WhatifTask& task, const MixedClass& mixed,
                     int threads, const std::function<bool()>& go_on, Whatif& out) {
  std::atomic<bool> going{true};
  run_jobs(static_cast<std::int64_t>(out.points.size()), threads, [&](std::int64_t k) {
    CurvePoint& point = out.points[at(k)];
    if (point.possible && std::isfinite(point.values[0].error)) {
      const PolicyScores scores = scores_of(rows, task, mixed.grid, mixed.mixes[at(k)]);
      for (int head = 0; head < rows.heads; ++head) {
        point.sensitivity.push_back(sensitivity_of(scores, rows.propensity, head, out.lambda));
      }
    }
    if (!go_on()) going = false;
    return going.load();
  });
  return going;
}

}  // namespace rein
