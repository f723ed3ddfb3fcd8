// TableFile: the rows of a table as numbers, one at a time; and whole tables, kept once.
//
// A row is the context, then outcomes[head * actions + action]. Every cell that is used is a finite
// number, outcomes inside their declared ranges; anything else is refused with the file, the line
// and the column. Memory does not grow with the file.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "world/csv.h"
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
  // Back to the first row.
  Result<> rewind();

 private:
  TableFile(CsvReader reader, TableKeys keys, TableSchema schema);
  Error wrong_cell(std::size_t i, std::string_view cell) const;

  CsvReader reader_;
  TableKeys keys_;
  TableSchema schema_;
};

// A table in memory. Never changes, so threads share it.
struct LoadedTable {
  std::int64_t rows = 0;
  std::size_t width = 0;
  std::vector<double> values;

  std::span<const double> row(std::int64_t i) const {
    return {values.data() + static_cast<std::size_t>(i) * width, width};
  }
};

// More numbers than this are not loaded.
inline constexpr std::size_t kMaxLoadedNumbers = std::size_t{1} << 30;

// The rows of the file, read once however many worlds ask and from however many threads: while any
// of them holds the table, or until another table is loaded after it. A file whose size or time of
// change differs is another table. REQUIRES that no row of `file` was read; leaves it anywhere.
Result<std::shared_ptr<const LoadedTable>> load_table(TableFile& file);

// How many rows there are; reads them all the first time, so that later no row is wrong. REQUIRES
// that no row of `file` was read; leaves it anywhere.
Result<std::int64_t> count_rows(TableFile& file);

}  // namespace rein
