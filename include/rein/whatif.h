// The what-if curve: what would another budget have earned?
//
// The policies of the curve are priced policies: at price z, a row gets the action with the largest
//   predicted reward - z * predicted cost (+ or - held price * predicted limited head),
// from regressions that never saw the row (rein/offpolicy.h, FitOptions). Prices lie on a grid of
// up to 256 values, and two neighbours are mixed so that the budget is met exactly. Values are
// doubly robust means over all rows.
//
// What is promised. R(z), C(z): the true mean reward and cost per round of the priced policies, each
// fold's rows under that fold's policy, given the regressions and the grid. The true curve at budget
// b is the R where C first falls to b as z rises from 0 (linear between neighbours on the grid); if
// C(0) <= b it is R(0). `low` and `high` hold at one budget with 95 %, `band_low` and `band_high` at
// all budgets together, for large logs. The cost at b is b by this definition, so it has no error.
// With a limit on another head, each fold's mixture is chosen so that its predictions meet budget and
// limit, and the true curve is the true reward of these very mixtures. Then all heads have errors: read the
// cost's interval against the budget, and the limited head's against the limit.
// The optimum over all policies is not less than the true
// curve; the band says nothing about how much more it is. As regressions improve the two meet.
//
// Bands: at a budget that binds, the scores are those of the reward minus slope times those of the
// cost (delta method), where slope = dR/dC along the curve. The joint band is value -+ c * standard
// error, where c is the 95 % quantile of the largest |t| over budgets under a normal law with the
// covariance of the scores. That is the Gaussian multiplier bootstrap of Chernozhukov, Chetverikov,
// Kato (2013), drawn from its exact law (10 000 draws of an Rng with the given seed).
// The covariance counts that the policy of a fold is chosen by the noise of the other folds
// (src/offpolicy/error_sums.cc).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rein/json.h"
#include "rein/offpolicy.h"

