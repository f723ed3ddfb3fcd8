// What rows add to the regressions of ActionModels: sums that are merged over shards.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "offpolicy/dense.h"
#include "offpolicy/rows.h"
#include "rein/bytes.h"
#include "rein/offpolicy.h"

namespace rein {

// Folds, and the units of the features.
struct FitFrame {
  std::int64_t rows = 0;  // of the whole log
  int folds = 1;
  int actions = 1;
  int heads = 1;
  int features = 0;
  bool forward = false;
  bool given = false;                // the context is the caller's predictions, one per lane
  std::vector<std::int64_t> starts;  // forward: the first row of every fold after the first
  // Of the rows of the log, if they belong together: a unit is in one fold. Not saved.
  std::span<const std::int32_t> units;
  Standardizer scaling;  // of the features, over all rows

  int lanes() const { return actions * heads; }
  int cells() const { return actions * folds; }
  // The number of the row's observation: its unit, or the row itself.
  std::int64_t observation(std::int64_t row) const {
    return units.empty() ? row : units[at(row)];
  }
  int fold_of(std::int64_t row) const {
    if (!forward) return static_cast<int>(observation(row) % folds);
    return static_cast<int>(std::upper_bound(starts.begin(), starts.end(), row) - starts.begin());
  }
  // False for the first block of a forward fit, which has no rows to learn from.
  bool trained(int fold) const { return !forward || fold > 0; }
  void save(ByteWriter& out) const;
  void load(ByteReader& in);
};

// Refuses folds, penalties and sizes that do not work.
Result<FitFrame> fit_frame(const OfflineRows& rows, const FitOptions& options);
// For predictions that the caller made. One fold.
FitFrame given_frame(const OfflineRows& rows);

// Sums of the features over rows: 2 * features numbers (Standardizer::of_moments).
void add_moments(const OfflineRows& rows, std::span<const double> origin, std::span<double> sums);

// The normal equations of every cell (action * folds + fold), from rows with all outcomes. A cell
// has the lower triangle of sum weight z z', row by row, then sum weight y z for every head, where
// z = (1, features in their units), then sum weight y^2 for every head. With given predictions there is
// one cell: sum weight x, then sum weight.
struct NormalSums {
  explicit NormalSums(const FitFrame& frame);
  int width;            // 1 + features
  std::size_t right;    // where the right sides begin in a cell
  std::size_t squares;  // and the squares of outcomes
  std::size_t cell;     // numbers per cell
  std::size_t size;     // of all cells

  std::size_t gram(int j, int k) const {  // k <= j
    return at(j) * at(j + 1) / 2 + at(k);
  }
};
// `first` is the number of the first of these rows in the log.
void add_normal(const FitFrame& frame, const OfflineRows& rows, std::int64_t first,
                std::span<double> sums);

}  // namespace rein
