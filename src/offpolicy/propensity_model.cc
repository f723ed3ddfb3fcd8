#include "offpolicy/propensity_model.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/quantiles.h"

namespace rein {
namespace {

// Rows of the near fit. Propensities have no noise, so few rows are enough. Logs with many actions or
// features take fewer rows, but at least kFewestFitRows, such that rows x cells is at most kFitWork.
constexpr std::int64_t kMostFitRows = 1000;
constexpr std::int64_t kFewestFitRows = 100;
constexpr std::int64_t kFitWork = 2'000'000'000;
// Models with more cells, actions x (1 + features)^2, ignore the context: 128 MiB of factors.
constexpr std::int64_t kContextCells = std::int64_t{1} << 24;
// Contexts that the mean is taken over, evenly spread, so that a large log takes no longer.
constexpr std::int64_t kMeanRows = 5000;
// The near fit ends after kNearSteps, at a mean squared error of the logarithms of kNearEnough, or when
// a step leaves more than kSlowShare of the error.
constexpr int kNearSteps = 32;
constexpr double kNearEnough = 1e-5;
constexpr double kSlowShare = 0.98;
constexpr double kNearRidge = 0.001;
// The exact fit: what it may cost in multiplications and in numbers (rows x actions), and the mean
// squared error of a logarithm up to which the log counts as made by such a softmax.
constexpr std::int64_t kExactMultiplications = 500'000'000;
constexpr std::int64_t kExactNumbers = 4'000'000;
constexpr double kExactError = 1e-4;

// Actions x (1 + features)^2, or more than kContextCells where that is too many.
std::int64_t cells_of(const OfflineRows& rows) {
  const std::int64_t size = 1 + static_cast<std::int64_t>(rows.features);
  if (size > kContextCells / size) return kContextCells + 1;
  return std::min(size * size * rows.actions, kContextCells + 1);
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
      size_(cells_of(rows) > kContextCells ? 1 : 1 + rows.features),
      least_(tail.end()),
      floor_(tail.has_floor()) {
  scaling_ = Standardizer(at(size_ - 1));
  each_fitted(rows, [&](std::int64_t row) { scaling_.add(context_of(rows, row)); });
  scaling_.finish();
  theta_.assign(at(actions_) * at(size_), 0.0);
  approach(rows);
  // With a floor the log is not such a softmax, and the floor bounds what a rough fit gets wrong.
  if (!floor_) sharpen(rows);
}

void PropensityModel::approach(const OfflineRows& rows) {
  // Curvature is most of the work, so it is renewed after 1, 2, 4, 8, ... steps. The best scores count.
  std::vector<double> factors(theta_.size() * at(size_));
  std::vector<double> best = theta_;
  double least_squares = 0.0;
  for (int i = 0; i <= kNearSteps; ++i) {
    const std::vector<double> now = theta_;
    const double squares = step(rows, (i & (i - 1)) == 0, factors);
    if (i > 0 && squares >= least_squares) continue;
    const bool slow = i > 0 && squares > kSlowShare * least_squares;
    least_squares = squares;
    best = now;
    if (slow || squares < kNearEnough * static_cast<double>(fitted_rows(rows))) break;
  }
  theta_ = best;
}

void PropensityModel::sharpen(const OfflineRows& rows) {
  const std::int64_t affordable =
      std::min(kExactMultiplications / cells_of(rows), kExactNumbers / actions_);
  const std::int64_t count = std::min({rows.rows, kMeanRows, affordable});
  if (count <= static_cast<std::int64_t>(theta_.size())) return;  // more unknowns than numbers
  ScoreRows known{.actions = actions_, .size = size_};
  std::vector<double> z(at(size_));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t row = i * rows.rows / count;
    scaling_.apply(context_of(rows, row), z);
    known.z.insert(known.z.end(), z.begin(), z.end());
    known.played.push_back(rows.played[at(row)]);
    known.logs.push_back(log(rows.propensity[at(row)]));
    if (const std::uint8_t* offered = offered_of(rows, row); offered != nullptr)
      known.offered.insert(known.offered.end(), offered, offered + actions_);
  }
  ScoreFit fit(known, theta_, kExactMultiplications);
  if (!(fit.squares() < kExactError * static_cast<double>(count))) return;
  theta_ = fit.theta();
  least_ = 0.0;  // the log has what the model says, also where it never played
}

// With u(b) = [b = a] - p(b), the derivative of log p(a) by the score of b, a step of all scores
// together is bounded by steps of each: (sum u s)^2 <= (sum |u|) sum |u| s^2, and sum |u| = 2 (1 - p(a)).
double PropensityModel::step(const OfflineRows& rows, bool renew, std::vector<double>& factors) {
  const std::size_t size = at(size_);
  const std::size_t square = size * size;
  std::vector<double> slope(theta_.size(), 0.0);
  if (renew) std::fill(factors.begin(), factors.end(), 0.0);
  std::vector<double> p(at(actions_));
  std::vector<double> z(size);
  double squares = 0.0;
  each_fitted(rows, [&](std::int64_t row) {
    scaling_.apply(context_of(rows, row), z);
    softmax(z, offered_of(rows, row), p.data());
    const std::size_t played = at(rows.played[at(row)]);
    const double left = log(rows.propensity[at(row)]) - log(std::max(p[played], 1e-300));
    squares += left * left;
    const double rest = 2.0 * (1.0 - p[played]);
    for (std::size_t a = 0; a < p.size(); ++a) {
      const double u = (a == played ? 1.0 : 0.0) - p[a];
      double* line = slope.data() + a * size;
      for (std::size_t j = 0; j < size; ++j) line[j] += left * u * z[j];
      const double weight = rest * std::abs(u);
      if (renew && weight >= 1e-6) add_outer(weight, z, factors.data() + a * square);
    }
  });
  for (std::size_t a = 0; a < p.size(); ++a) {
    const std::span<double> factor(factors.data() + a * square, square);
    const std::span<double> line(slope.data() + a * size, size);
    if (renew) {
      for (std::size_t j = 0; j < size; ++j) factor[j * size + j] += kNearRidge;
      semi_cholesky(factor, size_);
    }
    for (std::size_t j = 0; j < size; ++j) line[j] -= kNearRidge * theta_[a * size + j];
    semi_solve(factor, size_, line);
    for (std::size_t j = 0; j < size; ++j) theta_[a * size + j] += line[j];
  }
  return squares;
}

void PropensityModel::softmax(std::span<const double> z, const std::uint8_t* offered,
                              double* out) const {
  double largest = -1e300;
  for (std::size_t a = 0; a < at(actions_); ++a) {
    const double* line = theta_.data() + a * z.size();
    out[a] = 0.0;
    for (std::size_t j = 0; j < z.size(); ++j) out[a] += line[j] * z[j];
    if (offered == nullptr || offered[a] != 0) largest = std::max(largest, out[a]);
  }
  double sum = 0.0;
  for (std::size_t a = 0; a < at(actions_); ++a) {
    out[a] = offered == nullptr || offered[a] != 0 ? exp(out[a] - largest) : 0.0;
    sum += out[a];
  }
  for (std::size_t a = 0; a < at(actions_); ++a) out[a] /= sum;
}

void PropensityModel::probabilities(const double* context, const std::uint8_t* offered,
                                    double* out) const {
  std::vector<double> z(at(size_));
  scaling_.apply(context, z);
  softmax(z, offered, out);
  for (std::size_t a = 0; a < at(actions_); ++a) {
    if (out[a] > 0.0) out[a] = std::max(out[a], least_);
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
  const double sum = floor ? sum_ : sum_ + kNormal95OneSided * spread;
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
    model.probabilities(context_of(rows, row), offered_of(rows, row), p.data());
    mean.add(rows.weight(row),
             mean_square_weight(target.subspan(at(row * rows.actions), at(rows.actions)), p));
  }
  return mean.size(static_cast<double>(all), model.floor());
}

}  // namespace rein
