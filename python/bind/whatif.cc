// rein/whatif.h, rein/whatif_report.h
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "offline.h"
#include "rein/whatif_report.h"
#include "run.h"

namespace rein::bind {
namespace {

constexpr std::int64_t kSteps = 1000;  // of the progress, in all

// The segments that were asked for: how many at most (0: none), the head and the amount of the budget (head 0:
// the usual one), and the names of the features.
struct Whom {
  int most = 0, head = 0;
  double budget = 0.0;
  std::vector<std::string> columns;
};

Result<Segments> segments_of(const OfflineRows& rows, const WhatifOptions& options, const Whom& whom,
                             const Whatif& curve) {
  SegmentsOptions question{.cost = whom.head,
                           .budget = whom.budget,
                           .most = whom.most,
                           .heads = options.heads,
                           .actions = options.actions,
                           .columns = whom.columns,
                           .fit = options.fit,
                           .adaptive = options.adaptive,
                           .seed = options.seed};
  if (whom.head == 0) {
    question.cost = curve.cost;
    question.budget = usual_budget(curve);
    if (std::isnan(question.budget)) {
      return Error{"segments: the last budget cannot be met; accepted: segments_at={cost: amount}"};
    }
  }
  return segments(rows, question);
}

nb::tuple whatif_plain(int actions, const Array<1, const std::int32_t>& played,
                       const Array<1>& propensity, const Array<2>& outcomes,
                       const Array<2>& context, const Array<2, const std::uint8_t>& offered,
                       const Array<1>& weights, const Array<1, const std::int32_t>& unit,
                       const Array<1>& predictions,
                       const std::vector<std::string>& heads, const std::vector<std::string>& names,
                       const Budgets& budgets, const Limits& limits, bool grid,
                       const std::string& adaptive, int folds, int threads, std::uint64_t seed,
                       const std::string& title, double sensitivity, const std::string& asked,
                       double total, const Whom& whom, nb::object progress) {
  const OfflineRows rows =
      offline_rows(actions, played, propensity, outcomes, context, offered, weights, unit);
  WhatifOptions options{.heads = heads,
                        .actions = names,
                        .fit = {.folds = folds, .threads = threads},
                        .predictions = span_of(predictions),
                        .adaptive = adaptive_of(adaptive),
                        .sensitivity = sensitivity,
                        .total = total,
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
  if (whom.most > 0) {
    auto found = [&] {
      const nb::gil_scoped_release unlock;
      return segments_of(rows, options, whom, report.curves[0]);
    }();
    report.segments = unwrap(std::move(found));
  }
  const Json json = to_value(report);
  return nb::make_tuple(plain(json), json.str());
}

}  // namespace

void bind_whatif(nb::module_& module) {
  nb::class_<Whom>(module, "Whom")
      .def("__init__", [](Whom* self, int most, int head, double budget, const std::vector<std::string>& columns) {
        new (self) Whom{most, head, budget, columns};
      });
  module.def("whatif", &whatif_plain);
}

}  // namespace rein::bind
