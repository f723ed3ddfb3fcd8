// rein/own.h: a Python object with value and slope as a potential. rein._own defines what the
// object must return and checks it.
#include "own_potential.h"

#include <nanobind/stl/string.h>

namespace rein::bind {
namespace {

class PythonPotential final : public OwnPotential {
 public:
  PythonPotential(Kept object, std::string name)
      : object_(std::move(object)), name_(std::move(name)) {}

  std::string name() const override { return name_; }
  double value(int cost, double queue) const override { return ask("value", cost, queue); }
  double slope(int cost, double queue) const override { return ask("slope", cost, queue); }

 private:
  double ask(const char* verb, int cost, double queue) const {
    const nb::gil_scoped_acquire lock;
    const nb::module_ own = nb::module_::import_("rein._own");
    return nb::cast<double>(own.attr("ask_potential")(*object_, verb, cost, queue));
  }

  Kept object_;
  std::string name_;
};

}  // namespace

Own own_of(const Potential* potential) {
  return potential == nullptr ? Own{} : Own{.potential = potential->is};
}

void bind_potential(nb::module_& module) {
  nb::class_<Potential>(module, "Potential")
      .def("__init__", [](Potential* self, nb::object object, const std::string& name) {
        new (self)
            Potential{std::make_shared<const PythonPotential>(Kept(std::move(object)), name)};
      });
}

}  // namespace rein::bind
