#include <gtest/gtest.h>

#include "engine/small.h"
#include "linear_log.h"

namespace rein {
namespace {

TEST(Adaptive, LearningPoliciesAreNoticedAndFixedOnesAreNot) {
  const LinearTruth truth(3, 2, false, 5);
  int fixed = 0;
  int learning = 0;
  const std::uint64_t seeds = repeats(40);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    fixed += varies_with_time(draw_log(truth, "softmax", 2000, seed).rows()) ? 1 : 0;
    fixed += varies_with_time(draw_log(truth, "epsilon", 2000, seed).rows()) ? 1 : 0;
    fixed += varies_with_time(draw_log(truth, "uniform", 2000, seed).rows()) ? 1 : 0;
    learning += varies_with_time(draw_log(truth, "ccb", 2000, seed).rows()) ? 1 : 0;
  }
  EXPECT_LE(fixed, 1);
  EXPECT_GE(learning + 1,
            static_cast<int>(seeds));  // this learner settles within the first 1 % of the log
}

TEST(Adaptive, StabilizedIntervalsCoverTheTruthOnLogsOfALearner) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  const LinearTruth truth(3, 2, false, 5);
  const std::vector<double> value = true_value(truth, "other");
  int covered = 0;
  constexpr int kLogs = 200;
  for (int i = 0; i < kLogs; ++i) {
    const OwnedLog log = draw_log(truth, "ccb", 2000, 300 + static_cast<std::uint64_t>(i));
    const auto predicted = cross_fit(log.rows(), {.forward = true}).value();
    const Evaluation found = evaluate_policy(log.rows(), target_of(truth, "other", log), predicted,
                                             {.adaptive = Adaptive::kYes})
                                 .value();
    ASSERT_EQ(found.values[found.recommended].estimator, "stabilized_dr");
    const PolicyValue& v = found.values[found.recommended];
    covered += v.low[0] <= value[0] && value[0] <= v.high[0] ? 1 : 0;
  }
  EXPECT_GE(covered, 190 - 10);
}

// The policy plays as the log does, and nothing is earned in the first half. Rows without a reward look
// exact, so they would count most if the deviation of the scores itself were trusted.
TEST(Adaptive, RowsBeforeTheFirstRewardCountAsOthersDo) {
  constexpr std::size_t kRows = 1000;
  const std::vector<std::int32_t> played(kRows, 0);
  const std::vector<double> half(kRows, 0.5);
  const std::vector<double> target(2 * kRows, 0.5);
  const std::vector<double> predicted(2 * kRows, 0.0);
  std::vector<double> outcomes(kRows, 0.0);
  double earned = 0.0;
  for (std::size_t i = kRows / 2; i < kRows; i += 3) earned += outcomes[i] = 1.0;
  const OfflineRows rows{.rows = kRows,
                         .actions = 2,
                         .heads = 1,
                         .played = played,
                         .propensity = half,
                         .outcomes = outcomes};
  const Evaluation found =
      evaluate_policy(rows, target, predicted, {.adaptive = Adaptive::kYes}).value();
  EXPECT_NEAR(found.find("stabilized_dr")->value[0], earned / (kRows - kRows / 50), 1e-12);
}

// A tenth of the weights is 10 in the first half, and all are 1 in the second.
TEST(Adaptive, RowsOfTimesWithLargeWeightsCountLess) {
  constexpr std::size_t kRows = 4000;
  const std::vector<std::int32_t> played(kRows, 0);
  std::vector<double> propensity(kRows, 1.0);
  const std::vector<double> target(kRows, 1.0);
  const std::vector<double> predicted(kRows, 0.0);
  std::vector<double> outcomes;
  Rng rng(3, 4);
  for (std::size_t i = 0; i < kRows; ++i) {
    if (i < kRows / 2 && i % 10 == 0) propensity[i] = 0.1;
    outcomes.push_back((i < kRows / 2 ? 1.0 : 3.0) + rng.uniform() - 0.5);
  }
  const OfflineRows rows{.rows = kRows,
                         .actions = 1,
                         .heads = 1,
                         .played = played,
                         .propensity = propensity,
                         .outcomes = outcomes};
  const Evaluation found =
      evaluate_policy(rows, target, predicted, {.adaptive = Adaptive::kYes}).value();
  // With equal weights it would be the mean of 1.9 and 3.
  EXPECT_GT(found.find("stabilized_dr")->value[0], 2.5);
}

