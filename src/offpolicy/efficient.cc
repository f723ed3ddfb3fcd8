// efficient_dr: the doubly robust mean with the multiples of two control variates that make its
// variance least. Both are 0 on average if propensities are right:
//
//   w - 1                                   0 on average for every policy
//   w predicted(played) - m                 what dr adds to ips to make it robust
//
// ips, dr and, for many rows, snips are this estimate at certain multiples. So efficient_dr is no worse
// than the best of these three (Kallus, Uehara, NeurIPS 2019; Tan, Biometrika 2010). Poor predictions
// get a multiple near that of ips, good ones a multiple near that of dr.
//
// The estimate is the constant of a least-squares regression of the scores on the two control variates.
// Its variance is that of MacKinnon and White (HC3): the residual of a row is divided by one minus the
// leverage of the row. So rows with large weights, which pull the regression towards themselves, do not
// look precise.
//
// If the log never played what the policy plays, every w is 0 and the second control variate is -m. A
// multiple of -m would remove m from the estimate. So both multiples are 0 then, and the estimate is
// dr, which equals dm.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/math.h"
#include "offpolicy/dense.h"
#include "offpolicy/scores.h"

namespace rein {
namespace {

using Pair = std::array<double, 2>;

// What every row adds to the error of one head, and the value.
struct Fitted {
  double value = 0.0;
  std::vector<double> error;  // rows
};

Pair solved(const std::array<double, 4>& factor, Pair right) {
  semi_solve(factor, 2, right);
  return right;
}

Fitted fit_head(const PolicyScores& scores, std::span<const double> robust, std::size_t head) {
  const std::size_t n = scores.size();
  const std::size_t heads = static_cast<std::size_t>(scores.heads);
  double total = 0.0;
  double mean = 0.0;
  Pair center{0.0, 0.0};
  for (std::size_t i = 0; i < n; ++i) {
    const Pair c = controls_of(scores, i, head);
    total += scores.weight[i];
    mean += scores.weight[i] * robust[i * heads + head];
    for (std::size_t j = 0; j < 2; ++j) center[j] += scores.weight[i] * c[j];
  }
  mean /= total;
  for (double& c : center) c /= total;
  std::array<double, 4> factor{};
  Pair right{0.0, 0.0};
  for (std::size_t i = 0; i < n; ++i) {
    const Pair c = controls_of(scores, i, head);
    const double square = scores.weight[i] * scores.weight[i];
    const Pair off{c[0] - center[0], c[1] - center[1]};
    for (std::size_t j = 0; j < 2; ++j) {
      for (std::size_t k = 0; k <= j; ++k) factor[j * 2 + k] += square * off[j] * off[k];
      right[j] += square * off[j] * (robust[i * heads + head] - mean);
    }
  }
  if (std::ranges::all_of(scores.ratio, [](double w) { return w == 0.0; })) right = {0.0, 0.0};
  semi_cholesky(factor, 2);
  const Pair slope = solved(factor, right);
  const Pair pull = solved(factor, center);
  Fitted out{.value = mean - slope[0] * center[0] - slope[1] * center[1]};
  out.error.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Pair c = controls_of(scores, i, head);
    const double weight = scores.weight[i];
    const Pair off{c[0] - center[0], c[1] - center[1]};
    const Pair bent = solved(factor, off);
    const double leverage =
        weight / total + weight * weight * (off[0] * bent[0] + off[1] * bent[1]);
    const double share = weight / total - weight * weight * (pull[0] * off[0] + pull[1] * off[1]);
    const double residual =
        robust[i * heads + head] - out.value - slope[0] * c[0] - slope[1] * c[1];
    out.error.push_back(share * residual / std::max(1.0 - leverage, 1e-8));
  }
  return out;
}

}  // namespace

std::array<double, 2> controls_of(const PolicyScores& scores, std::size_t i, std::size_t head) {
  const std::size_t heads = static_cast<std::size_t>(scores.heads);
  const double predicted = scores.outcome[i * heads + head] - scores.residual[i * heads + head];
  return {scores.ratio[i] - 1.0, scores.ratio[i] * predicted - scores.direct[i * heads + head]};
}

PolicyValue efficient_of(const PolicyScores& scores, std::vector<double>& errors) {
  const std::size_t heads = static_cast<std::size_t>(scores.heads);
  const std::vector<double> robust = robust_scores(scores, scores.ratio);
  PolicyValue out{.estimator = "efficient_dr"};
  errors.resize(scores.size() * heads);
  for (std::size_t head = 0; head < heads; ++head) {
    const Fitted fitted = fit_head(scores, robust, head);
    out.value.push_back(fitted.value);
    for (std::size_t i = 0; i < scores.size(); ++i) errors[i * heads + head] = fitted.error[i];
  }
  set_errors(out, errors, scores.units, false, true);
  return out;
}

}  // namespace rein
