// rein/log.h: logs of past decisions, as arrays.
#include "rein/log.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.h"

namespace rein::bind {
namespace {

template <class T>
nb::object array(const std::vector<T>& values) {
  return copied(values.data(), {values.size()});
}

nb::object rows_of(const std::vector<double>& values, std::size_t rows, std::size_t width) {
  return copied(values.data(), {rows, width});
}

nb::dict names_of(const LogNames& names) {
  nb::list features;
  for (const FeatureName& each : names.features) {
    features.append(nb::make_tuple(each.space, each.name, each.value, each.category));
  }
  nb::dict out;
  out["context"] = nb::cast(names.context);
  out["actions"] = nb::cast(names.actions);
  out["costs"] = nb::cast(names.costs);
  out["features"] = features;
  return out;
}

nb::dict report_of(const LogReport& report) {
  nb::list notes;
  for (const LogNote& each : report.notes) {
    notes.append(nb::make_tuple(each.what, each.refused, each.count, each.first, each.last));
  }
  nb::dict out;
  out["kept"] = report.kept;
  out["refused"] = report.refused;
  out["skipped"] = report.skipped;
  out["notes"] = notes;
  out["text"] = report.str();
  return out;
}

template <class T>
T item(const nb::dict& options, const char* name) {
  return nb::cast<T>(options[name]);
}

// By the names of read_log() in python/rein/_log.py.
LogOptions log_options_of(const nb::dict& given) {
  using Names = std::vector<std::string>;
  LogOptions options;
  options.format = unwrap(log_format(item<std::string>(given, "format")));
  options.actions = item<Names>(given, "actions");
  options.columns = item<Names>(given, "columns");
  options.action = item<std::string>(given, "action");
  options.propensity = item<std::string>(given, "propensity");
  options.reward = item<std::string>(given, "reward");
  options.cost = item<std::string>(given, "cost");
  options.vw = unwrap(LogOptions::vw_of(item<std::string>(given, "vw")));
  options.bits = item<int>(given, "bits");
  options.quadratic = item<Names>(given, "quadratic");
  options.unit = item<std::string>(given, "unit");
  return options;
}

nb::dict read(const std::string& path, const nb::dict& given, bool dense, bool named) {
  const LogOptions options = log_options_of(given);
  const Log log = unwrap([&]() -> Result<Log> {
    const nb::gil_scoped_release unlock;
    auto found = read_log(path, options);
    if (found && named) {
      if (auto made = name_actions(found.value()); !made) return made.failure();
    }
    if (found && dense) {
      if (auto made = make_dense(found.value()); !made) return made.failure();
    }
    return found;
  }());
  const auto rows = static_cast<std::size_t>(log.rows());
  nb::dict out;
  out["names"] = names_of(log.names);
  out["report"] = report_of(log.report);
  out["line"] = array(log.line);
  out["played"] = array(log.played);
  out["propensity"] = array(log.propensity);
  out["reward"] = array(log.reward);
  out["context"] = rows_of(log.context, rows, log.names.context.size());
  out["costs"] = rows_of(log.costs, rows, log.names.costs.size());
  out["weight"] = array(log.weight);
  out["time"] = array(log.time);
  out["id"] = nb::cast(log.id);
  out["unit"] = nb::cast(log.unit);
  out["actions"] = log.actions;
  out["begin"] = array(log.begin);
  out["offered"] = array(log.offered);
  out["probabilities"] = array(log.probabilities);
  out["shared_begin"] = array(log.shared_begin);
  out["shared_index"] = array(log.shared_index);
  out["shared_value"] = array(log.shared_value);
  out["features_begin"] = array(log.features_begin);
  out["features_index"] = array(log.features_index);
  out["features_value"] = array(log.features_value);
  return out;
}

nb::tuple convert(const std::string& in, const std::string& out, const std::string& to,
                  const nb::dict& given) {
  const LogOptions options = log_options_of(given);
  const LogFormat format = unwrap(log_format(to));
  const Converted done = unwrap([&] {
    const nb::gil_scoped_release unlock;
    return convert_log(in, options, out, format);
  }());
  return nb::make_tuple(report_of(done.in), report_of(done.out));
}

}  // namespace

void bind_log(nb::module_& module) {
  module.def("read_log", &read);
  module.def("convert_log", &convert);
}

}  // namespace rein::bind
