#include "offpolicy/action_models.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/math.h"
#include "base/pool.h"
#include "offpolicy/dense.h"
#include "offpolicy/shards.h"

namespace rein {
namespace {

// The first block of forward folds has no model. Its rows get the mean outcome of the rows before
// them, per action, pulled to the mean over all actions. Without it their scores would be inverse
// propensities times whole outcomes, the noisiest of the log.
void predict_by_means(const OfflineRows& rows, const ActionModels& models,
                      std::vector<double>& out) {
  const std::size_t heads = at(rows.heads);
  const std::size_t lanes = at(rows.actions) * heads;
  std::vector<double> count(at(rows.actions), 0.0);
  std::vector<double> sum(lanes, 0.0);
  std::vector<OutcomeSpread> all(heads);
  for (std::int64_t row = 0; row < rows.rows && !models.trained(models.fold_of(row)); ++row) {
    double* now = out.data() + at(row) * lanes;
    for (std::size_t h = 0; h < heads; ++h) {
      const double mean = all[h].count > 0.0 ? all[h].sum / all[h].count : 0.0;
      const double pull = all[h].pull();
      for (std::size_t i = h; i < lanes; i += heads) {
        const double n = count[i / heads];
        now[i] = n > 0.0 ? (sum[i] + pull * mean) / (n + pull) : mean;
      }
    }
    if (!rows.complete(row)) continue;
    const std::size_t played = at(rows.played[at(row)]);
    const double weight = rows.weight(row);
    if (!(weight > 0.0)) continue;
    const double before = count[played];
    count[played] += weight;
    for (std::size_t h = 0; h < heads; ++h) {
      const double y = rows.outcomes[at(row) * heads + h];
      double& own = sum[played * heads + h];
      OutcomeSpread& spread = all[h];
      spread.count += weight;
      spread.actions += before > 0.0 ? 0.0 : 1.0;
      spread.sum += weight * y;
      spread.square += weight * y * y;
      spread.by_action -= before > 0.0 ? own * own / before : 0.0;
      own += weight * y;
      spread.by_action += own * own / count[played];
    }
  }
}

}  // namespace

// Over all actions of the training rows: means and variances of the features, means of the outcomes,
// and how far these means count in each action.
struct ActionModels::Centers {
  double total = 0.0;
  std::vector<double> mean, variance;  // of (1, features)
  std::vector<double> outcome;
  std::vector<double> pull;  // per head: rows for which `outcome` counts in every action
};

const double* ActionModels::mean_context(int fold) const {
  return means_.data() + at(fold) * at(frame_.features);
}

void ActionModels::predict(int fold, const double* x, double* out) const {
  const int lanes = frame_.lanes();
  if (frame_.given) {
    std::copy_n(x, lanes, out);
    return;
  }
  const double* line = coefficients_.data() + at(fold) * at(1 + frame_.features) * at(lanes);
  for (int k = 0; k < lanes; ++k) out[k] = line[k];
  for (int j = 0; j < frame_.features; ++j) {
    line += lanes;
    for (int k = 0; k < lanes; ++k) out[k] += x[j] * line[k];
  }
}

Result<ActionModels> ActionModels::fit(const OfflineRows& rows, const FitOptions& options) {
  auto made = fit_frame(rows, options);
  if (!made) return made.failure();
  FitFrame frame = std::move(made).value();
  const std::span<const double> origin = rows.context.first(at(rows.features));
  const std::vector<double> moments = total_of_shards(
      rows.rows, options.threads, 2 * origin.size(), [&](const RowRange& range, auto sums) {
        add_moments(some_rows(rows, range), origin, sums);
      });
  frame.scaling = Standardizer::of_moments(origin, moments, static_cast<double>(rows.rows));
  const std::vector<double> normal = total_of_shards(
      rows.rows, options.threads, NormalSums(frame).size, [&](const RowRange& range, auto sums) {
        add_normal(frame, some_rows(rows, range), range.first, sums);
      });
  return solved(std::move(frame), normal, options);
}

ActionModels ActionModels::solved(FitFrame frame, std::span<const double> sums,
                                  const FitOptions& options) {
  ActionModels models;
  models.frame_ = std::move(frame);
  const std::size_t folds = at(models.folds());
  models.means_.assign(folds * at(models.frame_.features), 0.0);
  if (models.frame_.given) {
    const double total = sums.back() > 0.0 ? sums.back() : 1.0;
    for (std::size_t k = 0; k < models.means_.size(); ++k) models.means_[k] = sums[k] / total;
    return models;
  }
  models.coefficients_.assign(folds * at(1 + models.frame_.features) * at(models.frame_.lanes()),
                              0.0);
  run_jobs(models.folds(), options.threads, [&](std::int64_t job) {
    const int fold = static_cast<int>(job);
    if (models.trained(fold)) models.solve(sums, fold, options.ridge);
    return true;
  });
  return models;
}

ActionModels::Centers ActionModels::centers(std::span<const double> sums, int fold) const {
  const NormalSums layout(frame_);
  const std::size_t width = at(layout.width);
  Centers out{.mean = std::vector<double>(width, 0.0),
              .variance = std::vector<double>(width, 0.0),
              .outcome = std::vector<double>(at(frame_.heads), 0.0)};
  for (int cell = 0; cell < frame_.cells(); ++cell) {
    if (!trains(fold, cell % frame_.folds)) continue;
    const double* sum = sums.data() + at(cell) * layout.cell;
    for (int j = 0; j < layout.width; ++j) {
      out.mean[at(j)] += sum[layout.gram(j, 0)];
      out.variance[at(j)] += sum[layout.gram(j, j)];
    }
    for (std::size_t head = 0; head < out.outcome.size(); ++head) {
      out.outcome[head] += sum[layout.right + head * width];
    }
  }
  out.total = out.mean[0];
  if (!(out.total > 0.0)) return out;
  add_pull(sums, fold, out);
  for (double& c : out.outcome) c /= out.total;
  for (std::size_t j = 0; j < width; ++j) {
    out.mean[j] /= out.total;
    out.variance[j] = std::max(out.variance[j] / out.total - out.mean[j] * out.mean[j], 1e-6);
  }
  return out;
}

void ActionModels::add_pull(std::span<const double> sums, int fold, Centers& all) const {
  const NormalSums layout(frame_);
  std::vector<OutcomeSpread> spread(at(frame_.heads), {.count = all.total});
  for (int action = 0; action < frame_.actions; ++action) {
    double count = 0.0;
    std::vector<double> sum(spread.size(), 0.0);
    for (int other = 0; other < frame_.folds; ++other) {
      if (!trains(fold, other)) continue;
      const double* cell = sums.data() + (at(action) * at(frame_.folds) + at(other)) * layout.cell;
      count += cell[0];
      for (std::size_t head = 0; head < spread.size(); ++head) {
        sum[head] += cell[layout.right + head * at(layout.width)];
        spread[head].square += cell[layout.squares + head];
      }
    }
    if (!(count > 0.0)) continue;
    for (std::size_t head = 0; head < spread.size(); ++head) {
      spread[head].actions += 1.0;
      spread[head].sum += sum[head];
      spread[head].by_action += sum[head] * sum[head] / count;
    }
  }
  for (const OutcomeSpread& of_head : spread) all.pull.push_back(of_head.pull());
}

void ActionModels::solve(std::span<const double> sums, int fold, double ridge) {
  const Centers all = centers(sums, fold);
  if (!(all.total > 0.0)) return;  // no row to learn from: predicts 0
  for (int j = 0; j < frame_.features; ++j) {
    means_[at(fold) * at(frame_.features) + at(j)] =
        frame_.scaling.mean(at(j)) + frame_.scaling.deviation(at(j)) * all.mean[at(j + 1)];
  }
  for (int action = 0; action < frame_.actions; ++action) {
    solve_action(sums, fold, action, ridge, all);
  }
}

// Of gram + pull mean mean'. Without rows, and a pull of 0, it is that of the penalties alone.
std::vector<double> ActionModels::factor_of(std::vector<double> gram, double pull,
                                            std::span<const double> mean) {
  const std::size_t size = mean.size();
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t k = 0; k <= j; ++k) gram[j * size + k] += pull * mean[j] * mean[k];
  }
  semi_cholesky(gram, static_cast<int>(size));
  return gram;
}

