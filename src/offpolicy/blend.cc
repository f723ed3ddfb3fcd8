// blend: an estimate of less variance than efficient_dr, unless the log contradicts it.
//
// In logs of fixed policies that estimate is dm, the regressions alone. It is compared with a richer
// efficient_dr, whose regressions also have the squares of the features (with_squares). t is the larger of
//   - the distance of the two, in standard errors, less 1. Both errors count, also that of the
//     coefficients: dm is a weighted sum of outcomes, and the weights of a ridge regression are known;
//   - the size of the slope of the residuals on the predictions, in standard errors. It is far from 0
//     if the regressions follow noise.
// Up to t = 2 blend is dm, from 3 on the richer one, and in between they are mixed. Where the model is
// right this has the small error of dm. Where it is wrong by much, or dm is the noisier one, it is
// doubly robust.
//
// In logs of learners regressions come from earlier rows alone, and the first ones are poor. There it
// is dros, mixed with efficient_dr such that the estimated squared bias plus variance is least.
//
// blend is never outside the interval of efficient_dr.
#include <algorithm>
#include <cmath>

#include "offpolicy/dense.h"
#include "offpolicy/scores.h"

namespace rein {
namespace {

// Regressions on the squares of the features (with_squares), for what lines cannot follow.
//
// A ridge regression per action and head fits the residuals of the predictions, on the square of each
// feature less the part that the feature itself explains. Rows are predicted by folds that never saw
// them. A feature with two values has no such square. Then
//
//   prediction + step * fitted,   step = sum(residual * fitted) / sum(fitted^2), within [0, 1],
//
// over the rows of the log. Where lines are right the fit follows noise, of which nothing is left in
// other rows, so the step is about 0.

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
    sum += rows.weight(row) * value(context_of(rows, row));
  }
  return total > 0.0 ? sum / total : 0.0;
}

// Squares that vary less are rounding.
constexpr double kLeastSquareVariance = 1e-9;

