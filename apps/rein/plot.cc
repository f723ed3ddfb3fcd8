#include "plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "table.h"

namespace rein::app {
namespace {

struct Span {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double v) {
    if (!std::isfinite(v)) return;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  // The cell, out of n, that contains v.
  int cell(double v, int n) const {
    if (high <= low) return 0;
    return std::clamp(static_cast<int>(std::lround((v - low) / (high - low) * (n - 1))), 0, n - 1);
  }
};

}  // namespace

std::string plot(const std::string& title, const std::vector<double>& x,
                 const std::vector<Line>& lines, const PlotSize& size) {
  Span across, up;
  up.add(0.0);
  for (double v : x) across.add(v);
  bool any = false;
  for (const Line& line : lines) {
    for (double v : line.y) {
      up.add(v);
      any = any || std::isfinite(v);
    }
  }
  if (!any || x.empty()) return {};

  std::vector<std::string> grid(static_cast<std::size_t>(size.height),
                                std::string(static_cast<std::size_t>(size.width), ' '));
  const auto row_of = [&](double v) {
    return static_cast<std::size_t>(size.height - 1 - up.cell(v, size.height));
  };
  grid[row_of(0.0)] = std::string(static_cast<std::size_t>(size.width), '.');
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < std::min(x.size(), line.y.size()); ++i) {
      if (!std::isfinite(line.y[i])) continue;
      grid[row_of(line.y[i])][static_cast<std::size_t>(across.cell(x[i], size.width))] = line.mark;
    }
  }
  std::string text = "  " + title + '\n';
  for (std::size_t r = 0; r < grid.size(); ++r) {
    std::string label;
    if (r == 0) label = brief(up.high);
    if (r + 1 == grid.size()) label = brief(up.low);
    grid[r].erase(grid[r].find_last_not_of(' ') + 1);
    text += fmt::format("{:>10} |{}\n", label, grid[r]);
  }
  const std::string first = brief(across.low), last = brief(across.high) + " rounds";
  const int gap = std::max(1, size.width - static_cast<int>(first.size() + last.size()));
  text += fmt::format("{:>10} +{}\n", "", std::string(static_cast<std::size_t>(size.width), '-'));
  text += fmt::format("{:>10}  {}{}{}\n", "", first,
                      std::string(static_cast<std::size_t>(gap), ' '), last);
  return text;
}

}  // namespace rein::app
