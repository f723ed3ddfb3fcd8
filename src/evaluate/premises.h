// Premises: what the theorem assumes of a run, watched while it is played, so that no bound is
// printed where one of its assumptions is seen to fail. docs/bounds.md lists them.
//
// A world that knows its means lets everything be checked: the errors of the oracle, each action
// weighed by its probability, are what the proof needs to stay below Terms::errors, whether or not
// the functions are in the oracle's class.
#pragma once

#include <span>
#include <vector>

#include "rein/evaluate.h"
#include "rein/policy.h"
#include "rein/world.h"

namespace rein {

class Premises {
 public:
  Premises(const Policy& policy, const Shape& world, const RunOptions& options);

  // One round: `means` as World::means gives them.
  void add(const World& world, const Round& round, const Decision& decision,
           std::span<const double> means);
  // Adds the bounds to the totals of the whole run, or why there are none.
  void judge(const Policy& policy, Totals& totals) const;

 private:
  NoBound verdict(const Terms& terms, const Totals& totals, const BoundOptions& options) const;
  // The true mean of what a cost head learns; false where the world cannot say.
  bool positive_means(const World& world, std::span<const double> means, int actions);
  void add_errors(const Decision& decision, std::span<const double> means, int actions);
  void add_distance(const Round& round, int action, std::span<const double> means);
  void add_norm(const Round& round, int action);

  RunOptions options_;
  std::optional<Terms> terms_;
  const Shape* world_;
  std::vector<double> units_;     // of the reward and every cost, as the policy has them
  std::vector<double> errors_;    // one per head
  std::vector<double> distance_;  // to the nearest functions of the class, one per head
  std::vector<double> means_, highest_, nearest_;
  bool known_ = true;  // the means of all that is learned
  double norm_;        // the largest |(context, features)| that U assumes
  std::int64_t over_norm_ = 0;
};

}  // namespace rein
