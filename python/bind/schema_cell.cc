// rein/schema.h: cells of Python objects, and rows of dicts.
#include <fmt/format.h>

#include "schema.h"

namespace rein::bind {
namespace {

constexpr double kExact = 9007199254740992.0;  // 2^53

[[noreturn]] void refuse(nb::handle value, std::string_view column) {
  std::string text = nb::repr(value).c_str();
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  throw Failure(
      fmt::format("schema: column \"{}\": found {}; accepted: a number, a bool, a string, or None",
                  column, text));
}

Cell text_cell(PyObject* value, std::string_view column) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(value, &size);
  if (text == nullptr) {  // a lone surrogate
    PyErr_Clear();
    refuse(value, column);
  }
  return Cell::of(std::string_view(text, static_cast<std::size_t>(size)));
}

}  // namespace

bool plain_cell(PyObject* value, ReadAs as, Cell& out, std::forward_list<std::string>& texts) {
  if (PyFloat_Check(value)) {
    out = Cell::of(PyFloat_AsDouble(value));
  } else if (PyUnicode_Check(value)) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(value, &size);
    if (text == nullptr) {
      PyErr_Clear();
      return false;
    }
    out = Cell::of(std::string_view(text, static_cast<std::size_t>(size)));
  } else if (value == Py_None) {
    out = Cell::missing();
  } else if (PyBool_Check(value)) {
    out = Cell::of(value == Py_True);
  } else if (PyLong_Check(value)) {
    const double number = PyLong_AsDouble(value);
    if (number == -1.0 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      return false;
    }
    out = Cell::of(number);
    if (as == ReadAs::kText && !(number > -kExact && number < kExact)) {
      out = Cell::of(std::string_view(texts.emplace_front(nb::str(nb::handle(value)).c_str())));
    }
  } else {
    return false;
  }
  return true;
}

Cell cell_of(nb::handle value, ReadAs as, std::string_view column, CellRow& row) {
  Cell cell;
  if (plain_cell(value.ptr(), as, cell, row.texts)) return cell;
  if (PyUnicode_Check(value.ptr())) return text_cell(value.ptr(), column);
  const nb::object name = nb::getattr(value.type(), "__name__", nb::none());
  for (const char* missing : {"NAType", "NaTType"}) {  // of pandas
    if (nb::isinstance<nb::str>(name) && std::string_view(nb::str(name).c_str()) == missing)
      return {};
  }
  const nb::object axes = nb::getattr(value, "ndim", nb::none());
  if (nb::hasattr(value, "item") && axes.equal(nb::int_(0))) {  // a scalar of numpy
    const nb::object item = row.kept.emplace_back(value.attr("item")());
    if (plain_cell(item.ptr(), as, cell, row.texts)) return cell;
  }
  if (PyNumber_Check(value.ptr()) != 0) {  // Decimal, Fraction
    const nb::object number = nb::steal(PyNumber_Float(value.ptr()));
    if (number.is_valid()) return Cell::of(PyFloat_AsDouble(number.ptr()));
    PyErr_Clear();
  }
  refuse(value, column);
}

NamedSchema::NamedSchema(Schema given) : schema(std::move(given)) {
  for (const Column& column : schema.columns()) {
    PyObject* name = PyUnicode_DecodeUTF8(
        column.name.data(), static_cast<Py_ssize_t>(column.name.size()), "surrogateescape");
    if (name == nullptr) nb::raise_python_error();
    PyUnicode_InternInPlace(&name);
    names_.push_back(nb::steal(name));
    as_.push_back(read_as(schema.kind(as_.size())));
  }
}

// Refuses a dict whose keys are not the names of the columns.
void NamedSchema::check_names(PyObject* dict) const {
  std::vector<nb::object> kept;
  std::vector<std::string_view> found;
  Py_ssize_t at = 0;
  PyObject *key = nullptr, *value = nullptr;
  while (PyDict_Next(dict, &at, &key, &value) != 0) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, &size) : nullptr;
    if (text == nullptr) {
      PyErr_Clear();
      throw Failure(fmt::format("schema: found a key {}; accepted: names of columns, as strings",
                                nb::repr(nb::handle(key)).c_str()));
    }
    kept.push_back(nb::borrow(nb::handle(key)));
    found.emplace_back(text, static_cast<std::size_t>(size));
  }
  unwrap(schema.places(found));
}

// Reads a row without running Python code, so that nothing it borrows can end. False if a value
// needs more.
bool NamedSchema::read_plain(PyObject* dict, CellRow& row) const {
  row.cells.resize(names_.size());
  std::size_t hits = 0;
  for (std::size_t c = 0; c < names_.size(); ++c) {
    PyObject* value = PyDict_GetItemWithError(dict, names_[c].ptr());
    if (value == nullptr) {
      if (PyErr_Occurred() != nullptr) nb::raise_python_error();
      row.cells[c] = {};
      continue;
    }
    ++hits;
    if (!plain_cell(value, as_[c], row.cells[c], row.texts)) return false;
  }
  if (hits < names_.size() || static_cast<std::size_t>(PyDict_Size(dict)) > hits) check_names(dict);
  return true;
}

void NamedSchema::read(nb::handle dict, CellRow& row) const {
  if (PyDict_Check(dict.ptr()) == 0) throw Failure("schema: a row is not a dict");
  if (read_plain(dict.ptr(), row)) return;
  // The copy keeps the values alive whatever their code does.
  const nb::object copy = row.kept.emplace_back(nb::steal(PyDict_Copy(dict.ptr())));
  check_names(copy.ptr());
  const std::vector<Column> columns = schema.columns();
  for (std::size_t c = 0; c < names_.size(); ++c) {
    PyObject* value = PyDict_GetItemWithError(copy.ptr(), names_[c].ptr());
    row.cells[c] =
        value == nullptr ? Cell{} : cell_of(nb::handle(value), as_[c], columns[c].name, row);
  }
}

void NamedSchema::take(nb::handle dict, std::span<double> out) {
  CellRow row;
  read(dict, row);
  unwrap(schema.take(row.cells, out));
}

}  // namespace rein::bind
