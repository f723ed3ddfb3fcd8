// Schema: named columns of numbers, booleans, categories and text as one vector of numbers.
//
//     Schema schema = Schema::make({{"age", "number"}, {"country", "category(most=32)"},
//                                   {"query", "text(buckets=64)"}, {"member", "bool"}}).value();
//     const Cell row[] = {Cell::of(31.0), Cell::of("DE"), Cell::of("red shoes"), Cell::of(true)};
//     std::vector<double> x(schema.size());
//     schema.take(row, x).check();        // observe, then encode
//
// The kind of a column is a spec (rein/spec.h). `category(32)` is short for `category(most=32)`, and
// `text(64)` for `text(buckets=64)`. Every kind takes missing=1.
//
//     number    (x - mean) / spread of the values observed so far, cut off at +-clip (10). 0 while
//               all observed values are equal, so the first row is 0. scale=none: x as it is
//     bool      1 or -1
//     category  a feature of its own for each of the first `most` (32) categories observed; 1 or 0.
//               of=["a","b"] names them beforehand, and then most is their number. Any other
//               category sets one of `buckets` shared features (4; with `of` 1), chosen by hash
//     text      words, in any case, hashed into `buckets` (64) features: +1 or -1 for each word,
//               by hash (signed=0: always +1), divided by the root of the number of words
//
// A missing value is 0 in every feature of its column: the mean, neither true nor false, no
// category, no words. missing=1 adds a feature that is 1 where the value is missing, so that missing
// values can mean something. It is not the default because every feature costs time in every round.
//
// Statistics are those of decision time. encode() is const and uses those observed so far;
// observe() moves them. A vector that was encoded is never encoded again: keep it, as the engine
// keeps the context of a decision.
//
// Same rows, same bits, on every machine. Nothing allocates in encode(), observe() and take().
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rein/bytes.h"
#include "rein/result.h"

namespace rein {

inline constexpr int kMaxColumns = 1024;
inline constexpr int kMaxCategories = 4096;   // `most` of a column
inline constexpr int kMaxBuckets = 1 << 20;   // `buckets` of a column
inline constexpr int kMaxCategoryBytes = 64;  // longer names share the hashed features
inline constexpr int kMaxColumnNameBytes = 256;

// One value of a row. Text is borrowed. NaN and empty text are missing values.
struct Cell {
  enum class Kind : std::uint8_t { kNone, kNumber, kBool, kText };

  Kind kind = Kind::kNone;
  double number = 0.0;  // of a bool: 1 or 0
  std::string_view text;

  static Cell missing() { return {}; }
  static Cell of(double x) { return std::isnan(x) ? Cell{} : Cell{Kind::kNumber, x, {}}; }
  static Cell of(int x) { return of(static_cast<double>(x)); }
  static Cell of(bool x) { return {Kind::kBool, x ? 1.0 : 0.0, {}}; }
  static Cell of(std::string_view x) { return x.empty() ? Cell{} : Cell{Kind::kText, 0.0, x}; }
  static Cell of(const char* x) { return of(std::string_view(x)); }
};

// The values of one column, for many rows at once. One form is used; all are borrowed.
struct ColumnValues {
  std::span<const double> numbers;      // NaN is missing
  bool booleans = false;                // the numbers are 1 and 0 for true and false
  std::span<const std::int32_t> codes;  // places in `words`; -1 is missing
  std::span<const std::string_view> words;
  std::span<const Cell> cells;

