// rein/evaluate.h: runs, without the interpreter's lock.
#include "rein/evaluate.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.h"
#include "rein/policy.h"

namespace rein::bind {
namespace {

std::vector<Spec> specs_of(const std::vector<std::string>& texts) {
  std::vector<Spec> specs;
  for (const std::string& text : texts) {
    for (Spec& spec : unwrap(parse_specs(text, "policy spec"))) specs.push_back(std::move(spec));
  }
  return specs;
}

void set_progress(nb::object progress, RunOptions& options) {
  if (progress.is_none()) return;
  options.progress = [kept = Kept(std::move(progress))](std::int64_t done, std::int64_t all) {
    const nb::gil_scoped_acquire lock;
    (*kept)(done, all);
  };
}

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

// As plain Python values, so that results can be kept and sent.
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

nb::dict run_plain(const std::string& world, const std::vector<std::string>& policies,
                   std::int64_t rounds, int seeds, std::uint64_t first_seed, int threads,
                   int curve_points, double margin, bool long_term, bool references, int delay,
                   nb::object progress) {
  RunOptions options{.rounds = rounds,
                     .seeds = seeds,
                     .first_seed = first_seed,
                     .threads = threads,
                     .curve_points = curve_points,
                     .margin = margin,
                     .long_term = long_term,
                     .references = references,
                     .delay = delay};
  set_progress(std::move(progress), options);
  const Spec spec = unwrap(parse_spec(world, "world spec"));
  const std::vector<Spec> who = specs_of(policies);
  auto result = [&] {
    const nb::gil_scoped_release unlock;
    return run(spec, who, options);
  }();
  return plain(unwrap(std::move(result)));
}

nb::tuple figure_of(const std::vector<double>& values) {
  const Figure found = figure(values);
  return nb::make_tuple(found.mean, found.low, found.high);
}

}  // namespace

void bind_evaluate(nb::module_& module) {
  module.def("run", &run_plain, nb::arg("world"), nb::arg("policies"), nb::arg("rounds"),
             nb::arg("seeds"), nb::arg("first_seed"), nb::arg("threads"), nb::arg("curve_points"),
             nb::arg("margin"), nb::arg("long_term"), nb::arg("references"), nb::arg("delay"),
             nb::arg("progress").none());
  module.def("figure", &figure_of);
}

}  // namespace rein::bind
