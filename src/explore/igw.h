// igw: inverse gap weighting with the exact normaliser. With c_a = 2 gamma (max score - score_a),
//
//     p_a = 1 / (lambda + c_a),   lambda in [1, K] such that the sum is 1.
//
// For any v, v^ and comparator, the regret of p is at most K / (2 gamma) + gamma sum p (v^ - v)^2.
// (Abe, Long 1999; Foster, Rakhlin 2020.)
#pragma once

#include "explore/explorer.h"

namespace rein {

class Igw final : public Explorer {
 public:
  static Result<std::unique_ptr<Explorer>> make(const Spec& spec);
  bool weighs_gaps() const override { return true; }
  void explore(std::span<const double> scores, double gamma,
               std::span<double> probabilities) const override;
};

// The lambda that explore() would use, for tests and reports. `c` holds c_a as above. `steps`, if
// given, receives the number of Newton steps.
double igw_normaliser(std::span<const double> c, int* steps = nullptr);

}  // namespace rein
