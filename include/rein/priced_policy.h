// PricedPolicy: the policy that a what-if curve values at a budget, as one that can decide. The curve
// fits its regressions once per fold, so that no row is valued by a model that saw it; here one set is
// fitted on all rows, with prices at which these models spend the budget on the contexts of the log.
//
//     auto policy = rein::priced_policy(log.view(), {.cost = 1, .budget = 0.2}).value();
//     auto decides = rein::make_policy(policy.spec, shape).value();      // docs/policy/priced.md
#pragma once

#include <string>
#include <vector>

#include "rein/offpolicy.h"
#include "rein/spec.h"

namespace rein {

struct PricedPolicyOptions {
  int cost = 1;         // the head that has the budget
  double budget = 0.0;  // per round
  FitOptions fit;
};

struct PricedPolicy {
  Spec spec;                   // priced(weights=...,prices=...)
  double price = 0.0;          // reward per unit of the cost
  std::vector<double> values;  // per head: what the models expect it to earn and spend per row of the log
};

// Refuses what whatif() refuses, and a budget that these models cannot keep.
Result<PricedPolicy> priced_policy(const OfflineRows& rows, const PricedPolicyOptions& options);

}  // namespace rein
