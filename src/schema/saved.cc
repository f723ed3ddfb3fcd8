// A schema as bytes, and what a row changes as bytes.
#include <algorithm>

#include "base/check.h"
#include "rein/schema.h"
#include "schema/column_encoder.h"
#include "schema/text_hash.h"

namespace rein {
namespace {

constexpr std::int64_t kVersion = 1;

}  // namespace

void Schema::write_change(std::span<const Cell> row, ByteWriter& out) const {
  rein::check(row.size() == columns_.size(), "a row has one cell per column");
  for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c].write_change(row[c], out);
}

Result<> Schema::fold(ByteReader& in) {
  std::vector<Cell> row(columns_.size());
  std::vector<std::string> texts(columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (auto ok = columns_[c].read_change(in, row[c], texts[c]); !ok) return ok;
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c].observe(row[c]);
  return {};
}

void Schema::save(ByteWriter& out) const {
  out.tag("schema");
  out.i64(kVersion);
  out.i64((options_.ignore_extra ? 1 : 0) + (options_.absent_missing ? 2 : 0));
  out.i64(static_cast<std::int64_t>(columns_.size()));
  for (const ColumnEncoder& column : columns_) {
    out.text(column.column().name);
    out.text(column.column().kind);
  }
  for (const ColumnEncoder& column : columns_) column.save(out);
}

Result<> Schema::load(ByteReader& in) {
  in.tag("schema");
  in.between("version", kVersion, kVersion);
  const std::int64_t options = in.between("options", 0, 3);
  const std::int64_t count = in.between("columns", 1, kMaxColumns);
  std::vector<Column> columns;
  for (std::int64_t i = 0; i < count && in.ok(); ++i) {
    std::string name = in.text();
    columns.push_back({std::move(name), in.text()});
  }
  if (!in.ok()) return in.status();
  auto made = make(columns, {.ignore_extra = options % 2 == 1, .absent_missing = options >= 2});
  if (!made) {
    in.fail(made.error());
    return in.status();
  }
  if (made.value().columns() != columns) {  // only our own spelling
    in.fail("saved state has a column that is not written as it is saved");
    return in.status();
  }
  for (ColumnEncoder& column : made.value().columns_) {
    if (auto ok = column.load(in); !ok) return ok;
  }
  *this = std::move(made).value();
  return {};
}

std::string Schema::snapshot() const {
  ByteWriter out;
  save(out);
  out.u64(text_hash(out.bytes()));
  return out.take();
}

Result<Schema> Schema::restore(std::string_view snapshot) {
  const auto corrupt = [](std::string_view why) {
    return Error{"schema: " + std::string(why), Reason::kCorrupt};
  };
  const std::size_t body = snapshot.size() - std::min(snapshot.size(), sizeof(std::uint64_t));
  ByteReader end(snapshot.substr(body));
  if (end.u64() != text_hash(snapshot.substr(0, body)) || !end.ok()) {
    return corrupt("the bytes are cut off, changed, or not a schema's");
  }
  ByteReader in(snapshot.substr(0, body));
  Schema schema;
  if (auto ok = schema.load(in); !ok) return corrupt(ok.error());
  if (auto ok = in.finish(); !ok) return corrupt(ok.error());
  return schema;
}

}  // namespace rein
