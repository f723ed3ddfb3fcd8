// Propensities by multinomial logistic regression.
//
// Maximises sum log p(played | x) - penalty, p = softmax over the offered actions of z' B, z = (1, x)
// in units of the features' deviations. The Hessian is at most Z'Z / 2 per action (Bohning 1992), so a
// step of 2 (Z'Z + 1)^-1 times the gradient never overshoots. Nesterov's momentum, restarted when the
// likelihood falls. Logs of more than 100 000 rows are fitted on 100 000 of them, evenly spread.
#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "offpolicy/dense.h"
#include "offpolicy/shards.h"
#include "rein/offpolicy.h"

namespace rein {
namespace {

constexpr std::int64_t kFitRows = 100'000;
constexpr int kRounds = 300;
// The fit ends where no slope is larger, per row.
constexpr double kFlatSlope = 1e-7;
// Estimated propensities are at least this, so a row weighs a million at most.
constexpr double kLeastPropensity = 1e-6;

class Logistic {
 public:
  Logistic(const OfflineRows& rows, int threads)
      : rows_(rows),
        threads_(threads),
        size_(1 + at(rows.features)),
        actions_(at(rows.actions)),
        scaling_(at(rows.features)),
        gram_(size_ * size_, 0.0) {
    const std::int64_t step = std::max<std::int64_t>(1, rows.rows / kFitRows);
    for (std::int64_t row = 0; row < rows.rows; row += step) sample_.push_back(row);
    for (const std::int64_t row : sample_) scaling_.add(context_of(rows, row));
    scaling_.finish();
    std::vector<double> z(size_);
    for (const std::int64_t row : sample_) {
      scaling_.apply(context_of(rows, row), z);
      add_outer(1.0, z, gram_.data());
    }
    for (std::size_t j = 0; j < size_; ++j) gram_[j * size_ + j] += 1.0;
    semi_cholesky(gram_, static_cast<int>(size_));
  }

  void fit() {
    const std::size_t cells = size_ * actions_;
    std::vector<double> now(cells, 0.0);
    std::vector<double> before(now);
    std::vector<double> point(cells);
    std::vector<double> gradient;
    double best = -1e300;
    double momentum = 0.0;
    for (int round = 0; round < kRounds; ++round) {
      const double share = momentum / (momentum + 3.0);
      for (std::size_t i = 0; i < cells; ++i) point[i] = now[i] + share * (now[i] - before[i]);
      const double likelihood = gradient_at(point, gradient);
      double largest = 0.0;
      for (const double g : gradient) largest = std::max(largest, std::abs(g));
      before = now;
      step(point, gradient, now);
      momentum = likelihood < best ? 0.0 : momentum + 1.0;
      best = likelihood;
      if (largest < kFlatSlope * static_cast<double>(sample_.size())) break;
    }
    beta_ = now;
  }

  // Of the action that the row played.
  double propensity(std::int64_t row, std::vector<double>& z, std::vector<double>& p) const {
    probabilities(row, beta_, z, p);
    return std::max(p[at(rows_.played[at(row)])], kLeastPropensity);
  }

 private:
  // Sets z and p.
  void probabilities(std::int64_t row, const std::vector<double>& beta, std::vector<double>& z,
                     std::vector<double>& p) const {
    z.resize(size_);
    p.assign(actions_, 0.0);
    scaling_.apply(context_of(rows_, row), z);
    for (std::size_t j = 0; j < size_; ++j) {
      for (std::size_t a = 0; a < actions_; ++a) p[a] += z[j] * beta[j * actions_ + a];
    }
    const std::uint8_t* offered = offered_of(rows_, row);
    double largest = -1e300;
    for (std::size_t a = 0; a < actions_; ++a) {
      if (offered == nullptr || offered[a] != 0) largest = std::max(largest, p[a]);
    }
    double sum = 0.0;
    for (std::size_t a = 0; a < actions_; ++a) {
      p[a] = offered == nullptr || offered[a] != 0 ? exp(p[a] - largest) : 0.0;
      sum += p[a];
    }
    for (double& each : p) each /= sum;
  }

  // Returns the likelihood less the penalty.
  double gradient_at(const std::vector<double>& beta, std::vector<double>& gradient) const {
    const std::size_t cells = beta.size();
    gradient = total_of_shards(
        static_cast<std::int64_t>(sample_.size()), threads_, cells + 1,
        [&](const RowRange& range, std::span<double> sums) {
          std::vector<double> z, p;
          for (std::int64_t i = range.first; i < range.last; ++i) {
            const std::int64_t row = sample_[at(i)];
            probabilities(row, beta, z, p);
            const std::size_t played = at(rows_.played[at(row)]);
            sums[cells] += log(std::max(p[played], 1e-300));
            for (double& each : p) each = -each;
            p[played] += 1.0;
            for (std::size_t j = 0; j < size_; ++j) {
              double* line = sums.data() + j * actions_;
              for (std::size_t a = 0; a < actions_; ++a) line[a] += z[j] * p[a];
            }
          }
        });
    double likelihood = gradient.back();
    gradient.pop_back();
    for (std::size_t i = 0; i < cells; ++i) {
      gradient[i] -= 0.5 * beta[i];
      likelihood -= 0.25 * beta[i] * beta[i];
    }
    return likelihood;
  }

  void step(const std::vector<double>& point, const std::vector<double>& gradient,
            std::vector<double>& out) const {
    std::vector<double> column(size_);
    for (std::size_t a = 0; a < actions_; ++a) {
      for (std::size_t j = 0; j < size_; ++j) column[j] = gradient[j * actions_ + a];
      semi_solve(gram_, static_cast<int>(size_), column);
      for (std::size_t j = 0; j < size_; ++j) {
        const std::size_t cell = j * actions_ + a;
        out[cell] = point[cell] + 2.0 * column[j];
      }
    }
  }

  const OfflineRows& rows_;
  int threads_;
  std::size_t size_, actions_;
  std::vector<std::int64_t> sample_;
  Standardizer scaling_;
  std::vector<double> gram_;  // its Cholesky factor
  std::vector<double> beta_;  // size x actions
};

}  // namespace

Result<std::vector<double>> estimate_propensities(const OfflineRows& rows, int threads) {
  if (auto good = check_rows(rows); !good) return good.failure();
  Logistic model(rows, threads);
  model.fit();
  std::vector<double> out(at(rows.rows));
  visit_shards(rows.rows, threads, [&](const RowRange& range) {
    std::vector<double> z, p;
    for (std::int64_t row = range.first; row < range.last; ++row)
      out[at(row)] = model.propensity(row, z, p);
  });
  return out;
}

}  // namespace rein
