#include "offpolicy/whatif_sensitivity.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "offpolicy/scored_rows.h"
#include "offpolicy/sensitivity.h"
#include "offpolicy/shards.h"

namespace rein {
namespace {

// What the rows say about the mixture of one budget.
PolicyScores scores_of(const OfflineRows& rows, const WhatifTask& task, const BudgetMix& mix) {
  PolicyScores out{.heads = rows.heads};
  const std::size_t heads = at(rows.heads);
  std::vector<double> target(at(rows.actions));
  ScoredRows row(task.models, std::span(task.grids).first(1), rows);
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    if (!row.load(i, i)) continue;
    const std::vector<MixPart>& parts = mix.parts[mix.parts.size() > 1 ? at(row.fold) : 0];
    std::fill(target.begin(), target.end(), 0.0);
    for (const MixPart& one : parts) {
      target[at(action_at(row.paths(0)[at(one.held)], one.price))] += one.share;
    }
    out.row.push_back(i);
    out.weight.push_back(row.weight);
    out.ratio.push_back(target[at(row.played)] * row.inverse);
    for (std::size_t h = 0; h < heads; ++h) {
      double direct = 0.0;
      for (std::size_t a = 0; a < target.size(); ++a) {
        if (target[a] > 0.0) direct += target[a] * row.predicted[a * heads + h];
      }
      const double outcome = rows.outcomes[at(i) * heads + h];
      out.outcome.push_back(outcome);
      out.direct.push_back(direct);
      out.residual.push_back(outcome - row.predicted[at(row.played) * heads + h]);
    }
  }
  out.units = Units::some(rows, out.row);
  return out;
}

}  // namespace

bool add_sensitivity(const OfflineRows& rows, const WhatifTask& task, int threads,
                     const std::function<bool()>& go_on, Whatif& out) {
  std::atomic<bool> going{true};
  run_shards(static_cast<int>(out.points.size()), threads, [&](int k) {
    CurvePoint& point = out.points[at(k)];
    if (point.possible && std::isfinite(point.values[0].error)) {
      const PolicyScores scores = scores_of(rows, task, task.mixes[0][at(k)]);
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
