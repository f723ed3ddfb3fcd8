// rein/catalog.h, rein/spec.h
#include "rein/catalog.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bind.h"
#include "rein/spec.h"

namespace rein::bind {
namespace {

// The text of a spec with more options; each value as the text of a spec has it.
std::string spec_with(const std::string& text,
                      const std::vector<std::pair<std::string, std::string>>& more) {
  Spec spec = unwrap(parse_spec(text, "policy spec"));
  for (const auto& [key, value] : more) {
    if (spec.find(key) != nullptr) {
      throw Failure(
          fmt::format("policy spec: \"{}\" is in the spec and an argument; accepted: one of them",
                      key),
          Reason::kInvalid);
    }
    spec.set(key, *unwrap(parse_spec(fmt::format("x({}={})", key, value), key)).find(key));
  }
  return spec.str();
}

}  // namespace

void bind_catalog(nb::module_& module) {
  nb::class_<Option>(module, "Option")
      .def_ro("key", &Option::key)
      .def_prop_ro("default",
                   [](const Option& option) -> std::optional<std::string_view> {
                     if (option.default_value.empty()) return std::nullopt;
                     return option.default_value;
                   })
      .def_prop_ro("choices", &choices_of)
      .def_ro("line", &Option::line);
  nb::class_<Entry>(module, "Entry")
      .def_ro("name", &Entry::name)
      .def_ro("line", &Entry::line)
      .def_prop_ro("options", [](const Entry& entry) {
        return std::vector<Option>(entry.options.begin(), entry.options.end());
      });
  module.def("spec_with", &spec_with);
  module.def("policies", &policies);
  module.def("oracles", &oracles);
  module.def("pricers", &pricers);
  module.def("gains", &gains);
  module.def("explorers", &explorers);
  module.def("worlds", &worlds);
}

}  // namespace rein::bind
