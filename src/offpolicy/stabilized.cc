// Logs made by a policy that learned: its propensities change with what it saw, so scores are a
// martingale rather than independent draws, and their variance may change a lot over time.
//
//   value = sum h_t D_t / sum h_t,   variance = sum h_t^2 (D_t - value)^2 / (sum h_t)^2,
//   h_t = 1 / s_t,
//
// where D_t is the doubly robust score with predictions from earlier rows, less the multiples of two
// control variates (efficient.cc) that suit the earlier blocks best, and s_t estimates the
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
#include <algorithm>
#include <array>
#include <cmath>

#include "base/math.h"
#include "offpolicy/dense.h"
#include "offpolicy/scores.h"

namespace rein {
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

constexpr std::size_t kBlocks = 50;
constexpr std::size_t kFewestFitted = 200;  // earlier rows that multiples are fitted on

std::size_t blocks_of(std::size_t rows) { return std::clamp<std::size_t>(rows / 20, 2, kBlocks); }

// Takes the control variates from the scores of one head. Multiples depend on earlier blocks alone,
// so the scores stay a martingale.
void take_controls(const PolicyScores& scores, std::size_t head, std::vector<double>& robust) {
  const std::size_t heads = static_cast<std::size_t>(scores.heads);
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
  const std::size_t heads = static_cast<std::size_t>(scores.heads);
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
  const std::size_t heads = static_cast<std::size_t>(scores.heads);
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
