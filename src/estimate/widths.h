// WidthSum: a bound on the sum of the widths of the actions that an oracle learns (abilities.h).
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

namespace rein {

struct WidthSum {
  double sum = 0.0;      // upper bound on the sum of w / (1 + w) over the learned actions
  double largest = 0.0;  // upper bound on w of any action
};

}  // namespace rein
