#include "offpolicy/action_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "offpolicy/dense.h"
#include "offpolicy/shards.h"

namespace rein {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

// Mean and standard deviation of every feature, merged over shards.
void describe(const OfflineRows& rows, int threads, std::vector<double>& mean,
              std::vector<double>& deviation) {
  const int d = rows.features;
  std::vector<double> sums(at(kShards) * at(2 * d), 0.0);
  // Sums of differences from the first row, so that large equal offsets do not hurt.
  run_shards(kShards, threads, [&](int shard) {
    double* sum = sums.data() + at(shard) * at(2 * d);
    const auto [first, last] = shard_range(rows.rows, shard);
    for (std::int64_t row = first; row < last; ++row) {
      for (int j = 0; j < d; ++j) {
        const double x = rows.context[at(row * d + j)] - rows.context[at(j)];
        sum[j] += x;
        sum[d + j] += x * x;
      }
    }
    return true;
  });
  mean.assign(at(d), 0.0);
  deviation.assign(at(d), 1.0);
  const double n = static_cast<double>(rows.rows);
  for (int j = 0; j < d; ++j) {
    double sum = 0.0;
    double square = 0.0;
    for (int shard = 0; shard < kShards; ++shard) {
      sum += sums[at(shard) * at(2 * d) + at(j)];
      square += sums[at(shard) * at(2 * d) + at(d + j)];
    }
    const double variance = square / n - (sum / n) * (sum / n);
    mean[at(j)] = rows.context[at(j)] + sum / n;
    if (variance > 0.0) deviation[at(j)] = std::sqrt(variance);
  }
}

}  // namespace

// What one fold's rows of one action add to the regressions.
struct ActionModels::Sums {
  std::vector<double> gram;   // (1 + d)^2, lower triangle
  std::vector<double> right;  // heads x (1 + d)
};

int ActionModels::fold_of(std::int64_t row) const {
  return static_cast<int>(forward_ ? row * folds_ / rows_ : row % folds_);
}

const double* ActionModels::mean_context(int fold) const {
  return means_.data() + at(fold) * at(features_);
}

ActionModels ActionModels::given(const OfflineRows& rows) {
  ActionModels models;
  models.given_ = true;
  models.rows_ = rows.rows;
  models.actions_ = rows.actions;
  models.heads_ = rows.heads;
  models.lanes_ = models.features_ = rows.actions * rows.heads;
  models.means_.assign(at(models.lanes_), 0.0);
  double total = 0.0;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    if (!rows.complete(row)) continue;
    total += rows.weight(row);
    for (int k = 0; k < models.lanes_; ++k) {
      models.means_[at(k)] += rows.weight(row) * rows.context[at(row * models.lanes_ + k)];
    }
  }
  for (double& mean : models.means_) mean /= total > 0.0 ? total : 1.0;
  return models;
}

void ActionModels::predict(int fold, const double* x, double* out) const {
  if (given_) {
    std::copy_n(x, lanes_, out);
    return;
  }
  const double* line = coefficients_.data() + at(fold) * at(1 + features_) * at(lanes_);
  for (int k = 0; k < lanes_; ++k) out[k] = line[k];
  for (int j = 0; j < features_; ++j) {
    line += lanes_;
    for (int k = 0; k < lanes_; ++k) out[k] += x[j] * line[k];
  }
}

