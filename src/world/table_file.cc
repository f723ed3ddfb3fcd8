#include "world/table_file.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <mutex>
#include <optional>

#include "base/check.h"
#include "base/math.h"
#include "base/shown.h"
#include "base/text_number.h"

namespace rein {
namespace {

constexpr std::size_t kMaxKnown = 64;  // tables remembered; the oldest is dropped

// Gives every text a number.
class TextNumbers {
 public:
  explicit TextNumbers(std::vector<std::string>& texts) : texts_(texts) {}

  double number_of(std::string_view text) {
    auto place = places_.find(text);
    if (place == places_.end()) {
      place = places_.emplace(std::string(text), texts_.size()).first;
      texts_.emplace_back(text);
    }
    return static_cast<double>(place->second);
  }

 private:
  std::vector<std::string>& texts_;
  std::map<std::string, std::size_t, std::less<>> places_;
};

// The tables that this process has read.
class Cache {
 public:
  // Holds the lock while a table is read, so that other threads that need the same table wait for
  // it.
  Result<std::shared_ptr<const LoadedTable>> load(TableFile& file) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Known& known = find(file);
    if (auto table = known.table.lock()) return last_ = table;
    auto table = read_all(file);
    if (!table) return table;
    known.table = table.value();
    known.rows = table.value()->rows;
    return last_ = table.value();
  }

  Result<std::int64_t> count(TableFile& file) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Known& known = find(file);
    if (known.rows) return *known.rows;
    std::vector<double> row(file.schema().width());
    std::int64_t rows = 0;
    for (;;) {
      auto found_row = file.next(row);
      if (!found_row) return found_row.failure();
      if (!found_row.value()) break;
      ++rows;
    }
    known.rows = rows;
    return rows;
  }

 private:
  struct Known {
    std::string path;
    TableKeys keys;
    FileStamp stamp;
    std::optional<std::int64_t> rows;
    std::weak_ptr<const LoadedTable> table;
  };

  // A file that changed replaces its old entry.
  Known& find(const TableFile& file) {
    for (Known& known : known_) {
      if (known.path != file.path() || !(known.keys == file.keys())) continue;
      if (!(known.stamp == file.stamp())) {
        known = {.path = file.path(), .keys = file.keys(), .stamp = file.stamp()};
      }
      return known;
    }
    if (known_.size() == kMaxKnown) known_.erase(known_.begin());
    known_.push_back({.path = file.path(), .keys = file.keys(), .stamp = file.stamp()});
    return known_.back();
  }

  static Result<std::shared_ptr<const LoadedTable>> read_all(TableFile& file) {
    auto table = std::make_shared<LoadedTable>();
    table->width = file.schema().width();
    std::vector<double> row(table->width);
    TextNumbers texts(table->texts);
    const auto& encoder = file.schema().encoder;
    for (;;) {
      auto found_row = file.next(row);
      if (!found_row) return found_row.failure();
      if (!found_row.value()) break;
      if (table->values.size() + row.size() > kMaxLoadedNumbers) {
        return Error{
            fmt::format("table {}: has more than {} numbers in {} rows; accepted: "
                        "order=file, which keeps one row",
                        file.path(), kMaxLoadedNumbers, table->rows)};
      }
      for (std::size_t i = 0; encoder && i < file.schema().context.size(); ++i) {
        if (encoder->kind(i) < ColumnKind::kCategory || std::isnan(row[i])) continue;
        row[i] = texts.number_of(file.text(i));
      }
      table->values.insert(table->values.end(), row.begin(), row.end());
      ++table->rows;
    }
    table->values.shrink_to_fit();
    return table;
  }

  std::mutex mutex_;
  std::vector<Known> known_;
  // Seeds often run one after another, so the last table is kept for the next seed.
  std::shared_ptr<const LoadedTable> last_;
};

Cache& cache() {
  static Cache cache;
  return cache;
}

}  // namespace

TableFile::TableFile(CsvReader reader, TableKeys keys, TableSchema schema)
    : reader_(std::move(reader)), keys_(std::move(keys)), schema_(std::move(schema)) {
  if (schema_.encoder) texts_.resize(schema_.context.size());
}

