#include "rein/policy_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/small.h"
#include "linear_log.h"

namespace rein {
namespace {

const LinearTruth kTruth(3, 3, false, 31);

OwnedLog log_of(int rows = 4000, const char* policy = "softmax") {
  return draw_log(kTruth, policy, rows, 8);
}

PolicyValues values_of(const OwnedLog& log, PolicyValuesOptions options) {
  if (options.learner.heads.empty()) options.learner.heads = {"reward", "dollars", "quality"};
  if (options.actions.empty()) options.actions = {"a", "b", "c,d"};
  options.value.adaptive = Adaptive::kNo;
  return policy_values(log.rows(), options).value();
}

std::string error_of(const OwnedLog& log, PolicyValuesOptions options) {
  options.actions = {"a", "b", "c,d"};
  const auto found = policy_values(log.rows(), options);
  return found.ok() ? "" : found.error();
}

TEST(PolicyValues, FixedPoliciesAreEvaluatePolicyByHand) {
  const OwnedLog log = log_of();
  const PolicyValues found = values_of(
      log, {.policies = {"uniform", "action(b)", "mix(a=0.25,\"c,d\"=0.75)", "mix(a=1)"}});
  const std::vector<double> predicted = cross_fit(log.rows()).value();
  const double shares[4][3] = {{1.0 / 3, 1.0 / 3, 1.0 / 3}, {0, 1, 0}, {0.25, 0, 0.75}, {1, 0, 0}};
  ASSERT_EQ(found.policies.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    std::vector<double> target;
    for (int row = 0; row < 4000; ++row) target.insert(target.end(), shares[i], shares[i] + 3);
    const Evaluation hand =
        evaluate_policy(log.rows(), target, predicted, {.adaptive = Adaptive::kNo}).value();
    const Evaluation& line = found.policies[i].evaluation;
    ASSERT_EQ(line.values.size(), hand.values.size());
    for (std::size_t e = 0; e < hand.values.size(); ++e) {
      EXPECT_EQ(line.values[e].value, hand.values[e].value);
      EXPECT_EQ(line.values[e].covariance, hand.values[e].covariance);
    }
    EXPECT_EQ(found.policies[i].kind, "fixed");
  }
}

TEST(PolicyValues, WarningsNameActions) {
  OwnedLog log = log_of(4000, "uniform");
  for (double& p : log.propensity) p = 0.6;
  const PolicyValues found = values_of(log, {.policies = {"uniform"}});
  const std::vector<std::string>& warnings = found.policies[0].evaluation.warnings;
  for (const char* name : {"[action a played]", "[action b played]", "[action c,d played]"}) {
    EXPECT_TRUE(std::ranges::any_of(warnings, [&](const std::string& warning) {
      return warning.find(name) != std::string::npos;
    })) << name;
  }
}

TEST(PolicyValues, FrozenPolicyIsEvaluatePolicyByHandOnTheOtherRows) {
  const OwnedLog log = log_of();
  const PolicyValues found =
      values_of(log, {.policies = {"squarecb", "logged"}, .frozen = true, .train = 0.25});
  EXPECT_EQ(found.first, 1000);
  const OfflineRows train = slice(log.rows(), 0, 1000);
  const OfflineRows rows = slice(log.rows(), 1000, 4000);
  const auto target = frozen_policy(train, rows, "squarecb").value();
  const Evaluation hand =
      evaluate_policy(rows, target, cross_fit(rows).value(), {.adaptive = Adaptive::kNo}).value();
  EXPECT_EQ(found.policies[0].kind, "frozen");
  EXPECT_EQ(found.policies[0].evaluation.find("dr")->value, hand.find("dr")->value);
  EXPECT_EQ(found.policies[1].evaluation.used, 3000);
}

TEST(PolicyValues, LoggedIsTheMeanOfTheLog) {
  const OwnedLog log = log_of();
  const PolicyValues found = values_of(log, {.policies = {"logged"}});
  double sum = 0.0, square = 0.0;
  for (std::size_t i = 0; i < 4000; ++i) sum += log.outcomes[3 * i];
  for (std::size_t i = 0; i < 4000; ++i) square += std::pow(log.outcomes[3 * i] - sum / 4000, 2);
  const PolicyValue& mean = found.policies[0].evaluation.values[0];
  EXPECT_EQ(mean.estimator, "mean");
  EXPECT_NEAR(mean.value[0], sum / 4000, 1e-12);
  EXPECT_NEAR(mean.covariance[0], square / 3999 / 4000, 1e-15);
  // Student's quantile of a few thousand rows.
  EXPECT_NEAR((mean.high[0] - mean.low[0]) / (2 * 1.959963984540054 * std::sqrt(mean.covariance[0])),
              1.0, 2e-3);
}

TEST(PolicyValues, DifferencesArePairedByRow) {
  const OwnedLog log = log_of(4000, "uniform");
  const std::vector<double> given(4000 * 3, 1.0 / 3);
  const PolicyValues found = values_of(
      log, {.policies = {"uniform", "mix(a=0.4,b=0.3,\"c,d\"=0.3)"}, .given = {{"mine", given}}});
  const auto& first = found.policies[0].evaluation.find("dr")->value;
  const PolicyLine& second = found.policies[1];
  EXPECT_FALSE(found.policies[0].difference.has_value());
  ASSERT_TRUE(second.difference.has_value());
  EXPECT_EQ(second.difference->rows, 4000);
  for (std::size_t h = 0; h < 3; ++h) {
    EXPECT_NEAR(second.difference->value.value[h],
                second.evaluation.find("dr")->value[h] - first[h], 1e-12);
    const double apart = second.difference->value.high[h] - second.difference->value.low[h];
    const double alone =
        second.evaluation.find("dr")->high[h] - second.evaluation.find("dr")->low[h];
    EXPECT_LT(apart, 0.7 * alone);
  }
  // The same policy again: no difference and no error.
  EXPECT_EQ(found.policies[2].kind, "given");
  EXPECT_NEAR(found.policies[2].difference->value.value[0], 0.0, 1e-15);
  EXPECT_NEAR(found.policies[2].difference->value.covariance[0], 0.0, 1e-25);
}

// 200 logs: the intervals of the difference hold the true one in 95 % of them, but for chance.
TEST(PolicyValues, IntervalsOfDifferencesAreTrue) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  const LinearTruth truth(3, 2, true, 12);
  const std::vector<double> first = true_value(truth, "uniform", 50'000);
  const std::vector<double> second = true_value(truth, "other", 50'000);
  int held = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const OwnedLog log = draw_log(truth, "uniform", 800, 300 + seed);
    const PolicyValues found =
        policy_values(log.rows(), {.policies = {"uniform"},
                                   .given = {{"other", target_of(truth, "other", log)}},
                                   .value = {.adaptive = Adaptive::kNo}})
            .value();
    const PolicyValue& apart = found.policies[1].difference->value;
    for (std::size_t h = 0; h < 2; ++h) {
      const double real = second[h] - first[h];
      held += apart.low[h] <= real && real <= apart.high[h] ? 1 : 0;
    }
  }
  EXPECT_GE(held, 368);  // of 400; 380 are expected
  EXPECT_LE(held, 394);
}

TEST(PolicyValues, LearningPolicyHasAllEstimatesOverAllRows) {
  const OwnedLog log = log_of(6000, "uniform");
  const PolicyValues found =
      values_of(log, {.policies = {"uniform", "ccb"}, .learner = {.budgets = {0.45, NAN}}});
  const PolicyLine& line = found.policies[1];
  ASSERT_TRUE(line.replay.has_value());
  EXPECT_EQ(line.kind, "learning");
  EXPECT_TRUE(line.replay->target.empty());
  EXPECT_NEAR(static_cast<double>(line.replay->accepted), 2000.0, 150.0);
  const PolicyValue& dr = *line.evaluation.find("dr");
  const PolicyValue& alone = line.replay->rejection;
  // The same thing, estimated twice.
  for (std::size_t h = 0; h < 3; ++h) {
    EXPECT_NEAR(dr.value[h], alone.value[h],
                5.0 * std::sqrt(dr.covariance[h * 4] + alone.covariance[h * 4]));
  }
  EXPECT_LT(dr.covariance[0], alone.covariance[0]);
  EXPECT_EQ(line.difference->rows, line.replay->rows);
}

// The log's propensities change as its policy learns: later rows depend on earlier ones, so models
// see earlier rows only, and the recommended estimate evens out the variance.
TEST(PolicyValues, LogOfALearnerIsNoticedAndItsAnswersAreTrue) {
  const LinearTruth truth(3, 2, false, 31);
  const OwnedLog log = draw_log(truth, "ccb", 6000, 8);
  const PolicyValues found =
      policy_values(log.rows(), {.policies = {"uniform", "epsilon"}, .quantile = 0.2}).value();
  EXPECT_TRUE(found.adaptive);
  const auto best = [&](std::size_t i) -> const PolicyValue& {
    const Evaluation& of = found.policies[i].evaluation;
    EXPECT_EQ(of.values[of.recommended].estimator, "stabilized_dr");
    return of.values[of.recommended];
  };
  const std::vector<double> uniform = true_value(truth, "uniform", 50'000);
  for (std::size_t h = 0; h < 2; ++h) {
    EXPECT_NEAR(best(0).value[h], uniform[h], 4.0 * std::sqrt(best(0).covariance[3 * h]));
  }
  const LogReplay replay = replay_policy(log.rows(), "epsilon", {.quantile = 0.2}).value();
  for (std::size_t h = 0; h < 2; ++h) {
    double path = 0.0;
    for (std::size_t i = 0; i < replay.target.size(); ++i) {
      path += replay.target[i] * truth.mean(static_cast<int>(h), static_cast<int>(i % 3),
                                            log.context.data() + i / 3 * kLogFeatures);
    }
    EXPECT_NEAR(best(1).value[h], path / static_cast<double>(replay.rows),
                4.0 * std::sqrt(best(1).covariance[3 * h]));
  }
}

TEST(PolicyValues, RegionSequenceAndSensitivity) {
  const OwnedLog log = log_of(4000, "uniform");
  const PolicyValues found =
      values_of(log, {.policies = {"action(a)"},
                      .learner = {.ranges = {{0.0, 1.0}, {NAN, NAN}, {NAN, NAN}}},
                      .limits = {{.head = 1, .amount = 2.0}},
                      .sequence = true,
                      .sensitivity = 1.2});
  const PolicyLine& line = found.policies[0];
  const PolicyValue& dr = *line.evaluation.find("dr");
  ASSERT_TRUE(line.region.has_value());
  EXPECT_TRUE(line.region->certain);
  EXPECT_LE(line.region->low, dr.low[0]);  // joint, so at least as wide
  ASSERT_EQ(line.sequences.size(), 3u);
  EXPECT_LT(line.sequences[0].low.back(), dr.value[0]);
  EXPECT_GT(line.sequences[0].high.back(), dr.value[0]);
  EXPECT_TRUE(std::isnan(line.sequences[1].low.back()));
  ASSERT_EQ(line.sensitivity.size(), 3u);
  EXPECT_LT(line.sensitivity[0].low, dr.low[0]);
  EXPECT_GT(line.sensitivity[0].high, dr.high[0]);
}

TEST(PolicyValues, ALogOfALearnerHasSequencesWhereRangesAreKnown) {
  const OwnedLog log = log_of(1000);
  const auto lines = [&](Adaptive adaptive, std::vector<OutcomeRange> ranges) {
    PolicyValuesOptions options{.policies = {"uniform"}, .actions = {"a", "b", "c,d"}};
    options.learner.heads = {"reward", "dollars", "quality"};
    options.learner.ranges = std::move(ranges);
    options.value.adaptive = adaptive;
    return policy_values(log.rows(), options).value().policies[0];
  };
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::vector<OutcomeRange> wide = {{-10, 10}, {none, none}, {none, none}};
  const PolicyLine learned = lines(Adaptive::kYes, wide);
  ASSERT_EQ(learned.sequences.size(), 3u);
  EXPECT_LT(learned.sequences[0].low.back(), learned.sequences[0].high.back());
  EXPECT_TRUE(std::isnan(learned.sequences[1].low.back()));
  EXPECT_TRUE(lines(Adaptive::kNo, wide).sequences.empty());
  EXPECT_TRUE(lines(Adaptive::kYes, {}).sequences.empty());
  const PolicyLine narrow = lines(Adaptive::kYes, {{100, 101}, {none, none}, {none, none}});
  EXPECT_TRUE(std::isnan(narrow.sequences[0].low.back()));
  EXPECT_NE(narrow.evaluation.warnings.back().find("no interval at all times: reward: "),
            std::string::npos);
}

TEST(PolicyValues, LogWithoutPropensitiesIsEstimatedWithAWarningAndABand) {
  const OwnedLog log = log_of();
  OfflineRows rows = log.rows();
  rows.propensity = {};
  const PolicyValues found = policy_values(rows, {.policies = {"action(0)"}}).value();
  EXPECT_TRUE(found.estimated);
  EXPECT_EQ(found.lambda, 1.5);
  ASSERT_EQ(found.warnings.size(), 1u);
  EXPECT_NE(found.warnings[0].find("no propensities"), std::string::npos);
  EXPECT_EQ(found.policies[0].sensitivity.size(), 3u);
}

TEST(PolicyValues, UniformIsOverTheActionsThatARowOffers) {
  OwnedLog log = log_of(1000, "uniform");
  std::vector<std::uint8_t> offered(3000, 1);
  for (std::size_t i = 0; i < 1000; ++i) {
    if (log.played[i] != 2) offered[3 * i + 2] = 0;
    log.propensity[i] = log.played[i] != 2 ? 0.5 : 1.0 / 3;
  }
  OfflineRows rows = log.rows();
  rows.offered = offered;
  const auto found = policy_values(rows, {.policies = {"uniform"}}).value();
  EXPECT_EQ(found.policies[0].evaluation.overlap.largest_weight, 1.0);
  const auto wrong = policy_values(rows, {.policies = {"action(2)"}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().find("did not offer action 2"), std::string::npos);
}

TEST(PolicyValues, RefusesWithWhatIsAccepted) {
  const OwnedLog log = log_of(300);
  EXPECT_NE(error_of(log, {}).find("found 0 policies"), std::string::npos);
  EXPECT_NE(error_of(log, {.policies = {"action(e)"}}).find("no action \"e\"; accepted: a, b, c,d"),
            std::string::npos);
  EXPECT_NE(error_of(log, {.policies = {"mix(a=0.5,b=0.4)"}}).find("sum to 0.9"),
            std::string::npos);
  EXPECT_NE(error_of(log, {.policies = {"mix(a=x)"}}).find("found \"a=x\""), std::string::npos);
  EXPECT_NE(error_of(log, {.policies = {"mix(a=2)"}}).find("found \"a=2\""), std::string::npos);
  EXPECT_NE(error_of(log, {.policies = {"nothing"}}).find("nothing"), std::string::npos);
  EXPECT_NE(error_of(log, {.given = {{"mine", {1.0}}}}).find("found 1 probabilities"),
            std::string::npos);
  EXPECT_NE(error_of(log, {.policies = {"uniform"}, .frozen = true, .train = 1.5}).find("1.5"),
            std::string::npos);
  EXPECT_NE(error_of(log, {.policies = {"uniform"}, .sequence = true}).find("range"),
            std::string::npos);
  EXPECT_NE(error_of(log, {.policies = {"uniform"}, .sensitivity = 0.5}).find("at least 1"),
            std::string::npos);
  EXPECT_NE(error_of(log, {.policies = {"uniform"}, .predicted = {1.0}}).find("1 predictions"),
            std::string::npos);
}

TEST(PolicyValues, JsonHasEveryHead) {
  const OwnedLog log = log_of(1000, "uniform");
  const std::string json = to_value(values_of(log, {.policies = {"logged", "squarecb"},
                                                    .limits = {{.head = 1, .amount = 0.5}}}))
                               .str();
  for (const char* part :
       {"\"kind\":\"evaluate\"", "\"policy\":\"squarecb\"", "\"dollars\":{", "\"replay\":{",
        "\"difference\":{", "\"region\":{", "\"calibration\":{"}) {
    EXPECT_NE(json.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace rein
