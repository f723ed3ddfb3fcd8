// blend: an estimate of less variance than efficient_dr, unless the log contradicts it.
//
// In logs of fixed policies that estimate is dm, the regressions alone. t is the larger of
//   - the distance of dm from efficient_dr, in standard errors, less 1. Both errors count, also that
//     of the coefficients: dm is a weighted sum of outcomes, and the weights of a ridge regression
//     are known;
//   - the size of the slope of the residuals on the predictions, in standard errors. It is far from 0
//     if the regressions follow noise.
// Up to t = 2 blend is dm, from 3 on efficient_dr, and in between they are mixed. Where the model is
// right this has the small error of dm. Where it is wrong by much, or dm is the noisier one, it is
// efficient_dr.
//
// In logs of learners regressions come from earlier rows alone, and the first ones are poor. There the
// estimate is dros, by its distance from efficient_dr alone.
//
// blend is never outside the interval of efficient_dr.
#include <algorithm>
#include <cmath>

#include "offpolicy/at.h"
#include "offpolicy/dense.h"
#include "offpolicy/scores.h"

namespace rein {
namespace {

constexpr std::int64_t kMostCells = std::int64_t{1} << 24;  // 128 MiB; more leave these errors out
// In standard errors: a smaller bias costs less than the noise of efficient_dr.
constexpr double kSpared = 1.0;

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
        mean_(size_, 0.0),
        scale_(size_, 0.0),
        z_(size_, 1.0) {
    describe();
    const std::size_t actions = at(rows.actions);
    const std::size_t square = size_ * size_;
    std::vector<double> gram(actions * square, 0.0);
    met_.assign(actions * size_, 0.0);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      load(i);
      const double weight = scores.weight[i];
      double* to = gram.data() + at(rows.played[at(scores.row[i])]) * square;
      for (std::size_t j = 0; j < size_; ++j) {
        for (std::size_t k = 0; k <= j; ++k) to[j * size_ + k] += weight * z_[j] * z_[k];
      }
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
  void describe() {
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      const double* x = rows_.context.data() + scores_.row[i] * rows_.features;
      total_ += scores_.weight[i];
      if (!(scores_.weight[i] > 0.0)) continue;
      for (std::size_t j = 1; j < size_; ++j) {
        const double off = x[j - 1] - mean_[j];
        mean_[j] += off * scores_.weight[i] / total_;
        scale_[j] += scores_.weight[i] * off * (x[j - 1] - mean_[j]);
      }
    }
    for (double& s : scale_) s = s > 0.0 ? std::sqrt(total_ / s) : 0.0;
  }
  void load(std::size_t i) {
    const double* x = rows_.context.data() + scores_.row[i] * rows_.features;
    for (std::size_t j = 1; j < size_; ++j) z_[j] = (x[j - 1] - mean_[j]) * scale_[j];
  }

  const OfflineRows& rows_;
  const PolicyScores& scores_;
  std::size_t size_;
  double total_ = 0.0;
  std::vector<double> mean_, scale_, z_;
  std::vector<double> met_;  // actions x size
};

// 0 up to 2, 1 from 3 on.
double ramp(double t) { return std::clamp(t - 2.0, 0.0, 1.0); }

// How many standard errors `value` is from efficient_dr, where `errors` are what rows add to its own.
double distance(double value, std::span<const double> errors, const BlendParts& parts,
                std::size_t head) {
  const std::size_t heads = parts.efficient.value.size();
  const double difference = std::abs(value - parts.efficient.value[head]);
  if (!(difference > 0.0)) return 0.0;
  double apart = 0.0;
  for (std::size_t i = 0; i * heads < errors.size(); ++i) {
    const double off = errors[i * heads + head] - parts.errors[i * heads + head];
    apart += off * off;
  }
  return difference / std::sqrt(apart);
}

// How much of efficient_dr there is, beside the other estimate.
double share_of(const PolicyValue& other, std::span<const double> errors, double least,
                const BlendParts& parts, std::size_t head, double spared) {
  const std::size_t place = head * parts.efficient.value.size() + head;
  if (other.covariance[place] >= parts.efficient.covariance[place]) return 1.0;
  return ramp(std::max(distance(other.value[head], errors, parts, head) - spared, least));
}

}  // namespace

PolicyValue blend_of(const OfflineRows& rows, std::span<const double> target,
                     const PolicyScores& scores, const BlendParts& parts) {
  const std::size_t heads = at(scores.heads);
  const PolicyValue& efficient = parts.efficient;
  const PolicyValue direct = mean_of("dm", scores.direct, scores.weight, scores.heads, false);
  const PolicyValue& other = parts.adaptive ? parts.shrunk : direct;
  const std::span<const double> of = parts.adaptive ? parts.scores : scores.direct;
  std::vector<double> errors(of.begin(), of.end());
  double total = 0.0;
  for (const double weight : scores.weight) total += weight;
  for (std::size_t i = 0; i < errors.size(); ++i)
    errors[i] = scores.weight[i / heads] / total * (errors[i] - other.value[i % heads]);
  const std::int64_t size = 1 + static_cast<std::int64_t>(rows.features);
  if (!parts.adaptive && size * size <= kMostCells / rows.actions) {
    OutcomeWeights weights(rows, target, scores);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double each = weights.of(i);
      for (std::size_t h = 0; h < heads; ++h)
        errors[i * heads + h] += each * scores.residual[i * heads + h];
    }
  }
  PolicyValue out{.estimator = "blend", .covariance = efficient.covariance};
  for (std::size_t h = 0; h < heads; ++h) {
    const double least = parts.adaptive ? 0.0 : slope_of_residuals(scores, h);
    const double spared = parts.adaptive ? 0.0 : kSpared;
    const double share = share_of(other, errors, least, parts, h, spared);
    const double mixed = (1.0 - share) * other.value[h] + share * efficient.value[h];
    out.value.push_back(std::clamp(mixed, efficient.low[h], efficient.high[h]));
  }
  add_interval(out, false);
  return out;
}

}  // namespace rein
