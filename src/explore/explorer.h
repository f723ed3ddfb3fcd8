// Explorer: turns scores into a probability distribution over actions. Larger scores are better.
#pragma once

#include <memory>
#include <span>

#include "rein/result.h"
#include "rein/spec.h"

namespace rein {

// A score that is never played: of an action that must not be chosen in a round.
inline constexpr double kBarredScore = -1e15;

class Explorer {
 public:
  virtual ~Explorer() = default;

  // Whether it is inverse gap weighting, for which there is a kernel (base/kernels_window.h).
  virtual bool weighs_gaps() const { return false; }

  // Writes one probability per action: each in [0, 1], |sum - 1| <= 1e-12. Adding a constant to all
  // scores changes nothing beyond rounding. REQUIRES at least one score, the same number of
  // probabilities, finite scores, and a finite gamma >= 0.
  virtual void explore(std::span<const double> scores, double gamma,
                       std::span<double> probabilities) const = 0;
};

// Makes the explorer that the spec names: igw, square, greedy, epsilon, softmax, uniform.
Result<std::unique_ptr<Explorer>> make_explorer(const Spec& spec);

}  // namespace rein
