#include "rein/whatif_report.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/math.h"

namespace rein {
namespace {

Result<void> check_grid(const WhatifQuestion& question, int other,
                        const std::vector<double>& limits, int heads) {
  if (!question.limits.empty()) {
    return Error{"whatif: found a grid and a limit; accepted: a grid without further limits"};
  }
  if (other < 1 || other >= heads || other == question.cost) {
    return Error{
        fmt::format("whatif: the second cost of the grid is {}; accepted: a cost from 1 to {} "
                    "other than {}",
                    other, heads - 1, question.cost)};
  }
  if (limits.empty() || limits.size() > static_cast<std::size_t>(kMaxWhatifBudgets)) {
    return Error{fmt::format("whatif: found {} budgets of the second cost; accepted: 1 to {}",
                             limits.size(), kMaxWhatifBudgets)};
  }
  for (std::size_t i = 0; i < limits.size(); ++i) {
    if (std::isfinite(limits[i]) && (i == 0 || limits[i] > limits[i - 1])) continue;
    return Error{
        fmt::format("whatif: budget {} of the second cost is {}; accepted: finite numbers "
                    "that ascend",
                    i, limits[i])};
  }
  return {};
}

// A question per limit.
std::vector<WhatifQuestion> grid_questions(const WhatifQuestion& question, int other,
                                           const std::vector<double>& limits) {
  std::vector<WhatifQuestion> out(limits.size(), question);
  for (std::size_t i = 0; i < limits.size(); ++i)
    out[i].limits = {{.head = other, .amount = limits[i], .at_least = false}};
  return out;
}

}  // namespace

Result<WhatifGrid> whatif_grid(const OfflineRows& rows, const WhatifOptions& options, int other,
                               const std::vector<double>& limits) {
  const WhatifQuestion question{options.cost, options.budgets, options.limits};
  if (auto good = check_grid(question, other, limits, rows.heads); !good) return good.failure();
  auto found = whatif_curves(rows, options, grid_questions(question, other, limits));
  if (!found) return found.failure();
  return WhatifGrid{.cost = options.cost,
                    .other = other,
                    .budgets = options.budgets,
                    .limits = limits,
                    .rows = std::move(found).value()};
}

Result<std::vector<WhatifQuestion>> report_questions(const std::vector<WhatifQuestion>& questions,
                                                     bool grid, int heads) {
  std::vector<WhatifQuestion> out = questions;
  if (!grid) return out;
  if (questions.size() != 2) {
    return Error{
        fmt::format("whatif: found a grid and {} budgets; accepted: two, of two costs",
                    questions.size())};
  }
  const WhatifQuestion& other = questions[1];
  if (auto good = check_grid(questions[0], other.cost, other.budgets, heads); !good) {
    return good.failure();
  }
  const std::vector<WhatifQuestion> lines = grid_questions(questions[0], other.cost, other.budgets);
  out.insert(out.end(), lines.begin(), lines.end());
  return out;
}

WhatifReport report_of(const std::vector<WhatifQuestion>& questions, bool grid,
                       std::vector<Whatif> curves) {
  WhatifReport out;
  const auto split = curves.begin() + static_cast<std::ptrdiff_t>(questions.size());
  if (grid) {
    out.grid = WhatifGrid{.cost = questions[0].cost,
                          .other = questions[1].cost,
                          .budgets = questions[0].budgets,
                          .limits = questions[1].budgets,
                          .rows = {std::move_iterator(split), std::move_iterator(curves.end())}};
  }
  curves.erase(split, curves.end());
  out.curves = std::move(curves);
  return out;
}

Result<WhatifReport> whatif_report(const OfflineRows& rows, const WhatifOptions& options,
                                   const std::vector<WhatifQuestion>& questions, bool grid) {
  auto all = report_questions(questions, grid, rows.heads);
  if (!all) return all.failure();
  auto curves = whatif_curves(rows, options, all.value());
  if (!curves) return curves.failure();
  return report_of(questions, grid, std::move(curves).value());
}

double usual_budget(const Whatif& curve) {
  const CurvePoint& last = curve.points.back();
  if (curve.points.size() == 1) return last.budget;
  if (!last.possible) return kNan;
  return 0.5 * last.values[static_cast<std::size_t>(curve.cost)].value;
}

}  // namespace rein
