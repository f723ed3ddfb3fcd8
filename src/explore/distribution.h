// Small tools that explorers share.
#pragma once

#include <algorithm>
#include <span>

namespace rein {

// Divides by the sum, taken in the order of the actions.
inline void normalise(std::span<double> p) {
  double sum = 0.0;
  for (double x : p) sum += x;
  for (double& x : p) x /= sum;
}

// All of the mass on the largest score, shared equally by exact ties.
inline void put_on_best(std::span<const double> scores, std::span<double> p) {
  const double best = *std::max_element(scores.begin(), scores.end());
  const auto ties = static_cast<double>(std::count(scores.begin(), scores.end(), best));
  for (std::size_t a = 0; a < scores.size(); ++a) p[a] = scores[a] == best ? 1.0 / ties : 0.0;
}

}  // namespace rein
