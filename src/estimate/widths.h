// SumsWidths: an oracle that can bound the sum of the widths of the actions that it learns.
//
// For ridge regression with w = phi' A^-1 phi, A before the round, and |phi| <= L:
//
//     sum w / (1 + w) <= ln det(A / reg)          (the elliptical potential lemma, from
//                                                   ln(1 + w) >= w / (1 + w))
//     w <= L^2 / reg,  hence  sum w <= (1 + L^2 / reg) ln det(A / reg)
//
// The lemma bounds the sum of w / (1 + w), which is what Estimates::width() holds. Without the
// factor it does not bound the sum of w.
#pragma once

#include <cstdint>
#include <limits>

#include "rein/oracle.h"

namespace rein {

struct WidthSum {
  double sum = 0.0;      // upper bound on the sum of w / (1 + w) over the learned actions
  double largest = 0.0;  // upper bound on w of any action
};

class SumsWidths {
 public:
  virtual WidthSum width_sum(std::int64_t rounds) const = 0;

 protected:
  ~SumsWidths() = default;
};

// The bound of any oracle: zeros if it has no widths, infinite if it gives none.
inline WidthSum width_sum(const Oracle& oracle, std::int64_t rounds) {
  if (oracle.dimension() == 0) return {};
  const auto* known = dynamic_cast<const SumsWidths*>(&oracle);
  if (known != nullptr) return known->width_sum(rounds);
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  return {kUnknown, kUnknown};
}

}  // namespace rein
