// Explorer: turns scores into a probability distribution over actions. Larger scores are better.
#pragma once

#include <memory>
#include <span>

#include "rein/result.h"
#include "rein/spec.h"

namespace rein {

class Explorer {
 public:
  virtual ~Explorer() = default;

  // Writes one probability per action: each in [0, 1], |sum - 1| <= 1e-12. Adding a constant to all
  // scores changes nothing beyond rounding. REQUIRES at least one score, the same number of
  // probabilities, finite scores, and a finite gamma >= 0.
  virtual void explore(std::span<const double> scores, double gamma,
                       std::span<double> probabilities) const = 0;
};

// Makes the explorer that the spec names: igw, square, greedy, epsilon, softmax, uniform.
Result<std::unique_ptr<Explorer>> make_explorer(const Spec& spec);

}  // namespace rein
