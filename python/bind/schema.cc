// rein/schema.h
#include "schema.h"

#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace rein::bind {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::unique_ptr<NamedSchema> make_schema(const Pairs& given, bool ignore_extra,
                                         bool absent_missing) {
  std::vector<Column> columns;
  for (const auto& [name, kind] : given) columns.push_back({name, kind});
  return std::make_unique<NamedSchema>(unwrap(
      Schema::make(columns, {.ignore_extra = ignore_extra, .absent_missing = absent_missing})));
}

std::unique_ptr<NamedSchema> restore_schema(const nb::bytes& snapshot) {
  return std::make_unique<NamedSchema>(
      unwrap(Schema::restore({snapshot.c_str(), snapshot.size()})));
}

// Bytes of a file need not be UTF-8.
nb::object text_of(const std::string& bytes) {
  return nb::steal(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
}

// Room for numbers that Python made: a contiguous array of float64.
class Room {
 public:
  explicit Room(nb::handle array) {
    if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_CONTIG) != 0) nb::raise_python_error();
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() { PyBuffer_Release(&view_); }

  std::span<double> numbers(std::size_t count) const {
    if (view_.itemsize != sizeof(double) ||
        static_cast<std::size_t>(view_.len) != count * sizeof(double)) {
      throw Failure("schema: the array does not fit what is written into it");
    }
    return {static_cast<double*>(view_.buf), count};
  }

 private:
  Py_buffer view_;
};

void encode(const NamedSchema& named, nb::handle dict, nb::handle out) {
  CellRow row;
  named.read(dict, row);
  const Room room(out);
  unwrap(
      named.schema.encode(row.cells, room.numbers(static_cast<std::size_t>(named.schema.size()))));
}

void take(NamedSchema& named, nb::handle dict, nb::handle out) {
  const Room room(out);
  named.take(dict, room.numbers(static_cast<std::size_t>(named.schema.size())));
}

void observe_row(NamedSchema& named, nb::handle dict) {
  CellRow row;
  named.read(dict, row);
  unwrap(named.schema.observe(row.cells));
}

std::vector<ColumnValues> values_of(const std::vector<ColumnData*>& columns) {
  std::vector<ColumnValues> values;
  for (const ColumnData* column : columns) values.push_back(column->values);
  return values;
}

using Columns = std::vector<ColumnData*>;

template <class Call>
void into(const Schema& schema, const Columns& columns, nb::handle out, Call call) {
  const auto values = values_of(columns);
  const std::size_t rows = values.empty() ? 0 : values[0].size();
  const Room room(out);
  unwrap(call(values, room.numbers(rows * static_cast<std::size_t>(schema.size()))));
}

// The columns of a list of dicts.
std::vector<std::unique_ptr<ColumnData>> columns_of(const NamedSchema& named,
                                                    const nb::list& rows) {
  std::vector<std::unique_ptr<ColumnData>> made(named.schema.columns().size());
  for (auto& column : made) {
    column = std::make_unique<ColumnData>();
    column->row.kept.push_back(nb::borrow(rows));
  }
  std::size_t at = 0;
  for (nb::handle dict : rows) {
    auto& first = made[0]->row;
    first.kept.push_back(nb::steal(PyDict_Copy(dict.ptr())));  // keeps the values
    if (!first.kept.back().is_valid()) nb::raise_python_error();
    CellRow row;
    try {
      named.read(first.kept.back(), row);
    } catch (const Failure& failure) {
      throw Failure(fmt::format("row {}: {}", at, failure.what()), failure.reason());
    }
    for (std::size_t c = 0; c < made.size(); ++c) {
      Cell cell = row.cells[c];
      if (!row.texts.empty() && !cell.text.empty()) {  // text that the row itself owns
        cell = Cell::of(std::string_view(made[c]->row.texts.emplace_front(cell.text)));
      }
      made[c]->row.cells.push_back(cell);
    }
    for (nb::object& one : row.kept) first.kept.push_back(std::move(one));
    ++at;
  }
  for (auto& column : made) column->values = {.cells = column->row.cells};
  return made;
}

std::vector<int> places(const NamedSchema& named, const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  return unwrap(named.schema.places(views));
}

nb::list columns(const NamedSchema& named) {
  nb::list all;
  for (const Column& column : named.schema.columns()) {
    all.append(nb::make_tuple(text_of(column.name), text_of(column.kind)));
  }
  return all;
}

nb::list names(const NamedSchema& named) {
  nb::list all;
  for (const std::string& name : named.schema.names()) all.append(text_of(name));
  return all;
}

}  // namespace

void bind_schema(nb::module_& module) {
  bind_schema_columns(module);
  nb::class_<NamedSchema>(module, "Schema")
      .def_static("make", &make_schema)
      .def_static("restore", &restore_schema)
      .def("snapshot",
           [](const NamedSchema& named) {
             const std::string bytes = named.schema.snapshot();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("encode", &encode)
      .def("observe", &observe_row)
      .def("take", &take)
      .def("columns_of", &columns_of)
      .def("encode_many",
           [](const NamedSchema& named, const Columns& given, nb::handle out) {
             into(named.schema, given, out, [&](const auto& values, std::span<double> numbers) {
               return named.schema.encode(values, numbers);
             });
           })
      .def("take_many",
           [](NamedSchema& named, const Columns& given, nb::handle out) {
             into(named.schema, given, out, [&](const auto& values, std::span<double> numbers) {
               return named.schema.take(values, numbers);
             });
           })
      .def("observe_many",
           [](NamedSchema& named, const Columns& given) {
             unwrap(named.schema.observe(values_of(given)));
           })
      .def("places", &places)
      .def("names", &names)
      .def_prop_ro("columns", &columns)
      .def_prop_ro("ignore_extra",
                   [](const NamedSchema& named) { return named.schema.options().ignore_extra; })
      .def_prop_ro("absent_missing",
                   [](const NamedSchema& named) { return named.schema.options().absent_missing; })
      .def_prop_ro("learns", [](const NamedSchema& named) { return named.schema.learns(); })
      .def_prop_ro("size", [](const NamedSchema& named) { return named.schema.size(); });
}

}  // namespace rein::bind