namespace rein {

inline constexpr int kMaxWhatifBudgets = 200;
// Curves of one call: those of a grid, and as many besides.
inline constexpr int kMaxWhatifQuestions = 2 * kMaxWhatifBudgets;
inline constexpr double kSmallestFloorSize = 500.0;
inline constexpr double kMaxWhatifTotal = 1e15;  // rows over which totals are said

// What a curve is about.
struct WhatifQuestion {
  int cost = 1;                   // the head whose budget varies
  std::vector<double> budgets;    // per round; ascending
  std::vector<HeadLimit> limits;  // at most one, on another head, which every point of the curve keeps
};

struct WhatifOptions {
  int cost = 1;                 // the head whose budget varies
  std::vector<double> budgets;  // per round; ascending
  // Limits on another head, which every point of the curve keeps; at most one entry.
  std::vector<HeadLimit> limits;
  std::vector<std::string> heads;    // names; empty: reward, cost1, cost2, ...
  std::vector<std::string> actions;  // names; empty: 0, 1, 2, ...
  FitOptions fit;                    // forward is set for an adaptive log
  // The caller's own predictions, as cross_fit returns them; empty: regressions on the context. The
  // predictions must be made from other rows than these.
  std::span<const double> predictions;
  Adaptive adaptive = Adaptive::kAuto;
  // The factor `lambda` of sensitivity_band(), at least 1. 0: no band, or kUsualLambda if
  // propensities are estimated.
  double sensitivity = 0.0;
  // Rows over which the verdict also says totals, such as those of the next month. 0: none.
  double total = 0.0;
  std::uint64_t seed = 1;  // of the joint band
  // Called from time to time with the share of the work that is done. False stops the work, which
  // then returns an error of reason kFailed.
  std::function<bool(double)> progress;
};

// A value with its standard error, its interval at this budget alone, and its band at all budgets
// together.
struct CurveValue {
  double value = 0.0, error = 0.0;
  double low = 0.0, high = 0.0;            // this budget alone
  double band_low = 0.0, band_high = 0.0;  // all budgets together
};

struct CurvePoint {
  double budget = 0.0;
  bool possible =
      true;             // false: no policy of the curve keeps this budget; all else is NaN or empty
  bool binding = true;  // false: the policy of price 0 spends less than the budget
  double price = 0.0;   // reward per unit of cost
  double held_price = 0.0;         // price of the limited head; 0 without a limit
  std::vector<CurveValue> values;  // one per head
  std::vector<double> shares;      // of the actions
  double effective_size = 0.0;
  // The effective size to expect of such a log (Overlap::expected_size).
  double expected_size = 0.0;
  // There is no band if effective_size or expected_size is smaller. With a limit, and if the
  // propensities have no floor, twice as much is needed: which rows count then depends more on the
  // outcomes.
  double least_size = kSmallestEffectiveSize;
  // In the log of a learning policy: rows x the least propensity; NaN for other logs. What such a
  // policy plays, and so the effective size, depends on the outcomes. Only the floor under its
  // propensities does not. Under kSmallestFloorSize there is no band.
  double floor_size = 0.0;
  // Skewness of the error of the reward: 0 for a normal law. Intervals and bands are wider where it
  // is not 0.
  double skewness = 0.0;
  // How many rows, or units, carry that error (PolicyValue::error_rows). Under 2 there is no band.
  double error_rows = 0.0;
  // How many rows carry the variance (Overlap::variance_rows; NaN without a floor). Under 30 there is
  // no band.
  double variance_rows = 0.0;
  double spend_error = 0.0;  // standard error of what this mixture spends
  // How far weighted actions and contexts are from what the policy meets, in standard errors, and
  // what chance allows (Overlap::balance). Over it there is no band.
  double balance = 0.0, balance_limit = 0.0;
  // One per head: the range of what the mixture of this point earns and spends if propensities are
  // wrong (sensitivity_band()). Empty if it was not asked for, or if there is no band.
  std::vector<SensitivityBand> sensitivity;
};

// The reward at a budget as a share of the reward at a larger budget, with the interval of this
// ratio at this budget alone (delta method, with the covariance of both rewards).
struct RewardShare {
  double budget = 0.0, of = 0.0;  // the two amounts per round
  double share = 0.0, low = 0.0, high = 0.0;
};

// What the cheapest choice of every row earns: with a free action, what doing nothing earns. And what more
// money adds to it, per round, with intervals at these budgets alone.
struct CheapestChoice {
  struct Gain {
    double spend = 0.0;  // of the curve's cost
    double value = 0.0, low = 0.0, high = 0.0;  // more reward than the cheapest choice
  };
  double spend = 0.0;  // of the curve's cost
  int action = -1;     // that every row gets; -1: rows differ
  CurveValue reward;
  RewardShare share;  // of the reward of the last point
  Gain last, half;    // the last point, and half of what it spends
  // The gain of half as a share of the gain of the last point. Empty if the latter is not clearly above 0.
  std::optional<RewardShare> half_of_gain;
};

struct Whatif {
  std::vector<std::string> heads, actions;
  int cost = 1;
  std::vector<HeadLimit> limits;
  std::vector<CurvePoint> points;     // priced policies, one per budget
  std::vector<CurvePoint> fixed;      // the best fixed mix of actions, one per budget
  std::vector<CurveValue> logged;     // what the log earned and spent, one per head
  std::vector<double> logged_shares;  // of the actions
  CurvePoint at_logged;               // priced policies at the cost of the log
  // The share at half of what the last point spends, and at half of what the log spent. Empty if an
  // amount cannot be met, or if the larger reward is not clearly above 0.
  std::optional<RewardShare> half_of_last, half_of_logged;
  // Empty if the last point cannot be met or spends no more.
  std::optional<CheapestChoice> cheapest;
  double total = 0.0;  // rows over which the verdict says totals; 0: none
  // The least and the largest spend of the priced policies. A smaller budget cannot be met. With a limit
  // every fold has to meet the budget.
  double least = 0.0, most = 0.0;
  std::int64_t rows = 0;     // rows that were evaluated
  std::int64_t units = 0;    // that the rows of the log belong to; 0: rows are independent
  std::int64_t missing = 0;  // rows without all outcomes, left out
  bool adaptive = false;
  bool estimated = false;            // propensities were estimated from the log
  double lambda = 0.0;               // of the sensitivity bands; 0: none
  std::vector<std::string> verdict;  // sentences
  std::vector<std::string> warnings;
};

Result<Whatif> whatif(const OfflineRows& rows, const WhatifOptions& options);
// A curve per question, each the same as its own whatif() to the last bit. What does not depend on the
// budgets is done once: checks, propensities, the description of the log, regressions. The cost, the
// budgets and the limits of `options` are not used.
Result<std::vector<Whatif>> whatif_curves(const OfflineRows& rows, const WhatifOptions& options,
                                          const std::vector<WhatifQuestion>& questions);

// The budget whose policy is kept or described if none is named: that of a curve with one point, else half of
// what the last point spends. NaN if that point cannot be met.
double usual_budget(const Whatif& curve);

// The curve as one object (docs/whatif.md has its keys).
Json to_value(const Whatif& curve);

}  // namespace rein
