#include <gtest/gtest.h>

#include <cmath>

#include "engine/small.h"
#include "linear_log.h"
#include "offpolicy/overlap.h"
#include "offpolicy/scores.h"

namespace rein {
namespace {

Evaluation evaluated(const LinearTruth& truth, const OwnedLog& log, const char* target,
                     std::span<const double> predicted) {
  return evaluate_policy(log.rows(), target_of(truth, target, log), predicted,
                         {.adaptive = Adaptive::kNo})
      .value();
}

TEST(Efficient, IsTheConstantOfTheRegressionOnControls) {
  // Rewards that are 1 + 2 (w - 1) in their scores leave no residual.
  PolicyScores scores{.heads = 1};
  for (int i = 0; i < 6; ++i) {
    const double w = 0.5 * i;
    scores.row.push_back(i);
    scores.weight.push_back(1.0);
    scores.ratio.push_back(w);
    scores.direct.push_back(1.0 + 2.0 * (w - 1.0));
    scores.residual.push_back(0.0);
    scores.outcome.push_back(0.0);
  }
  std::vector<double> errors;
  const PolicyValue found = efficient_of(scores, errors);
  EXPECT_NEAR(found.value[0], 1.0, 1e-12);
  EXPECT_NEAR(found.covariance[0], 0.0, 1e-20);
  EXPECT_EQ(errors.size(), 6u);
}

// A free action, by predictions that are not: the control variates explain all, and rounding is no cost.
TEST(Efficient, WhatControlsExplainIsExactlyZero) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    PolicyScores scores{.heads = 1};
    Rng rng(seed, 1);
    for (int i = 0; i < 300; ++i) {
      const double w = rng.uniform() < 1.0 / 3.0 ? 3.0 : 0.0, predicted = 7e-5 * rng.uniform();
      scores.row.push_back(i);
      scores.weight.push_back(1.0);
      scores.ratio.push_back(w);
      scores.direct.push_back(predicted);
      scores.residual.push_back(w > 0.0 ? -predicted : 1.0);
      scores.outcome.push_back(w > 0.0 ? 0.0 : 1.0 + predicted);
    }
    std::vector<double> errors;
    EXPECT_EQ(efficient_of(scores, errors).value[0], 0.0) << seed;
  }
}

TEST(Efficient, IsTheModelWhereTheLogNeverPlayedWhatThePolicyPlays) {
  PolicyScores scores{.heads = 1};
  for (int i = 0; i < 6; ++i) {
    scores.row.push_back(i);
    scores.weight.push_back(1.0);
    scores.ratio.push_back(0.0);
    scores.direct.push_back(0.5 + 0.1 * i);
    scores.residual.push_back(0.2);
    scores.outcome.push_back(1.0);
  }
  std::vector<double> errors;
  EXPECT_NEAR(efficient_of(scores, errors).value[0], 0.75, 1e-12);
}

TEST(Efficient, IsNoWorseThanIpsWherePredictionsAreNoise) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  const LinearTruth truth(3, 2, false, 5);
  const std::vector<double> value = true_value(truth, "other");
  double dr = 0.0;
  double efficient = 0.0;
  Rng rng(3, 1);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const OwnedLog log = draw_log(truth, "epsilon", 1500, seed);
    std::vector<double> noise(log.played.size() * 6);
    for (double& q : noise) q = 3.0 * rng.normal();
    const Evaluation found = evaluated(truth, log, "other", noise);
    const auto square = [&](const char* name) {
      const double off = found.find(name)->value[0] - value[0];
      return off * off;
    };
    dr += square("dr");
    efficient += square("efficient_dr");
  }
  EXPECT_LT(efficient, 0.1 * dr);
}

// The log never plays what the policy plays in half of the contexts, though propensities say that it
// rarely does.
TEST(Balance, SeesWhatTheLogNeverPlays) {
  const LinearTruth truth(3, 2, false, 5);
  OwnedLog log{.actions = 3, .heads = 2};
  Rng rng(9, 2);
  for (int t = 0; t < 3000; ++t) {
    double x[kLogFeatures];
    for (double& value : x) value = 2.0 * rng.uniform() - 1.0;
    const double rare = x[0] > 0.0 ? 1e-5 : 0.4;
    const int action = rng.uniform() < rare ? 0 : (rng.uniform() < 0.5 ? 1 : 2);
    log.played.push_back(action);
    log.propensity.push_back(action == 0 ? rare : 0.5 * (1.0 - rare));
    log.context.insert(log.context.end(), x, x + kLogFeatures);
    for (int h = 0; h < 2; ++h) log.outcomes.push_back(truth.mean(h, action, x));
  }
  std::vector<double> target;
  for (int t = 0; t < 3000; ++t) target.insert(target.end(), {1.0, 0.0, 0.0});
  const Evaluation found =
      evaluate_policy(log.rows(), target, cross_fit(log.rows()).value()).value();
  EXPECT_GT(found.overlap.effective_size, 200.0);
  EXPECT_GT(found.overlap.balance, found.overlap.balance_limit);
  EXPECT_TRUE(std::isnan(found.find("dr")->low[0]));
  ASSERT_FALSE(found.warnings.empty());
}

// In a tenth of the contexts the log plays what the policy plays with probability 0.03. So six rows of
// 2 000 stand for that tenth, and the effective size does not show it.
TEST(VarianceRows, FewHeavyRowsGetNoInterval) {
  for (const double rare : {0.03, 0.3}) {
    OwnedLog log{.actions = 2, .heads = 1};
    Rng rng(4, 2);
    std::vector<double> target;
    for (int t = 0; t < 2000; ++t) {
      double x[kLogFeatures];
      for (double& value : x) value = 2.0 * rng.uniform() - 1.0;
      const double first = x[0] > 0.8 ? rare : 1.0 - rare;
      const int action = rng.uniform() < first ? 0 : 1;
      log.played.push_back(action);
      log.propensity.push_back(action == 0 ? first : 1.0 - first);
      log.context.insert(log.context.end(), x, x + kLogFeatures);
      log.outcomes.push_back(rng.uniform() < 0.8 ? 1.0 : 0.0);
      target.insert(target.end(), {1.0, 0.0});
    }
    const Evaluation found =
        evaluate_policy(log.rows(), target, cross_fit(log.rows()).value()).value();
    EXPECT_GT(std::min(found.overlap.effective_size, found.overlap.expected_size), 200.0);
    const bool few = found.overlap.variance_rows < kFewestVarianceRows;
    EXPECT_EQ(few, rare < 0.1);
    EXPECT_EQ(std::isnan(found.find("efficient_dr")->low[0]), few);
    EXPECT_EQ(found.warnings.empty(), !few);
    // Without a floor on the propensities it is not known.
    for (std::size_t i = 0; i < log.propensity.size(); ++i)
      log.propensity[i] *= 1.0 - 1e-6 * static_cast<double>(i);
    const Evaluation loose =
        evaluate_policy(log.rows(), target, cross_fit(log.rows()).value()).value();
    EXPECT_TRUE(std::isnan(loose.overlap.variance_rows));
  }
}

TEST(Balance, LimitIsTheNormalQuantile) {
  EXPECT_NEAR(balance_limit(1), 2.576, 0.05);
  EXPECT_NEAR(balance_limit(10), 3.291, 0.03);
}

}  // namespace
}  // namespace rein
