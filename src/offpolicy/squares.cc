// Regressions on the squares of the features, for what lines cannot follow.
//
// A ridge regression per action and head fits the residuals of the predictions, on the square of each
// feature less the part that the feature itself explains. Rows are predicted by folds that never saw
// them. A feature with two values has no such square. Then
//
//   prediction + step * fitted,   step = sum(residual * fitted) / sum(fitted^2), within [0, 1],
//
// over the rows of the log. Where lines are right the fit follows noise, of which nothing is left in
// other rows, so the step is about 0.
#include <algorithm>
#include <cmath>

#include "offpolicy/at.h"
#include "offpolicy/scores.h"

namespace rein {
namespace {

// What the square of a feature needs: with z = (x - mean) / deviation, it is z^2 - 1 - skewness z.
struct Feature {
  int column = 0;
  double mean = 0.0, scale = 0.0, skewness = 0.0;

  double square(const double* context) const {
    const double z = (context[column] - mean) * scale;
    return z * z - 1.0 - skewness * z;
  }
};

// The mean over complete rows of value(context).
template <class Value>
double mean_over(const OfflineRows& rows, const Value& value) {
  double total = 0.0;
  double sum = 0.0;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    if (!rows.complete(row)) continue;
    total += rows.weight(row);
    sum += rows.weight(row) * value(rows.context.data() + row * rows.features);
  }
  return total > 0.0 ? sum / total : 0.0;
}

// The features that have more than two values.
std::vector<Feature> curved_features(const OfflineRows& rows) {
  constexpr double kLeastVariance = 1e-9;  // of a square; less is rounding
  std::vector<Feature> out;
  for (int j = 0; j < rows.features; ++j) {
    Feature f{.column = j, .mean = mean_over(rows, [&](const double* x) { return x[j]; })};
    const double variance =
        mean_over(rows, [&](const double* x) { return (x[j] - f.mean) * (x[j] - f.mean); });
    if (!(variance > 0.0)) continue;
    f.scale = 1.0 / std::sqrt(variance);
    const auto z = [&](const double* x) { return (x[j] - f.mean) * f.scale; };
    f.skewness = mean_over(rows, [&](const double* x) { return z(x) * z(x) * z(x); });
    const double spread =
        mean_over(rows, [&](const double* x) { return f.square(x) * f.square(x); });
    if (spread > kLeastVariance) out.push_back(f);
  }
  return out;
}

// out[row * heads + head]: outcome - prediction of the played action.
std::vector<double> residuals_of(const OfflineRows& rows, std::span<const double> predicted) {
  const std::size_t heads = at(rows.heads);
  std::vector<double> out(rows.outcomes.begin(), rows.outcomes.end());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t row = i / heads;
    out[i] -= predicted[(row * at(rows.actions) + at(rows.played[row])) * heads + i % heads];
  }
  return out;
}

double step_of(const OfflineRows& rows, std::span<const double> residuals,
               std::span<const double> fitted, std::size_t head) {
  const std::size_t heads = at(rows.heads);
  double product = 0.0;
  double square = 0.0;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    if (!rows.complete(row)) continue;
    const double f = fitted[(at(row) * at(rows.actions) + at(rows.played[at(row)])) * heads + head];
    product += rows.weight(row) * f * residuals[at(row) * heads + head];
    square += rows.weight(row) * f * f;
  }
  return square > 0.0 ? std::clamp(product / square, 0.0, 1.0) : 0.0;
}

}  // namespace

std::vector<double> with_squares(const OfflineRows& rows, std::span<const double> predicted) {
  std::vector<double> out(predicted.begin(), predicted.end());
  const std::vector<Feature> features = curved_features(rows);
  if (features.empty()) return out;
  std::vector<double> squares;
  squares.reserve(at(rows.rows) * features.size());
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    for (const Feature& f : features)
      squares.push_back(f.square(rows.context.data() + row * rows.features));
  }
  const std::vector<double> residuals = residuals_of(rows, predicted);
  OfflineRows left = rows;
  left.features = static_cast<int>(features.size());
  left.context = squares;
  left.outcomes = residuals;
  const auto fitted = cross_fit(left);
  if (!fitted) return out;  // too large for memory
  const std::size_t heads = at(rows.heads);
  for (std::size_t head = 0; head < heads; ++head) {
    const double step = step_of(rows, residuals, fitted.value(), head);
    for (std::size_t i = head; i < out.size(); i += heads) out[i] += step * fitted.value()[i];
  }
  return out;
}

}  // namespace rein
