// The covariance between folds (src/offpolicy/error_sums.cc).
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "engine/small.h"
#include "offpolicy/action_models.h"
#include "offpolicy/rows.h"
#include "rein/rng.h"
#include "rein/whatif.h"

namespace rein {
namespace {

// Two actions that earn the same on average, and a context that says nothing. So each fold plays what
// the noise of the others favours.
struct TiedLog {
  static constexpr int kRows = 1200;
  std::vector<std::int32_t> played;
  std::vector<double> propensity, outcomes, context;

  explicit TiedLog(std::uint64_t seed) : propensity(kRows, 0.5) {
    Rng rng(seed, 0);
    for (int i = 0; i < kRows; ++i) {
      played.push_back(rng.uniform() < 0.5 ? 0 : 1);
      context.push_back(rng.normal());
      outcomes.push_back(rng.normal());
      outcomes.push_back(0.1 * (1 + played.back()));
    }
  }
  OfflineRows rows() const {
    return {.rows = kRows,
            .actions = 2,
            .heads = 2,
            .features = 1,
            .played = played,
            .propensity = propensity,
            .outcomes = outcomes,
            .context = context};
  }
};

// Mean square of the error of the reward over its standard error, in many logs. The truth is 0.
double mean_square(const WhatifOptions& options) {
  constexpr int kLogs = 300;
  double sum = 0.0;
  for (int i = 0; i < kLogs; ++i) {
    const TiedLog log(100 + static_cast<std::uint64_t>(i));
    const CurveValue reward = whatif(log.rows(), options).value().points[0].values[0];
    // A log that is out of balance by chance has no error; its t is left out.
    if (std::isfinite(reward.error)) sum += std::pow(reward.value / reward.error, 2) / kLogs;
  }
  return sum;
}

// 300 logs know a mean square of 1 to 0.08. Without the covariance between folds it is 1.26.
TEST(ErrorSums, FoldsThatChooseByTheNoiseOfEachOtherAreNotIndependent) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  EXPECT_LT(mean_square({.budgets = {1.0}}), 1.1);
}

// In a forward fit a fold chooses by earlier noise alone, so nothing is added.
TEST(ErrorSums, AForwardFitNeedsNoCovariance) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  const double square = mean_square({.budgets = {1.0}, .adaptive = Adaptive::kYes});
  EXPECT_GT(square, 0.8);
  EXPECT_LT(square, 1.2);
}

// With one model for all folds no choice differs: the error is that of independent rows.
TEST(ErrorSums, ModelsThatAgreeAddNothing) {
  TiedLog log(7);
  for (std::size_t i = 0; i < log.played.size(); ++i) {
    if (log.played[i] == 1) log.outcomes[2 * i] += 3.0;  // action 1 is better, everywhere
  }
  const OfflineRows rows = log.rows();
  const Whatif found = whatif(rows, {.budgets = {1.0}}).value();
  const ActionModels models = ActionModels::fit(rows, {}).value();
  double sum = 0.0;
  double square = 0.0;
  std::vector<double> predicted(4);
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    models.predict(models.fold_of(i), rows.context.data() + i, predicted.data());
    const double residual = rows.outcomes[at(2 * i)] - predicted[2];
    const double score = predicted[2] + (rows.played[at(i)] == 1 ? 2.0 * residual : 0.0);
    sum += score;
    square += score * score;
  }
  const double n = static_cast<double>(rows.rows);
  const double error = std::sqrt((square / n - sum / n * sum / n) / (n - 1.0));
  EXPECT_NEAR(found.points[0].values[0].value, sum / n, 1e-12);
  EXPECT_NEAR(found.points[0].values[0].error, error, 1e-12);
}

// A unit is one observation, so it does not matter in which order its rows are written.
TEST(ErrorSums, TheOrderOfTheRowsOfAUnitChangesNothing) {
  TiedLog log(11);
  std::vector<std::int32_t> unit;
  for (int i = 0; i < TiedLog::kRows; ++i) unit.push_back(i / 2);
  OfflineRows rows = log.rows();
  rows.unit = unit;
  const CurveValue before = whatif(rows, {.budgets = {1.0}}).value().points[0].values[0];
  for (std::size_t i = 0; i < log.played.size(); i += 2) {
    std::swap(log.played[i], log.played[i + 1]);
    std::swap(log.context[i], log.context[i + 1]);
    for (const std::size_t head : {0, 1}) {
      std::swap(log.outcomes[2 * i + head], log.outcomes[2 * i + 2 + head]);
    }
  }
  rows = log.rows();
  rows.unit = unit;
  const CurveValue after = whatif(rows, {.budgets = {1.0}}).value().points[0].values[0];
  EXPECT_NEAR(before.value, after.value, 1e-12);
  EXPECT_NEAR(before.error, after.error, 1e-9 * after.error);
}

}  // namespace
}  // namespace rein
