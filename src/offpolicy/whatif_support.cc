#include "offpolicy/whatif_support.h"

#include <algorithm>

#include "offpolicy/at.h"

namespace rein {
namespace {

// The probabilities with which a mixture plays the actions in a row of this fold.
void target_of(const BudgetMix& mix, const std::vector<std::vector<PathStep>>& paths, int fold,
               std::vector<double>& out) {
  std::fill(out.begin(), out.end(), 0.0);
  for (const MixPart& part : mix.parts[mix.parts.size() > 1 ? at(fold) : 0])
    out[at(action_at(paths[at(part.held)], part.price))] += part.share;
}

}  // namespace

CurveSupport::CurveSupport(const GridSample& sample, const FitFrame& frame,
                           const PropensityTail& tail)
    : actions_(frame.actions), features_(frame.features), step_(sample.step) {
  const std::size_t width = sample_width(features_, actions_);
  for (std::size_t i = 0; i + width <= sample.numbers.size(); i += width) {
    const double* row = sample.numbers.data() + i;
    context_.insert(context_.end(), row, row + features_);
    row += features_;
    for (int a = 0; a < actions_; ++a) offered_.push_back(row[a] != 0.0 ? 1 : 0);
    row += actions_;
    played_.push_back(static_cast<std::int32_t>(row[0]));
    propensity_.push_back(row[1]);
    weight_.push_back(row[2]);
  }
  model_ = PropensityModel(rows(), tail);
}

OfflineRows CurveSupport::rows() const {
  return {.rows = static_cast<std::int64_t>(played_.size()),
          .actions = actions_,
          .features = features_,
          .played = played_,
          .propensity = propensity_,
          .context = context_,
          .offered = offered_};
}

std::vector<double> CurveSupport::expected_sizes(const ActionModels& models, const PricedGrid& grid,
                                                 std::span<const BudgetMix> mixes,
                                                 double rows) const {
  std::vector<SquareMean> means(mixes.size());
  std::vector<double> target(at(actions_));
  std::vector<double> p(at(actions_));
  std::vector<double> predicted(at(actions_) * at(grid.heads));
  std::vector<std::vector<PathStep>> paths;
  PathWork work;
  for (std::size_t i = 0; i < played_.size(); ++i) {
    const int fold = models.fold_of(static_cast<std::int64_t>(i) * step_);
    if (!(weight_[i] > 0.0) || !models.trained(fold)) continue;
    const double* x = context_.data() + i * at(features_);
    const std::uint8_t* offered = offered_.data() + i * at(actions_);
    models.predict(fold, x, predicted.data());
    grid.paths(fold, predicted.data(), offered, work, paths);
    model_.probabilities(x, offered, p.data());
    for (std::size_t k = 0; k < mixes.size(); ++k) {
      if (!mixes[k].possible) continue;
      target_of(mixes[k], paths, fold, target);
      means[k].add(weight_[i], mean_square_weight(target, p));
    }
  }
  std::vector<double> out;
  for (const SquareMean& mean : means) out.push_back(mean.size(rows, model_.floor()));
  return out;
}

}  // namespace rein