Result<ActionModels> ActionModels::fit(const OfflineRows& rows, const FitOptions& options) {
  if (options.folds < 2 || options.folds > 1000 || options.folds > rows.rows) {
    return Error{
        fmt::format("fit: found {} folds for {} rows; accepted: 2 to 1000, and at most the "
                    "number of rows",
                    options.folds, rows.rows)};
  }
  if (!(options.ridge > 0.0 && options.ridge <= 1e12)) {
    return Error{
        fmt::format("fit: found ridge {}; accepted: more than 0, at most 1e12", options.ridge)};
  }
  ActionModels models;
  models.rows_ = rows.rows;
  models.folds_ = options.folds;
  models.actions_ = rows.actions;
  models.heads_ = rows.heads;
  models.lanes_ = rows.actions * rows.heads;
  models.features_ = rows.features;
  models.forward_ = options.forward;
  const int size = 1 + rows.features;
  const std::int64_t cells = std::int64_t{rows.actions} * options.folds;
  const std::int64_t doubles = cells * size * (size + rows.heads);
  if (doubles > kMaxModelDoubles) {
    return Error{
        fmt::format("fit: {} actions with {} features in {} folds need {} numbers; accepted: "
                    "up to {}. Use fewer features or folds",
                    rows.actions, rows.features, options.folds, doubles, kMaxModelDoubles)};
  }
  describe(rows, options.threads, models.shift_, models.scale_);
  // The rows of every fold and action, in order.
  std::vector<std::int64_t> start(at(cells + 1), 0);
  const auto cell_of = [&](std::int64_t row) {
    return std::int64_t{rows.played[at(row)]} * options.folds + models.fold_of(row);
  };
  for (std::int64_t row = 0; row < rows.rows; ++row) ++start[at(cell_of(row) + 1)];
  for (std::int64_t cell = 0; cell < cells; ++cell) start[at(cell + 1)] += start[at(cell)];
  std::vector<std::int32_t> order(at(rows.rows));
  {
    std::vector<std::int64_t> next(start.begin(), start.end() - 1);
    for (std::int64_t row = 0; row < rows.rows; ++row) {
      order[at(next[at(cell_of(row))]++)] = static_cast<std::int32_t>(row);
    }
  }
  std::vector<Sums> sums(at(cells));
  run_shards(static_cast<int>(cells), options.threads, [&](int cell) {
    Sums& sum = sums[at(cell)];
    sum.gram.assign(at(size) * at(size), 0.0);
    sum.right.assign(at(rows.heads) * at(size), 0.0);
    std::vector<double> z(at(size), 1.0);
    std::vector<double> weighted(at(size));
    for (std::int64_t i = start[at(cell)]; i < start[at(cell + 1)]; ++i) {
      const std::int64_t row = order[at(i)];
      if (!rows.complete(row)) continue;
      const double weight = rows.weight(row);
      const double* x = rows.context.data() + row * rows.features;
      for (int j = 1; j < size; ++j) {
        z[at(j)] = (x[j - 1] - models.shift_[at(j - 1)]) / models.scale_[at(j - 1)];
      }
      for (int j = 0; j < size; ++j) weighted[at(j)] = weight * z[at(j)];
      for (int j = 0; j < size; ++j) {
        double* line = sum.gram.data() + at(j) * at(size);
        for (int k = 0; k <= j; ++k) line[k] += weighted[at(j)] * z[at(k)];
      }
      for (int head = 0; head < rows.heads; ++head) {
        const double y = rows.outcomes[at(row * rows.heads + head)];
        double* line = sum.right.data() + at(head) * at(size);
        for (int j = 0; j < size; ++j) line[j] += y * weighted[at(j)];
      }
    }
    return true;
  });
  models.means_.assign(at(options.folds) * at(rows.features), 0.0);
  models.coefficients_.assign(at(options.folds) * at(size) * at(models.lanes_), 0.0);
  run_shards(options.folds, options.threads, [&](int fold) {
    if (models.trained(fold)) models.solve(sums, fold, options.ridge);
    return true;
  });
  return models;
}

