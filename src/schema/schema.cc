// Declarations and rows of a schema. batch.cc has many rows at once, saved.cc the bytes.
#include "rein/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/shown.h"
#include "rein/shape.h"
#include "schema/column_encoder.h"

namespace rein {
namespace {

constexpr std::size_t kShownNames = 12;

template <class Names>
std::string listed(const Names& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShownNames); ++i) {
    text += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", shown(names[i]));
  }
  if (names.size() > kShownNames) text += fmt::format(" and {} more", names.size() - kShownNames);
  return text;
}

}  // namespace

Schema::Schema() = default;
Schema::Schema(const Schema&) = default;
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(const Schema&) = default;
Schema& Schema::operator=(Schema&&) noexcept = default;
Schema::~Schema() = default;

Result<Schema> Schema::make(std::initializer_list<Column> columns, SchemaOptions options) {
  return make(std::span(columns.begin(), columns.size()), options);
}

Result<Schema> Schema::make(std::span<const Column> columns, SchemaOptions options) {
  if (columns.empty() || columns.size() > static_cast<std::size_t>(kMaxColumns)) {
    return Error{
        fmt::format("schema: found {} columns; accepted: 1 to {}", columns.size(), kMaxColumns)};
  }
  Schema schema;
  schema.options_ = options;
  std::size_t size = 0;
  for (const Column& column : columns) {
    auto made = ColumnEncoder::make(column);
    if (!made) return made.failure();
    size += made.value().width();
    schema.columns_.push_back(std::move(made).value());
  }
  if (size > static_cast<std::size_t>(kMaxFeatures)) {
    return Error{fmt::format("schema: has {} features; accepted: at most {}", size, kMaxFeatures)};
  }
  schema.size_ = static_cast<int>(size);
  schema.by_name_.resize(columns.size());
  std::iota(schema.by_name_.begin(), schema.by_name_.end(), 0);
  const auto name = [&](int i) -> const std::string& {
    return columns[static_cast<std::size_t>(i)].name;
  };
  std::sort(schema.by_name_.begin(), schema.by_name_.end(),
            [&](int a, int b) { return name(a) < name(b); });
  const auto twin = std::adjacent_find(schema.by_name_.begin(), schema.by_name_.end(),
                                       [&](int a, int b) { return name(a) == name(b); });
  if (twin != schema.by_name_.end()) {
    return Error{fmt::format("schema: two columns are called \"{}\"", shown(name(*twin)))};
  }
  return schema;
}

std::vector<Column> Schema::columns() const {
  std::vector<Column> all;
  for (const ColumnEncoder& column : columns_) all.push_back(column.column());
  return all;
}

ColumnKind Schema::kind(std::size_t column) const { return columns_.at(column).kind(); }

std::vector<std::string> Schema::names() const {
  std::vector<std::string> all;
  all.reserve(static_cast<std::size_t>(size_));
  for (const ColumnEncoder& column : columns_) column.names(all);
  return all;
}

bool Schema::learns() const {
  return std::any_of(columns_.begin(), columns_.end(), [](const auto& c) { return c.learns(); });
}

Result<std::vector<int>> Schema::places(std::span<const std::string_view> found) const {
  std::vector<int> places(columns_.size(), -1);
  std::vector<std::string_view> extra;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto name_of = [&](int column) -> std::string_view {
      return columns_[static_cast<std::size_t>(column)].column().name;
    };
    const auto at =
        std::lower_bound(by_name_.begin(), by_name_.end(), found[i],
                         [&](int c, std::string_view name) { return name_of(c) < name; });
    if (at == by_name_.end() || name_of(*at) != found[i]) {
      extra.push_back(found[i]);
      continue;
    }
    int& place = places[static_cast<std::size_t>(*at)];
    if (place >= 0) {
      return Error{fmt::format("schema: column \"{}\" appears twice", shown(found[i]))};
    }
    place = static_cast<int>(i);
  }
  std::vector<std::string_view> absent;
  std::vector<std::string_view> expected;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    expected.push_back(columns_[c].column().name);
    if (places[c] < 0) absent.push_back(expected.back());
  }
  if (options_.ignore_extra) extra.clear();
  if (options_.absent_missing) absent.clear();
  if (absent.empty() && extra.empty()) return places;
  return Error{fmt::format("schema: {}{}{}; expected: {}{}",
                           absent.empty() ? "" : "no column " + listed(absent),
                           absent.empty() || extra.empty() ? "" : ", and ",
                           extra.empty() ? "" : "unknown column " + listed(extra), listed(expected),
                           extra.empty() ? "" : ", or the option that ignores extra columns")};
}

Result<> Schema::check(std::span<const Cell> row) const {
  rein::check(row.size() == columns_.size(), "a row has one cell per column");
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (!columns_[c].accepts(row[c])) return columns_[c].refusal(row[c]);
  }
  return {};
}

Result<> Schema::encode(std::span<const Cell> row, std::span<double> out) const {
  rein::check(out.size() == static_cast<std::size_t>(size_), "there is room for one encoded row");
  if (auto ok = check(row); !ok) return ok;
  double* to = out.data();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    columns_[c].encode(row[c], to);
    to += columns_[c].width();
  }
  return {};
}

Result<> Schema::observe(std::span<const Cell> row) {
  if (auto ok = check(row); !ok) return ok;
  for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c].observe(row[c]);
  return {};
}

Result<> Schema::preview(std::span<const Cell> row, std::span<double> out) const {
  rein::check(out.size() == static_cast<std::size_t>(size_), "there is room for one encoded row");
  if (auto ok = check(row); !ok) return ok;
  double* to = out.data();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    columns_[c].preview(row[c], to);
    to += columns_[c].width();
  }
  return {};
}

Result<> Schema::take(std::span<const Cell> row, std::span<double> out) {
  rein::check(out.size() == static_cast<std::size_t>(size_), "there is room for one encoded row");
  if (auto ok = check(row); !ok) return ok;
  double* to = out.data();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    columns_[c].observe(row[c]);
    columns_[c].encode(row[c], to);
    to += columns_[c].width();
  }
  return {};
}

}  // namespace rein
