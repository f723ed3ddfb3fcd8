// How much the outcomes of one head differ within actions and between them, from sums over rows.
#pragma once

#include <algorithm>

namespace rein {

struct OutcomeSpread {
  double count = 0.0, actions = 0.0;  // rows, and actions that have some
  double sum = 0.0, square = 0.0;     // of the outcomes
  double by_action = 0.0;             // sum over actions of (sum of outcomes)^2 / rows

  // For how many rows the mean over all actions counts in that of one action: at most 1. It is the
  // variance within actions over that between them, so 0 if all rows of an action have the same
  // outcome, as with list prices.
  double pull() const {
    const double between = by_action - sum * sum / count;
    if (!(between > 0.0 && count > actions)) return 1.0;
    const double within = std::max(square - by_action, 0.0) / (count - actions);
    return std::min(within * count / between, 1.0);
  }
};

}  // namespace rein
