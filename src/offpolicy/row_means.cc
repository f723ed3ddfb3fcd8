#include "offpolicy/row_means.h"

#include <cmath>
#include <utility>

#include "base/math.h"
#include "offpolicy/at.h"

namespace rein {
namespace {

constexpr double kReach95 = 1.959963984540054;

}  // namespace

PolicyValue row_means(std::string name, std::span<const double> scores,
                      std::span<const double> weights, int heads, bool interval) {
  const std::size_t h = at(heads);
  PolicyValue out{.estimator = std::move(name),
                  .value = std::vector<double>(h, 0.0),
                  .covariance = std::vector<double>(h * h, 0.0)};
  double total = 0.0;
  double count = 0.0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0.0) continue;
    total += weights[i];
    count += 1.0;
    for (std::size_t g = 0; g < h; ++g) out.value[g] += weights[i] * scores[i * h + g];
  }
  for (double& value : out.value) value = count > 0.0 ? value / total : kNan;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0.0) continue;
    for (std::size_t g = 0; g < h; ++g) {
      const double one = weights[i] * (scores[i * h + g] - out.value[g]);
      for (std::size_t k = 0; k < h; ++k) {
        out.covariance[g * h + k] += one * weights[i] * (scores[i * h + k] - out.value[k]);
      }
    }
  }
  const double factor = count > 1.0 ? count / (count - 1.0) / (total * total) : kNan;
  for (double& c : out.covariance) c *= factor;
  for (std::size_t g = 0; g < h; ++g) {
    const double reach = interval ? kReach95 * std::sqrt(out.covariance[g * h + g]) : kNan;
    out.low.push_back(out.value[g] - reach);
    out.high.push_back(out.value[g] + reach);
  }
  return out;
}

RowScores robust_rows(const OfflineRows& rows, std::span<const double> target,
                      std::span<const double> predicted) {
  RowScores out = logged_rows(rows);
  const std::size_t h = at(rows.heads);
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    if (out.weights[at(row)] <= 0.0) continue;
    const double* pi = target.data() + row * rows.actions;
    const double* q = predicted.data() + at(row) * at(rows.actions) * h;
    const std::size_t played = at(rows.played[at(row)]);
    const double ratio = pi[played] / rows.propensity[at(row)];
    for (std::size_t g = 0; g < h; ++g) {
      double direct = 0.0;
      for (int a = 0; a < rows.actions; ++a) direct += pi[a] * q[at(a) * h + g];
      double& score = out.scores[at(row) * h + g];
      score = direct + ratio * (score - q[played * h + g]);
    }
  }
  return out;
}

RowScores logged_rows(const OfflineRows& rows) {
  RowScores out;
  out.scores.assign(rows.outcomes.begin(), rows.outcomes.end());
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    out.weights.push_back(rows.complete(row) ? rows.weight(row) : 0.0);
  }
  return out;
}

}  // namespace rein
