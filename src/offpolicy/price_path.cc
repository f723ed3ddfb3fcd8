#include "offpolicy/price_path.h"

#include <algorithm>

namespace rein {
namespace {

int first_action(const PathInput& input) {
  int best = -1;
  for (std::size_t a = 0; a < input.reward.size(); ++a) {
    if (input.allowed[a] == 0) continue;
    const std::size_t b = static_cast<std::size_t>(best);
    if (best < 0 || input.reward[a] > input.reward[b] ||
        (input.reward[a] == input.reward[b] && input.cost[a] < input.cost[b])) {
      best = static_cast<int>(a);
    }
  }
  return best;
}

// The next action on the hull, or -1; sets the price at which it takes over.
int next_action(const PathInput& input, int current, double& price) {
  const std::size_t now = static_cast<std::size_t>(current);
  int best = -1;
  for (std::size_t a = 0; a < input.reward.size(); ++a) {
    if (input.allowed[a] == 0 || !(input.cost[a] < input.cost[now])) continue;
    const double at = (input.reward[now] - input.reward[a]) / (input.cost[now] - input.cost[a]);
    if (best < 0 || at < price ||
        (at == price && input.cost[a] < input.cost[static_cast<std::size_t>(best)])) {
      best = static_cast<int>(a);
      price = at;
    }
  }
  return best;
}

}  // namespace

void price_path(const PathInput& input, std::span<const double> grid, std::vector<PathStep>& out) {
  out.clear();
  int action = first_action(input);
  out.push_back({action, 0});
  double price = 0.0;
  for (action = next_action(input, action, price); action >= 0;
       action = next_action(input, action, price)) {
    const int from = static_cast<int>(
        std::lower_bound(grid.begin() + out.back().from, grid.end(), price) - grid.begin());
    if (from >= static_cast<int>(grid.size())) return;
    if (from == out.back().from) {
      out.back().action = action;
    } else {
      out.push_back({action, from});
    }
  }
}

void price_breaks(const PathInput& input, std::vector<double>& out) {
  double price = 0.0;
  int action = first_action(input);
  for (action = next_action(input, action, price); action >= 0;
       action = next_action(input, action, price)) {
    out.push_back(price);
  }
}

}  // namespace rein
