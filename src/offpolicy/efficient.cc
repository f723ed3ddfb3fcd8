// efficient_dr: the doubly robust mean with the multiples of two control variates that make its
// variance least. Both are 0 on average if propensities are right:
//
//   w - 1                                   0 on average for every policy
//   w predicted(played) - m                 what dr adds to ips to make it robust
//
// ips, dr and, for many rows, snips are the estimate at certain multiples, so it is no worse than the
// best of them (Kallus, Uehara, NeurIPS 2019; Tan, Biometrika 2010). Where predictions are poor it
// leaves them out, where they are good it keeps them.
//
// It is the constant of a least-squares regression of the scores on the two. Its variance is that of
// MacKinnon and White (HC3): residuals are divided by one minus the leverage of the row, so rows with
// large weights, which pull the regression to themselves, do not look precise.
//
// blend: the regressions alone (dm) unless the log contradicts them. t is the larger of two
// distances from 0, in standard errors: of dm from efficient_dr, and of the slope of the residuals on
// the predictions, which is below 0 if the regressions follow noise. Up to t = 2 it is dm, from 3 on
// efficient_dr, and in between they are mixed; never outside the interval of efficient_dr. Where the
// model is right this has the small error of dm. Where it is wrong by much, or dm is the noisier
// one, it is efficient_dr.
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

// The slope of residuals on predictions over the rows of the log, in its standard errors.
double slope_of_residuals(const PolicyScores& scores, std::size_t head) {
  const std::size_t n = scores.size();
  const std::size_t heads = static_cast<std::size_t>(scores.heads);
  const auto residual = [&](std::size_t i) { return scores.residual[i * heads + head]; };
  const auto predicted = [&](std::size_t i) {
    return scores.outcome[i * heads + head] - residual(i);
  };
  double total = 0.0;
  double mean = 0.0;
  double left = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    total += scores.weight[i];
    mean += scores.weight[i] * predicted(i);
    left += scores.weight[i] * residual(i);
  }
  mean /= total;
  left /= total;
  double square = 0.0;
  double product = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double off = predicted(i) - mean;
    square += scores.weight[i] * off * off;
    product += scores.weight[i] * off * (residual(i) - left);
  }
  if (!(square > 0.0)) return 0.0;
  const double slope = product / square;
  double spread = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double off = predicted(i) - mean;
    const double now = scores.weight[i] * off * (residual(i) - left - slope * off);
    spread += now * now;
  }
  return spread > 0.0 ? std::abs(product) / std::sqrt(spread) : 0.0;
}

}  // namespace

std::array<double, 2> controls_of(const PolicyScores& scores, std::size_t i, std::size_t head) {
  const std::size_t heads = static_cast<std::size_t>(scores.heads);
  const double predicted = scores.outcome[i * heads + head] - scores.residual[i * heads + head];
  return {scores.ratio[i] - 1.0, scores.ratio[i] * predicted - scores.direct[i * heads + head]};
}

PolicyValue efficient_of(const PolicyScores& scores, PolicyValue& blend) {
  const std::size_t heads = static_cast<std::size_t>(scores.heads);
  const std::vector<double> robust = robust_scores(scores, scores.ratio);
  std::vector<Fitted> fitted;
  PolicyValue out{.estimator = "efficient_dr"};
  for (std::size_t head = 0; head < heads; ++head) {
    fitted.push_back(fit_head(scores, robust, head));
    out.value.push_back(fitted.back().value);
  }
  add_covariance(out, scores.heads, scores.size(), 1.0, false, [&](std::size_t i, int head) {
    return fitted[static_cast<std::size_t>(head)].error[i];
  });
  add_interval(out, true);
  const PolicyValue direct = mean_of("blend", scores.direct, scores.weight, scores.heads, false);
  double total = 0.0;
  for (const double weight : scores.weight) total += weight;
  blend = direct;
  for (std::size_t head = 0; head < heads; ++head) {
    double apart = 0.0;  // variance of the difference
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double off =
          scores.weight[i] / total * (scores.direct[i * heads + head] - direct.value[head]);
      apart += (off - fitted[head].error[i]) * (off - fitted[head].error[i]);
    }
    const double difference = std::abs(direct.value[head] - out.value[head]);
    const double t = std::max(difference > 0.0 ? difference / std::sqrt(apart) : 0.0,
                              slope_of_residuals(scores, head));
    const std::size_t place = head * heads + head;
    const bool noisier = direct.covariance[place] >= out.covariance[place];
    const double share = noisier ? 1.0 : std::clamp(t - 2.0, 0.0, 1.0);
    const double mixed = (1.0 - share) * direct.value[head] + share * out.value[head];
    blend.value[head] = std::clamp(mixed, out.low[head], out.high[head]);
  }
  return out;
}

}  // namespace rein
