#include "offpolicy/scored_rows.h"

#include <algorithm>

namespace rein {

ScoredRows::ScoredRows(const ActionModels& models, std::span<const PricedGrid> grids,
                       const OfflineRows& rows)
    : heads(at(rows.heads)), models_(models), grids_(grids), rows_(rows), paths_(grids.size()) {
  predicted.resize(at(rows.actions) * heads);
  other_predicted_.resize(predicted.size());
  scores.resize(predicted.size());
  same_.resize(grids.size());
  // Without a context, and with all actions on offer, all rows of a fold have the same path.
  for (std::size_t g = 0; g < grids.size(); ++g) {
    if (!grids[g].options.constant || !rows.offered.empty()) continue;
    same_[g].resize(at(models.folds()));
    for (int f = 0; f < models.folds(); ++f) {
      grids[g].paths(f, nullptr, nullptr, work_, same_[g][at(f)]);
    }
  }
}

bool ScoredRows::load(std::int64_t row, std::int64_t place) {
  fold = models_.fold_of(place);
  weight = rows_.weight(row);
  if (!rows_.complete(row) || !(weight > 0.0) || !models_.trained(fold)) return false;
  context = rows_.context.data() + row * rows_.features;
  models_.predict(fold, context, predicted.data());
  played = rows_.played[at(row)];
  inverse = 1.0 / rows_.propensity[at(row)];
  center = models_.mean_context(fold);
  outcomes_ = rows_.outcomes.data() + row * rows_.heads;
  offered_ = rows_.offered.empty() ? nullptr : rows_.offered.data() + row * rows_.actions;
  all_offered_ = offered_ == nullptr ||
                 std::find(offered_, offered_ + rows_.actions, 0) == offered_ + rows_.actions;
  for (std::size_t g = 0; g < grids_.size(); ++g) {
    if (same_[g].empty()) grids_[g].paths(fold, predicted.data(), offered_, work_, paths_[g]);
  }
  return true;
}

const Paths& ScoredRows::paths_of(std::size_t grid, int other) {
  if (other == fold) return paths(grid);
  if (!same_[grid].empty()) return same_[grid][at(other)];
  models_.predict(other, context, other_predicted_.data());
  grids_[grid].paths(other, other_predicted_.data(), offered_, work_, other_paths_);
  return other_paths_;
}

void ScoredRows::prepare() {
  for (int a = 0; a < rows_.actions; ++a) {
    for (std::size_t h = 0; h < heads; ++h) scores[at(a) * heads + h] = score(a, h);
  }
  const std::size_t features = at(rows_.features);
  powers.resize(3 * features);
  for (std::size_t j = 0; j < features; ++j) {
    const double x = context[j] - center[j];
    powers[j] = x;
    powers[features + j] = x * x;
    powers[2 * features + j] = x * x * x * x;
  }
}

}  // namespace rein
