// efficient_dr: the doubly robust mean with the multiples of two control variates that make its
// variance least. Both are 0 on average if propensities are right:
//
//   w - 1                                   0 on average for every policy
//   w predicted(played) - m                 what dr adds to ips to make it robust
//
// ips, dr and, for many rows, snips are this estimate at certain multiples. So efficient_dr is no worse
// than the best of these three (Kallus, Uehara, NeurIPS 2019; Tan, Biometrika 2010). Poor predictions
// get a multiple near that of ips, good ones a multiple near that of dr.
//
// The estimate is the constant of a least-squares regression of the scores on the two control variates.
// Its variance is that of MacKinnon and White (HC3): the residual of a row is divided by one minus the
// leverage of the row. So rows with large weights, which pull the regression towards themselves, do not
// look precise.
//
// If the log never played what the policy plays, every w is 0 and the second control variate is -m. A
// multiple of -m would remove m from the estimate. So both multiples are 0 then, and the estimate is
// dr, which equals dm.
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
  const std::size_t heads = at(scores.heads);
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
  if (std::ranges::all_of(scores.ratio, [](double w) { return w == 0.0; })) right = {0.0, 0.0};
  semi_cholesky(factor, 2);
  const Pair slope = solved(factor, right);
  const Pair pull = solved(factor, center);
  const double first = slope[0] * center[0], second = slope[1] * center[1];
  Fitted out{.value = mean - first - second};
  // Where the control variates explain all, what is left is rounding: the cost of a free action.
  constexpr double kRounding = 1e-13;
  const double largest = std::abs(mean) + std::abs(first) + std::abs(second);
  if (std::abs(out.value) <= kRounding * largest) out.value = 0.0;
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

}  // namespace

std::array<double, 2> controls_of(const PolicyScores& scores, std::size_t i, std::size_t head) {
  const std::size_t heads = at(scores.heads);
  const double predicted = scores.outcome[i * heads + head] - scores.residual[i * heads + head];
  return {scores.ratio[i] - 1.0, scores.ratio[i] * predicted - scores.direct[i * heads + head]};
}

PolicyValue efficient_of(const PolicyScores& scores, std::vector<double>& errors) {
  const std::size_t heads = at(scores.heads);
  const std::vector<double> robust = robust_scores(scores, scores.ratio);
  PolicyValue out{.estimator = "efficient_dr"};
  errors.resize(scores.size() * heads);
  for (std::size_t head = 0; head < heads; ++head) {
    const Fitted fitted = fit_head(scores, robust, head);
    out.value.push_back(fitted.value);
    for (std::size_t i = 0; i < scores.size(); ++i) errors[i * heads + head] = fitted.error[i];
  }
  set_errors(out, errors, scores.units, false, true);
  return out;
}

// Logs made by a policy that learned: its propensities change with what it saw, so scores are a
// martingale rather than independent draws, and their variance may change a lot over time.
//
//   value = sum h_t D_t / sum h_t,   variance = sum h_t^2 (D_t - value)^2 / (sum h_t)^2,
//   h_t = 1 / s_t,
//
// where D_t is the doubly robust score with predictions from earlier rows, less the multiples of two
// control variates (control_variates.cc) that suit the earlier blocks best, and s_t estimates the
// standard deviation of D_t from earlier rows only. With predictable h the sum is a martingale, and
// with h_t = 1 / s_t its conditional variance settles, which the central limit theorem needs. That is
// the contextual adaptive doubly robust estimator (CADR) of Bibaut, Dimakopoulou, Kallus, Chambaz, van
// der Laan (NeurIPS 2021). It estimates s_t by asking the logging policy of time t about
// earlier contexts. A log cannot answer that. What changes with time are the weights w, so here
//
//   s_t^2 = 1 - share + share max(1, mean of w^2 in the last two of 50 blocks),
//
// where share is how much of the variance goes with w^2, if w^2 is 1, in all earlier rows. So outcomes
// alone can neither raise nor lower s without bound: before the first of rare rewards all scores are
// about equal, and their deviation says nothing. The first block only sets s.
namespace {

// The variance of scores as constant + slope w^2: a regression over rows, both at least 0.
struct Spread {
  double count = 0.0;
  double score = 0.0, square = 0.0;            // sums of the scores and their squares
  double weight = 0.0, fourth = 0.0;           // of w^2 and w^4
  double with_score = 0.0, with_square = 0.0;  // of w^2 times the scores and their squares

