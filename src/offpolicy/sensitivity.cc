#include "offpolicy/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rein {
namespace {

// One residual with the least and the largest weight that it may have.
struct Bounded {
  double residual, low, high;
};

struct Extreme {
  double value = 0.0;    // sum v residual / sum v
  std::size_t high = 0;  // this many rows, from the start, have their largest weight
};

// The largest weighted mean of residuals in descending order: the first rows get their largest
// weights, the others their least.
Extreme largest(const std::vector<Bounded>& sorted) {
  double top = 0.0;
  double total = 0.0;
  for (const Bounded& row : sorted) {
    top += row.low * row.residual;
    total += row.low;
  }
  Extreme best{top / total, 0};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    top += (sorted[i].high - sorted[i].low) * sorted[i].residual;
    total += sorted[i].high - sorted[i].low;
    if (top / total > best.value) best = {top / total, i + 1};
  }
  return best;
}

// The largest value with 1.96 standard errors at its weights; sign -1 for the least.
double end_of(const PolicyScores& scores, std::size_t head, const std::vector<double>& lows,
              const std::vector<double>& highs, double sign) {
  const std::size_t heads = static_cast<std::size_t>(scores.heads);
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto residual = [&](std::size_t i) { return sign * scores.residual[i * heads + head]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return residual(i) > residual(j); });
  std::vector<Bounded> sorted;
  sorted.reserve(order.size());
  for (const std::size_t i : order) sorted.push_back({residual(i), lows[i], highs[i]});
  const Extreme best = largest(sorted);
  double total = 0.0;
  double weights = 0.0;
  double direct = 0.0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    total += k < best.high ? sorted[k].high : sorted[k].low;
    weights += scores.weight[order[k]];
    direct += scores.weight[order[k]] * sign * scores.direct[order[k] * heads + head];
  }
  direct /= weights;
  std::vector<double> errors(scores.units.size(scores.size()), 0.0);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const double v = k < best.high ? sorted[k].high : sorted[k].low;
    const std::size_t i = order[k];
    errors[scores.units.of.empty() ? i : static_cast<std::size_t>(scores.units.of[i])] +=
        scores.weight[i] * (sign * scores.direct[i * heads + head] - direct) / weights +
        v * (sorted[k].residual - best.value) / total;
  }
  double square = 0.0;
  for (const double error : errors) square += error * error;
  return sign * (direct + best.value + kNormal95 * std::sqrt(square));
}

}  // namespace

SensitivityBand sensitivity_of(const PolicyScores& scores, std::span<const double> propensity,
                               int head, double lambda) {
  std::vector<double> lows(scores.size());
  std::vector<double> highs(scores.size());
  const std::size_t heads = static_cast<std::size_t>(scores.heads);
  const std::size_t h = static_cast<std::size_t>(head);
  double direct = 0.0;
  double weights = 0.0;
  double sum = 0.0;
  double total = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double p = propensity[static_cast<std::size_t>(scores.row[i])];
    const double odds = 1.0 / p - 1.0;
    const double scale = scores.weight[i] * scores.ratio[i] * p;
    lows[i] = scale * (1.0 + odds / lambda);
    highs[i] = scale * (1.0 + lambda * odds);
    direct += scores.weight[i] * scores.direct[i * heads + h];
    weights += scores.weight[i];
    const double w = scores.weight[i] * scores.ratio[i];
    sum += w * scores.residual[i * heads + h];
    total += w;
  }
  if (!(total > 0.0)) return {.value = kNan, .low = kNan, .high = kNan};
  return {.value = direct / weights + sum / total,
          .low = end_of(scores, h, lows, highs, -1.0),
          .high = end_of(scores, h, lows, highs, 1.0)};
}

Result<SensitivityBand> sensitivity_band(const OfflineRows& rows, std::span<const double> target,
                                         std::span<const double> predicted, int head,
                                         double lambda) {
  if (!(lambda >= 1.0 && lambda <= kMostLambda)) {
    return Error{
        fmt::format("sensitivity: found lambda {}; accepted: 1 to {:g}", lambda, kMostLambda)};
  }
  if (head < 0 || head >= rows.heads) {
    return Error{
        fmt::format("sensitivity: found head {}; accepted: 0 to {}", head, rows.heads - 1)};
  }
  // Checks the rows, the policy and the predictions.
  auto checked = evaluate_policy(rows, target, predicted,
                                 {.switch_at = 1.0, .shrink = 1.0, .adaptive = Adaptive::kNo});
  if (!checked) return checked.failure();
  const SensitivityBand out =
      sensitivity_of(policy_scores(rows, target, predicted), rows.propensity, head, lambda);
  if (std::isnan(out.value)) {
    return Error{"sensitivity: the log never played an action that the policy plays"};
  }
  return out;
}

}  // namespace rein
