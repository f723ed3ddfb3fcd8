// Rows with names: encoded for a decision, and observed by the schema.
#include <fmt/format.h>

#include "base/size.h"
#include "engine/heart.h"

namespace rein {

Result<> Engine::Heart::encode_row(const Round& round, std::span<const Cell> row,
                                   DecideRecord& out) const {
  if (!schema) {
    return Error::of("context",
                     "round: found a row with names, and there is no schema; accepted: numbers");
  }
  if (!round.context.empty()) {
    return Error::of(
        "context", "round: found a row with names and a context of numbers; accepted: one of them");
  }
  out.encoded.resize(as_size(schema->size()));
  if (auto ok = schema->preview(row, out.encoded); !ok) return ok.failure().about("context");
  ByteWriter changes(std::move(out.observed));
  schema->write_change(row, changes);
  out.observed = changes.take();
  return {};
}

// `observed` comes from a record, or was just written. It is applied as a whole or not at all.
Result<> Engine::Heart::observe(std::string_view observed, std::int64_t rows) {
  if (observed.empty()) return {};
  if (!schema) return Error{"record: rows with names, and there is no schema"};
  Schema next = *schema;
  ByteReader in(observed);
  for (std::int64_t n = 0; n < rows; ++n) {
    if (auto ok = next.fold(in); !ok) return ok.failure().in("record: what was observed: ");
  }
  if (auto ok = in.finish(); !ok) return ok.failure().in("record: what was observed: ");
  schema = std::move(next);
  return {};
}

Result<> Engine::Heart::fold(const ObserveRecord& record) {
  change = Change::kNothing;
  if (auto ok = observe(record.changes, record.rows); !ok) return ok;
  last_observed = record;
  change = Change::kObserved;
  return {};
}

Result<> Engine::Heart::observe(std::span<const ColumnValues> columns) {
  change = Change::kNothing;
  if (!schema || schema->columns().size() != columns.size()) {
    return Error::of("context",
                     fmt::format("observe: found {} columns; accepted: those of the schema, {}",
                                 columns.size(), schema ? schema->columns().size() : 0));
  }
  ObserveRecord record;
  record.rows = columns.empty() ? 0 : static_cast<std::int64_t>(columns[0].size());
  if (record.rows < 1 || record.rows > kMaxWarmRounds) {
    return Error::of("context", fmt::format("observe: found {} rows; accepted: 1 to {}",
                                            record.rows, kMaxWarmRounds));
  }
  Schema next = *schema;
  ByteWriter changes;
  std::vector<Cell> row(columns.size());
  for (std::int64_t n = 0; n < record.rows; ++n) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (columns[c].size() != as_size(record.rows)) {
        return Error::of("context",
                         "observe: columns of different lengths; accepted: one value per row");
      }
      row[c] = columns[c].at(as_size(n));
    }
    if (auto ok = next.check(row); !ok) return ok.failure().in(fmt::format("row {}: ", n));
    next.write_change(row, changes);
    next.observe(row).check();
  }
  record.changes = changes.take();
  schema = std::move(next);
  last_observed = std::move(record);
  change = Change::kObserved;
  return {};
}

}  // namespace rein
