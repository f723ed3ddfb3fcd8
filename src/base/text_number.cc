#include "base/text_number.h"

#include <charconv>
#include <cmath>

namespace rein {

std::string_view trimmed(std::string_view cell) {
  while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t')) cell.remove_prefix(1);
  while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t')) cell.remove_suffix(1);
  return cell;
}

bool to_number(std::string_view cell, double& out) {
  cell = trimmed(cell);
  if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-') cell.remove_prefix(1);
  const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), out);
  return code == std::errc() && end == cell.data() + cell.size() && std::isfinite(out);
}

}  // namespace rein
