#include "offpolicy/row_means.h"

#include <utility>
#include <vector>

#include "offpolicy/at.h"
#include "offpolicy/scores.h"

namespace rein {

PolicyValue row_means(std::string name, std::span<const double> scores,
                      std::span<const double> weights, int heads,
                      std::span<const std::int32_t> units, bool interval) {
  const std::size_t h = at(heads);
  std::vector<std::int64_t> rows;
  std::vector<double> kept, kept_weights;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0.0) continue;
    rows.push_back(static_cast<std::int64_t>(i));
    kept_weights.push_back(weights[i]);
    const auto first = scores.begin() + static_cast<std::ptrdiff_t>(i * h);
    kept.insert(kept.end(), first, first + static_cast<std::ptrdiff_t>(h));
  }
  return mean_of(std::move(name), kept, kept_weights, heads, Units::some({.unit = units}, rows),
                 interval);
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