  std::size_t size() const { return numbers.size() + codes.size() + cells.size(); }
  // Some of the rows.
  ColumnValues part(std::size_t first, std::size_t count) const {
    const auto some = [&](auto all) { return all.empty() ? all : all.subspan(first, count); };
    return {some(numbers), booleans, some(codes), words, some(cells)};
  }
  Cell at(std::size_t row) const {
    if (!cells.empty()) return cells[row];
    if (!codes.empty()) {
      return codes[row] < 0 ? Cell{} : Cell::of(words[static_cast<std::size_t>(codes[row])]);
    }
    return booleans && !std::isnan(numbers[row]) ? Cell::of(numbers[row] != 0.0)
                                                 : Cell::of(numbers[row]);
  }
};

enum class ColumnKind : std::uint8_t { kNumber, kBool, kCategory, kText };

// A column as it is declared.
struct Column {
  std::string name;
  std::string kind;  // a spec: "number", "category(most=32)"
  bool operator==(const Column&) const = default;
};

// How far rows may differ from the schema.
struct SchemaOptions {
  bool ignore_extra = false;  // columns that the schema does not name; otherwise refused
  bool absent_missing =
      false;  // a column that a row does not have is a missing value; else refused
  bool operator==(const SchemaOptions&) const = default;
};

class ColumnEncoder;

class Schema {
 public:
  static Result<Schema> make(std::span<const Column> columns, SchemaOptions options = {});
  static Result<Schema> make(std::initializer_list<Column> columns, SchemaOptions options = {});
  Schema(const Schema&);
  Schema(Schema&&) noexcept;
  Schema& operator=(const Schema&);
  Schema& operator=(Schema&&) noexcept;
  ~Schema();

  // Number of numbers in an encoded row. The number never changes.
  int size() const { return size_; }
  std::vector<Column> columns() const;
  ColumnKind kind(std::size_t column) const;
  const SchemaOptions& options() const { return options_; }
  // A name per number of an encoded row: "age", "country=DE", "country[5]" for a place that no
  // category has taken yet, "country#0" and "query#17" for hashed features, "age missing".
  std::vector<std::string> names() const;
  // Whether observe() changes anything: not if all columns are text, bool or number(scale=none), or
  // categories that are all named.
  bool learns() const;

  // Where each column is among names that were found, in the order of the schema; -1 if it is
  // absent and may be. Refuses names that are absent, not expected or repeated, by name.
  Result<std::vector<int>> places(std::span<const std::string_view> found) const;

  // Refuses a row that encode() would refuse: text or an infinite number in a column of numbers, a
  // number other than 0 and 1 in a column of booleans. Cells are in the order of the columns.
  Result<> check(std::span<const Cell> row) const;
  // The row as numbers, with the statistics of now. REQUIRES out.size() == size().
  Result<> encode(std::span<const Cell> row, std::span<double> out) const;
  // Adds the row to the statistics.
  Result<> observe(std::span<const Cell> row);
  // observe(), then encode(): what an agent does with the row that it decides on. preview() writes
  // the same numbers and observes nothing.
  Result<> take(std::span<const Cell> row, std::span<double> out);
  Result<> preview(std::span<const Cell> row, std::span<double> out) const;

  // Encodes many rows; the result equals that of one call per row, in order. `columns` has the
  // values of each column, all of one length. out has size() numbers per row. An error names the
  // column and the row, and nothing has changed.
  Result<> encode(std::span<const ColumnValues> columns, std::span<double> out) const;
  Result<> observe(std::span<const ColumnValues> columns);
  Result<> take(std::span<const ColumnValues> columns, std::span<double> out);

  // Writes what observe(row) would change, for a log of decisions. The reader of the log passes
  // these bytes to fold(), which makes the same change without the row. REQUIRES check(row).
  void write_change(std::span<const Cell> row, ByteWriter& out) const;
  Result<> fold(ByteReader& in);

  // Declarations and statistics. load() leaves the schema as it was if it is refused.
  void save(ByteWriter& out) const;
  Result<> load(ByteReader& in);
  // The state as bytes with a version and a checksum.
  std::string snapshot() const;
  static Result<Schema> restore(std::string_view snapshot);

 private:
  Schema();
  Result<> check_rows(std::span<const ColumnValues> columns) const;

  std::vector<ColumnEncoder> columns_;
  std::vector<int> by_name_;  // columns, sorted by name
  SchemaOptions options_;
  int size_ = 0;
};

// The column that fits values like these. Numbers and booleans stay what they are. Text is a
// category, or text if over half of the values have several words and over 32 are different. At
// most the 32 most frequent categories are named. missing=1 if a value is missing.
Column infer_column(std::string name, const ColumnValues& values);

// A cell of a file, for this kind of column. Numbers and booleans are parsed; there NA, N/A, NaN,
// null and None, in any case, are missing, and so are spaces. Categories and text stay as they are.
// An empty cell is missing. False if the text is not a value of that kind.
bool parse_cell(ColumnKind kind, std::string_view text, Cell& out);

}  // namespace rein