void ActionModels::solve(const std::vector<Sums>& sums, int fold, double ridge) {
  const int size = 1 + features_;
  const auto trains = [&](int other) { return forward_ ? other < fold : other != fold; };
  std::vector<double> gram(at(size) * at(size));
  std::vector<double> right(at(heads_) * at(size));
  // Over all actions: the mean outcome, and mean and variance of the features.
  std::vector<double> mean(at(size), 0.0);
  std::vector<double> square(at(size), 0.0);
  std::vector<double> center(at(heads_), 0.0);
  for (int action = 0; action < actions_; ++action) {
    for (int other = 0; other < folds_; ++other) {
      if (!trains(other)) continue;
      const Sums& sum = sums[at(action) * at(folds_) + at(other)];
      for (int j = 0; j < size; ++j) {
        mean[at(j)] += sum.gram[at(j) * at(size)];
        square[at(j)] += sum.gram[at(j) * at(size) + at(j)];
      }
      for (int head = 0; head < heads_; ++head) center[at(head)] += sum.right[at(head) * at(size)];
    }
  }
  const double total = mean[0];
  if (!(total > 0.0)) return;  // no row to learn from: predicts 0
  for (double& c : center) c /= total;
  for (int j = 0; j < size; ++j) {
    mean[at(j)] /= total;
    square[at(j)] = std::max(square[at(j)] / total - mean[at(j)] * mean[at(j)], 1e-6);
  }
  for (int j = 1; j < size; ++j) {
    means_[at(fold) * at(features_) + at(j - 1)] =
        shift_[at(j - 1)] + scale_[at(j - 1)] * mean[at(j)];
  }
  for (int action = 0; action < actions_; ++action) {
    std::fill(gram.begin(), gram.end(), 0.0);
    std::fill(right.begin(), right.end(), 0.0);
    for (int other = 0; other < folds_; ++other) {
      if (!trains(other)) continue;
      const Sums& sum = sums[at(action) * at(folds_) + at(other)];
      for (std::size_t i = 0; i < gram.size(); ++i) gram[i] += sum.gram[i];
      for (std::size_t i = 0; i < right.size(); ++i) right[i] += sum.right[i];
    }
    // The outcomes less their center: sum z (y - center) = right - center * sum z.
    for (int head = 0; head < heads_; ++head) {
      for (int j = 0; j < size; ++j) {
        right[at(head) * at(size) + at(j)] -= center[at(head)] * gram[at(j) * at(size)];
      }
    }
    for (int j = 0; j < size; ++j) {
      for (int k = 0; k <= j; ++k)
        gram[at(j) * at(size) + at(k)] += ridge * mean[at(j)] * mean[at(k)];
      if (j > 0) gram[at(j) * at(size) + at(j)] += ridge * square[at(j)];
    }
    semi_cholesky(gram, size);
    double* lines = coefficients_.data() + at(fold) * at(size) * at(lanes_);
    for (int head = 0; head < heads_; ++head) {
      const std::span<double> beta(right.data() + at(head) * at(size), at(size));
      semi_solve(gram, size, beta);
      const int lane = action * heads_ + head;
      double constant = center[at(head)] + beta[0];
      for (int j = 1; j < size; ++j) {
        const double slope = beta[at(j)] / scale_[at(j - 1)];
        lines[at(j) * at(lanes_) + at(lane)] = slope;
        constant -= slope * shift_[at(j - 1)];
      }
      lines[lane] = constant;
    }
  }
}

Result<std::vector<double>> cross_fit(const OfflineRows& rows, const FitOptions& options) {
  if (auto good = check_rows(rows); !good) return good.failure();
  auto models = ActionModels::fit(rows, options);
  if (!models) return models.failure();
  const std::size_t lanes = at(rows.actions) * at(rows.heads);
  std::vector<double> out(at(rows.rows) * lanes);
  run_shards(kShards, options.threads, [&](int shard) {
    const auto [first, last] = shard_range(rows.rows, shard);
    for (std::int64_t row = first; row < last; ++row) {
      models.value().predict(models.value().fold_of(row), rows.context.data() + row * rows.features,
                             out.data() + at(row) * lanes);
    }
    return true;
  });
  return out;
}

}  // namespace rein
