// rein/whatif_passes.h, rein/whatif_report.h, rein/log_rows.h: parts of a log, and their sums.
#include "rein/whatif_passes.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "offline.h"
#include "rein/log_rows.h"
#include "rein/whatif_report.h"
#include "run.h"

namespace rein::bind {
namespace {

using Names = std::vector<std::string>;

LogOptions options_of(const std::string& format) {
  LogOptions options;
  options.format = unwrap(log_format(format));
  return options;
}

template <class T>
nb::object rows_of(const std::vector<T>& values, std::size_t width) {
  return copied(values.data(), {width == 0 ? 0 : values.size() / width, width});
}

nb::dict contents(const std::string& path, const std::string& format) {
  const LogOptions options = options_of(format);
  const LogContents found = unwrap([&] {
    const nb::gil_scoped_release unlock;
    return log_contents(path, options);
  }());
  nb::dict out;
  out["rows"] = found.rows;
  out["refused"] = found.report.refused;
  out["report"] = found.report.str();
  out["context"] = nb::cast(found.names.context);
  out["costs"] = nb::cast(found.names.costs);
  out["actions"] = nb::cast(found.names.actions);
  out["most"] = found.actions;
  out["first"] = copied(found.first_context.data(), {found.first_context.size()});
  return out;
}

// Arrays in the order in which sums() takes them.
nb::tuple part(const std::string& path, const std::string& format, std::int64_t first,
               std::int64_t last, const Names& actions) {
  const LogOptions options = options_of(format);
  const LogRows found = unwrap([&] {
    const nb::gil_scoped_release unlock;
    return read_log_part(path, options, first, last, actions);
  }());
  const auto rows = found.played.size();
  const auto features = static_cast<std::size_t>(found.features);
  return nb::make_tuple(copied(found.played.data(), {rows}),
                        copied(found.propensity.data(), {found.propensity.size()}),
                        rows_of(found.outcomes, found.heads.size()),
                        copied(found.context.data(), {rows, features}),
                        rows_of(found.offered, found.offered.empty() ? 0 : found.actions.size()),
                        copied(found.weights.data(), {found.weights.size()}));
}

nb::object sums(const nb::bytes& task, std::int64_t shard, int actions,
                const Array<1, const std::int32_t>& played, const Array<1>& propensity,
                const Array<2>& outcomes, const Array<2>& context,
                const Array<2, const std::uint8_t>& offered, const Array<1>& weights) {
  const OfflineRows rows =
      offline_rows(actions, played, propensity, outcomes, context, offered, weights, {});
  const std::string_view bytes(task.c_str(), task.size());
  const std::vector<double> found = unwrap([&] {
    const nb::gil_scoped_release unlock;
    return whatif_sums(bytes, rows, shard);
  }());
  return copied(found.data(), {found.size()});
}

// The passes of one answer, and what it was asked.
struct Answer {
  std::vector<WhatifQuestion> questions;
  bool grid;
  WhatifPasses passes;
};

Answer start(std::int64_t rows, const Array<1>& first, const Names& heads, const Names& actions,
             const Budgets& budgets, const Limits& limits, bool grid, const std::string& adaptive,
             int folds, int threads, std::uint64_t seed, double total) {
  const auto context = span_of(first);
  const WhatifOptions options{.heads = heads,
                              .actions = actions,
                              .fit = {.folds = folds, .threads = threads},
                              .adaptive = adaptive_of(adaptive),
                              .total = total,
                              .seed = seed};
  const LogOutline log{.rows = rows,
                       .actions = static_cast<int>(actions.size()),
                       .heads = static_cast<int>(heads.size()),
                       .features = static_cast<int>(context.size()),
                       .first_context = {context.begin(), context.end()}};
  const std::vector<WhatifQuestion> questions = questions_of(budgets, limits);
  const auto all = unwrap(report_questions(questions, grid, log.heads));
  return {questions, grid, unwrap(WhatifPasses::start(log, options, all))};
}

// Of finished passes.
nb::tuple report(const Answer& answer, const std::string& title) {
  WhatifReport made = report_of(answer.questions, answer.grid, answer.passes.results());
  made.title = title;
  const Json json = to_value(made);
  return nb::make_tuple(plain(json), json.str());
}

}  // namespace

void bind_whatif_passes(nb::module_& module) {
  module.attr("WHATIF_SHARD_ROWS") = kWhatifShardRows;
  module.def("log_contents", &contents);
  module.def("log_part", &part);
  module.def("whatif_sums", &sums);
  nb::class_<Answer>(module, "WhatifPasses")
      .def("__init__",
           [](Answer* self, std::int64_t rows, const Array<1>& first, const Names& heads,
              const Names& actions, const Budgets& budgets, const Limits& limits, bool grid,
              const std::string& adaptive, int folds, int threads, std::uint64_t seed, double total) {
             new (self) Answer(start(rows, first, heads, actions, budgets, limits, grid, adaptive,
                                     folds, threads, seed, total));
           })
      .def_prop_ro("shards", [](const Answer& self) { return self.passes.shards(); })
      .def_prop_ro("done", [](const Answer& self) { return self.passes.done(); })
      .def("task",
           [](const Answer& self) {
             const std::string task = self.passes.task();
             return nb::bytes(task.data(), task.size());
           })
      .def("add",
           [](Answer& self, const Array<1>& numbers) {
             const auto given = span_of(numbers);
             std::vector<double> list(given.begin(), given.end());
             const nb::gil_scoped_release unlock;  // the last shard of a pass solves the regressions
             unwrap(self.passes.add(std::move(list)));
           })
      .def("report", &report);
}

}  // namespace rein::bind
