#include "offpolicy/support.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "offpolicy/at.h"
#include "offpolicy/dense.h"
#include "offpolicy/score_fit.h"

namespace rein {
namespace {

constexpr std::int64_t kMostFitRows = 1000;
constexpr std::int64_t kFewestFitRows = 100;
constexpr std::int64_t kFitWork = 2'000'000'000;            // fitted rows x cells
constexpr std::int64_t kMostCells = std::int64_t{1} << 24;  // 128 MiB; more ignore the context
constexpr std::int64_t kMeanRows = 5000;                    // enough for the mean, evenly spread
constexpr int kSteps = 32;
constexpr double kRidge = 0.001;
constexpr double kExact = 1e-5;  // mean squared error of a logarithm
constexpr double kSlow = 0.98;   // a step that leaves more of the error is the last one
// Of the exact fit.
constexpr std::int64_t kSharpWork = 500'000'000;    // multiplications
constexpr std::int64_t kSharpNumbers = 4'000'000;   // rows x actions
constexpr double kSharp = 1e-4;  // mean squared error of a logarithm; more: not such a softmax
constexpr double kSurely = 1.645;  // standard errors, for 95 % on one side

const std::uint8_t* offered_in(const OfflineRows& rows, std::int64_t row) {
  return rows.offered.empty() ? nullptr : rows.offered.data() + row * rows.actions;
}

// Actions x (1 + features)^2, or more than kMostCells where that is too many.
std::int64_t cells_of(const OfflineRows& rows) {
  const std::int64_t size = 1 + static_cast<std::int64_t>(rows.features);
  if (size > kMostCells / size) return kMostCells + 1;
  return std::min(size * size * rows.actions, kMostCells + 1);
}

std::int64_t fitted_rows(const OfflineRows& rows) {
  return std::min(rows.rows, std::clamp(kFitWork / cells_of(rows), kFewestFitRows, kMostFitRows));
}

template <class Visit>
void each_fitted(const OfflineRows& rows, const Visit& visit) {
  const std::int64_t count = fitted_rows(rows);
  for (std::int64_t i = 0; i < count; ++i) visit(i * rows.rows / count);
}

PropensityTail tail_of(std::span<const double> propensities) {
  PropensityTail out;
  out.add(propensities);
  return out;
}

}  // namespace

PropensityModel::PropensityModel(const OfflineRows& rows)
    : PropensityModel(rows, tail_of(rows.propensity)) {}

PropensityModel::PropensityModel(const OfflineRows& rows, const PropensityTail& tail)
    : actions_(rows.actions),
      size_(cells_of(rows) > kMostCells ? 1 : 1 + rows.features),
      least_(tail.end()),
      floor_(tail.has_floor()) {
  describe(rows);
  theta_.assign(at(actions_) * at(size_), 0.0);
  factors_.resize(theta_.size() * at(size_));
  approach(rows);
  factors_ = {};
  // With a floor the log is not such a softmax, and the floor bounds what a rough fit gets wrong.
  if (!floor_) sharpen(rows);
}

void PropensityModel::approach(const OfflineRows& rows) {
  // Curvature is most of the work, so it is renewed after 1, 2, 4, 8, ... steps. The best scores count.
  std::vector<double> best = theta_;
  double fewest = 0.0;
  for (int i = 0; i <= kSteps; ++i) {
    const std::vector<double> now = theta_;
    const double squares = step(rows, (i & (i - 1)) == 0);
    if (i > 0 && squares >= fewest) continue;
    const bool slow = i > 0 && squares > kSlow * fewest;
    fewest = squares;
    best = now;
    if (slow || squares < kExact * static_cast<double>(fitted_rows(rows))) break;
  }
  theta_ = best;
}

void PropensityModel::sharpen(const OfflineRows& rows) {
  const std::int64_t affordable = std::min(kSharpWork / cells_of(rows), kSharpNumbers / actions_);
  const std::int64_t count = std::min({rows.rows, kMeanRows, affordable});
  if (count <= static_cast<std::int64_t>(theta_.size())) return;  // more unknowns than numbers
  ScoreRows known{.actions = actions_, .size = size_};
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t row = i * rows.rows / count;
    const double* x = rows.context.data() + row * rows.features;
    known.z.push_back(1.0);
    for (std::size_t j = 1; j < at(size_); ++j)
      known.z.push_back((x[j - 1] - mean_[j]) * scale_[j]);
    known.played.push_back(rows.played[at(row)]);
    known.logs.push_back(log(rows.propensity[at(row)]));
    if (const std::uint8_t* offered = offered_in(rows, row); offered != nullptr)
      known.offered.insert(known.offered.end(), offered, offered + actions_);
  }
  ScoreFit fit(known, theta_, kSharpWork);
  if (!(fit.squares() < kSharp * static_cast<double>(count))) return;
  theta_ = fit.theta();
  least_ = 0.0;  // the log has what the model says, also where it never played
}

void PropensityModel::describe(const OfflineRows& rows) {
  mean_.assign(at(size_), 0.0);
  scale_.assign(at(size_), 0.0);
  double n = 0.0;
  each_fitted(rows, [&](std::int64_t row) {
    const double* x = rows.context.data() + row * rows.features;
    n += 1.0;
    for (std::size_t j = 1; j < mean_.size(); ++j) {
      const double off = x[j - 1] - mean_[j];
      mean_[j] += off / n;
      scale_[j] += off * (x[j - 1] - mean_[j]);
    }
  });
  for (double& s : scale_) s = s > 0.0 ? std::sqrt(n / s) : 0.0;
}