// The features that have more than two values.
std::vector<Feature> curved_features(const OfflineRows& rows) {
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
    if (spread > kLeastSquareVariance) out.push_back(f);
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
      squares.push_back(f.square(context_of(rows, row)));
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

namespace {

// Logs with more actions x (1 + features)^2 leave the errors of the coefficients out: 128 MiB.
constexpr std::int64_t kCoefficientCells = std::int64_t{1} << 24;
// In standard errors: a smaller bias of dm costs less than the noise of efficient_dr.
constexpr double kSparedBias = 1.0;

// The slope of residuals on predictions over the rows of the log, in its standard errors.
double slope_of_residuals(const PolicyScores& scores, std::size_t head) {
  const std::size_t n = scores.size();
  const std::size_t heads = at(scores.heads);
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

// What the outcome of each row weighs in dm, if its predictions are those of a ridge regression per
// action on the context: z' (sum z z' + I)^-1 (mean of target z), with the sum over rows of its action.
class OutcomeWeights {
 public:
  OutcomeWeights(const OfflineRows& rows, std::span<const double> target,
                 const PolicyScores& scores)
      : rows_(rows),
        scores_(scores),
        size_(1 + at(rows.features)),
        scaling_(at(rows.features)),
        z_(size_) {
    for (std::size_t i = 0; i < scores.size(); ++i) {
      total_ += scores.weight[i];
      scaling_.add(context_of(rows, scores.row[i]), scores.weight[i]);
    }
    scaling_.finish();
    const std::size_t actions = at(rows.actions);
    const std::size_t square = size_ * size_;
    std::vector<double> gram(actions * square, 0.0);
    met_.assign(actions * size_, 0.0);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      load(i);
      const double weight = scores.weight[i];
      double* to = gram.data() + at(rows.played[at(scores.row[i])]) * square;
      add_outer(weight, z_, to);
      for (std::size_t a = 0; a < actions; ++a) {
        const double share = weight / total_ * target[at(scores.row[i]) * actions + a];
        if (share == 0.0) continue;
        for (std::size_t j = 0; j < size_; ++j) met_[a * size_ + j] += share * z_[j];
      }
    }
    for (std::size_t a = 0; a < actions; ++a) {
      const std::span<double> factor(gram.data() + a * square, square);
      for (std::size_t j = 1; j < size_; ++j) factor[j * size_ + j] += 1.0;
      semi_cholesky(factor, static_cast<int>(size_));
      semi_solve(factor, static_cast<int>(size_), {met_.data() + a * size_, size_});
    }
  }

  double total() const { return total_; }
  double of(std::size_t i) {
    load(i);
    const double* line = met_.data() + at(rows_.played[at(scores_.row[i])]) * size_;
    double sum = 0.0;
    for (std::size_t j = 0; j < size_; ++j) sum += line[j] * z_[j];
    return scores_.weight[i] * sum;
  }

 private:
  void load(std::size_t i) { scaling_.apply(context_of(rows_, scores_.row[i]), z_); }

  const OfflineRows& rows_;
  const PolicyScores& scores_;
  std::size_t size_;
  double total_ = 0.0;
  Standardizer scaling_;
  std::vector<double> z_;
  std::vector<double> met_;  // actions x size
};

// 0 up to 2, 1 from 3 on.
double ramp(double t) { return std::clamp(t - 2.0, 0.0, 1.0); }

// Two estimates of one head, by what every row adds to their errors (rows x heads).
struct Compared {
  double square = 0.0;    // of their distance
  double variance = 0.0;  // of their distance
  double gain = 0.0;      // what the variance of `robust` loses per part of the way to `other`
  double other = 0.0;     // variance of `other`
  double robust = 0.0;    // variance of `robust`
};
Compared compared(double distance, std::span<const double> other, std::span<const double> robust,
                  std::size_t heads, std::size_t head) {
  Compared out{.square = distance * distance};
  for (std::size_t i = head; i < other.size(); i += heads) {
    const double off = other[i] - robust[i];
    out.variance += off * off;
    out.gain -= off * robust[i];
    out.other += other[i] * other[i];
    out.robust += robust[i] * robust[i];
  }
  return out;
}

// How much of dm there is, beside the richer efficient_dr.
double share_of_direct(const Compared& two, double slope) {
  if (two.other >= two.robust) return 0.0;
  const double distance = two.square > 0.0 ? std::sqrt(two.square / two.variance) : 0.0;
  return 1.0 - ramp(std::max(distance - kSparedBias, slope));
}

// How much of dros there is, beside efficient_dr: the share s with the least variance + (s bias)^2.
// The squared distance is on average the squared bias plus its own variance. It counts as bias from
// twice the variance on, as in Akaike's criterion.
double share_of_shrunk(const Compared& two) {
  const double bias_and_noise = std::max(two.variance, 0.5 * two.square);
  return bias_and_noise > 0.0 ? std::clamp(two.gain / bias_and_noise, 0.0, 1.0) : 0.0;
}

// What every row adds to the error of the mean of scores (rows x heads).
std::vector<double> errors_of(const PolicyScores& scores, std::span<const double> each,
                              const PolicyValue& mean) {
  const std::size_t heads = at(scores.heads);
  double total = 0.0;
  for (const double weight : scores.weight) total += weight;
  std::vector<double> out(each.begin(), each.end());
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = scores.weight[i / heads] / total * (out[i] - mean.value[i % heads]);
  return out;
}

// The errors of dm, with those of the coefficients.
std::vector<double> errors_of_direct(const OfflineRows& rows, std::span<const double> target,
                                     const PolicyScores& scores, const PolicyValue& direct) {
  std::vector<double> out = errors_of(scores, scores.direct, direct);
  const std::int64_t size = 1 + static_cast<std::int64_t>(rows.features);
  if (size * size > kCoefficientCells / rows.actions) return out;
  const std::size_t heads = at(scores.heads);
  OutcomeWeights weights(rows, target, scores);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double each = weights.of(i);
    for (std::size_t h = 0; h < heads; ++h)
      out[i * heads + h] += each * scores.residual[i * heads + h];
  }
  return out;
}

}  // namespace

PolicyValue blend_of(const OfflineRows& rows, std::span<const double> target,
                     std::span<const double> predicted, const PolicyScores& scores,
                     const BlendParts& parts) {
  const std::size_t heads = at(scores.heads);
  PolicyValue robust = parts.efficient;
  std::vector<double> robust_errors(parts.errors.begin(), parts.errors.end());
  PolicyValue other = parts.shrunk;
  std::vector<double> errors;
  if (parts.adaptive) {
    errors = errors_of(scores, parts.scores, other);
  } else {
    robust =
        efficient_of(policy_scores(rows, target, with_squares(rows, predicted)), robust_errors);
    other = mean_of("dm", scores.direct, scores.weight, scores.heads, scores.units, false);
    errors = errors_of_direct(rows, target, scores, other);
  }
  PolicyValue out{.estimator = "blend", .covariance = parts.efficient.covariance};
  for (std::size_t h = 0; h < heads; ++h) {
    const double distance = other.value[h] - robust.value[h];
    const Compared two = compared(distance, errors, robust_errors, heads, h);
    const double share =
        parts.adaptive ? share_of_shrunk(two) : share_of_direct(two, slope_of_residuals(scores, h));
    out.value.push_back(std::clamp(share * other.value[h] + (1.0 - share) * robust.value[h],
                                   parts.efficient.low[h], parts.efficient.high[h]));
  }
  out.low = out.high = std::vector<double>(out.value.size(), kNan);
  return out;
}

}  // namespace rein
