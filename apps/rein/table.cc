#include "table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rein::app {
namespace {

// Counts bytes that start a character, so that ± counts as one.
std::size_t shown_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

std::string TextTable::str() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], shown_width(row[c]));
    }
  }
  std::string text;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < rows_[r].size(); ++c) {
      const std::string pad(widths[c] - shown_width(rows_[r][c]), ' ');
      line += c == 0 ? rows_[r][c] + pad : "  " + pad + rows_[r][c];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
    if (r == 0) {
      std::size_t width = widths[0];
      for (std::size_t c = 1; c < widths.size(); ++c) width += 2 + widths[c];
      text += std::string(width, '-') + '\n';
    }
  }
  return text;
}

std::string brief(double value) {
  if (std::isnan(value)) return "-";
  const double size = std::abs(value);
  if (size >= 1e7) return fmt::format("{:.3g}", value);
  if (size >= 100.0) return fmt::format("{:.0f}", value);
  if (size >= 1.0) return fmt::format("{:.2f}", value);
  if (size == 0.0) return "0";
  return fmt::format("{:.3g}", value);
}

}  // namespace rein::app
