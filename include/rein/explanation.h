// Explanation: what the estimates of one action are made of. rein/explain.h makes it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "rein/costs.h"

namespace rein {

// A number that a linear oracle learns a weight for.
struct Term {
  // The number of the context and the feature of the action whose product this term has; -1: it has
  // none. Both -1: the constant, whose value is 1.
  int context = -1;
  int feature = -1;
  double weight = 0.0;  // in the units of the shape
  double value = 0.0;

  double part() const { return weight * value; }
};

// Largest part in absolute value first.
inline void sort_terms(std::vector<Term>& terms) {
  std::ranges::stable_sort(
      terms, [](const Term& x, const Term& y) { return std::abs(x.part()) > std::abs(y.part()); });
}

struct HeadExplanation {
  double estimate = 0.0;  // what the score is made of, in the units of the shape
  double width = 0.0;     // uncertainty, in [0, 1): Estimates::width()
  bool has_weights =
      false;  // whether the oracle is linear. If not, linear is 0 and terms are empty
  double linear = 0.0;
  double rest = 0.0;         // what the oracle adds: it shrinks what is little known, and clips
  double prior = 0.0;        // of actions that were hardly played, or expected costs
  double calibration = 0.0;  // how wrong this cost was lately
  std::vector<Term> terms;   // largest part in absolute value first
};

struct Explanation {
  int action = -1;             // index into the round that the policy saw
  std::int32_t action_id = 0;  // id of that action
  bool chosen = false;
  double probability = 0.0;
  // Estimated reward less priced costs, plus a bonus for what is not known; in units of the reward.
  double score = 0.0;
  double bonus = 0.0;
  Costs prices;                        // reward per unit of each cost
  std::vector<HeadExplanation> heads;  // the reward, then every cost
};

}  // namespace rein
