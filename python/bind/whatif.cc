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

constexpr std::int64_t kSteps = 1000;  // of the progress, in all

nb::tuple whatif_plain(int actions, const Array<1, const std::int32_t>& played,
                       const Array<1>& propensity, const Array<2>& outcomes,
                       const Array<2>& context, const Array<2, const std::uint8_t>& offered,
                       const Array<1>& weights, const Array<1, const std::int32_t>& unit,
                       const Array<1>& predictions,
                       const std::vector<std::string>& heads, const std::vector<std::string>& names,
                       const Budgets& budgets, const Limits& limits, bool grid,
                       const std::string& adaptive, int folds, int threads, std::uint64_t seed,
                       const std::string& title, double sensitivity, const std::string& asked,
                       nb::object progress) {
  const OfflineRows rows =
      offline_rows(actions, played, propensity, outcomes, context, offered, weights, unit);
  WhatifOptions options{.heads = heads,
                        .actions = names,
                        .fit = {.folds = folds, .threads = threads},
                        .predictions = span_of(predictions),
                        .adaptive = adaptive_of(adaptive),
                        .sensitivity = sensitivity,
                        .seed = seed};
  const auto tell = progress_of(std::move(progress));
  options.progress = [&](double share) {
    tell(static_cast<std::int64_t>(share * kSteps), kSteps);
    return true;
  };
  auto made = [&] {
    const nb::gil_scoped_release unlock;
    return whatif_report(rows, options, questions_of(budgets, limits), grid);
  }();
  WhatifReport report = unwrap(std::move(made));
  report.title = title;
  for (Whatif& curve : report.curves) {
    if (!asked.empty()) curve.warnings.push_back(asked);
  }
  const Json json = to_value(report);
  return nb::make_tuple(plain(json), json.str());
}

}  // namespace

void bind_whatif(nb::module_& module) { module.def("whatif", &whatif_plain); }

}  // namespace rein::bind
