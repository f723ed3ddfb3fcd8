// rein/catalog.h
#include "rein/catalog.h"

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bind.h"

namespace rein::bind {

void bind_catalog(nb::module_& module) {
  nb::class_<Entry>(module, "Entry")
      .def_ro("name", &Entry::name)
      .def_ro("line", &Entry::line)
      .def_ro("options", &Entry::options);
  module.def("policies", &policies);
  module.def("oracles", &oracles);
  module.def("pricers", &pricers);
  module.def("gains", &gains);
  module.def("explorers", &explorers);
  module.def("worlds", &worlds);
}

}  // namespace rein::bind
