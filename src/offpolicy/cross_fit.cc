// Predictions of every row from models that never saw it.
#include "offpolicy/action_models.h"
#include "offpolicy/at.h"
#include "offpolicy/outcome_spread.h"
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
      OutcomeSpread& one = all[h];
      one.count += weight;
      one.actions += before > 0.0 ? 0.0 : 1.0;
      one.sum += weight * y;
      one.square += weight * y * y;
      one.by_action -= before > 0.0 ? own * own / before : 0.0;
      own += weight * y;
      one.by_action += own * own / count[played];
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