// With u(b) = [b = a] - p(b), the derivative of log p(a) by the score of b, a step of all scores
// together is bounded by steps of each: (sum u s)^2 <= (sum |u|) sum |u| s^2, and sum |u| = 2 (1 - p(a)).
double PropensityModel::step(const OfflineRows& rows, bool renew) {
  const std::size_t size = at(size_);
  const std::size_t square = size * size;
  std::vector<double> slope(theta_.size(), 0.0);
  if (renew) std::fill(factors_.begin(), factors_.end(), 0.0);
  std::vector<double> p(at(actions_));
  std::vector<double> z(size, 1.0);
  double squares = 0.0;
  const double least = least_;
  least_ = 0.0;  // the model itself has no floor
  each_fitted(rows, [&](std::int64_t row) {
    const double* x = rows.context.data() + row * rows.features;
    for (std::size_t j = 1; j < size; ++j) z[j] = (x[j - 1] - mean_[j]) * scale_[j];
    probabilities(x, offered_in(rows, row), p.data());
    const std::size_t played = at(rows.played[at(row)]);
    const double left = log(rows.propensity[at(row)]) - log(std::max(p[played], 1e-300));
    squares += left * left;
    const double rest = 2.0 * (1.0 - p[played]);
    for (std::size_t a = 0; a < p.size(); ++a) {
      const double u = (a == played ? 1.0 : 0.0) - p[a];
      double* line = slope.data() + a * size;
      for (std::size_t j = 0; j < size; ++j) line[j] += left * u * z[j];
      const double weight = rest * std::abs(u);
      if (!renew || weight < 1e-6) continue;
      double* to = factors_.data() + a * square;
      for (std::size_t j = 0; j < size; ++j) {
        for (std::size_t k = 0; k <= j; ++k) to[j * size + k] += weight * z[j] * z[k];
      }
    }
  });
  least_ = least;
  for (std::size_t a = 0; a < p.size(); ++a) {
    const std::span<double> factor(factors_.data() + a * square, square);
    const std::span<double> line(slope.data() + a * size, size);
    if (renew) {
      for (std::size_t j = 0; j < size; ++j) factor[j * size + j] += kRidge;
      semi_cholesky(factor, size_);
    }
    for (std::size_t j = 0; j < size; ++j) line[j] -= kRidge * theta_[a * size + j];
    semi_solve(factor, size_, line);
    for (std::size_t j = 0; j < size; ++j) theta_[a * size + j] += line[j];
  }
  return squares;
}

void PropensityModel::probabilities(const double* context, const std::uint8_t* offered,
                                    double* out) const {
  const std::size_t size = at(size_);
  double most = -1e300;
  for (std::size_t a = 0; a < at(actions_); ++a) {
    const double* line = theta_.data() + a * size;
    out[a] = line[0];
    for (std::size_t j = 1; j < size; ++j)
      out[a] += line[j] * (context[j - 1] - mean_[j]) * scale_[j];
    if (offered == nullptr || offered[a] != 0) most = std::max(most, out[a]);
  }
  double sum = 0.0;
  for (std::size_t a = 0; a < at(actions_); ++a) {
    out[a] = offered == nullptr || offered[a] != 0 ? exp(out[a] - most) : 0.0;
    sum += out[a];
  }
  for (std::size_t a = 0; a < at(actions_); ++a) {
    if (out[a] > 0.0) out[a] = std::max(out[a] / sum, least_);
  }
}

void PropensityTail::add(std::span<const double> propensities) {
  smallest.insert(smallest.end(), propensities.begin(), propensities.end());
  const std::size_t kept = std::min(smallest.size(), kRows);
  std::partial_sort(smallest.begin(), smallest.begin() + static_cast<std::ptrdiff_t>(kept),
                    smallest.end());
  smallest.resize(kept);
}

double PropensityTail::end() const {
  if (smallest.empty()) return 1.0;
  const double fall = smallest.front() / smallest.back();
  return smallest.front() * fall * fall * fall;
}

double mean_square_weight(std::span<const double> target, std::span<const double> propensities) {
  double out = 0.0;
  for (std::size_t a = 0; a < target.size(); ++a) {
    if (target[a] > 0.0) out += target[a] * target[a] / std::max(propensities[a], 1e-12);
  }
  return out;
}

void SquareMean::add(double weight, double mean_square) {
  const double number = weight * weight * mean_square;
  count_ += 1.0;
  weight_ += weight;
  sum_ += number;
  squares_ += number * number;
}

double SquareMean::size(double rows, bool floor) const {
  if (!(sum_ > 0.0)) return 0.0;
  const double spread = std::sqrt(std::max(squares_ - sum_ * sum_ / count_, 0.0));
  const double sum = floor ? sum_ : sum_ + kSurely * spread;
  // As many rows as the log has, of which these are a sample.
  return weight_ * weight_ / sum * rows / count_;
}

double expected_size(const PropensityModel& model, const OfflineRows& rows,
                     std::span<const double> target, std::span<const std::int64_t> used) {
  std::vector<double> p(at(rows.actions));
  const std::int64_t all = static_cast<std::int64_t>(used.size());
  const std::int64_t count = std::min(all, kMeanRows);
  SquareMean mean;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t row = used[at(i * all / count)];
    model.probabilities(rows.context.data() + row * rows.features, offered_in(rows, row), p.data());
    mean.add(rows.weight(row),
             mean_square_weight(target.subspan(at(row * rows.actions), at(rows.actions)), p));
  }
  return mean.size(static_cast<double>(all), model.floor());
}

}  // namespace rein
