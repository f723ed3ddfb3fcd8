// Many rows at once, from columns.
#include <fmt/format.h>

#include "base/check.h"
#include "rein/schema.h"
#include "schema/column_encoder.h"

namespace rein {

// All rows are checked first, so that a refused batch changes nothing.
Result<> Schema::check_rows(std::span<const ColumnValues> columns) const {
  rein::check(columns.size() == columns_.size(), "there are values for each column");
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const ColumnValues& values = columns[c];
    if (values.size() != columns[0].size()) {
      return Error{fmt::format("schema: column \"{}\" has {} rows; the first one has {}",
                               columns_[c].column().name, values.size(), columns[0].size())};
    }
    for (const std::int32_t code : values.codes) {
      if (code >= -1 && code < static_cast<std::int64_t>(values.words.size())) continue;
      return Error{fmt::format("schema: column \"{}\" has code {}; accepted: -1 to {}",
                               columns_[c].column().name, code,
                               static_cast<std::int64_t>(values.words.size()) - 1)};
    }
    if (columns_[c].kind() >= ColumnKind::kCategory) continue;
    for (std::size_t row = 0; row < values.size(); ++row) {
      const Cell cell = values.at(row);
      if (!columns_[c].accepts(cell)) {
        return columns_[c].refusal(cell).in(fmt::format("row {}: ", row));
      }
    }
  }
  return {};
}

Result<> Schema::encode(std::span<const ColumnValues> columns, std::span<double> out) const {
  if (auto ok = check_rows(columns); !ok) return ok;
  const std::size_t rows = columns[0].size();
  rein::check(out.size() == rows * static_cast<std::size_t>(size_), "there is room for all rows");
  double* to = out.data();
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      columns_[c].encode(columns[c].at(row), to);
      to += columns_[c].width();
    }
  }
  return {};
}

Result<> Schema::observe(std::span<const ColumnValues> columns) {
  if (auto ok = check_rows(columns); !ok) return ok;
  for (std::size_t c = 0; c < columns_.size(); ++c) {  // columns do not depend on each other
    for (std::size_t row = 0; row < columns[c].size(); ++row) {
      columns_[c].observe(columns[c].at(row));
    }
  }
  return {};
}

Result<> Schema::take(std::span<const ColumnValues> columns, std::span<double> out) {
  if (auto ok = check_rows(columns); !ok) return ok;
  const std::size_t rows = columns[0].size();
  rein::check(out.size() == rows * static_cast<std::size_t>(size_), "there is room for all rows");
  double* to = out.data();
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const Cell cell = columns[c].at(row);
      columns_[c].observe(cell);
      columns_[c].encode(cell, to);
      to += columns_[c].width();
    }
  }
  return {};
}

}  // namespace rein