  void add(double rows, double d, double weight_square) {
    count += rows;
    score += rows * d;
    square += rows * d * d;
    weight += rows * weight_square;
    fourth += rows * weight_square * weight_square;
    with_score += rows * d * weight_square;
    with_square += rows * d * d * weight_square;
  }
  // slope / (constant + slope)
  double share_of_weights() const {
    const double mean = score / count;
    const double middle = weight / count;
    const double variance = square / count - mean * mean;
    const double spread = fourth / count - middle * middle;
    if (!(variance > 0.0 && spread > 0.0)) return 0.0;
    const double product =
        (with_square - 2.0 * mean * with_score + mean * mean * weight) / count - variance * middle;
    const double slope = std::clamp(product / spread, 0.0, variance / middle);
    const double constant = std::max(variance - slope * middle, 0.0);
    return slope / (constant + slope);
  }
};

// Blocks of time; the stabilizers and multiples of a block come from earlier blocks. Smaller logs have
// fewer blocks, of 20 rows.
constexpr std::size_t kBlocks = 50;
constexpr std::size_t kFewestBlockRows = 20;
// Fewer earlier rows fit no multiples.
constexpr std::size_t kFewestFitted = 200;

std::size_t blocks_of(std::size_t rows) {
  return std::clamp<std::size_t>(rows / kFewestBlockRows, 2, kBlocks);
}

// Takes the control variates from the scores of one head. Multiples depend on earlier blocks alone,
// so the scores stay a martingale.
void take_controls(const PolicyScores& scores, std::size_t head, std::vector<double>& robust) {
  const std::size_t heads = at(scores.heads);
  const std::size_t rows = scores.size();
  const std::size_t blocks = blocks_of(rows);
  double count = 0.0;
  double sum = 0.0;                       // of the scores
  std::array<double, 2> controls{};       // sums of the controls
  std::array<double, 2> with_score{};     // of their products with the scores
  std::array<double, 4> with_controls{};  // and with each other, lower triangle
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t begin = rows * block / blocks;
    const std::size_t end = rows * (block + 1) / blocks;
    std::array<double, 2> slope{};
    if (begin >= kFewestFitted) {
      std::array<double, 4> factor{};
      for (std::size_t j = 0; j < 2; ++j) {
        for (std::size_t k = 0; k <= j; ++k)
          factor[j * 2 + k] = with_controls[j * 2 + k] - controls[j] * controls[k] / count;
        slope[j] = with_score[j] - controls[j] * sum / count;
      }
      semi_cholesky(factor, 2);
      semi_solve(factor, 2, slope);
    }
    for (std::size_t i = begin; i < end; ++i) {
      const std::array<double, 2> c = controls_of(scores, i, head);
      double& score = robust[i * heads + head];
      count += 1.0;
      sum += score;
      for (std::size_t j = 0; j < 2; ++j) {
        controls[j] += c[j];
        with_score[j] += c[j] * score;
        for (std::size_t k = 0; k <= j; ++k) with_controls[j * 2 + k] += c[j] * c[k];
      }
      score -= slope[0] * c[0] + slope[1] * c[1];
    }
  }
}

// h per row, for one head.
std::vector<double> stabilizers(const PolicyScores& scores, std::span<const double> robust,
                                std::size_t head) {
  const std::size_t heads = at(scores.heads);
  const std::size_t rows = scores.size();
  const std::size_t blocks = blocks_of(rows);
  std::vector<double> out(rows, 0.0);
  Spread all;
  double last = 0.0;
  double before_last = 0.0;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t begin = rows * block / blocks;
    const std::size_t end = rows * (block + 1) / blocks;
    if (block > 0) {
      const double recent = block > 1 ? (last + before_last) / 2.0 : last;
      const double share = all.share_of_weights();
      const double square = 1.0 - share + share * std::max(recent, 1.0);
      for (std::size_t i = begin; i < end; ++i) out[i] = 1.0 / std::sqrt(square);
    }
    before_last = last;
    last = 0.0;
    for (std::size_t i = begin; i < end; ++i) {
      const double square = scores.ratio[i] * scores.ratio[i];
      all.add(scores.weight[i], robust[i * heads + head], square);
      last += square / static_cast<double>(end - begin);
    }
  }
  return out;
}

}  // namespace

PolicyValue stabilized_of(const PolicyScores& scores) {
  const std::size_t heads = at(scores.heads);
  std::vector<double> robust = robust_scores(scores, scores.ratio);
  for (std::size_t head = 0; head < heads; ++head) take_controls(scores, head, robust);
  PolicyValue out{.estimator = "stabilized_dr",
                  .value = std::vector<double>(heads, 0.0)};
  std::vector<std::vector<double>> h;
  std::vector<double> totals(heads, 0.0);
  for (std::size_t head = 0; head < heads; ++head) {
    h.push_back(stabilizers(scores, robust, head));
    for (std::size_t i = 0; i < scores.size(); ++i) {
      h[head][i] *= scores.weight[i];
      totals[head] += h[head][i];
      out.value[head] += h[head][i] * robust[i * heads + head];
    }
    out.value[head] /= totals[head];
  }
  std::vector<double> errors(robust);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const std::size_t head = i % heads;
    errors[i] = h[head][i / heads] * (errors[i] - out.value[head]) / totals[head];
  }
  set_errors(out, errors, scores.units, false, true);
  return out;
}

}  // namespace rein
