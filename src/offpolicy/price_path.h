// Price path: the actions with the largest reward - price * cost, as the price rises from 0. The
// cost of the chosen action falls along it: it walks the upper hull of the points (cost, reward).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rein {

// From the price grid[from] on, `action` is played, until the next step.
struct PathStep {
  int action = 0;
  int from = 0;
};

// One row's predictions for a path. Actions that may not be played have allowed[a] == 0.
struct PathInput {
  std::span<const double> reward;
  std::span<const double> cost;
  std::span<const std::uint8_t> allowed;
};

// Ties go to the lower cost, then to the lower number. REQUIRES an allowed action, and a grid that
// ascends from 0.
void price_path(const PathInput& input, std::span<const double> grid, std::vector<PathStep>& out);

// Appends the prices at which the action changes.
void price_breaks(const PathInput& input, std::vector<double>& out);

// The action at a place of the grid.
inline int action_at(std::span<const PathStep> steps, int place) {
  std::size_t i = steps.size() - 1;
  while (i > 0 && steps[i].from > place) --i;
  return steps[i].action;
}

}  // namespace rein
