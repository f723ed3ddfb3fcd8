// A schema of every kind of column, and rows of it.
#pragma once

#include <string>
#include <vector>

#include "rein/schema.h"

namespace rein {

using Numbers = std::vector<double>;

inline Schema schema_of(std::initializer_list<Column> columns, SchemaOptions options = {}) {
  return Schema::make(columns, options).value();
}

inline Schema every_kind() {
  return schema_of({{"age", "number(missing=1)"},
                    {"country", "category(most=2,buckets=2)"},
                    {"query", "text(8)"},
                    {"member", "bool"}});
}

inline Numbers encoded(const Schema& schema, std::span<const Cell> row) {
  Numbers out(static_cast<std::size_t>(schema.size()), -99.0);
  schema.encode(row, out).check();
  return out;
}
inline Numbers encoded(const Schema& schema, std::initializer_list<Cell> row) {
  return encoded(schema, std::span(row.begin(), row.size()));
}

inline Numbers taken(Schema& schema, std::initializer_list<Cell> row) {
  Numbers out(static_cast<std::size_t>(schema.size()), -99.0);
  schema.take(std::span(row.begin(), row.size()), out).check();
  return out;
}

inline void observe(Schema& schema, std::initializer_list<Cell> row) {
  schema.observe(std::span(row.begin(), row.size())).check();
}

inline std::string error_of(const Schema& schema, std::initializer_list<Cell> row) {
  const auto checked = schema.check(std::span(row.begin(), row.size()));
  return checked ? "accepted" : checked.error();
}

}  // namespace rein
