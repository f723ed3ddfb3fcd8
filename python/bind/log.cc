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

nb::dict read(const std::string& path, const std::string& format,
              const std::vector<std::string>& actions, const std::vector<std::string>& columns,
              const std::vector<std::string>& names, bool dense, int bits,
              const std::vector<std::string>& quadratic) {
  LogOptions options;
  options.bits = bits;
  options.quadratic = quadratic;
  options.format = unwrap(log_format(format));
  options.actions = actions;
  options.columns = columns;
  if (names.size() == 4) {
    options.action = names[0];
    options.propensity = names[1];
    options.reward = names[2];
    options.cost = names[3];
  }
  const Log log = unwrap([&]() -> Result<Log> {
    const nb::gil_scoped_release unlock;
    auto found = read_log(path, options);
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

nb::tuple convert(const std::string& in, const std::string& out, const std::string& from,
                  const std::string& to, const std::vector<std::string>& actions, int bits,
                  const std::vector<std::string>& quadratic) {
  LogOptions options;
  options.actions = actions;
  options.bits = bits;
  options.quadratic = quadratic;
  options.format = unwrap(log_format(from));
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
