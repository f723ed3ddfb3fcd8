// Explorer: turns scores into a distribution over actions. Larger scores are better.
#pragma once

#include <memory>
#include <span>

#include "rein/result.h"
#include "rein/spec.h"

namespace rein {

class Explorer {
 public:
  virtual ~Explorer() = default;

  // Writes one probability an action: each in [0, 1], |sum - 1| <= 1e-12. Adding the same number to
  // every score changes nothing beyond rounding. REQUIRES at least one score, as many
  // probabilities, all scores finite, gamma finite and >= 0.
  virtual void explore(std::span<const double> scores, double gamma,
                       std::span<double> probabilities) const = 0;
};

// Makes the explorer that the spec names: igw, square, greedy, epsilon, softmax, uniform.
Result<std::unique_ptr<Explorer>> make_explorer(const Spec& spec);

}  // namespace rein
