#include "schema/column_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/shown.h"
#include "schema/text_hash.h"
#include "schema/words.h"

namespace rein {
namespace {

// The text of a cell in a column of categories or of text. A number is written as in a spec, so
// that 3 and 3.0 are one category.
class CellText {
 public:
  explicit CellText(const Cell& cell) : view_(cell.text) {
    if (cell.kind == Cell::Kind::kBool) view_ = cell.number != 0.0 ? "True" : "False";
    if (cell.kind != Cell::Kind::kNumber) return;
    const double x = cell.number == 0.0 ? 0.0 : cell.number;  // no -0
    view_ = {room_.data(), fmt::format_to_n(room_.data(), room_.size(), "{}", x).size};
  }
  CellText(const CellText&) = delete;
  CellText& operator=(const CellText&) = delete;
  std::string_view operator*() const { return view_; }

 private:
  std::array<char, 32> room_;
  std::string_view view_;
};

}  // namespace

bool ColumnEncoder::learns() const {
  if (kind_ == ColumnKind::kNumber) return scaled_;
  return kind_ == ColumnKind::kCategory && categories_.count() < categories_.most();
}

void ColumnEncoder::names(std::vector<std::string>& out) const {
  const std::string& name = column_.name;
  if (kind_ == ColumnKind::kCategory) {
    for (int place = 0; place < categories_.most(); ++place) {
      out.push_back(place < categories_.count()
                        ? fmt::format("{}={}", name, categories_.text(place))
                        : fmt::format("{}[{}]", name, place));
    }
  } else if (kind_ != ColumnKind::kText) {
    out.push_back(name);
  }
  for (std::size_t i = 0; i < buckets_; ++i) out.push_back(fmt::format("{}#{}", name, i));
  if (missing_) out.push_back(name + " missing");
}

Error ColumnEncoder::refusal(const Cell& cell) const {
  const std::string found = cell.kind == Cell::Kind::kText
                                ? fmt::format("the text \"{}\"", shown(cell.text))
                                : fmt::format("{}", cell.number);
  const std::string accepted =
      kind_ == ColumnKind::kBool
          ? std::string("true, false, 1, 0 or a missing value")
          : fmt::format("a number from {} to {}, or a missing value", -kMaxNumber, kMaxNumber);
  return Error{fmt::format("schema: column \"{}\": found {}; accepted: {}", shown(column_.name),
                           found, accepted)};
}

void ColumnEncoder::encode(const Cell& cell, double* out) const {
  const bool is_missing = cell.kind == Cell::Kind::kNone;
  if (kind_ == ColumnKind::kNumber) {
    if (is_missing) {
      out[0] = 0.0;
    } else {
      out[0] = scaled_ ? running_.standard(cell.number, clip_) : cell.number;
    }
  } else if (kind_ == ColumnKind::kBool) {
    out[0] = is_missing ? 0.0 : 2.0 * cell.number - 1.0;
  } else {
    std::fill_n(out, own_ + buckets_, 0.0);
    if (is_missing) {
    } else if (kind_ == ColumnKind::kText) {
      const CellText text(cell);
      hash_words(*text, signed_, {out, buckets_});
    } else {
      const CellText text(cell);
      const std::uint64_t hash = text_hash(*text);
      const int place = categories_.find(*text, hash);
      if (place >= 0) {
        out[place] = 1.0;
      } else if (buckets_ > 0) {
        out[own_ + bucket_of(hash, buckets_)] = 1.0;
      }
    }
  }
  if (missing_) out[own_ + buckets_] = is_missing ? 1.0 : 0.0;
}

void ColumnEncoder::observe(const Cell& cell) {
  if (cell.kind == Cell::Kind::kNone) return;
  if (kind_ == ColumnKind::kNumber && scaled_) {
    running_.add(cell.number);
  } else if (kind_ == ColumnKind::kCategory && categories_.count() < categories_.most()) {
    const CellText text(cell);
    const std::uint64_t hash = text_hash(*text);
    if (is_new(*text, hash)) categories_.add(*text, hash);
  }
}

void ColumnEncoder::preview(const Cell& cell, double* out) const {
  encode(cell, out);
  if (cell.kind == Cell::Kind::kNone) return;
  if (kind_ == ColumnKind::kNumber && scaled_) {
    Running next = running_;
    next.add(cell.number);
    out[0] = next.standard(cell.number, clip_);
  } else if (kind_ == ColumnKind::kCategory && categories_.count() < categories_.most()) {
    const CellText text(cell);
    if (!is_new(*text, text_hash(*text))) return;
    std::fill_n(out, own_ + buckets_, 0.0);
    out[categories_.count()] = 1.0;
  }
}

void ColumnEncoder::write_change(const Cell& cell, ByteWriter& out) const {
  const bool is_missing = cell.kind == Cell::Kind::kNone;
  if (kind_ == ColumnKind::kNumber && scaled_) {
    out.f64(is_missing ? std::numeric_limits<double>::quiet_NaN() : cell.number);
  } else if (kind_ == ColumnKind::kCategory && categories_.count() < categories_.most()) {
    const CellText text(cell);
    out.text(!is_missing && is_new(*text, text_hash(*text)) ? *text : std::string_view());
  }
}

Result<> ColumnEncoder::read_change(ByteReader& in, Cell& out, std::string& room) const {
  out = {};
  if (kind_ == ColumnKind::kNumber && scaled_) {
    out = Cell::of(in.f64());
    if (!accepts(out)) in.fail("a change of the schema has a number that is too large");
  } else if (kind_ == ColumnKind::kCategory && categories_.count() < categories_.most()) {
    room = in.text();
    if (!room.empty() && !is_new(room, text_hash(room))) {
      in.fail("a change of the schema has a category that is too long or known");
    }
    out = Cell::of(std::string_view(room));
  }
  return in.status();
}

void ColumnEncoder::save(ByteWriter& out) const {
  if (kind_ == ColumnKind::kNumber && scaled_) running_.save(out);
  if (kind_ == ColumnKind::kCategory) categories_.save(out);
}

Result<> ColumnEncoder::load(ByteReader& in) {
  if (kind_ == ColumnKind::kNumber && scaled_) return running_.load(in);
  if (kind_ == ColumnKind::kCategory) return categories_.load(in);
  return in.status();
}

}  // namespace rein
