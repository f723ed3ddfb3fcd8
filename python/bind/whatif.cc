// rein/whatif.h, rein/whatif_report.h
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "offline.h"
#include "rein/whatif_report.h"
#include "run.h"

namespace rein::bind {
namespace {

using Budgets = std::vector<std::pair<int, std::vector<double>>>;  // head, amounts
using Limits = std::vector<std::tuple<int, double, bool>>;         // head, amount, at least

constexpr std::int64_t kSteps = 1000;  // of the progress, in all

// Curves one after the other, then the grid; each takes the same share of the progress.
Result<WhatifReport> answer(const OfflineRows& rows, WhatifOptions options, const Budgets& budgets,
                            bool grid,
                            const std::function<void(std::int64_t, std::int64_t)>& tell) {
  WhatifReport report;
  const double parts = static_cast<double>(budgets.size()) + (grid ? 1.0 : 0.0);
  double before = 0.0;
  options.progress = [&](double share) {
    tell(static_cast<std::int64_t>((before + share) / parts * kSteps), kSteps);
    return true;
  };
  for (const auto& [head, amounts] : budgets) {
    options.cost = head;
    options.budgets = amounts;
    auto found = whatif(rows, options);
    if (!found) return found.failure();
    report.curves.push_back(std::move(found).value());
    before += 1.0;
  }
  if (!grid) return report;
  options.cost = budgets[0].first;
  options.budgets = budgets[0].second;
  auto found = whatif_grid(rows, options, budgets[1].first, budgets[1].second);
  if (!found) return found.failure();
  report.grid = std::move(found).value();
  return report;
}

nb::tuple whatif_plain(int actions, const Array<1, const std::int32_t>& played,
                       const Array<1>& propensity, const Array<2>& outcomes,
                       const Array<2>& context, const Array<2, const std::uint8_t>& offered,
                       const Array<1>& weights, const Array<1, const std::int32_t>& unit,
                       const Array<1>& predictions,
                       const std::vector<std::string>& heads, const std::vector<std::string>& names,
                       const Budgets& budgets, const Limits& limits, bool grid,
                       const std::string& adaptive, int folds, int threads, std::uint64_t seed,
                       const std::string& title, double sensitivity, nb::object progress) {
  const OfflineRows rows =
      offline_rows(actions, played, propensity, outcomes, context, offered, weights, unit);
  WhatifOptions options{.heads = heads,
                        .actions = names,
                        .fit = {.folds = folds, .threads = threads},
                        .predictions = span_of(predictions),
                        .adaptive = adaptive_of(adaptive),
                        .sensitivity = sensitivity,
                        .seed = seed};
  for (const auto& [head, amount, at_least] : limits) {
    options.limits.push_back({.head = head, .amount = amount, .at_least = at_least});
  }
  const auto tell = progress_of(std::move(progress));
  auto made = [&] {
    const nb::gil_scoped_release unlock;
    return answer(rows, std::move(options), budgets, grid, tell);
  }();
  WhatifReport report = unwrap(std::move(made));
  report.title = title;
  const Json json = to_value(report);
  return nb::make_tuple(plain(json), json.str());
}

}  // namespace

void bind_whatif(nb::module_& module) { module.def("whatif", &whatif_plain); }

}  // namespace rein::bind
