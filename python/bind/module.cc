// rein._rein: the library as Python sees it. Private; python/rein is the face.
#include <nanobind/stl/string.h>

#include "bind.h"
#include "rein/version.h"

NB_MODULE(_rein, module) {
  using namespace rein::bind;
  // An oracle that knows its agent is a circle that Python's collector cannot see through: no leak
  // that a user could mend, so nothing is said of it at exit.
  nb::set_leak_warnings(false);
  module.attr("__version__") = std::string(rein::version());
  bind_result(module);
  bind_shape(module);
  bind_catalog(module);
  bind_oracle(module);
  bind_potential(module);
  bind_world(module);
  bind_engine(module);
  bind_evaluate(module);
  bind_compare(module);
  bind_sweep(module);
  bind_verify(module);
  bind_report(module);
}
