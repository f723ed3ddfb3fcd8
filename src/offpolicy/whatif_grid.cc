#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "rein/whatif_report.h"

namespace rein {
namespace {

Result<void> check_grid(const OfflineRows& rows, const WhatifOptions& options, int other,
                        const std::vector<double>& limits) {
  if (!options.limits.empty()) {
    return Error{"whatif: found a grid and a limit; accepted: a grid without further limits"};
  }
  if (other < 1 || other >= rows.heads || other == options.cost) {
    return Error{
        fmt::format("whatif: the second cost of the grid is {}; accepted: a cost from 1 to {} "
                    "other than {}",
                    other, rows.heads - 1, options.cost)};
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

}  // namespace

Result<WhatifGrid> whatif_grid(const OfflineRows& rows, const WhatifOptions& options, int other,
                               const std::vector<double>& limits) {
  if (auto good = check_grid(rows, options, other, limits); !good) return good.failure();
  WhatifGrid out{
      .cost = options.cost, .other = other, .budgets = options.budgets, .limits = limits};
  WhatifOptions row = options;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    row.limits = {{.head = other, .amount = limits[i], .at_least = false}};
    if (options.progress) {
      row.progress = [&, i](double share) {
        return options.progress((static_cast<double>(i) + share) /
                                static_cast<double>(limits.size()));
      };
    }
    auto found = whatif(rows, row);
    if (!found) return found.failure();
    out.rows.push_back(std::move(found).value());
  }
  return out;
}

}  // namespace rein
