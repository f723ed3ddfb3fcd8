// rein/report.h
#include "rein/report.h"

#include <nanobind/stl/string.h>

#include "bind.h"

namespace rein::bind {

void bind_report(nb::module_& module) {
  module.def("report_page", [](const std::string& json) { return report_page(json); });
}

}  // namespace rein::bind
