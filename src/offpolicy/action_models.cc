#include "offpolicy/action_models.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/math.h"
#include "offpolicy/at.h"
#include "offpolicy/dense.h"
#include "offpolicy/numbers.h"
#include "offpolicy/outcome_spread.h"
#include "offpolicy/shards.h"

namespace rein {
namespace {

std::vector<double> sums_over(
    const OfflineRows& rows, int threads, std::size_t size,
    const std::function<void(const ShardRange&, std::span<double>)>& add) {
  std::vector<double> total;
  sum_shards(rows.rows,
             {.threads = threads,
              .size = size,
              .sums_of =
                  [&](const ShardRange& range) {
                    std::vector<double> sums(size, 0.0);
                    add(range, sums);
                    return sums;
                  },
              .merge = [&](std::vector<double>&& next) { add_sums(total, std::move(next)); }});
  return total;
}

}  // namespace

// Over all actions of the training rows: means and variances of the features, means of outcomes, and how far to
// trust them.
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
  const std::vector<double> moments =
      sums_over(rows, options.threads, 2 * origin.size(), [&](const ShardRange& range, auto sums) {
        add_moments(some_rows(rows, range), origin, sums);
      });
  set_scale(origin, moments, frame);
  const std::vector<double> normal = sums_over(
      rows, options.threads, NormalSums(frame).size, [&](const ShardRange& range, auto sums) {
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
  run_shards(models.folds(), options.threads, [&](int fold) {
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
  for (const OutcomeSpread& one : spread) all.pull.push_back(one.pull());
}

void ActionModels::solve(std::span<const double> sums, int fold, double ridge) {
  const Centers all = centers(sums, fold);
  if (!(all.total > 0.0)) return;  // no row to learn from: predicts 0
  for (int j = 0; j < frame_.features; ++j) {
    means_[at(fold) * at(frame_.features) + at(j)] =
        frame_.shift[at(j)] + frame_.scale[at(j)] * all.mean[at(j + 1)];
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
      const double slope = beta[at(j)] / frame_.scale[at(j - 1)];
      lines[at(j) * lanes + lane] = slope;
      constant -= slope * frame_.shift[at(j - 1)];
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

}  // namespace rein
