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
// earlier contexts. A log cannot answer that, so here s_t is the deviation of the scores in the last
// two of 50 blocks, at least a tenth of that of all earlier rows. The first block only sets s.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/math.h"
#include "offpolicy/dense.h"
#include "offpolicy/scores.h"

namespace rein {
namespace {

struct Moments {
  double count = 0.0, sum = 0.0, square = 0.0;
  void add(const Moments& other) {
    count += other.count;
    sum += other.sum;
    square += other.square;
  }
  double deviation() const {
    const double mean = sum / count;
    return std::sqrt(std::max(square / count - mean * mean, 0.0));
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
std::vector<double> stabilizers(std::span<const double> scores, std::size_t heads, std::size_t head,
                                std::size_t rows) {
  const std::size_t blocks = blocks_of(rows);
  std::vector<double> out(rows, 0.0);
  Moments all;
  Moments last;
  Moments before_last;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t begin = rows * block / blocks;
    const std::size_t end = rows * (block + 1) / blocks;
    if (block > 0) {
      Moments recent = last;
      recent.add(before_last);
      const double s = std::max({recent.deviation(), 0.1 * all.deviation(), 1e-100});
      for (std::size_t i = begin; i < end; ++i) out[i] = 1.0 / s;
    }
    Moments now;
    for (std::size_t i = begin; i < end; ++i) {
      const double score = scores[i * heads + head];
      now.add({1.0, score, score * score});
    }
    before_last = last;
    last = now;
    all.add(now);
  }
  return out;
}

}  // namespace

PolicyValue stabilized_of(const PolicyScores& scores) {
  const std::size_t heads = static_cast<std::size_t>(scores.heads);
  std::vector<double> robust = robust_scores(scores, scores.ratio);
  for (std::size_t head = 0; head < heads; ++head) take_controls(scores, head, robust);
  PolicyValue out{.estimator = "stabilized_dr",
                  .value = std::vector<double>(heads, 0.0),
                  .covariance = std::vector<double>(heads * heads, 0.0)};
  std::vector<std::vector<double>> h;
  std::vector<double> totals(heads, 0.0);
  for (std::size_t head = 0; head < heads; ++head) {
    h.push_back(stabilizers(robust, heads, head, scores.size()));
    for (std::size_t i = 0; i < scores.size(); ++i) {
      h[head][i] *= scores.weight[i];
      totals[head] += h[head][i];
      out.value[head] += h[head][i] * robust[i * heads + head];
    }
    out.value[head] /= totals[head];
  }
  std::vector<double> third(heads, 0.0);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (std::size_t g = 0; g < heads; ++g) {
      const double left = h[g][i] * (robust[i * heads + g] - out.value[g]) / totals[g];
      third[g] += left * left * left;
      for (std::size_t k = 0; k < heads; ++k) {
        out.covariance[g * heads + k] +=
            left * h[k][i] * (robust[i * heads + k] - out.value[k]) / totals[k];
      }
    }
  }
  for (std::size_t head = 0; head < heads; ++head) {
    const double square = out.covariance[head * heads + head];
    out.skewness.push_back(square > 0.0 ? third[head] / (square * std::sqrt(square)) : 0.0);
  }
  add_interval(out, true);
  return out;
}

}  // namespace rein
