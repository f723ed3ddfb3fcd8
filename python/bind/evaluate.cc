// rein/policy_values.h: values of policies on a log
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "offline.h"
#include "rein/log_rows.h"
#include "rein/policy_values.h"

namespace rein::bind {
namespace {

std::vector<double> copy_of(const Array<2>& numbers) {
  const auto span = span_of(numbers);
  return {span.begin(), span.end()};
}

template <class T>
T option(const nb::dict& options, const char* key) {
  return nb::cast<T>(options[key]);
}

PolicyValuesOptions options_of(const nb::dict& given) {
  PolicyValuesOptions out;
  out.policies = option<std::vector<std::string>>(given, "policies");
  out.learner.heads = option<std::vector<std::string>>(given, "heads");
  out.learner.budgets = option<std::vector<double>>(given, "budgets");
  for (const auto& [low, high] : option<std::vector<std::pair<double, double>>>(given, "ranges")) {
    out.learner.ranges.push_back({low, high});
  }
  out.learner.seed = option<std::uint64_t>(given, "seed");
  out.actions = option<std::vector<std::string>>(given, "actions");
  out.rounds = option<std::int64_t>(given, "rounds");
  out.quantile = option<double>(given, "quantile");
  out.frozen = option<bool>(given, "frozen");
  out.train = option<double>(given, "train");
  out.fit.folds = option<int>(given, "folds");
  out.fit.threads = option<int>(given, "threads");
  out.value.switch_at = option<double>(given, "switch_at");
  out.value.shrink = option<double>(given, "shrink");
  out.value.adaptive = adaptive_of(option<std::string>(given, "adaptive"));
  out.sequence = option<bool>(given, "sequence");
  out.sensitivity = option<double>(given, "sensitivity");
  out.predicted = copy_of(option<Array<2>>(given, "predicted"));
  for (nb::handle one : option<nb::list>(given, "given")) {
    const auto [name, target] = nb::cast<std::pair<std::string, Array<2>>>(one);
    out.given.push_back({name, copy_of(target)});
  }
  for (nb::handle one : option<nb::list>(given, "limits")) {
    const nb::tuple limit = nb::cast<nb::tuple>(one);
    out.limits.push_back({.head = nb::cast<int>(limit[0]),
                          .amount = nb::cast<double>(limit[1]),
                          .at_least = nb::cast<bool>(limit[2])});
  }
  return out;
}

// The answer as JSON. `told` is called with the share done in per mille, and 1000.
std::string evaluate(int actions, const Array<1, const std::int32_t>& played,
                     const Array<1>& propensity, const Array<2>& outcomes, const Array<2>& context,
                     const Array<2, const std::uint8_t>& offered, const Array<1>& weights,
                     const Array<1, const std::int32_t>& unit, const nb::dict& given, nb::object told) {
  PolicyValuesOptions options = options_of(given);
  options.learner.progress = [tell = Kept(std::move(told))](double share) {
    const nb::gil_scoped_acquire lock;
    (*tell)(static_cast<int>(share * 1000.0), 1000);
    return true;
  };
  const OfflineRows rows =
      offline_rows(actions, played, propensity, outcomes, context, offered, weights, unit);
  const PolicyValues found = unwrap([&] {
    const nb::gil_scoped_release unlock;
    return policy_values(rows, options);
  }());
  return to_value(found).str();
}

// `columns`: names and values, of the rows.
std::string question_about(const std::vector<std::pair<std::string, Array<1, const std::int32_t>>>& columns,
                           int actions, const Array<1, const std::int32_t>& played,
                           const Array<1>& propensity, const Array<2>& outcomes,
                           const Array<2>& context, const Array<2, const std::uint8_t>& offered,
                           const Array<1>& weights, const Array<1, const std::int32_t>& unit) {
  std::vector<UnusedColumn> unused;
  for (const auto& [name, values] : columns) {
    const auto span = span_of(values);
    unused.push_back({name, {span.begin(), span.end()}});
  }
  const OfflineRows rows =
      offline_rows(actions, played, propensity, outcomes, context, offered, weights, unit);
  const nb::gil_scoped_release unlock;
  return question_about_columns(rows, unused);
}

// The same for the columns of a CSV file.
std::string question_about_file(const std::string& path, const std::string& format,
                                const std::vector<std::string>& names, int actions,
                                const Array<1, const std::int32_t>& played,
                                const Array<1>& propensity, const Array<2>& outcomes,
                                const Array<2>& context,
                                const Array<2, const std::uint8_t>& offered,
                                const Array<1>& weights, const Array<1, const std::int32_t>& unit) {
  const LogOptions options{.format = unwrap(log_format(format)), .actions = names};
  const OfflineRows rows =
      offline_rows(actions, played, propensity, outcomes, context, offered, weights, unit);
  const nb::gil_scoped_release unlock;
  return question_about_columns(path, options, rows);
}

}  // namespace

void bind_evaluate(nb::module_& module) {
  module.def("evaluate", &evaluate);
  module.def("question_about_columns", &question_about);
  module.def("question_about_file", &question_about_file);
}

}  // namespace rein::bind
