// TableFile: reads the rows of a table as numbers, one row at a time. load_table() keeps whole
// tables in memory.
//
// A row is the context, then outcomes[head * actions + action]. Every cell in use must be a finite
// number, with outcomes inside their declared ranges. Anything else is refused with the file, the
// line and the column. Memory does not grow with the file.
//
// A context column of the schema (TableSchema::encoder) may have no value: NaN. A boolean is 1 or
// 0. A category or a text is stored as a number: 0 in a row that was just read, whose text() has
// the text itself, and the index into LoadedTable::texts in a table in memory.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/csv.h"
#include "world/table_schema.h"

namespace rein {

class TableFile {
 public:
  // Reads the header.
  static Result<TableFile> open(const std::string& path, const TableKeys& keys);

  const TableSchema& schema() const { return schema_; }
  const TableKeys& keys() const { return keys_; }
  const std::string& path() const { return reader_.path(); }
  const FileStamp& stamp() const { return reader_.stamp(); }

  // Reads the next row; false at the end. REQUIRES row.size() == schema().width().
  Result<bool> next(std::span<double> row);
  // The text of context column i in the row just read. REQUIRES a column of categories or text.
  std::string_view text(std::size_t i) const { return texts_[i]; }
  // Back to the first row.
  Result<> rewind();

 private:
  TableFile(CsvReader reader, TableKeys keys, TableSchema schema);
  // Reads the cell of context column i. False if it is not accepted.
  bool read_context(std::size_t i, std::string_view cell, double& out);
  Error wrong_cell(std::size_t i, std::string_view cell) const;

  CsvReader reader_;
  TableKeys keys_;
  TableSchema schema_;
  std::vector<std::string_view> texts_;  // one per context column, if there is an encoder
};

// A table in memory. A LoadedTable never changes, so threads share it.
struct LoadedTable {
  std::int64_t rows = 0;
  std::size_t width = 0;
  std::vector<double> values;
  std::vector<std::string> texts;  // that numbers of columns of categories and text stand for

  std::span<const double> row(std::int64_t i) const {
    return {values.data() + static_cast<std::size_t>(i) * width, width};
  }
};

// A table with more numbers is not loaded.
inline constexpr std::size_t kMaxLoadedNumbers = std::size_t{1} << 30;

// Loads the rows of the file. They are read once for all worlds and threads, and kept while a world
// holds the table or until another table is loaded. A file with a different size or modification
// time is another table. REQUIRES that no row of `file` was read; its position afterwards is
// unspecified.
Result<std::shared_ptr<const LoadedTable>> load_table(TableFile& file);

// The number of rows. The first call reads them all, so that no row is invalid later. REQUIRES that
// no row of `file` was read; its position afterwards is unspecified.
Result<std::int64_t> count_rows(TableFile& file);

}  // namespace rein
