#include "offpolicy/priced_class.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "offpolicy/shards.h"

namespace rein {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

constexpr std::int64_t kGridRows = 5000;  // rows that the grids are made from
constexpr int kPrices = 256;
constexpr int kPricesHeld = 64;  // with a held price there is a grid of both
constexpr int kHeld = 24;

// A grid from 0 over the quantiles of these prices, with room above the largest.
std::vector<double> grid_of(std::vector<double> breaks, int size) {
  std::sort(breaks.begin(), breaks.end());
  breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
  std::vector<double> grid{0.0};
  if (breaks.empty()) return grid;
  const std::int64_t count = static_cast<std::int64_t>(breaks.size());
  const std::int64_t inner = std::min<std::int64_t>(count, size - 4);
  for (std::int64_t i = 0; i < inner; ++i) {
    const double price = breaks[at(inner == 1 ? 0 : i * (count - 1) / (inner - 1))];
    if (price > grid.back()) grid.push_back(price);
  }
  for (const double factor : {2.0, 4.0, 16.0}) grid.push_back(grid.back() * factor);
  return grid;
}

}  // namespace

struct PricedClass::RowWork {
  std::vector<double> predicted, reward, cost;
  std::vector<std::uint8_t> allowed;
  std::vector<std::vector<PathStep>> steps;
  std::int64_t row = 0;
  int played = 0;
  double weight = 1.0;   // of the row
  double inverse = 1.0;  // 1 / propensity
  const double* outcomes = nullptr;
  std::size_t heads = 1;

  // The doubly robust score of an action.
  double score(int action, std::size_t head) const {
    const double q = predicted[at(action) * heads + head];
    return action == played ? q + inverse * (outcomes[head] - q) : q;
  }
};

PricedClass::PricedClass(const OfflineRows& rows, const ActionModels& models, ClassOptions options)
    : rows_(rows), models_(models), options_(std::move(options)) {
  if (options_.constant) {
    for (int fold = 0; fold < models_.folds(); ++fold) {
      constants_.emplace_back(at(rows_.actions) * at(rows_.heads));
      models_.predict(fold, models_.mean_context(fold), constants_.back().data());
    }
  }
  make_grids();
}

bool PricedClass::evaluated(std::int64_t row) const {
  return rows_.complete(row) && rows_.weight(row) > 0.0 && models_.trained(models_.fold_of(row));
}

// Rewards, costs and allowed actions at one held price.
void PricedClass::fill(const double* source, const std::uint8_t* offered, double held,
                       RowWork& work) const {
  const std::size_t heads = at(rows_.heads);
  work.reward.resize(at(rows_.actions));
  work.cost.resize(at(rows_.actions));
  work.allowed.resize(at(rows_.actions));
  double factor = 0.0;
  std::size_t limited = 0;
  if (!options_.limits.empty()) {
    limited = at(options_.limits[0].head);
    factor = options_.limits[0].at_least ? held : -held;
  }
  bool any = false;
  for (std::size_t a = 0; a < work.reward.size(); ++a) {
    work.reward[a] = source[a * heads];
    if (factor != 0.0) work.reward[a] += factor * source[a * heads + limited];
    work.cost[a] = source[a * heads + at(options_.cost)];
    const bool here = offered == nullptr || offered[a] != 0;
    work.allowed[a] = here && options_.usable[a] != 0 ? 1 : 0;
    any = any || work.allowed[a] != 0;
  }
  if (any) return;
  // No usable action was offered: any offered one may be played.
  for (std::size_t a = 0; a < work.reward.size(); ++a) {
    work.allowed[a] = offered == nullptr || offered[a] != 0 ? 1 : 0;
  }
}

void PricedClass::paths(int fold, const double* predicted, const std::uint8_t* offered,
                        std::vector<std::vector<PathStep>>& out) const {
  RowWork work;
  const double* source = options_.constant ? constants_[at(fold)].data() : predicted;
  out.resize(held_.size());
  for (std::size_t l = 0; l < held_.size(); ++l) {
    fill(source, offered, held_[l], work);
    price_path({work.reward, work.cost, work.allowed}, prices_, out[l]);
  }
}

void PricedClass::load(std::int64_t row, RowWork& work) const {
  work.heads = at(rows_.heads);
  work.predicted.resize(at(rows_.actions) * work.heads);
  const int fold = models_.fold_of(row);
  models_.predict(fold, rows_.context.data() + row * rows_.features, work.predicted.data());
  work.row = row;
  work.played = rows_.played[at(row)];
  work.weight = rows_.weight(row);
  work.inverse = 1.0 / rows_.propensity[at(row)];
  work.outcomes = rows_.outcomes.data() + row * rows_.heads;
  const double* source = options_.constant ? constants_[at(fold)].data() : work.predicted.data();
  const std::uint8_t* offered =
      rows_.offered.empty() ? nullptr : rows_.offered.data() + row * rows_.actions;
  work.steps.resize(held_.size());
  for (std::size_t l = 0; l < held_.size(); ++l) {
    fill(source, offered, held_[l], work);
    price_path({work.reward, work.cost, work.allowed}, prices_, work.steps[l]);
  }
}

