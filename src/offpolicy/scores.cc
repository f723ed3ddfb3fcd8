#include "offpolicy/scores.h"

#include <cmath>
#include <utility>

#include "base/math.h"
#include "offpolicy/at.h"

namespace rein {

PolicyScores policy_scores(const OfflineRows& rows, std::span<const double> target,
                           std::span<const double> predicted) {
  PolicyScores out{.heads = rows.heads};
  const std::size_t heads = at(rows.heads);
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    if (!rows.complete(row) || rows.weight(row) <= 0.0) continue;
    const std::size_t played = at(rows.played[at(row)]);
    const double* pi = target.data() + row * rows.actions;
    const double* q = predicted.data() + at(row) * at(rows.actions) * heads;
    out.row.push_back(row);
    out.weight.push_back(rows.weight(row));
    out.ratio.push_back(pi[played] / rows.propensity[at(row)]);
    for (std::size_t head = 0; head < heads; ++head) {
      const double y = rows.outcomes[at(row) * heads + head];
      double direct = 0.0;
      for (int a = 0; a < rows.actions; ++a) direct += pi[a] * q[at(a) * heads + head];
      out.outcome.push_back(y);
      out.direct.push_back(direct);
      out.residual.push_back(y - q[played * heads + head]);
    }
  }
  return out;
}

PolicyValue mean_of(std::string name, std::span<const double> scores,
                    std::span<const double> weights, int heads, bool interval) {
  PolicyValue out{.estimator = std::move(name), .value = std::vector<double>(at(heads), 0.0)};
  double total = 0.0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    total += weights[i];
    for (int head = 0; head < heads; ++head) {
      out.value[at(head)] += weights[i] * scores[i * at(heads) + at(head)];
    }
  }
  for (double& v : out.value) v /= total;
  add_covariance(out, heads, weights.size(), total, true, [&](std::size_t i, int head) {
    return weights[i] * (scores[i * at(heads) + at(head)] - out.value[at(head)]);
  });
  add_interval(out, interval);
  return out;
}

PolicyValue ratio_of(std::string name, const PolicyScores& scores) {
  const int heads = scores.heads;
  PolicyValue out{.estimator = std::move(name), .value = std::vector<double>(at(heads), 0.0)};
  double total = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double w = scores.weight[i] * scores.ratio[i];
    total += w;
    for (int head = 0; head < heads; ++head) {
      out.value[at(head)] += w * scores.outcome[i * at(heads) + at(head)];
    }
  }
  for (double& v : out.value) v = total > 0.0 ? v / total : kNan;
  add_covariance(out, heads, scores.size(), total, true, [&](std::size_t i, int head) {
    return scores.weight[i] * scores.ratio[i] *
           (scores.outcome[i * at(heads) + at(head)] - out.value[at(head)]);
  });
  add_interval(out, true);
  return out;
}

void add_interval(PolicyValue& value, bool interval) {
  const std::size_t heads = value.value.size();
  for (std::size_t head = 0; head < heads; ++head) {
    const double error = std::sqrt(value.covariance[head * heads + head]);
    const double skewness = value.skewness.empty() ? 0.0 : value.skewness[head];
    const double reach = interval ? quantile95(skewness) * error : kNan;
    value.low.push_back(value.value[head] - reach);
    value.high.push_back(value.value[head] + reach);
  }
}

double quantile95(double skewness) {
  constexpr double kSquare = kNormal95 * kNormal95;
  return kNormal95 * (1.0 + skewness * skewness * (kSquare * kSquare + 2.0 * kSquare - 3.0) / 18.0);
}

std::vector<double> robust_scores(const PolicyScores& scores, std::span<const double> ratio) {
  std::vector<double> out(scores.direct);
  const std::size_t heads = at(scores.heads);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (std::size_t h = 0; h < heads; ++h)
      out[i * heads + h] += ratio[i] * scores.residual[i * heads + h];
  }
  return out;
}

}  // namespace rein
