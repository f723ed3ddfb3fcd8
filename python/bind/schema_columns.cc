// rein/schema.h: columns of many rows, from arrays and lists.
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "schema.h"

namespace rein::bind {
namespace {

using Made = std::unique_ptr<ColumnData>;
template <class T>
using Flat = Array<1, const T>;

Made numbers(const Flat<double>& given, bool booleans) {
  auto made = std::make_unique<ColumnData>();
  made->row.kept.push_back(nb::cast(given));
  made->values = {.numbers = span_of(given), .booleans = booleans};
  return made;
}

Made codes(const Flat<std::int32_t>& given, const nb::list& words) {
  auto made = std::make_unique<ColumnData>();
  made->row.kept.push_back(nb::cast(given));
  for (nb::handle word : words) {
    made->row.kept.push_back(nb::borrow(word));
    const Cell cell = cell_of(word, ReadAs::kText, "", made->row);
    made->words.push_back(cell.text);
  }
  made->values = {.codes = span_of(given), .words = made->words};
  return made;
}

// Any values that one cell may have. The tuple keeps them alive.
Made objects(const std::string& name, const nb::object& given, bool as_text) {
  auto made = std::make_unique<ColumnData>();
  const nb::object all = made->row.kept.emplace_back(nb::steal(PySequence_Tuple(given.ptr())));
  if (!all.is_valid()) nb::raise_python_error();
  const Py_ssize_t rows = PyTuple_Size(all.ptr());
  made->row.cells.resize(static_cast<std::size_t>(rows));
  const ReadAs as = as_text ? ReadAs::kText : ReadAs::kNumber;
  for (Py_ssize_t i = 0; i < rows; ++i) {
    PyObject* value = PyTuple_GetItem(all.ptr(), i);
    Cell& cell = made->row.cells[static_cast<std::size_t>(i)];
    if (!plain_cell(value, as, cell, made->row.texts)) cell = cell_of(value, as, name, made->row);
  }
  made->values = {.cells = made->row.cells};
  return made;
}

// Text as Arrow keeps it: row i is the bytes from offsets[i] to offsets[i + 1], if valid[i].
Made strings(const Flat<std::int64_t>& offsets, const Flat<std::uint8_t>& bytes,
             const Flat<std::uint8_t>& valid) {
  const auto ends = span_of(offsets);
  const auto text = span_of(bytes);
  const auto is_valid = span_of(valid);
  if (ends.size() != is_valid.size() + 1) throw Failure("schema: one offset more than rows");
  auto made = std::make_unique<ColumnData>();
  made->row.kept.push_back(nb::cast(bytes));
  made->row.cells.resize(is_valid.size());
  for (std::size_t i = 0; i < is_valid.size(); ++i) {
    if (is_valid[i] == 0) continue;
    if (ends[i] < 0 || ends[i + 1] < ends[i] ||
        ends[i + 1] > static_cast<std::int64_t>(text.size())) {
      throw Failure("schema: offsets are not inside the bytes of the column");
    }
    const auto begin = static_cast<std::size_t>(ends[i]);
    const auto size = static_cast<std::size_t>(ends[i + 1]) - begin;
    if (size == 0) continue;
    made->row.cells[i] =
        Cell::of(std::string_view(reinterpret_cast<const char*>(text.data()) + begin, size));
  }
  made->values = {.cells = made->row.cells};
  return made;
}

}  // namespace

void bind_schema_columns(nb::module_& module) {
  nb::class_<ColumnData>(module, "ColumnData")
      .def_static("numbers", &numbers)
      .def_static("codes", &codes)
      .def_static("objects", &objects)
      .def_static("strings", &strings)
      .def_prop_ro("rows", [](const ColumnData& data) { return data.values.size(); });
  module.def("infer_column", [](std::string name, const ColumnData& data) {
    return infer_column(std::move(name), data.values).kind;
  });
}

}  // namespace rein::bind