TEST(Sequence, HoldsAtAllTimesOnLogsOfALearner) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  const LinearTruth truth(3, 2, false, 5);
  const std::vector<double> value = true_value(truth, "greedy");
  int inside = 0;
  constexpr int kLogs = 100;
  for (int i = 0; i < kLogs; ++i) {
    const OwnedLog log = draw_log(truth, "ccb", 3000, 900 + static_cast<std::uint64_t>(i));
    const auto found =
        confidence_sequence(log.rows(), target_of(truth, "greedy", log), 0, {0.0, 1.0}, 50).value();
    ASSERT_EQ(found.rows.size(), 50u);
    ASSERT_EQ(found.rows.back(), 3000);
    // The ends only move inward, so the last ones tell about all times.
    inside += found.low.back() <= value[0] && value[0] <= found.high.back() ? 1 : 0;
    ASSERT_LT(found.high.back() - found.low.back(), 0.95);
  }
  EXPECT_GE(inside, 95);
}

TEST(Sequence, RefusesOutcomesOutsideTheRange) {
  const LinearTruth truth(3, 2, false, 5);
  OwnedLog log = draw_log(truth, "uniform", 100, 1);
  log.outcomes[20] = 1.5;
  const auto found =
      confidence_sequence(log.rows(), target_of(truth, "greedy", log), 0, {0.0, 1.0});
  EXPECT_EQ(found.error(), "sequence: row 10 has outcome 1.5; accepted: 0 to 1");
}

TEST(Propensities, AreFoundWhereTheyAreLogistic) {
  const LinearTruth truth(3, 2, false, 5);
  const OwnedLog log = draw_log(truth, "softmax", 20000, 4);
  OfflineRows rows = log.rows();
  rows.propensity = {};
  const std::vector<double> found = estimate_propensities(rows, 2).value();
  double error = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i) error += std::abs(found[i] - log.propensity[i]);
  EXPECT_LT(error / 20000.0, 0.01);
  EXPECT_EQ(found, estimate_propensities(rows, 1).value());
}

TEST(Sensitivity, GrowsWithLambdaAndHasTheTruthUnderWrongPropensities) {
  const LinearTruth truth(3, 2, false, 5);
  OwnedLog log = draw_log(truth, "uniform", 4000, 4);
  const auto predicted = std::vector<double>(log.played.size() * 6, 0.0);
  const auto target = target_of(truth, "greedy", log);
  const SensitivityBand none = sensitivity_band(log.rows(), target, predicted, 0, 1.0).value();
  const Evaluation plain = evaluate_policy(log.rows(), target, predicted).value();
  EXPECT_NEAR(none.value, plain.find("snips")->value[0], 1e-12);
  EXPECT_NEAR(none.low, plain.find("snips")->low[0], 1e-4);
  const SensitivityBand some = sensitivity_band(log.rows(), target, predicted, 0, 1.5).value();
  EXPECT_LT(some.low, none.low);
  EXPECT_GT(some.high, none.high);
  // All odds are wrong by a factor of at most 1.5.
  const std::vector<double> value = true_value(truth, "greedy");
  for (std::size_t i = 0; i < log.propensity.size(); ++i) {
    const double odds = 0.5 * (log.outcomes[2 * i] > 0.55 ? 1.45 : 1.0 / 1.45);
    log.propensity[i] = odds / (1.0 + odds);
  }
  const SensitivityBand wrong = sensitivity_band(log.rows(), target, predicted, 0, 1.5).value();
  EXPECT_LT(wrong.low, value[0]);
  EXPECT_GT(wrong.high, value[0]);
}

}  // namespace
}  // namespace rein
