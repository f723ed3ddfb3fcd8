// ColumnEncoder: one column of a schema, with its statistics. rein/schema.h says what the kinds do.
#pragma once

#include "rein/schema.h"
#include "rein/shape.h"
#include "rein/spec.h"
#include "schema/categories.h"
#include "schema/running.h"

namespace rein {

class ColumnEncoder {
 public:
  // `category(32)` is read as `category(most=32)`.
  static Result<ColumnEncoder> make(const Column& column);

  const Column& column() const { return column_; }  // its kind as a spec with keys
  ColumnKind kind() const { return kind_; }
  std::size_t width() const { return own_ + buckets_ + (missing_ ? 1U : 0U); }
  bool learns() const;
  void names(std::vector<std::string>& out) const;

  bool accepts(const Cell& cell) const {
    if (cell.kind == Cell::Kind::kNone || kind_ >= ColumnKind::kCategory) return true;
    if (cell.kind == Cell::Kind::kText) return false;
    if (kind_ == ColumnKind::kBool) return cell.number == 0.0 || cell.number == 1.0;
    return std::abs(cell.number) <= kMaxNumber;
  }
  // Why a cell is not accepted.
  Error refusal(const Cell& cell) const;

  // REQUIRES accepts(cell), here and below. Writes width() numbers.
  void encode(const Cell& cell, double* out) const;
  void observe(const Cell& cell);
  // Writes what encode() would write after observe().
  void preview(const Cell& cell, double* out) const;

  // Writes what observe(cell) would change; fold() makes that change.
  void write_change(const Cell& cell, ByteWriter& out) const;
  Result<> read_change(ByteReader& in, Cell& out, std::string& room) const;

  // The statistics alone.
  void save(ByteWriter& out) const;
  Result<> load(ByteReader& in);

 private:
  Result<> read_options(const Spec& spec, std::string_view what);
  bool is_new(std::string_view text, std::uint64_t hash) const {
    return categories_.has_room(text) && categories_.find(text, hash) < 0;
  }

  Column column_;
  ColumnKind kind_ = ColumnKind::kNumber;
  std::size_t own_ = 1;      // features before the hashed features
  std::size_t buckets_ = 0;  // hashed features
  bool missing_ = false;     // there is a feature for missing values
  bool scaled_ = true;       // number: standardised
  bool signed_ = true;       // text: words count +1 or -1
  double clip_ = 0.0;        // number
  Running running_;          // number
  Categories categories_;    // category
};

}  // namespace rein
