// WholeModels: regressions that were fitted once, on all rows of a log, and the price at which the policy of
// these models spends a budget on these rows.
#pragma once

#include <cstddef>
#include <vector>

#include "offpolicy/rows.h"
#include "rein/priced_policy.h"

namespace rein {

class WholeModels {
 public:
  static Result<WholeModels> fit(const OfflineRows& rows, FitOptions options);

  double predict(std::size_t lane, const double* x) const {
    const double* weight = weights_.data() + lane * width_;
    double sum = weight[0];
    for (std::size_t j = 1; j < width_; ++j) sum += weight[j] * x[j - 1];
    return sum;
  }
  const std::vector<double>& weights() const { return weights_; }

 private:
  std::size_t width_ = 1;
  std::vector<double> weights_;  // per lane (action * heads + head): the constant, then the slopes
};

// The action with the largest reward less the priced cost, by these models; of equal ones the cheaper.
// `margin`, if given: by how much its score exceeds the second best; 0 if the row offers one action.
int priced_action(const OfflineRows& rows, std::int64_t row, const WholeModels& models, int cost,
                  double price, double* margin = nullptr);

// The policy that plays by price `low` with probability 1 - share, and by `high` otherwise.
struct PricedModels {
  WholeModels models;
  int cost = 1;
  double price = 0.0, low = 0.0, high = 0.0, share = 0.0;
  std::vector<double> values;  // per head: what the models expect it to earn and spend per row
};
Result<PricedModels> fit_priced(const OfflineRows& rows, const PricedPolicyOptions& options);

}  // namespace rein
