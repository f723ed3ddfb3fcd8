// SumsWidths: oracles that can bound what the widths of the actions they learn add up to.
//
// For ridge regression with w = phi' A^-1 phi, A before the round, and |phi| <= L:
//
//     sum w / (1 + w) <= ln det(A / reg)          (the elliptical potential lemma, from
//                                                   ln(1 + w) >= w / (1 + w))
//     w <= L^2 / reg,  hence  sum w <= (1 + L^2 / reg) ln det(A / reg)
//
// The lemma bounds the sum of w / (1 + w), which is what Estimates::width() holds. It does not
// bound the sum of w itself without the factor.
#pragma once

#include <cstdint>
#include <limits>

#include "rein/oracle.h"

namespace rein {

struct WidthSum {
  double sum = 0.0;      // over the rounds, of w / (1 + w) of the learned action, at most
  double largest = 0.0;  // w of any action, at most
};

class SumsWidths {
 public:
  virtual WidthSum width_sum(std::int64_t rounds) const = 0;

 protected:
  ~SumsWidths() = default;
};

// That of any oracle: zeros where it has no widths, infinite where it does not say.
inline WidthSum width_sum(const Oracle& oracle, std::int64_t rounds) {
  if (oracle.dimension() == 0) return {};
  const auto* known = dynamic_cast<const SumsWidths*>(&oracle);
  if (known != nullptr) return known->width_sum(rounds);
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  return {kUnknown, kUnknown};
}

}  // namespace rein
