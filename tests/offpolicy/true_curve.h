// The true curve that a what-if band promises to cover, for the problem of linear_log.h.
#pragma once

#include <vector>

#include "linear_log.h"
#include "offpolicy/action_models.h"
#include "offpolicy/priced_class.h"
#include "rein/whatif.h"

namespace rein {

struct TrueCurve {
  std::vector<bool> possible;
  std::vector<double> reward;
};

// Over `points` contexts: context_at(i) is the i-th, mean_at(i, action, head) its true means.
template <class ContextAt, class MeanAt>
TrueCurve true_curve_over(std::int64_t points, const ContextAt& context_at, const MeanAt& mean_at,
                          const OfflineRows& rows, const WhatifOptions& options,
                          const Whatif& found) {
  FitOptions fit = options.fit;
  fit.forward = fit.forward || found.adaptive;
  const ActionModels models = ActionModels::fit(rows, fit).value();
  // The curve leaves out actions that the log played fewer than 20 times.
  std::vector<std::int64_t> plays(static_cast<std::size_t>(rows.actions), 0);
  for (const std::int32_t action : rows.played) ++plays[static_cast<std::size_t>(action)];
  std::vector<std::uint8_t> usable;
  for (const std::int64_t count : plays) usable.push_back(count >= 20 ? 1 : 0);
  RowSample sample = RowSample::of(rows.rows, rows.actions, rows.features);
  sample.add(rows, 0);
  const PricedGrid grid = make_grid(
      sample, models, {.cost = options.cost, .limits = options.limits, .usable = usable});
  PricedClass policies(grid);
  const std::size_t heads = static_cast<std::size_t>(rows.heads);
  const std::size_t places = grid.prices.size();
  std::vector<double> table(grid.held.size() * places * heads, 0.0);
  std::vector<std::vector<double>> of_fold;
  std::vector<double> share(static_cast<std::size_t>(models.folds()), 0.0);
  double total = 0.0;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const int fold = models.fold_of(row);
    if (!models.trained(fold)) continue;
    share[static_cast<std::size_t>(fold)] += 1.0;
    total += 1.0;
  }
  std::vector<double> predicted(static_cast<std::size_t>(rows.actions) * heads);
  Paths steps;
  PathWork work;
  const std::size_t width = places * heads;
  for (int fold = 0; fold < models.folds(); ++fold) {
    of_fold.emplace_back(table.size(), 0.0);
    std::vector<double>& now = of_fold.back();
    const double fraction = share[static_cast<std::size_t>(fold)] / total;
    if (fraction == 0.0) continue;
    for (std::int64_t i = 0; i < points; ++i) {
      models.predict(fold, context_at(i), predicted.data());
      grid.paths(fold, predicted.data(), nullptr, work, steps);
      for (std::size_t l = 0; l < steps.size(); ++l) {
        int before = -1;
        for (const PathStep& step : steps[l]) {
          for (std::size_t h = 0; h < heads; ++h) {
            const int head = static_cast<int>(h);
            now[l * width + static_cast<std::size_t>(step.from) * heads + h] +=
                (mean_at(i, step.action, head) -
                 (before < 0 ? 0.0 : mean_at(i, before, head))) /
                static_cast<double>(points);
          }
          before = step.action;
        }
      }
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (i % width >= heads) now[i] += now[i - heads];
      table[i] += fraction * now[i];
    }
  }
  if (policies.limited()) {
    policies.set_values(value_sums(models, {&grid, 1}, rows, 0), models.folds());
  }
  TrueCurve out;
  for (const double budget : options.budgets) {
    // With a limit, the truth of the mixture that was found; else of the one that truly spends b.
    const BudgetMix mix = policies.limited() ? policies.meet(budget) : policies.meet(budget, table);
    out.possible.push_back(mix.possible);
    out.reward.push_back(!mix.possible        ? 0.0
                         : policies.limited() ? policies.value_of(mix, of_fold)[0]
                                              : mix.values[0]);
  }
  return out;
}

inline TrueCurve true_curve(const LinearTruth& truth, const OfflineRows& rows,
                            const WhatifOptions& options, const Whatif& found,
                            int points = 16'384) {
  std::vector<double> contexts(static_cast<std::size_t>(points) * kLogFeatures);
  const auto context_at = [&](std::int64_t i) { return contexts.data() + i * kLogFeatures; };
  for (int i = 0; i < points; ++i) even_context(i, context_at(i));
  return true_curve_over(
      points, context_at,
      [&](std::int64_t i, int action, int head) { return truth.mean(head, action, context_at(i)); },
      rows, options, found);
}

}  // namespace rein
