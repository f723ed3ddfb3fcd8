#include "offpolicy/propensity_model.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "offpolicy/dense.h"
#include "offpolicy/rows.h"

namespace rein {
namespace {

constexpr double kScoreRidge = 1e-8;
// The fit ends after kFitSteps, at a mean squared error of the logarithms of kExactFit, or with a step
// that takes less than kLeastGain of the error.
constexpr int kFitSteps = 40;
constexpr double kExactFit = 1e-12;
constexpr double kLeastGain = 1e-3;
// Dampings that are tried per step.
constexpr int kDampings = 8;
// The conjugate gradients of a step end after kTurns, or at this share of the first residual.
constexpr int kTurns = 200;
constexpr double kLastResidual = 1e-3;

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

ScoreFit::ScoreFit(const ScoreRows& rows, std::vector<double> theta, std::int64_t work)
    : rows_(rows),
      count_(rows.played.size()),
      actions_(at(rows.actions)),
      size_(at(rows.size)),
      left_work_(work),
      theta_(std::move(theta)),
      p_(count_ * actions_),
      left_(count_),
      blocks_(actions_ * size_ * size_),
      factors_(blocks_.size()) {
  squares_ = evaluate(theta_);
  double damping = 0.0;
  std::vector<double> down(theta_.size());
  for (int step = 0; step < kFitSteps && left_work_ > 0; ++step) {
    if (squares_ < kExactFit * static_cast<double>(count_)) break;
    slope(down);
    set_blocks();
    bool better = false;
    bool little = false;
    for (int tries = 0; tries < kDampings && !better && left_work_ > 0; ++tries) {
      const std::vector<double> move = solve(down, damping);
      std::vector<double> next(theta_);
      for (std::size_t i = 0; i < next.size(); ++i) next[i] += move[i];
      const std::vector<double> p = p_;
      const std::vector<double> left = left_;
      const double then = evaluate(next);
      better = then < squares_;
      if (better) {
        little = squares_ - then < kLeastGain * squares_;
        theta_ = std::move(next);
        squares_ = then;
        damping = damping < 1e-6 ? 0.0 : 0.1 * damping;
      } else {
        p_ = p;
        left_ = left;
        damping = std::max(10.0 * damping, 1e-3);
      }
    }
    if (!better || little) break;
  }
}

double ScoreFit::evaluate(const std::vector<double>& theta) {
  double out = kScoreRidge * product(theta, theta);
  for (std::size_t i = 0; i < count_; ++i) {
    const double* z = rows_.z.data() + i * size_;
    double* p = p_.data() + i * actions_;
    const std::uint8_t* offered =
        rows_.offered.empty() ? nullptr : rows_.offered.data() + i * actions_;
    double largest = -1e300;
    for (std::size_t a = 0; a < actions_; ++a) {
      p[a] = 0.0;
      for (std::size_t j = 0; j < size_; ++j) p[a] += theta[a * size_ + j] * z[j];
      if (offered == nullptr || offered[a] != 0) largest = std::max(largest, p[a]);
    }
    const std::size_t played = at(rows_.played[i]);
    const double score = p[played] - largest;
    double sum = 0.0;
    for (std::size_t a = 0; a < actions_; ++a) {
      p[a] = offered == nullptr || offered[a] != 0 ? exp(p[a] - largest) : 0.0;
      sum += p[a];
    }
    left_[i] = rows_.logs[i] - score + log(sum);
    out += left_[i] * left_[i];
    for (std::size_t a = 0; a < actions_; ++a) p[a] = (a == played ? 1.0 : 0.0) - p[a] / sum;
  }
  left_work_ -= static_cast<std::int64_t>(count_ * actions_ * (size_ + 20));
  return out;
}

void ScoreFit::slope(std::vector<double>& out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = -kScoreRidge * theta_[i];
  for (std::size_t i = 0; i < count_; ++i) {
    const double* z = rows_.z.data() + i * size_;
    for (std::size_t a = 0; a < actions_; ++a) {
      const double u = left_[i] * p_[i * actions_ + a];
      for (std::size_t j = 0; j < size_; ++j) out[a * size_ + j] += u * z[j];
    }
  }
}

void ScoreFit::set_blocks() {
  std::fill(blocks_.begin(), blocks_.end(), 0.0);
  for (std::size_t i = 0; i < count_; ++i) {
    const double* z = rows_.z.data() + i * size_;
    for (std::size_t a = 0; a < actions_; ++a) {
      const double u = p_[i * actions_ + a];
      if (u * u < 1e-12) continue;
      double* to = blocks_.data() + a * size_ * size_;
      for (std::size_t j = 0; j < size_; ++j) {
        const double uz = u * u * z[j];
        for (std::size_t k = 0; k <= j; ++k) to[j * size_ + k] += uz * z[k];
      }
    }
  }
  left_work_ -= static_cast<std::int64_t>(count_ * actions_ * size_ * size_ / 2);
}

void ScoreFit::multiply(const std::vector<double>& v, double damping, std::vector<double>& out) {
  for (std::size_t i = 0; i < v.size(); ++i) out[i] = (kScoreRidge + damping) * v[i];
  for (std::size_t i = 0; i < count_; ++i) {
    const double* z = rows_.z.data() + i * size_;
    const double* u = p_.data() + i * actions_;
    double sum = 0.0;
    for (std::size_t a = 0; a < actions_; ++a) {
      double along = 0.0;
      for (std::size_t j = 0; j < size_; ++j) along += v[a * size_ + j] * z[j];
      sum += u[a] * along;
    }
    for (std::size_t a = 0; a < actions_; ++a) {
      const double factor = u[a] * sum;
      for (std::size_t j = 0; j < size_; ++j) out[a * size_ + j] += factor * z[j];
    }
  }
  left_work_ -= static_cast<std::int64_t>(2 * count_ * actions_ * size_);
}

std::vector<double> ScoreFit::solve(const std::vector<double>& slope, double damping) {
  const std::size_t square = size_ * size_;
  factors_ = blocks_;
  for (std::size_t a = 0; a < actions_; ++a) {
    const std::span<double> factor(factors_.data() + a * square, square);
    for (std::size_t j = 0; j < size_; ++j) factor[j * size_ + j] += kScoreRidge + damping;
    semi_cholesky(factor, static_cast<int>(size_));
  }
  const auto conditioned = [&](std::vector<double> v) {
    for (std::size_t a = 0; a < actions_; ++a) {
      semi_solve({factors_.data() + a * square, square}, static_cast<int>(size_),
                 {v.data() + a * size_, size_});
    }
    return v;
  };
  std::vector<double> out(slope.size(), 0.0);
  std::vector<double> rest = slope;
  std::vector<double> near = conditioned(rest);
  std::vector<double> along = near;
  std::vector<double> image(slope.size());
  double length = product(rest, near);
  const double end = kLastResidual * kLastResidual * length;
  for (int turn = 0; turn < kTurns && length > end && left_work_ > 0; ++turn) {
    multiply(along, damping, image);
    const double curve = product(along, image);
    if (!(curve > 0.0)) break;
    const double reach = length / curve;
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] += reach * along[i];
      rest[i] -= reach * image[i];
    }
    near = conditioned(rest);
    const double before = length;
    length = product(rest, near);
    for (std::size_t i = 0; i < out.size(); ++i) along[i] = near[i] + length / before * along[i];
  }
  return out;
}

}  // namespace rein