void ActionModels::solve_action(std::span<const double> sums, int fold, int action, double ridge,
                                const Centers& all) {
  const NormalSums layout(frame_);
  const int size = layout.width;
  std::vector<double> gram(at(size) * at(size), 0.0);
  std::vector<double> right(at(frame_.heads) * at(size), 0.0);
  for (int other = 0; other < frame_.folds; ++other) {
    if (!trains(fold, other)) continue;
    const double* sum = sums.data() + (at(action) * at(frame_.folds) + at(other)) * layout.cell;
    for (int j = 0; j < size; ++j) {
      for (int k = 0; k <= j; ++k) gram[at(j) * at(size) + at(k)] += sum[layout.gram(j, k)];
    }
    for (std::size_t i = 0; i < right.size(); ++i) right[i] += sum[layout.right + i];
  }
  // The outcomes less their center: sum z (y - center) = right - center * sum z.
  for (int head = 0; head < frame_.heads; ++head) {
    for (int j = 0; j < size; ++j) {
      right[at(head) * at(size) + at(j)] -= all.outcome[at(head)] * gram[at(j) * at(size)];
    }
  }
  for (int j = 1; j < size; ++j) gram[at(j) * at(size) + at(j)] += ridge * all.variance[at(j)];
  std::vector<double> factor;
  double factored = kNan;  // the pull of `factor`
  const std::size_t lanes = at(frame_.lanes());
  double* lines = coefficients_.data() + at(fold) * at(size) * lanes;
  for (int head = 0; head < frame_.heads; ++head) {
    if (all.pull[at(head)] != factored) {
      factored = all.pull[at(head)];
      factor = factor_of(gram, factored * ridge, all.mean);
    }
    const std::span<double> beta(right.data() + at(head) * at(size), at(size));
    semi_solve(factor, size, beta);
    const std::size_t lane = at(action * frame_.heads + head);
    double constant = all.outcome[at(head)] + beta[0];
    for (int j = 1; j < size; ++j) {
      const double slope = beta[at(j)] / frame_.scaling.deviation(at(j - 1));
      lines[at(j) * lanes + lane] = slope;
      constant -= slope * frame_.scaling.mean(at(j - 1));
    }
    lines[lane] = constant;
  }
}

void ActionModels::save(ByteWriter& out) const {
  frame_.save(out);
  save_numbers(out, means_);
  save_numbers(out, coefficients_);
}

void ActionModels::load(ByteReader& in) {
  frame_.load(in);
  means_ = load_numbers(in);
  coefficients_ = load_numbers(in);
}

Result<std::vector<double>> cross_fit(const OfflineRows& rows, const FitOptions& options) {
  if (auto good = check_rows(rows); !good) return good.failure();
  auto models = ActionModels::fit(rows, options);
  if (!models) return models.failure();
  const std::size_t lanes = at(rows.actions) * at(rows.heads);
  std::vector<double> out(at(rows.rows) * lanes);
  visit_shards(rows.rows, options.threads, [&](const RowRange& range) {
    for (std::int64_t row = range.first; row < range.last; ++row) {
      models.value().predict(models.value().fold_of(row), context_of(rows, row),
                             out.data() + at(row) * lanes);
    }
  });
  if (options.forward) predict_by_means(rows, models.value(), out);
  return out;
}

}  // namespace rein
