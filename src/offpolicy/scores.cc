#include "offpolicy/scores.h"

#include <cmath>
#include <utility>

#include "base/math.h"

namespace rein {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

void add_interval(PolicyValue& value, int heads, bool interval) {
  for (int head = 0; head < heads; ++head) {
    const double error = std::sqrt(value.covariance[at(head) * at(heads) + at(head)]);
    const double reach = interval ? kNormal95 * error : kNan;
    value.low.push_back(value.value[at(head)] - reach);
    value.high.push_back(value.value[at(head)] + reach);
  }
}

// covariance = n / (n - 1) sum of outer products of deviations / total^2, where deviations(i, head)
// is what row i adds to the numerator, less its share of the estimate.
template <class Deviations>
void add_covariance(PolicyValue& value, int heads, std::size_t n, double total,
                    const Deviations& deviations) {
  value.covariance.assign(at(heads) * at(heads), 0.0);
  std::vector<double> now(at(heads));
  std::vector<double> third(at(heads), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (int head = 0; head < heads; ++head) now[at(head)] = deviations(i, head);
    for (int h = 0; h < heads; ++h) third[at(h)] += now[at(h)] * now[at(h)] * now[at(h)];
    for (int g = 0; g < heads; ++g) {
      for (int h = 0; h < heads; ++h)
        value.covariance[at(g) * at(heads) + at(h)] += now[at(g)] * now[at(h)];
    }
  }
  for (int h = 0; h < heads; ++h) {
    const double square = value.covariance[at(h) * at(heads) + at(h)];
    value.skewness.push_back(square > 0.0 ? third[at(h)] / (square * std::sqrt(square)) : 0.0);
  }
  const double count = static_cast<double>(n);
  const double factor = n > 1 ? count / (count - 1.0) : kNan;
  for (double& c : value.covariance) c *= factor / (total * total);
}

}  // namespace

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
  add_covariance(out, heads, weights.size(), total, [&](std::size_t i, int head) {
    return weights[i] * (scores[i * at(heads) + at(head)] - out.value[at(head)]);
  });
  add_interval(out, heads, interval);
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
  add_covariance(out, heads, scores.size(), total, [&](std::size_t i, int head) {
    return scores.weight[i] * scores.ratio[i] *
           (scores.outcome[i * at(heads) + at(head)] - out.value[at(head)]);
  });
  add_interval(out, heads, true);
  return out;
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
