// rein/compare.h
#include "rein/compare.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "run.h"

namespace rein::bind {

nb::dict plain(const Comparison& found, const std::string& title) {
  nb::list rows;
  for (const Row& row : found.rows) {
    rows.append(nb::make_tuple(row.run, row.given.str(), row.tried, row.best));
  }
  nb::dict out = plain(found.result, to_value(found, {.title = title}));
  out["rows"] = rows;
  out["restored"] = found.restored;
  return out;
}

void bind_compare(nb::module_& module) {
  nb::class_<CompareOptions>(module, "CompareOptions")
      .def(nb::init<>())
      .def_rw("run", &CompareOptions::run)
      .def_rw("slack", &CompareOptions::slack)
      .def_rw("all_pairs", &CompareOptions::all_pairs)
      .def_prop_rw(  // bytes: a path need not be UTF-8
          "resume",
          [](const CompareOptions& o) { return nb::bytes(o.resume.data(), o.resume.size()); },
          [](CompareOptions& o, const nb::bytes& path) {
            o.resume.assign(path.c_str(), path.size());
          })
      .def_rw("fresh", &CompareOptions::fresh)
      .def("add_grid", [](CompareOptions& o, const std::string& text) {
        o.grids.push_back(unwrap(parse_grid(text)));
      });
}

}  // namespace rein::bind
