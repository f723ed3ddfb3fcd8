// Regressions of outcomes on contexts: the sums that rows add to them, which are merged over shards, and
// the models that follow from these sums.
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
  // The number of the observation that the row belongs to: its unit, or the row itself.
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

// ActionModels: a ridge regression per action and head on the context, one set per fold, each fitted
// without the rows that it predicts.
//
// For fold f and action a, with z = (1, x) and training rows T(f):
//   minimise sum over T(f) with action a of weight (y - center - z' beta)^2
//            + ridge (pull (beta_0 + mean' beta)^2 + sum_j variance_j beta_j^2),
// where center is the mean outcome, and mean and variance those of the features, over T(f). So an
// action without rows predicts the mean outcome, and units of features do not matter. The pull of the
// head is at most 1 (OutcomeSpread). It is 0 for list prices, so they are predicted exactly. Nothing
// of the rows outside T(f) enters, except through rounding.
// How much the outcomes of one head differ within actions and between them, from sums over rows.
struct OutcomeSpread {
  double count = 0.0, actions = 0.0;  // rows, and actions that have some
  double sum = 0.0, square = 0.0;     // of the outcomes
  double by_action = 0.0;             // sum over actions of (sum of outcomes)^2 / rows

  // For how many rows the mean over all actions counts in that of one action: at most 1. It is the
  // variance within actions over that between them, so 0 if all rows of an action have the same
  // outcome, as with list prices.
  double pull() const {
    const double between = by_action - sum * sum / count;
    if (!(between > 0.0 && count > actions)) return 1.0;
    const double within = std::max(square - by_action, 0.0) / (count - actions);
    return std::min(within * count / between, 1.0);
  }
};

class ActionModels {
 public:
  // REQUIRES check_rows(rows).
  static Result<ActionModels> fit(const OfflineRows& rows, const FitOptions& options);
  // From the normal equations of all rows (NormalSums).
  static ActionModels solved(FitFrame frame, std::span<const double> sums,
                             const FitOptions& options);

  int folds() const { return frame_.folds; }
  int fold_of(std::int64_t row) const { return frame_.fold_of(row); }
  bool trained(int fold) const { return frame_.trained(fold); }
  const FitFrame& frame() const { return frame_; }
  // out[action * heads + head] for this context, by the model of a fold.
  void predict(int fold, const double* x, double* out) const;
  // The mean context of the training rows of a fold.
  const double* mean_context(int fold) const;

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Centers;
  Centers centers(std::span<const double> sums, int fold) const;
  void add_pull(std::span<const double> sums, int fold, Centers& all) const;
  static std::vector<double> factor_of(std::vector<double> gram, double pull,
                                       std::span<const double> mean);
  void solve(std::span<const double> sums, int fold, double ridge);
  void solve_action(std::span<const double> sums, int fold, int action, double ridge,
                    const Centers& all);
  bool trains(int fold, int other) const { return frame_.forward ? other < fold : other != fold; }

  FitFrame frame_;
  std::vector<double> means_;         // folds x features
  std::vector<double> coefficients_;  // folds x (1 + features) x lanes, for raw contexts
};

}  // namespace rein
