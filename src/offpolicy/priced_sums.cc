#include "offpolicy/priced_sums.h"

#include <algorithm>

#include "offpolicy/dense.h"
#include "offpolicy/overlap.h"

namespace rein {
namespace {

// What changes at each place of the grid; the sums along it follow when all rows are there.
void add_values(const PricedGrid& grid, const ValueSums& layout, const ScoredRow& row,
                const Paths& paths, double* block) {
  const std::size_t heads = row.heads;
  const std::size_t list = grid.limited() ? at(row.fold) : 0;
  block[layout.weights + list] += row.weight;
  block[layout.count] += 1.0;
  for (std::size_t l = 0; l < paths.size(); ++l) {
    int before = -1;
    for (const PathStep& now : paths[l]) {
      double* cell =
          block + 2 * list * layout.cells + (l * grid.prices.size() + at(now.from)) * heads;
      for (std::size_t h = 0; h < heads; ++h) {
        const double old = before < 0 ? 0.0 : row.score(before, h);
        cell[h] += row.weight * (row.score(now.action, h) - old);
        if (!grid.limited()) continue;
        const double was = before < 0 ? 0.0 : row.predicted[at(before) * heads + h];
        cell[layout.cells + h] += row.weight * (row.predicted[at(now.action) * heads + h] - was);
      }
      before = now.action;
    }
  }
}

}  // namespace

ScoredRow::ScoredRow(const ActionModels& models, std::span<const PricedGrid> grids,
                     const OfflineRows& rows)
    : heads(at(rows.heads)),
      models_(models),
      grids_(grids),
      rows_(rows),
      paths_(grids.size()),
      of_folds_(grids.size()) {
  predicted.resize(at(rows.actions) * heads);
  other_predicted_.resize(predicted.size());
  scores.resize(predicted.size());
  // Without a context, and with all actions on offer, all rows of a fold have the same path.
  for (std::size_t g = 0; g < grids.size(); ++g) {
    if (!grids[g].options.constant || !rows.offered.empty()) continue;
    of_folds_[g].resize(at(models.folds()));
    for (int f = 0; f < models.folds(); ++f) {
      grids[g].paths(f, nullptr, nullptr, work_, of_folds_[g][at(f)]);
    }
  }
}

bool ScoredRow::load(std::int64_t row, std::int64_t place) {
  fold = models_.fold_of(place);
  weight = rows_.weight(row);
  if (!rows_.complete(row) || !(weight > 0.0) || !models_.trained(fold)) return false;
  context = context_of(rows_, row);
  models_.predict(fold, context, predicted.data());
  played = rows_.played[at(row)];
  inverse = 1.0 / rows_.propensity[at(row)];
  center = models_.mean_context(fold);
  outcomes_ = rows_.outcomes.data() + row * rows_.heads;
  offered_ = offered_of(rows_, row);
  all_offered_ = offered_ == nullptr ||
                 std::find(offered_, offered_ + rows_.actions, 0) == offered_ + rows_.actions;
  for (std::size_t g = 0; g < grids_.size(); ++g) {
    if (of_folds_[g].empty()) grids_[g].paths(fold, predicted.data(), offered_, work_, paths_[g]);
  }
  return true;
}

void ScoredRow::prepare_folds() {
  other_paths_.resize(at(models_.folds()));
  for (int other = 0; other < models_.folds(); ++other) {
    std::vector<Paths>& of_fold = other_paths_[at(other)];
    of_fold.resize(grids_.size());
    if (other == fold) continue;
    models_.predict(other, context, other_predicted_.data());
    for (std::size_t g = 0; g < grids_.size(); ++g) {
      if (of_folds_[g].empty())
        grids_[g].paths(other, other_predicted_.data(), offered_, work_, of_fold[g]);
    }
  }
}

void ScoredRow::prepare() {
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

ValueSums::ValueSums(const PricedGrid& grid, int folds)
    : cells(grid.places() * at(grid.heads)),
      lists(grid.limited() ? at(folds) : 1),
      weights(grid.limited() ? 2 * cells * lists : cells),
      count(weights + lists),
      size(count + 1) {}

std::vector<double> value_sums(const ActionModels& models, std::span<const PricedGrid> grids,
                               const OfflineRows& rows, std::int64_t first) {
  std::vector<ValueSums> layouts;
  std::size_t size = 0;
  for (const PricedGrid& grid : grids) size += layouts.emplace_back(grid, models.folds()).size;
  std::vector<double> out(size, 0.0);
  ScoredRow row(models, grids, rows);
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    if (!row.load(i, first + i)) continue;
    double* block = out.data();
    for (std::size_t g = 0; g < grids.size(); ++g) {
      add_values(grids[g], layouts[g], row, row.paths(g), block);
      block += layouts[g].size;
    }
  }
  return out;
}

void BudgetMix::set_target(const Paths& paths, int fold, std::vector<double>& target) const {
  std::fill(target.begin(), target.end(), 0.0);
  for (const MixPart& part : parts_of(fold))
    target[at(action_at(paths[at(part.held)], part.price))] += part.share;
}

void BudgetMix::save(ByteWriter& out) const {
  out.u64(possible ? 1 : 0);
  out.u64(binding ? 1 : 0);
  out.u64(parts.size());
  for (const auto& list : parts) {
    out.u64(list.size());
    for (const MixPart& part : list) {
      out.i64(part.held);
      out.i64(part.price);
      out.f64(part.share);
    }
  }
  save_numbers(out, values);
  save_numbers(out, cost_slope);
}

void BudgetMix::load(ByteReader& in) {
  possible = in.u64() != 0;
  binding = in.u64() != 0;
  parts.resize(at(in.between("lists", 0, 1000)));
  for (auto& list : parts) {
    list.resize(at(in.between("parts", 0, 1000)));
    for (MixPart& part : list) {
      part.held = static_cast<int>(in.between("held", 0, 1000));
      part.price = static_cast<int>(in.between("price", 0, 1000));
      part.share = in.f64();
    }
  }
  values = load_numbers(in);
  cost_slope = load_numbers(in);
}

void RawMoments::add(double outcome, double weight, double* sums) {
  const double products[] = {outcome * outcome, outcome * weight, weight * weight};
  for (int i = 0; i < 3; ++i) sums[i] += products[i];
  sums[3] += products[0] * products[0];
  sums[4] += products[0] * products[1];
  sums[5] += products[0] * products[2];
  sums[6] += products[1] * products[2];
  sums[7] += products[2] * products[2];
}

double RawMoments::carriers(const double* sums) {
  if (!(sums[2] > 0.0)) return 0.0;
  const double mean = sums[1] / sums[2];
  const double square = sums[0] - mean * sums[1];
  // Where all outcomes are the same, nothing is left but rounding.
  if (!(square > 1e-6 * sums[0])) return 0.0;
  const double fourth =
      sums[3] + mean * (-4.0 * sums[4] +
                        mean * (6.0 * sums[5] + mean * (-4.0 * sums[6] + mean * sums[7])));
  return square * square / fourth;
}

ErrorSums::ErrorSums(const PricedGrid& grid, std::size_t mixes)
    : triangle(mixes * (mixes + 1) / 2),
      shares(at(grid.heads) * triangle),
      sum(shares + mixes * at(grid.actions)),
      square(sum + mixes),
      fourth(square + mixes),
      balance(fourth + mixes),
      balance_each(balance_size(at(grid.actions), at(grid.features))),
      plain(balance + mixes * balance_each),
      powers(plain + 3 * mixes),
      raw(powers + 3 * at(grid.heads) * mixes),
      size(raw + RawMoments::kSize * mixes) {}

LogErrorSums::LogErrorSums(int actions, int features)
    : total(log_balance_size(at(actions), at(features))),
      partial(total + 1),
      observations(partial + 1),
      size(observations + 1) {}

std::size_t ErrorTask::size() const {
  std::size_t out = LogErrorSums(models.frame().actions, models.frame().features).size;
  for (const MixedClass& each : classes) out += ErrorSums(grids[each.grid], each.mixes.size()).size;
  return out;
}

}  // namespace rein