void PricedClass::make_grids() {
  const std::int64_t step = std::max<std::int64_t>(1, rows_.rows / kGridRows);
  RowWork work;
  std::vector<double> predicted(at(rows_.actions) * at(rows_.heads));
  const auto each = [&](double held, const auto& visit) {
    for (std::int64_t row = 0; row < rows_.rows; row += step) {
      const int fold = models_.fold_of(row);
      if (!models_.trained(fold)) continue;
      const std::uint8_t* offered =
          rows_.offered.empty() ? nullptr : rows_.offered.data() + row * rows_.actions;
      models_.predict(fold, rows_.context.data() + row * rows_.features, predicted.data());
      const double* source = options_.constant ? constants_[at(fold)].data() : predicted.data();
      fill(source, offered, held, work);
      visit(source);
    }
  };
  held_ = {0.0};
  if (!options_.limits.empty()) {
    const HeadLimit& limit = options_.limits[0];
    std::vector<double> breaks;
    each(0.0, [&](const double* source) {
      for (std::size_t a = 0; a < work.cost.size(); ++a) {
        const double value = source[a * at(rows_.heads) + at(limit.head)];
        work.cost[a] = limit.at_least ? -value : value;
      }
      price_breaks({work.reward, work.cost, work.allowed}, breaks);
    });
    held_ = grid_of(std::move(breaks), kHeld);
  }
  std::vector<double> breaks;
  for (const std::size_t l : {std::size_t{0}, held_.size() / 2, held_.size() - 1}) {
    each(held_[l], [&](const double*) {
      price_breaks({work.reward, work.cost, work.allowed}, breaks);
    });
    if (held_.size() == 1) break;
  }
  prices_ = grid_of(std::move(breaks), held_.size() == 1 ? kPrices : kPricesHeld);
}

bool PricedClass::value_grid() {
  const std::size_t heads = at(rows_.heads);
  const std::size_t places = prices_.size();
  const std::size_t cells = held_.size() * places * heads;
  const std::size_t folds = limited() ? at(models_.folds()) : 1;
  std::vector<std::vector<double>> parts(at(kShards));
  std::vector<double> totals(at(kShards) * folds, 0.0);
  std::vector<std::int64_t> counts(at(kShards), 0);
  std::atomic<bool> stopped{false};
  run_shards(kShards, options_.threads, [&](int shard) {
    if (options_.go_on && !options_.go_on()) {
      stopped = true;
      return false;
    }
    std::vector<double>& part = parts[at(shard)];
    // With a limit: doubly robust and predicted values per fold.
    part.assign(limited() ? 2 * cells * folds : cells, 0.0);
    RowWork work;
    const auto [first, last] = shard_range(rows_.rows, shard);
    for (std::int64_t row = first; row < last; ++row) {
      if (!evaluated(row)) continue;
      load(row, work);
      const std::size_t fold = limited() ? at(models_.fold_of(row)) : 0;
      totals[at(shard) * folds + fold] += work.weight;
      ++counts[at(shard)];
      // What changes at each place of the grid; the sums along it follow below.
      for (std::size_t l = 0; l < held_.size(); ++l) {
        int before = -1;
        for (const PathStep& now : work.steps[l]) {
          double* cell = part.data() + 2 * fold * cells + (l * places + at(now.from)) * heads;
          for (std::size_t h = 0; h < heads; ++h) {
            const double old = before < 0 ? 0.0 : work.score(before, h);
            cell[h] += work.weight * (work.score(now.action, h) - old);
            if (!limited()) continue;
            const double was = before < 0 ? 0.0 : work.predicted[at(before) * heads + h];
            cell[cells + h] += work.weight * (work.predicted[at(now.action) * heads + h] - was);
          }
          before = now.action;
        }
      }
    }
    return true;
  });
  if (stopped) return false;
  used_ = 0;
  for (const std::int64_t count : counts) used_ += count;
  const auto merge = [&](std::size_t offset, double total) {
    std::vector<double> table(cells, 0.0);
    for (const std::vector<double>& part : parts) {
      for (std::size_t i = 0; i < cells; ++i) table[i] += part[offset + i];
    }
    for (std::size_t i = 0; i < cells; ++i) {
      if (i % (places * heads) >= heads) table[i] += table[i - heads];
    }
    for (double& value : table) value /= total;
    return table;
  };
  std::vector<double> of_fold(folds, 0.0);
  double total = 0.0;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    for (int shard = 0; shard < kShards; ++shard) of_fold[fold] += totals[at(shard) * folds + fold];
    total += of_fold[fold];
  }
  if (!limited()) {
    table_ = merge(0, total);
    return true;
  }
  for (std::size_t fold = 0; fold < folds; ++fold) {
    fold_shares_.push_back(of_fold[fold] / total);
    const double rows = std::max(of_fold[fold], 1e-300);  // a fold without rows has tables of 0
    fold_tables_.push_back(merge(2 * fold * cells, rows));
    predicted_.push_back(merge((2 * fold + 1) * cells, rows));
  }
  return true;
}

