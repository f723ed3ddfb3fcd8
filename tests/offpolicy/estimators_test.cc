#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/small.h"
#include "linear_log.h"
#include "offpolicy/action_models.h"
#include "offpolicy/action_models.h"

namespace rein {
namespace {

// Three rows, two actions, worked by hand.
struct Tiny {
  std::vector<std::int32_t> played{0, 1, 0};
  std::vector<double> propensity{0.5, 0.25, 0.8};
  std::vector<double> outcomes{1.0, 0.0, 0.5};
  std::vector<double> target{1.0, 0.0, 0.5, 0.5, 0.2, 0.8};
  std::vector<double> predicted{0.8, 0.1, 0.6, 0.3, 0.4, 0.2};
  OfflineRows rows() const {
    return {.rows = 3,
            .actions = 2,
            .heads = 1,
            .played = played,
            .propensity = propensity,
            .outcomes = outcomes};
  }
};

TEST(Estimators, AgreeWithHandWork) {
  const Tiny tiny;
  const Evaluation found =
      evaluate_policy(tiny.rows(), tiny.target, tiny.predicted, {.switch_at = 1.0, .shrink = 1.0})
          .value();
  // w = 2, 2, 0.25; direct = 0.8, 0.45, 0.24; residual = 0.2, -0.3, 0.1.
  EXPECT_NEAR(found.find("ips")->value[0], (2.0 + 0.0 + 0.125) / 3.0, 1e-12);
  EXPECT_NEAR(found.find("snips")->value[0], 2.125 / 4.25, 1e-12);
  EXPECT_NEAR(found.find("dm")->value[0], 1.49 / 3.0, 1e-12);
  EXPECT_NEAR(found.find("dr")->value[0], (1.49 + 0.4 - 0.6 + 0.025) / 3.0, 1e-12);
  EXPECT_NEAR(found.find("switch_dr")->value[0], (1.49 + 0.025) / 3.0, 1e-12);
  EXPECT_NEAR(found.find("dros")->value[0],
              (1.49 + 0.4 * 0.2 - 0.4 * 0.3 + 0.25 / 1.0625 * 0.1) / 3.0, 1e-12);
  EXPECT_NEAR(found.overlap.effective_size, 4.25 * 4.25 / (4.0 + 4.0 + 0.0625), 1e-12);
  EXPECT_EQ(found.overlap.largest_weight, 2.0);
  EXPECT_FALSE(found.warnings.empty());  // an effective size of 2
  EXPECT_TRUE(std::isnan(found.find("dm")->low[0]));
  EXPECT_TRUE(std::isnan(found.find("dros")->low[0]));
}

TEST(Estimators, RowWithoutAnOutcomeIsLeftOutAndCounted) {
  Tiny tiny;
  tiny.outcomes[1] = std::numeric_limits<double>::quiet_NaN();
  const Evaluation found = evaluate_policy(tiny.rows(), tiny.target, tiny.predicted).value();
  EXPECT_EQ(found.used, 2);
  EXPECT_EQ(found.missing, 1);
  EXPECT_NEAR(found.find("ips")->value[0], 2.125 / 2.0, 1e-12);
}

TEST(Estimators, WeightTwoIsTheRowTwice) {
  const Tiny tiny;
  OfflineRows rows = tiny.rows();
  const std::vector<double> weights{2.0, 1.0, 1.0};
  rows.weights = weights;
  const Evaluation found = evaluate_policy(rows, tiny.target, tiny.predicted).value();
  EXPECT_NEAR(found.find("ips")->value[0], (2.0 + 2.0 + 0.125) / 4.0, 1e-12);
  EXPECT_NEAR(found.find("snips")->value[0], 4.125 / 6.25, 1e-12);
}

TEST(Estimators, RefuseWhatIsWrongByRow) {
  Tiny tiny;
  tiny.propensity[2] = 0.0;
  auto refused = evaluate_policy(tiny.rows(), tiny.target, tiny.predicted);
  EXPECT_EQ(refused.error(), "log: row 2 has propensity 0; accepted: more than 0, at most 1");
  tiny.propensity[2] = 0.8;
  tiny.target[3] = 0.6;
  refused = evaluate_policy(tiny.rows(), tiny.target, tiny.predicted);
  EXPECT_EQ(refused.error(),
            "evaluate: the policy's probabilities in row 1 sum to 1.1; accepted: 1");
  tiny.played[0] = 7;
  refused = evaluate_policy(tiny.rows(), tiny.target, tiny.predicted);
  EXPECT_EQ(refused.error(), "log: row 0 has action 7; accepted: 0 to 1");
}

TEST(Estimators, NoIntervalWhereTheLogNeverPlayedWhatThePolicyPlays) {
  const LinearTruth truth(3, 2, false, 5);
  OwnedLog log = draw_log(truth, "uniform", 900, 1);
  for (auto& action : log.played) action = std::min(action, 1);
  const std::vector<double> target = target_of(truth, "uniform", log);
  const auto predicted = cross_fit(log.rows()).value();
  const Evaluation found = evaluate_policy(log.rows(), target, predicted).value();
  EXPECT_NEAR(found.overlap.uncovered, 1.0 / 3.0, 1e-12);
  EXPECT_TRUE(std::isnan(found.find("dr")->low[0]));
}

TEST(Estimators, NoIntervalBelowTheSmallestEffectiveSize) {
  const LinearTruth truth(8, 2, false, 5);
  const OwnedLog log = draw_log(truth, "softmax", 1000, 1);
  const Evaluation found =
      evaluate_policy(log.rows(), target_of(truth, "other", log), cross_fit(log.rows()).value())
          .value();
  EXPECT_LT(found.overlap.effective_size, 200.0);
  EXPECT_TRUE(std::isnan(found.find("ips")->low[0]));
}

TEST(Estimators, WrongPropensitiesAreSaid) {
  const LinearTruth truth(3, 2, false, 5);
  OwnedLog log = draw_log(truth, "uniform", 2000, 1);
  for (double& p : log.propensity) p = 0.5;
  const Evaluation found =
      evaluate_policy(log.rows(), target_of(truth, "other", log), cross_fit(log.rows()).value())
          .value();
  ASSERT_FALSE(found.warnings.empty());
  EXPECT_NE(found.warnings[0].find("propensities look wrong"), std::string::npos);
}

TEST(CrossFit, NeverSeesTheRowItPredicts) {
  const LinearTruth truth(3, 2, false, 5);
  OwnedLog log = draw_log(truth, "uniform", 300, 2);
  const auto before = cross_fit(log.rows()).value();
  const auto forward = cross_fit(log.rows(), {.forward = true}).value();
  log.outcomes[2 * 100] += 10.0;  // row 100 is in fold 0, and in the block of rows 67 to 140
  const auto after = cross_fit(log.rows()).value();
  const auto later = cross_fit(log.rows(), {.forward = true}).value();
  for (std::size_t row = 0; row < 300; ++row) {
    const bool same = std::equal(&before[row * 6], &before[row * 6] + 6, &after[row * 6]);
    EXPECT_EQ(same, row % 5 == 0) << row;
    const bool unmoved = std::equal(&forward[row * 6], &forward[row * 6] + 6, &later[row * 6]);
    EXPECT_EQ(unmoved, row < 141) << row;
  }
}

TEST(CrossFit, FirstRowsOfALearnersLogGetTheMeansOfTheRowsBefore) {
  const LinearTruth truth(3, 2, false, 5);
  const OwnedLog log = draw_log(truth, "uniform", 300, 2);
  const auto forward = cross_fit(log.rows(), {.forward = true}).value();
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(forward[i], 0.0);  // nothing is known
  const std::size_t first = static_cast<std::size_t>(log.played[0]);
  for (std::size_t i = 0; i < 6; ++i) {
    // One row and one row's worth of the mean are that row again.
    EXPECT_NEAR(forward[6 + i], log.outcomes[i % 2], 1e-15) << first;
  }
}

TEST(CrossFit, FindsALinearTruthAndIgnoresUnits) {
  const LinearTruth truth(3, 2, false, 5);
  OwnedLog log = draw_log(truth, "uniform", 20000, 2);
  const auto one = cross_fit(log.rows()).value();
  double error = 0.0;
  for (std::size_t row = 0; row < 20000; ++row) {
    for (int a = 0; a < 3; ++a) {
      const double off = one[(row * 3 + static_cast<std::size_t>(a)) * 2] -
                         truth.mean(0, a, log.context.data() + row * kLogFeatures);
      error += off * off / 60000.0;
    }
  }
  EXPECT_LT(std::sqrt(error), 0.005);
  for (std::size_t i = 0; i < log.context.size(); i += 3)
    log.context[i] = 1e6 + 1000.0 * log.context[i];
  const auto other = cross_fit(log.rows()).value();
  for (std::size_t i = 0; i < one.size(); ++i) ASSERT_NEAR(one[i], other[i], 1e-6);
}

TEST(CrossFit, ThreadsChangeNoBit) {
  const LinearTruth truth(4, 2, true, 5);
  const OwnedLog log = draw_log(truth, "softmax", 5000, 3);
  EXPECT_EQ(cross_fit(log.rows(), {.threads = 1}).value(),
            cross_fit(log.rows(), {.threads = 3}).value());
}

TEST(Intervals, CoverTheTruthInNineteenOfTwentyLogs) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  const LinearTruth truth(3, 2, true, 5);
  const std::vector<double> value = true_value(truth, "other");
  int ips = 0;
  int snips = 0;
  int dr = 0;
  constexpr int kLogs = 300;
  for (int i = 0; i < kLogs; ++i) {
    const OwnedLog log = draw_log(truth, "epsilon", 2500, 100 + static_cast<std::uint64_t>(i));
    const Evaluation found =
        evaluate_policy(log.rows(), target_of(truth, "other", log), cross_fit(log.rows()).value(),
                        {.switch_at = 1.0, .shrink = 1.0})
            .value();
    const auto covers = [&](const char* name) {
      const PolicyValue& v = *found.find(name);
      return v.low[1] <= value[1] && value[1] <= v.high[1] ? 1 : 0;
    };
    ips += covers("ips");
    snips += covers("snips");
    dr += covers("dr");
  }
  // 95 % of 300, less and plus three standard deviations of the count.
  for (const int count : {ips, snips, dr}) {
    EXPECT_GE(count, 285 - 12);
    EXPECT_LE(count, 285 + 12);
  }
}

// A reward that is noise, and a cost that depends on the action alone, in few rows per action.
TEST(ActionModels, PredictListPricesExactly) {
  constexpr int kActions = 20;
  OwnedLog log = draw_log(LinearTruth(kActions, 2, true, 5), "uniform", 300, 8);
  for (std::size_t i = 0; i < log.played.size(); ++i) log.outcomes[2 * i + 1] = 0.3 * log.played[i];
  for (const bool forward : {false, true}) {
    const auto predicted = cross_fit(log.rows(), {.folds = 20, .forward = forward}).value();
    // A forward fit knows the prices once it has seen all actions.
    for (std::size_t i = forward ? 200 : 0; i < log.played.size(); ++i) {
      for (std::size_t a = 0; a < kActions; ++a)
        ASSERT_NEAR(predicted[2 * (i * kActions + a) + 1], 0.3 * static_cast<double>(a), 1e-9);
    }
  }
}

TEST(OutcomeSpread, PullsByTheVarianceWithinOverThatBetweenActions) {
  // Outcomes 1, 3 and 11, 13 of two actions: within 2 (4 rows, 2 means), between 25.
  OutcomeSpread spread{.count = 4.0, .actions = 2.0, .sum = 28.0, .square = 300.0};
  spread.by_action = 16.0 / 2.0 + 576.0 / 2.0;
  EXPECT_NEAR(spread.pull(), 2.0 / 25.0, 1e-12);
  spread.square = 1000.0;  // much noise: one row, no more
  EXPECT_EQ(spread.pull(), 1.0);
  spread.actions = 4.0;  // a row per action says nothing about noise
  spread.square = 300.0;
  EXPECT_EQ(spread.pull(), 1.0);
  EXPECT_EQ(OutcomeSpread{}.pull(), 1.0);
}

}  // namespace
}  // namespace rein
