// NamedSchema: a schema that reads Python's rows by name. CellRow holds what a row borrows.
#pragma once

#include <forward_list>
#include <vector>

#include "bind.h"
#include "rein/schema.h"

namespace rein::bind {

// Cells read from Python objects, and what their text borrows.
struct CellRow {
  std::vector<Cell> cells;
  std::vector<nb::object> kept;
  std::forward_list<std::string> texts;  // takes no memory while empty
};

// How a cell is read: large integers are exact as text and rounded as numbers.
enum class ReadAs { kNumber, kText };

inline ReadAs read_as(ColumnKind kind) {
  return kind >= ColumnKind::kCategory ? ReadAs::kText : ReadAs::kNumber;
}

// Reads None, a float, an int, a bool or a str of Python, exactly these types or types derived from
// them. Runs no Python code. False for anything else. Text is borrowed from the object.
bool plain_cell(PyObject* value, ReadAs as, Cell& out, std::forward_list<std::string>& texts);
// Reads anything that has a value: also scalars of numpy and pandas, and what has a __float__.
// Throws Failure that names the column.
Cell cell_of(nb::handle value, ReadAs as, std::string_view column, CellRow& row);

class NamedSchema {
 public:
  explicit NamedSchema(Schema given);

  Schema schema;

  // Reads a dict with the names of the columns as keys, in any order. Throws Failure if names or
  // values are refused. The cells are valid while `row` and the values of the dict are.
  void read(nb::handle dict, CellRow& row) const;
  // The same, observed and encoded in one go: what a decision needs.
  void take(nb::handle dict, std::span<double> out);

 private:
  bool read_plain(PyObject* dict, CellRow& row) const;
  void check_names(PyObject* dict) const;

  std::vector<nb::object> names_;  // interned, so that a lookup compares addresses
  std::vector<ReadAs> as_;
};

// The values of one column for many rows, with what they borrow.
struct ColumnData {
  ColumnValues values;
  CellRow row;
  std::vector<std::string_view> words;
};

void bind_schema_columns(nb::module_& module);  // schema_columns.cc

}  // namespace rein::bind
