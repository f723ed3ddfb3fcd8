// rein._rein: the C++ extension. Private; python/rein is the public package.
#include <nanobind/stl/string.h>

#include "bind.h"
#include "rein/version.h"

NB_MODULE(_rein, module) {
  using namespace rein::bind;
  // An oracle that refers to its agent is a reference cycle that Python's collector cannot see. The
  // user cannot fix such a leak, so no warning is printed at exit.
  nb::set_leak_warnings(false);
  module.attr("__version__") = std::string(rein::version());
  bind_result(module);
  bind_shape(module);
  bind_catalog(module);
  bind_own(module);
  bind_engine(module);
  bind_warm(module);
  bind_log(module);
  bind_evaluate(module);
  bind_whatif_passes(module);
  bind_explain(module);
  bind_run(module);
  bind_compare(module);
  bind_sweep(module);
  bind_verify(module);
  bind_report(module);
  bind_schema(module);
  bind_whatif(module);
}
