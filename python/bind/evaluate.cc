// rein/evaluate.h: options of a run, and its result as plain values. The runs are in sweep.cc.
#include "evaluate.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace rein::bind {

std::vector<Spec> specs_of(const std::vector<std::string>& texts) {
  std::vector<Spec> specs;
  for (const std::string& text : texts) {
    for (Spec& spec : unwrap(parse_specs(text, "policy spec"))) specs.push_back(std::move(spec));
  }
  return specs;
}

std::function<void(std::int64_t, std::int64_t)> progress_of(nb::object tell) {
  return [kept = Kept(std::move(tell))](std::int64_t done, std::int64_t all) {
    const nb::gil_scoped_acquire lock;
    (*kept)(done, all);
  };
}

namespace {

nb::object matrix(const std::vector<std::vector<double>>& rows, std::size_t columns) {
  std::vector<double> flat;
  for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  return copied(flat.data(), {rows.size(), columns});
}

nb::dict curve_of(const Curve& curve) {
  const std::size_t points = curve.rounds.size();
  nb::dict out;
  out["rounds"] = copied(curve.rounds.data(), {points});
  out["reward"] = copied(curve.reward.data(), {points});
  out["regret"] = copied(curve.regret.data(), {points});
  out["explored"] = copied(curve.explored.data(), {points});
  out["ccv"] = matrix(curve.ccv, points);
  out["price"] = matrix(curve.price, points);
  return out;
}

nb::tuple figure_of(const std::vector<double>& values) {
  const Figure found = figure(values);
  return nb::make_tuple(found.mean, found.low, found.high);
}

}  // namespace

nb::dict plain(const RunResult& result) {
  nb::list policies;
  for (const PolicyRun& run : result.policies) {
    nb::list curves;
    for (const Curve& curve : run.curves) curves.append(curve_of(curve));
    policies.append(nb::make_tuple(run.spec.str(), curves));
  }
  nb::dict out;
  out["json"] = to_json(result);
  out["csv"] = to_csv(result);
  out["costs"] = nb::cast(result.costs);
  out["budgets"] = nb::cast(result.budgets);
  out["curves"] = policies;
  return out;
}

void bind_evaluate(nb::module_& module) {
  nb::class_<RunOptions>(module, "RunOptions")
      .def(nb::init<>())
      .def_rw("rounds", &RunOptions::rounds)
      .def_rw("seeds", &RunOptions::seeds)
      .def_rw("first_seed", &RunOptions::first_seed)
      .def_rw("threads", &RunOptions::threads)
      .def_rw("curve_points", &RunOptions::curve_points)
      .def_rw("margin", &RunOptions::margin)
      .def_rw("long_term", &RunOptions::long_term)
      .def_rw("references", &RunOptions::references)
      .def_rw("delay", &RunOptions::delay)
      .def_rw("own", &RunOptions::own)
      .def("set_progress",
           [](RunOptions& o, nb::object tell) { o.progress = progress_of(std::move(tell)); });
  module.def("figure", &figure_of);
}

}  // namespace rein::bind
