// A small plot for the terminal: several curves over the same rounds, one symbol each.
#pragma once

#include <string>
#include <vector>

namespace rein::app {

struct Line {
  char mark;
  std::vector<double> y;  // one per point of x; NaN: nothing to draw
};

struct PlotSize {
  int width = 64;
  int height = 14;
};

// Later lines are drawn over earlier ones. Empty if no line has a finite point.
std::string plot(const std::string& title, const std::vector<double>& x,
                 const std::vector<Line>& lines, const PlotSize& size = {});

}  // namespace rein::app
