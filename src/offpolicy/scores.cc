#include "offpolicy/scores.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/math.h"
#include "offpolicy/rows.h"

namespace rein {
namespace {

// What is left of numbers that should cancel is rounding, and no outcome: the cost of a free action.
void drop_rounding(PolicyScores& scores) {
  const std::size_t heads = at(scores.heads);
  std::vector<double> least(heads, 0.0);
  for (std::size_t i = 0; i < scores.outcome.size(); ++i)
    least[i % heads] = std::max(least[i % heads], 1e-13 * std::abs(scores.outcome[i]));
  for (auto* list : {&scores.direct, &scores.residual}) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (std::abs((*list)[i]) <= least[i % heads]) (*list)[i] = 0.0;
    }
  }
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
  drop_rounding(out);
  out.units = Units::some(rows, out.row);
  return out;
}

PolicyScores logged_scores(const OfflineRows& rows) {
  PolicyScores out{.heads = rows.heads};
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    if (!rows.complete(row) || rows.weight(row) <= 0.0) continue;
    out.row.push_back(row);
    out.weight.push_back(rows.weight(row));
    out.ratio.push_back(1.0);
    const double* y = rows.outcomes.data() + row * rows.heads;
    out.outcome.insert(out.outcome.end(), y, y + rows.heads);
  }
  out.residual = out.outcome;
  out.direct.assign(out.outcome.size(), 0.0);
  out.units = Units::some(rows, out.row);
  return out;
}

PolicyValue mean_of(std::string name, std::span<const double> scores,
                    std::span<const double> weights, int heads, const Units& units, bool interval) {
  PolicyValue out{.estimator = std::move(name), .value = std::vector<double>(at(heads), 0.0)};
  double total = 0.0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    total += weights[i];
    for (std::size_t h = 0; h < at(heads); ++h)
      out.value[h] += weights[i] * scores[i * at(heads) + h];
  }
  for (double& v : out.value) v /= total;
  std::vector<double> errors(scores.begin(), scores.end());
  for (std::size_t i = 0; i < errors.size(); ++i) {
    errors[i] = weights[i / at(heads)] * (errors[i] - out.value[i % at(heads)]) / total;
  }
  set_errors(out, errors, units, true, interval);
  return out;
}

PolicyValue ratio_of(std::string name, const PolicyScores& scores) {
  const std::size_t heads = at(scores.heads);
  PolicyValue out{.estimator = std::move(name), .value = std::vector<double>(heads, 0.0)};
  double total = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double w = scores.weight[i] * scores.ratio[i];
    total += w;
    for (std::size_t h = 0; h < heads; ++h) out.value[h] += w * scores.outcome[i * heads + h];
  }
  for (double& v : out.value) v = total > 0.0 ? v / total : kNan;
  std::vector<double> errors(scores.outcome);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const double w = scores.weight[i / heads] * scores.ratio[i / heads];
    errors[i] = w * (errors[i] - out.value[i % heads]) / total;
  }
  set_errors(out, errors, scores.units, true, true);
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