bool PricedClass::add_errors(std::span<const BudgetMix> mixes, std::vector<CurvePoint>& points,
                             std::vector<std::vector<double>>& covariance) const {
  const std::size_t heads = at(rows_.heads);
  const std::size_t count = mixes.size();
  const std::size_t actions = at(rows_.actions);
  struct Part {
    std::vector<double> covariance;   // heads x points x points
    std::vector<double> shares;       // points x actions
    std::vector<double> sum, square;  // of the weights of every point
    double total = 0.0;
  };
  std::vector<Part> parts(at(kShards));
  std::atomic<bool> stopped{false};
  run_shards(kShards, options_.threads, [&](int shard) {
    if (options_.go_on && !options_.go_on()) {
      stopped = true;
      return false;
    }
    Part& part = parts[at(shard)];
    part.covariance.assign(heads * count * count, 0.0);
    part.shares.assign(count * actions, 0.0);
    part.sum.assign(count, 0.0);
    part.square.assign(count, 0.0);
    RowWork work;
    std::vector<double> off(heads * count);
    std::vector<double> score(heads);
    const std::vector<MixPart> none;
    const auto [first, last] = shard_range(rows_.rows, shard);
    for (std::int64_t row = first; row < last; ++row) {
      if (!evaluated(row)) continue;
      load(row, work);
      part.total += work.weight;
      for (std::size_t k = 0; k < count; ++k) {
        const BudgetMix& mix = mixes[k];
        std::fill(score.begin(), score.end(), 0.0);
        double ratio = 0.0;
        const std::size_t list = mix.parts.size() > 1 ? at(models_.fold_of(row)) : 0;
        for (const MixPart& one : mix.possible ? mix.parts[list] : none) {
          const int action = action_at(work.steps[at(one.held)], one.price);
          for (std::size_t h = 0; h < heads; ++h) score[h] += one.share * work.score(action, h);
          part.shares[k * actions + at(action)] += work.weight * one.share;
          if (action == work.played) ratio += one.share * work.inverse;
        }
        part.sum[k] += work.weight * ratio;
        part.square[k] += work.weight * ratio * work.weight * ratio;
        for (std::size_t h = 0; h < heads; ++h) {
          double value = 0.0;
          if (mix.possible) {
            value = score[h] - mix.values[h];
            if (mix.binding) {
              value -=
                  mix.cost_slope[h] * (score[at(options_.cost)] - mix.values[at(options_.cost)]);
            }
          }
          off[h * count + k] = work.weight * value;
        }
      }
      for (std::size_t h = 0; h < heads; ++h) {
        const double* o = off.data() + h * count;
        double* c = part.covariance.data() + h * count * count;
        for (std::size_t k = 0; k < count; ++k) {
          for (std::size_t m = 0; m <= k; ++m) c[k * count + m] += o[k] * o[m];
        }
      }
    }
    return true;
  });
  if (stopped) return false;
  Part all = parts[0];
  for (int shard = 1; shard < kShards; ++shard) {
    const Part& part = parts[at(shard)];
    for (std::size_t i = 0; i < all.covariance.size(); ++i) all.covariance[i] += part.covariance[i];
    for (std::size_t i = 0; i < all.shares.size(); ++i) all.shares[i] += part.shares[i];
    for (std::size_t i = 0; i < count; ++i) all.sum[i] += part.sum[i];
    for (std::size_t i = 0; i < count; ++i) all.square[i] += part.square[i];
    all.total += part.total;
  }
  covariance.assign(heads, std::vector<double>(count * count));
  const double n = static_cast<double>(used_);
  const double factor = n / (n - 1.0) / (all.total * all.total);
  for (std::size_t h = 0; h < heads; ++h) {
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t m = 0; m <= k; ++m) {
        const double c = factor * all.covariance[(h * count + k) * count + m];
        covariance[h][k * count + m] = c;
        covariance[h][m * count + k] = c;
      }
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    points[k].effective_size = all.square[k] > 0.0 ? all.sum[k] * all.sum[k] / all.square[k] : 0.0;
    points[k].shares.assign(actions, 0.0);
    for (std::size_t a = 0; a < actions; ++a) {
      points[k].shares[a] = all.shares[k * actions + a] / all.total;
    }
  }
  return true;
}

}  // namespace rein
