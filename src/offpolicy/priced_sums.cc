#include "offpolicy/priced_sums.h"

#include "offpolicy/at.h"
#include "offpolicy/numbers.h"
#include "offpolicy/scored_rows.h"

namespace rein {
namespace {

// What changes at each place of the grid; the sums along it follow when all rows are there.
void add_values(const PricedGrid& grid, const ValueSums& layout, const ScoredRows& row,
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
  ScoredRows row(models, grids, rows);
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

}  // namespace rein
