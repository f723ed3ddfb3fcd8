// The explicit bounds of the theorem, parts (a) to (f), for m resources. docs/bounds.md derives
// them and says where a constant differs from the paper's.
//
//   quadratic    R      = sqrt(V T (T+1) + 2m T^2 + c V T root) + 2c T sqrt(KU)   [+ 2 B sqrt T]
//                Regret <= c root + (2m T + 2c sqrt(KU) R [+ 2 (B / sqrt T) R]) / V
//                CCV    <= sqrt(2 V T + c V root + 2m T + 2c sqrt(KU) R [+ 2 (B / sqrt T) R])
//   exponential  Regret <= 2 (m+1) root + 2m/3,  CCV_i <= ln(M) / lambda_i
//   no costs     Regret <= c root
//
// with root = sqrt(K T U) and c = (m+1)(s + 1/s), s the gamma_scale: c = 4 at m = 1. What stands in
// brackets is for part (f). Under pacing 4m stands for 2m, since g - B/T lies in [-2, 1], and CCV
// is the excess over B.
#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "estimate/heads.h"
#include "price/exponential.h"
#include "rein/evaluate.h"
#include "rein/policy.h"

namespace rein {
namespace {

bool is_exponential(Setting setting) {
  return setting == Setting::kAlmostSure || setting == Setting::kKnapsack;
}

Bounds exponential_bounds(const Terms& terms) {
  Bounds bounds;
  if (terms.gamma_scale != 1.0 || terms.lambda_scale != 1.0) return bounds;
  const double m = terms.costs;
  const double log_cap = log(exponential_cap(terms));
  bounds.regret = 2.0 * (m + 1.0) * terms.root() + 2.0 * m / 3.0;
  bounds.ccv = Costs(terms.costs);
  for (int i = 0; i < terms.costs; ++i) bounds.ccv[i] = log_cap / exponential_lambda(terms, i);
  return bounds;
}

// The numbers that every quadratic bound is made of.
struct Quadratic {
  explicit Quadratic(const Terms& terms)
      : t(static_cast<double>(terms.rounds)),
        root(terms.root()),
        root_ku(std::sqrt(terms.actions * terms.u)),
        c((terms.costs + 1.0) * (terms.gamma_scale + 1.0 / terms.gamma_scale)) {
    // Squares of g, or of g - B/T, which lies in [-2, 1], summed over resources.
    squares = (terms.setting == Setting::kPacing ? 4.0 : 2.0) * terms.costs;
    double budget_squares = 0.0;
    for (double b : terms.budgets) budget_squares += b * b;
    if (terms.setting == Setting::kLinearConstraints) budget = std::sqrt(budget_squares);
    v = terms.v_scale * (root + budget);
  }
  double radius() const {
    return std::sqrt(v * t * (t + 1.0) + squares * t * t + c * v * t * root) +
           2.0 * c * t * root_ku + 2.0 * budget * std::sqrt(t);
  }
  // What stands over V in the regret bound, and under the root of CCV's.
  double rest(double r) const {
    return squares * t + 2.0 * c * root_ku * r + 2.0 * budget / std::sqrt(t) * r;
  }
  double t, root, root_ku, c;
  double squares = 0.0, budget = 0.0, v = 0.0;
};

}  // namespace

Bounds bounds(const Terms& terms, double margin, double premise) {
  if (is_exponential(terms.setting) && terms.costs > 0) return exponential_bounds(terms);
  const Quadratic q(terms);
  Bounds bounds;
  if (terms.costs == 0) {
    bounds.regret = q.c * q.root;
    return bounds;
  }
  double r = q.radius();
  double ccv_squared = 2.0 * q.v * q.t + q.c * q.v * q.root + q.rest(r);
  if (terms.setting == Setting::kSlater && margin > 0.0) {
    bounds.ccv_average = ccv_squared / (2.0 * margin * q.t);
  }
  if (premise >= 0.0 && terms.setting == Setting::kExpectation) {  // part (e)
    const double with_premise =
        std::sqrt((q.c + premise) * q.v * q.t * q.root + q.squares * q.t * q.t) +
        2.0 * q.c * q.t * q.root_ku;
    r = std::min(r, with_premise);
    ccv_squared = std::min(ccv_squared, (q.c + premise) * q.v * q.root + q.rest(r));
    bounds.queue_rms = r / std::sqrt(q.t);
  }
  bounds.regret = q.c * q.root + q.rest(r) / q.v;
  bounds.ccv = Costs(terms.costs, std::sqrt(ccv_squared));
  if (terms.setting == Setting::kPacing) {
    for (int i = 0; i < terms.costs; ++i) bounds.ccv[i] += terms.budgets[i];
  }
  return bounds;
}

Bounds bounds(const Policy& policy, double margin) {
  const PolicyState state = policy.state();
  if (!state.theorem) return {};
  const Heads heads(policy.shape());
  Bounds found = bounds(*state.theorem, margin);
  if (found.regret) *found.regret *= heads.unit(0);
  for (int i = 0; i < found.ccv.size(); ++i) found.ccv[i] *= heads.unit(i + 1);
  return found;
}

}  // namespace rein
