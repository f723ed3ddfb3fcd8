// Premises: checks the theorem's assumptions while a run is played. No bound is printed if an
// assumption is seen to fail. docs/bounds.md lists the assumptions.
//
// If the world knows its means, all assumptions can be checked. The proof needs only that the
// oracle's errors, each action weighted by its probability, stay below Terms::errors. It does not
// matter whether the functions are in the oracle's class.
#pragma once

#include <span>
#include <vector>

#include "rein/policy.h"
#include "rein/run.h"
#include "rein/world.h"

namespace rein {

class Premises {
 public:
  Premises(const Policy& policy, const Shape& world, const RunOptions& options);

  // Adds one round. `means` are those of World::means.
  void add(const World& world, const Round& round, const Decision& decision,
           std::span<const double> means);
  // Adds the bounds to the totals of the whole run, or the reason why there are none.
  void judge(const Policy& policy, Totals& totals) const;

 private:
  NoBound verdict(const Terms& terms, const Totals& totals, const BoundOptions& options) const;
  // The true mean of what a cost head learns; false if the world cannot say.
  bool positive_means(const World& world, std::span<const double> means, int actions);
  void add_errors(const Decision& decision, std::span<const double> means, int actions);
  void add_distance(const Round& round, int action, std::span<const double> means);
  void add_norm(const Round& round, int action);
  void end_block();
  bool kept_errors(const Terms& terms, const BoundOptions& options) const;

  RunOptions options_;
  std::optional<Terms> terms_;
  const Shape* world_;
  std::vector<double> units_;     // of the reward and every cost, as in the policy
  std::vector<double> errors_;    // one per head
  std::vector<double> ends_;  // the largest of them at the end of every block of rounds
  std::int64_t rounds_ = 0;
  // squared distance of the truth to the nearest functions of the class, one per head
  std::vector<double> distance_;
  std::vector<double> means_, highest_, nearest_;
  bool known_ = true;  // whether the means of everything learned are known
  double norm_;        // the largest |(context, features)| that U assumes
  std::int64_t over_norm_ = 0;
};

}  // namespace rein
