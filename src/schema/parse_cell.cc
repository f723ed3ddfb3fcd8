// parse_cell: a cell of a file.
#include <algorithm>
#include <array>

#include "base/text_number.h"
#include "rein/schema.h"

namespace rein {
namespace {

// Whether `text` is `word`, which is in lower case.
bool same_word(std::string_view text, std::string_view word) {
  return std::equal(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(), [&](auto word) { return same_word(text, word); });
}

constexpr std::array<std::string_view, 5> kMissingWords = {"na", "n/a", "nan", "null", "none"};
constexpr std::array<std::string_view, 3> kTrueWords = {"1", "true", "yes"};
constexpr std::array<std::string_view, 3> kFalseWords = {"0", "false", "no"};

}  // namespace

bool parse_cell(ColumnKind kind, std::string_view text, Cell& out) {
  if (kind >= ColumnKind::kCategory) {
    out = Cell::of(text);
    return true;
  }
  const std::string_view cell = trimmed(text);
  out = {};
  if (cell.empty() || is_one_of(cell, kMissingWords)) return true;
  if (kind == ColumnKind::kBool) {
    const bool is_true = is_one_of(cell, kTrueWords);
    out = Cell::of(is_true);
    return is_true || is_one_of(cell, kFalseWords);
  }
  double number = 0.0;
  if (!to_number(cell, number)) return false;
  out = Cell::of(number);
  return true;
}

}  // namespace rein