Result<TableFile> TableFile::open(const std::string& path, const TableKeys& keys) {
  auto opened = CsvReader::open(path);
  if (!opened) return opened.failure();
  CsvReader reader = std::move(opened).value();
  auto header = reader.next();
  if (!header) return header.failure();
  if (!header.value()) return reader.wrong("is empty; accepted: a header, then one row per round");
  auto schema = find_columns(keys, reader.fields());
  if (!schema) return reader.wrong(reader.line(), schema.error());
  return TableFile(std::move(reader), keys, std::move(schema).value());
}

Result<> TableFile::rewind() {
  if (auto ok = reader_.rewind(); !ok) return ok;
  auto header = reader_.next();
  if (!header) return header.failure();
  return {};
}

bool TableFile::read_context(std::size_t i, std::string_view cell, double& out) {
  if (!schema_.encoder || schema_.encoded[i] == 0) {
    return to_number(cell, out) && std::abs(out) <= kMaxNumber;
  }
  Cell found;
  const ColumnKind kind = schema_.encoder->kind(i);
  if (!parse_cell(kind, cell, found)) return false;
  texts_[i] = found.text;
  out = found.kind == Cell::Kind::kNone ? kNan : found.number;
  return kind != ColumnKind::kNumber || !(std::abs(out) > kMaxNumber);
}

Result<bool> TableFile::next(std::span<double> row) {
  check(row.size() == schema_.width(), "there is room for exactly one row");
  auto found_row = reader_.next();
  if (!found_row || !found_row.value()) return found_row;
  const auto fields = reader_.fields();
  if (fields.size() != schema_.header.size()) {
    return reader_.wrong(reader_.line(), fmt::format("found {} fields; the header has {}",
                                                     fields.size(), schema_.header.size()));
  }
  std::size_t i = 0;
  for (const int column : schema_.context) {
    if (!read_context(i, fields[column], row[i])) {
      return wrong_cell(i, fields[column]);
    }
    ++i;
  }
  std::size_t outcome = 0;
  for (int head = 0; head < schema_.heads(); ++head) {
    const Range& range = schema_.range(head);
    for (int action = 0; action < schema_.actions; ++action, ++outcome, ++i) {
      const int column = schema_.outcomes[outcome];
      if (!to_number(fields[column], row[i]) || row[i] < range.low || row[i] > range.high) {
        return wrong_cell(i, fields[column]);
      }
    }
  }
  return true;
}

// Describes what is wrong with cell i of a row.
Error TableFile::wrong_cell(std::size_t i, std::string_view cell) const {
  const std::size_t d = schema_.context.size();
  const bool is_outcome = i >= d;
  const int column = is_outcome ? schema_.outcomes[i - d] : schema_.context[i];
  const std::string found =
      trimmed(cell).empty() ? std::string("an empty cell") : fmt::format("\"{}\"", shown(cell));
  double number = 0.0;
  std::string accepted = to_number(cell, number)
                             ? fmt::format("a number from {} to {}", -kMaxNumber, kMaxNumber)
                             : "a finite number";
  if (!is_outcome && schema_.encoder && schema_.encoded[i] != 0) {
    accepted = schema_.encoder->kind(i) == ColumnKind::kBool ? "true, false, 1, 0 or an empty cell"
                                                             : accepted + " or an empty cell";
  }
  if (is_outcome) {
    const int head = static_cast<int>(i - d) / schema_.actions;
    const Range& range = schema_.range(head);
    accepted = fmt::format("a number from {} to {}", range.low, range.high);
    if (to_number(cell, number)) {
      accepted += head == 0 ? ", or another reward_range=" : ", or another cost_range=";
    } else if (trimmed(cell).empty()) {
      accepted += ", as a table has the outcome of every action, taken or not";
    }
  }
  return Error{fmt::format("table {}, line {}, column \"{}\": found {}; accepted: {}", path(),
                           reader_.line(), shown(schema_.header[column]), found, accepted)};
}

Result<std::shared_ptr<const LoadedTable>> load_table(TableFile& file) {
  return cache().load(file);
}

Result<std::int64_t> count_rows(TableFile& file) { return cache().count(file); }

}  // namespace rein
