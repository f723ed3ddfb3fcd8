// The full-information learner: what could be earned if every action showed its outcome.
//
// The same oracle (vaw) and the same causal price (predicted) that ccb(tuning=auto) has, but after
// each round it is shown the outcome of every action, so it has nothing to explore and plays the
// best score. It knows no more of the future than a policy does: the fair yardstick on real data,
// where the best in hindsight is out of reach for anyone.
#pragma once

#include <memory>
#include <vector>

#include "policy/window.h"
#include "rein/gain.h"
#include "rein/world.h"

namespace rein {

class FullInformation {
 public:
  // For rounds of this shape; its budgets, where it has them, are paced over its rounds. Without
  // budgets every cost is to stay at 0 or below.
  explicit FullInformation(const Shape& shape);

  // The action that it plays.
  int decide(const Round& round);
  // Learns what every action of the world's present round would have given. REQUIRES that decide()
  // was asked for that round and said `action`.
  void learn(const Round& round, const World& world, int action);

 private:
  std::vector<double> units_;  // of the reward and every cost
  std::unique_ptr<Oracle> oracle_;
  std::unique_ptr<Pricer> pricer_;
  std::unique_ptr<Gain> gain_;
  Window window_;
  Scratch scratch_;
  Estimates estimates_;
  Books books_;
  Costs rates_;  // in units
  // Under a budget, predicted costs are at least 0, or what the least cost so far was.
  Costs lows_;
  Outcome outcome_;
};

}  // namespace rein
