// rein/engine.h, the result of a decision: rein.Decision.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "engine.h"

namespace rein::bind {
namespace {

int mark_of(Holdout holdout) {
  if (holdout == Holdout::kInside) return 1;
  return holdout == Holdout::kOutside ? 0 : -1;
}

}  // namespace

nb::object label_of(std::int32_t id, std::string_view name, bool numbered) {
  if (name.empty()) return nb::cast(id);
  const nb::str text(name.data(), name.size());
  return numbered ? nb::object(nb::int_(text)) : nb::object(text);
}

Decision::Decision(const Engine::Decision& made, const Engine& engine)
    : id(made.id),
      action(made.action),
      place(made.place),
      probability(made.probability),
      fitting(made.fitting),
      holdout(mark_of(made.holdout)),
      prices(made.prices.empty() ? Costs(engine.policy().shape().heads() - 1) : made.prices),
      name(engine.action_name(made.action)),
      numbered(engine.options().numbered),
      actions(made.probabilities.size()),
      heads(static_cast<std::size_t>(engine.policy().shape().heads())) {
  numbers.resize(actions * (2 + heads), std::numeric_limits<double>::quiet_NaN());
  std::ranges::copy(made.probabilities, numbers.begin());
  for (int h = 0; h < made.estimates->heads(); ++h) {
    std::ranges::copy(made.estimates->mean(h),
                      numbers.data() + actions * (1 + static_cast<std::size_t>(h)));
  }
  std::ranges::copy(made.estimates->width(), numbers.data() + actions * (1 + heads));
}

Decision::Decision(const Plain& plain) {
  std::vector<double> paid;
  std::tie(id, action, place, probability, fitting, holdout, paid, numbers, name, numbered) = plain;
  prices = Costs(paid);
  heads = paid.size() + 1;
  actions = numbers.size() / (2 + heads);
  if (numbers.size() != actions * (2 + heads)) {
    throw Failure("decision: its pickle was changed", Reason::kCorrupt);
  }
}

Decision::Plain Decision::plain() const {
  return {id,      action, place,   probability, fitting, holdout, {prices.begin(), prices.end()},
          numbers, name,   numbered};
}

namespace {

// A read-only array over the decision's own numbers, which it keeps alive.
nb::object view(const double* numbers, std::initializer_list<std::size_t> shape, nb::handle owner) {
  return nb::cast(
      nb::ndarray<nb::numpy, const double>(numbers, shape.size(), shape.begin(), owner));
}

}  // namespace

void bind_decision(nb::module_& module) {
  nb::class_<Decision>(module, "Decision",
                       "What was decided: keep it, or its id, until the outcome comes.")
      .def_ro("id", &Decision::id, "64 bits that name the decision; learn() takes it")
      .def_prop_ro(
          "action", [](const Decision& d) { return label_of(d.action, d.name, d.numbered); },
          "the chosen action: its name, or its id if actions have no names")
      .def_ro("action_id", &Decision::action, "the id of the chosen action, counted from 0")
      .def_ro("place", &Decision::place, "the index of the chosen action among those offered")
      .def_ro("probability", &Decision::probability, "of the chosen action")
      .def_ro("fitting", &Decision::fitting, "number of actions that fit the hard budget")
      .def_prop_ro(
          "holdout",
          [](const Decision& d) -> std::optional<bool> {
            if (d.holdout < 0) return std::nullopt;
            return d.holdout == 1;
          },
          "True: in the control group; False: outside; None: this round has no control group")
      .def_prop_ro(
          "probabilities",
          [](nb::handle self) {
            const auto& d = nb::cast<const Decision&>(self);
            return view(d.probabilities(), {d.actions}, self);
          },
          "one per action of the round; 0 for those that did not fit the hard budget")
      .def_prop_ro(
          "estimates",
          [](nb::handle self) {
            const auto& d = nb::cast<const Decision&>(self);
            return view(d.estimates(), {d.heads, d.actions}, self);
          },
          "estimates: row 0 the rewards, then one row per cost; NaN for actions without one")
      .def_prop_ro(
          "widths",
          [](nb::handle self) {
            const auto& d = nb::cast<const Decision&>(self);
            return view(d.widths(), {d.actions}, self);
          },
          "how little is known of each action, from 0 to 1")
      .def_prop_ro(
          "prices",
          [](nb::handle self) {
            const auto& d = nb::cast<const Decision&>(self);
            return view(d.prices.begin(), {d.heads - 1}, self);
          },
          "reward that one unit of each cost must bring")
      .def("__getstate__", &Decision::plain)
      .def("__setstate__",
           [](Decision& d, const Decision::Plain& plain) { new (&d) Decision(plain); })
      .def("__repr__", [](const Decision& d) {
        return nb::str("<rein.Decision {:016x}: action {!r}, probability {:.4g}>")
            .attr("format")(d.id, label_of(d.action, d.name, d.numbered), d.probability);
      });
}

}  // namespace rein::bind
