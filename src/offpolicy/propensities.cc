// Propensities by multinomial logistic regression.
//
// Maximises sum log p(played | x) - penalty, p = softmax over the offered actions of z' B, z = (1, x)
// in units of the features' deviations. The Hessian is at most Z'Z / 2 per action (Bohning 1992), so a
// step of 2 (Z'Z + 1)^-1 times the gradient never overshoots. Nesterov's momentum, restarted when the
// likelihood falls. Logs of more than 100 000 rows are fitted on 100 000 of them, evenly spread.
#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "offpolicy/at.h"
#include "offpolicy/dense.h"
#include "offpolicy/shards.h"
#include "rein/offpolicy.h"

namespace rein {
namespace {

constexpr std::int64_t kFitRows = 100'000;
constexpr double kLeastPropensity = 1e-6;

class Logistic {
 public:
  explicit Logistic(const OfflineRows& rows, int threads)
      : rows_(rows), threads_(threads), size_(1 + rows.features), lanes_(rows.actions) {
    const std::int64_t step = std::max<std::int64_t>(1, rows.rows / kFitRows);
    for (std::int64_t row = 0; row < rows.rows; row += step) sample_.push_back(row);
    describe();
  }

  void fit() {
    const std::size_t cells = at(size_) * at(lanes_);
    std::vector<double> now(cells, 0.0);
    std::vector<double> before(now);
    std::vector<double> gradient;
    double best = -1e300;
    double momentum = 0.0;
    for (int round = 0; round < 300; ++round) {
      std::vector<double> point(cells);
      const double share = momentum / (momentum + 3.0);
      for (std::size_t i = 0; i < cells; ++i) point[i] = now[i] + share * (now[i] - before[i]);
      const double likelihood = gradient_at(point, gradient);
      double largest = 0.0;
      for (const double g : gradient) largest = std::max(largest, std::abs(g));
      before = now;
      step(point, gradient, now);
      momentum = likelihood < best ? 0.0 : momentum + 1.0;
      best = likelihood;
      if (largest < 1e-7 * static_cast<double>(sample_.size())) break;
    }
    beta_ = now;
  }

  void probabilities(std::int64_t row, const std::vector<double>& beta, double* out) const {
    for (int a = 0; a < lanes_; ++a) out[a] = beta[at(a)];
    for (int j = 1; j < size_; ++j) {
      const double z = feature(row, j);
      for (int a = 0; a < lanes_; ++a) out[a] += z * beta[at(j) * at(lanes_) + at(a)];
    }
    double most = -1e300;
    for (int a = 0; a < lanes_; ++a) {
      if (offered(row, a)) most = std::max(most, out[a]);
    }
    double sum = 0.0;
    for (int a = 0; a < lanes_; ++a) {
      out[a] = offered(row, a) ? exp(out[a] - most) : 0.0;
      sum += out[a];
    }
    for (int a = 0; a < lanes_; ++a) out[a] /= sum;
  }
  double of_played(std::int64_t row, double* work) const {
    probabilities(row, beta_, work);
    return std::max(work[rows_.played[at(row)]], kLeastPropensity);
  }

 private:
  bool offered(std::int64_t row, int a) const {
    return rows_.offered.empty() || rows_.offered[at(row * rows_.actions + a)] != 0;
  }
  double feature(std::int64_t row, int j) const {
    return (rows_.context[at(row * rows_.features + j - 1)] - mean_[at(j)]) / deviation_[at(j)];
  }

  void describe() {
    mean_.assign(at(size_), 0.0);
    deviation_.assign(at(size_), 1.0);
    const double n = static_cast<double>(sample_.size());
    for (int j = 1; j < size_; ++j) {
      double sum = 0.0;
      for (const std::int64_t row : sample_) sum += rows_.context[at(row * rows_.features + j - 1)];
      mean_[at(j)] = sum / n;
      double square = 0.0;
      for (const std::int64_t row : sample_) square += feature(row, j) * feature(row, j);
      if (square > 0.0) deviation_[at(j)] = std::sqrt(square / n);
    }
    gram_.assign(at(size_) * at(size_), 0.0);
    std::vector<double> z(at(size_), 1.0);
    for (const std::int64_t row : sample_) {
      for (int j = 1; j < size_; ++j) z[at(j)] = feature(row, j);
      for (int j = 0; j < size_; ++j) {
        for (int k = 0; k <= j; ++k) gram_[at(j) * at(size_) + at(k)] += z[at(j)] * z[at(k)];
      }
    }
    for (int j = 0; j < size_; ++j) gram_[at(j) * at(size_) + at(j)] += 1.0;
    semi_cholesky(gram_, size_);
  }

  double gradient_at(const std::vector<double>& beta, std::vector<double>& gradient) const {
    const std::size_t cells = beta.size();
    std::vector<std::vector<double>> parts(at(kShards));
    run_shards(kShards, threads_, [&](int shard) {
      std::vector<double>& part = parts[at(shard)];
      part.assign(cells + 1, 0.0);
      std::vector<double> p(at(lanes_));
      const auto [first, last] = shard_range(static_cast<std::int64_t>(sample_.size()), shard);
      for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t row = sample_[at(i)];
        probabilities(row, beta, p.data());
        const std::size_t played = at(rows_.played[at(row)]);
        part[cells] += log(std::max(p[played], 1e-300));
        for (double& value : p) value = -value;
        p[played] += 1.0;
        for (int j = 0; j < size_; ++j) {
          const double z = j == 0 ? 1.0 : feature(row, j);
          double* line = part.data() + at(j) * at(lanes_);
          for (int a = 0; a < lanes_; ++a) line[a] += z * p[at(a)];
        }
      }
      return true;
    });
    gradient.assign(cells, 0.0);
    double likelihood = 0.0;
    for (const auto& part : parts) {
      for (std::size_t i = 0; i < cells; ++i) gradient[i] += part[i];
      likelihood += part[cells];
    }
    for (std::size_t i = 0; i < cells; ++i) {
      gradient[i] -= 0.5 * beta[i];
      likelihood -= 0.25 * beta[i] * beta[i];
    }
    return likelihood;
  }

  void step(const std::vector<double>& point, const std::vector<double>& gradient,
            std::vector<double>& out) const {
    std::vector<double> column(at(size_));
    for (int a = 0; a < lanes_; ++a) {
      for (int j = 0; j < size_; ++j) column[at(j)] = gradient[at(j) * at(lanes_) + at(a)];
      semi_solve(gram_, size_, column);
      for (int j = 0; j < size_; ++j) {
        const std::size_t cell = at(j) * at(lanes_) + at(a);
        out[cell] = point[cell] + 2.0 * column[at(j)];
      }
    }
  }

  const OfflineRows& rows_;
  int threads_;
  int size_;
  int lanes_;
  std::vector<std::int64_t> sample_;
  std::vector<double> mean_, deviation_, gram_, beta_;
};

}  // namespace

Result<std::vector<double>> estimate_propensities(const OfflineRows& rows, int threads) {
  if (auto good = check_rows(rows); !good) return good.failure();
  Logistic model(rows, threads);
  model.fit();
  std::vector<double> out(at(rows.rows));
  run_shards(kShards, threads, [&](int shard) {
    std::vector<double> work(at(rows.actions));
    const auto [first, last] = shard_range(rows.rows, shard);
    for (std::int64_t row = first; row < last; ++row)
      out[at(row)] = model.of_played(row, work.data());
    return true;
  });
  return out;
}

}  // namespace rein
