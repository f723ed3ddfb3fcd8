// Predictions of every row from models that never saw it.
#include "offpolicy/action_models.h"
#include "offpolicy/at.h"
#include "offpolicy/shards.h"

namespace rein {
namespace {

// The first block of forward folds has no model. Its rows get the mean outcome of the rows before
// them, per action, with one row's worth of the mean over all actions. Without it their scores
// would be inverse propensities times whole outcomes, the noisiest of the log.
void predict_by_means(const OfflineRows& rows, const ActionModels& models,
                      std::vector<double>& out) {
  const std::size_t heads = at(rows.heads);
  const std::size_t lanes = at(rows.actions) * heads;
  std::vector<double> count(at(rows.actions), 0.0);
  std::vector<double> sum(lanes, 0.0);
  std::vector<double> all(heads, 0.0);
  double total = 0.0;
  for (std::int64_t row = 0; row < rows.rows && !models.trained(models.fold_of(row)); ++row) {
    double* now = out.data() + at(row) * lanes;
    for (std::size_t i = 0; i < lanes; ++i) {
      const double mean = total > 0.0 ? all[i % heads] / total : 0.0;
      now[i] = (sum[i] + mean) / (count[i / heads] + 1.0);
    }
    if (!rows.complete(row)) continue;
    const std::size_t played = at(rows.played[at(row)]);
    const double weight = rows.weight(row);
    count[played] += weight;
    total += weight;
    for (std::size_t h = 0; h < heads; ++h) {
      const double y = weight * rows.outcomes[at(row) * heads + h];
      sum[played * heads + h] += y;
      all[h] += y;
    }
  }
}

}  // namespace

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
  if (options.forward) predict_by_means(rows, models.value(), out);
  return out;
}

}  // namespace rein
