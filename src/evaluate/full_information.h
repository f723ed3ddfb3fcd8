// The full-information learner: the reward that is possible if every action shows its outcome.
//
// The learner has an oracle (vaw, unless another is given) and the pricer of ccb(tuning=auto),
// predicted. After each round it sees the outcome of every action, so it need not explore and plays
// the best score. It knows as little of the future as a policy does. So it is a fair reference on
// real data, where no policy can reach the best in hindsight.
#pragma once

#include <memory>
#include <vector>

#include "explore/gain.h"
#include "explore/igw.h"
#include "policy/window.h"
#include "rein/world.h"

namespace rein {

class FullInformation {
 public:
  // For rounds of this shape. Its budgets, if any, are paced over its rounds. Without budgets the
  // target of every cost is 0.
  explicit FullInformation(const Shape& shape);
  // A learner with another oracle.
  FullInformation(const Shape& shape, std::unique_ptr<Oracle> oracle);

  // The action that it plays.
  int decide(const Round& round);
  // Learns the outcome of every action in the world's current round. REQUIRES that decide()
  // returned `action` for this round.
  void learn(const Round& round, const World& world, int action);

 private:
  std::vector<double> units_;  // of the reward and every cost
  std::unique_ptr<Oracle> oracle_;
  std::unique_ptr<Pricer> pricer_;
  std::unique_ptr<Gain> gain_;
  Igw explorer_;
  DecisionWindow window_;
  Scratch scratch_;
  Estimates estimates_;
  Books books_;
  Costs rates_;  // in units
  // Under a budget, predicted costs are at least 0, or at least the smallest cost so far.
  Costs lows_;
  Outcome outcome_;
};

}  // namespace rein
