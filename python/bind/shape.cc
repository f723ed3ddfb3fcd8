// rein/shape.h
#include "rein/shape.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind.h"

namespace rein::bind {
namespace {

using NamedRange = std::tuple<std::string, double, double>;

Shape make_shape(int actions, int context, int features, std::pair<double, double> reward,
                 const std::vector<NamedRange>& costs, std::int64_t rounds,
                 const std::vector<double>& budgets) {
  Shape shape{.actions = actions,
              .context = context,
              .features = features,
              .reward = {reward.first, reward.second},
              .rounds = rounds,
              .budgets = budgets};
  for (const auto& [name, low, high] : costs) shape.costs.push_back({name, {low, high}});
  unwrap(validate(shape));
  return shape;
}

std::vector<NamedRange> costs_of(const Shape& shape) {
  std::vector<NamedRange> costs;
  for (const CostShape& cost : shape.costs) {
    costs.emplace_back(cost.name, cost.range.low, cost.range.high);
  }
  return costs;
}

}  // namespace

void bind_shape(nb::module_& module) {
  nb::class_<Shape>(module, "Shape")
      .def_static("make", &make_shape)
      .def_ro("actions", &Shape::actions)
      .def_ro("context", &Shape::context)
      .def_ro("features", &Shape::features)
      .def_ro("rounds", &Shape::rounds)
      .def_ro("budgets", &Shape::budgets)
      .def_prop_ro("reward", [](const Shape& s) { return std::pair(s.reward.low, s.reward.high); })
      .def_prop_ro("costs", &costs_of)
      .def_prop_ro("heads", &Shape::heads);
}

}  // namespace rein::bind
