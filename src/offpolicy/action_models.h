// ActionModels: a ridge regression per action and head on the context, one set per fold, each fitted
// without the rows that it predicts.
//
// For fold f and action a, with z = (1, x) and training rows T(f):
//   minimise sum over T(f) with action a of weight (y - center - z' beta)^2
//            + ridge ((beta_0 + mean' beta)^2 + sum_j variance_j beta_j^2),
// where center is the mean outcome, and mean and variance those of the features, over T(f). So an
// action without rows predicts the mean outcome, and units of features do not matter. Nothing of the
// rows outside T(f) enters, except through rounding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rein/offpolicy.h"

namespace rein {

class ActionModels {
 public:
  // REQUIRES check_rows(rows).
  static Result<ActionModels> fit(const OfflineRows& rows, const FitOptions& options);

  // The caller's predictions: `rows` has them as its context, actions x heads per row. One fold.
  static ActionModels given(const OfflineRows& rows);

  int folds() const { return folds_; }
  int fold_of(std::int64_t row) const;
  // False for the first block of a forward fit, which has no rows to learn from.
  bool trained(int fold) const { return !forward_ || fold > 0; }
  // out[action * heads + head] for this context, by the model of a fold.
  void predict(int fold, const double* x, double* out) const;
  // The mean context of the training rows of a fold.
  const double* mean_context(int fold) const;

 private:
  struct Sums;
  void solve(const std::vector<Sums>& sums, int fold, double ridge);

  std::int64_t rows_ = 0;
  int folds_ = 1;
  int lanes_ = 0;  // actions * heads
  int actions_ = 0;
  int heads_ = 0;
  int features_ = 0;
  bool forward_ = false;
  bool given_ = false;
  std::vector<double> shift_, scale_;  // per feature: mean and deviation over all rows
  std::vector<double> means_;          // folds x features
  std::vector<double> coefficients_;   // folds x (1 + features) x lanes, for raw contexts
};

}  // namespace rein
