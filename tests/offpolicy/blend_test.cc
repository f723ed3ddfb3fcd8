#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "linear_log.h"
#include "offpolicy/scores.h"

namespace rein {
namespace {

Evaluation estimates_of(const LinearTruth& truth, const OwnedLog& log, const char* target,
                        std::span<const double> predicted, Adaptive adaptive = Adaptive::kNo) {
  return evaluate_policy(log.rows(), target_of(truth, target, log), predicted,
                         {.adaptive = adaptive})
      .value();
}

// Sums of squared errors of the reward over 40 logs, per estimator.
std::map<std::string, double> squares_over_logs(const LinearTruth& truth, const char* name,
                                                int rows, const char* target) {
  const std::vector<double> value = true_value(truth, target);
  const bool learned = std::string(name) == "ccb";
  std::map<std::string, double> out;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const OwnedLog log = draw_log(truth, name, rows, seed);
    const Evaluation found =
        estimates_of(truth, log, target, cross_fit(log.rows(), {.forward = learned}).value(),
                     learned ? Adaptive::kYes : Adaptive::kNo);
    for (const PolicyValue& v : found.values)
      out[v.estimator] += (v.value[0] - value[0]) * (v.value[0] - value[0]);
  }
  return out;
}

TEST(Blend, IsDmWhereTheModelIsRightAndNotWhereItIsWrong) {
  const LinearTruth truth(3, 2, false, 5);
  const OwnedLog log = draw_log(truth, "epsilon", 4000, 7);
  std::vector<double> predicted = cross_fit(log.rows()).value();
  const Evaluation right = estimates_of(truth, log, "other", predicted);
  EXPECT_EQ(right.find("blend")->value[0], right.find("dm")->value[0]);
  for (double& q : predicted) q += 0.3;
  const Evaluation wrong = estimates_of(truth, log, "other", predicted);
  const PolicyValue& efficient = *wrong.find("efficient_dr");
  EXPECT_NEAR(wrong.find("blend")->value[0], efficient.value[0],
              0.2 * std::sqrt(efficient.covariance[0]));
  EXPECT_TRUE(std::isnan(wrong.find("blend")->low[0]));
}

// Here dm is off by about one standard error of efficient_dr. Its own error hides that, unless the
// errors that both share are left out of the comparison.
TEST(Blend, SeesABiasThatTheNoiseOfEfficientHides) {
  auto square = squares_over_logs(LinearTruth(3, 2, true, 6), "epsilon", 4000, "greedy");
  EXPECT_GT(square["dm"], 3.0 * square["efficient_dr"]);
  EXPECT_LT(square["blend"], 2.5 * square["efficient_dr"]);
}

// Lines do not fit, squares do.
TEST(Blend, HasLessErrorThanAnyOtherWhereSquaresHelp) {
  auto square = squares_over_logs(LinearTruth(3, 2, true, 6), "uniform", 4000, "other");
  for (const char* other : {"ips", "snips", "dm", "dr", "efficient_dr", "switch_dr", "dros"})
    EXPECT_LT(square["blend"], 0.95 * square[other]) << other;
}

TEST(Blend, IsBetweenDrosAndEfficientInLogsOfLearners) {
  const LinearTruth truth(3, 2, false, 6);
  int mixed = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    const OwnedLog log = draw_log(truth, "ccb", 2000, seed);
    std::vector<double> predicted = cross_fit(log.rows(), {.forward = true}).value();
    const auto with = [&](double shrink) {
      return evaluate_policy(log.rows(), target_of(truth, "greedy", log), predicted,
                             {.shrink = shrink, .adaptive = Adaptive::kYes})
          .value();
    };
    const Evaluation found = with(-1.0);
    const double blend = found.find("blend")->value[0];
    const double dros = found.find("dros")->value[0];
    const double efficient = found.find("efficient_dr")->value[0];
    EXPECT_GE(blend, std::min(dros, efficient) - 1e-12);
    EXPECT_LE(blend, std::max(dros, efficient) + 1e-12);
    mixed += blend != dros && blend != efficient ? 1 : 0;
    for (double& q : predicted) q += 0.3;
    const Evaluation wrong = with(1e-3);  // dros is nearly dm, and wrong
    const PolicyValue& robust = *wrong.find("efficient_dr");
    EXPECT_NEAR(wrong.find("blend")->value[0], robust.value[0],
                0.2 * std::sqrt(robust.covariance[0]));
  }
  EXPECT_GE(mixed, 2);
}

double mean_square_residual(const OwnedLog& log, std::span<const double> predicted) {
  double sum = 0.0;
  for (std::size_t i = 0; i < log.played.size(); ++i) {
    const std::size_t k = static_cast<std::size_t>(log.actions);
    const std::size_t cell = (i * k + static_cast<std::size_t>(log.played[i])) * 2;
    const double left = log.outcomes[2 * i] - predicted[cell];
    sum += left * left / static_cast<double>(log.played.size());
  }
  return sum;
}

TEST(Squares, FollowWhatLinesCannotAndNothingElse) {
  for (const bool bent : {false, true}) {
    const OwnedLog log = draw_log(LinearTruth(3, 2, bent, 6), "uniform", 4000, 3);
    const std::vector<double> predicted = cross_fit(log.rows()).value();
    const double before = mean_square_residual(log, predicted);
    const double after = mean_square_residual(log, with_squares(log.rows(), predicted));
    if (bent) {
      EXPECT_LT(after, 0.85 * before);
    } else {
      EXPECT_NEAR(after, before, 0.002 * before);
    }
  }
}

TEST(Squares, FeaturesOfTwoValuesHaveNone) {
  OwnedLog log = draw_log(LinearTruth(3, 2, true, 6), "uniform", 500, 3);
  for (double& x : log.context) x = x > 0.3 ? 7.0 : -2.0;
  const std::vector<double> predicted = cross_fit(log.rows()).value();
  EXPECT_EQ(with_squares(log.rows(), predicted), predicted);
}

TEST(Squares, LeaveOutRowsThatAreNotComplete) {
  OwnedLog log = draw_log(LinearTruth(3, 2, true, 6), "uniform", 600, 3);
  std::vector<double> predicted = cross_fit(log.rows()).value();
  for (std::size_t i = 0; i < 600; i += 7) log.outcomes[2 * i] = std::nan("");
  for (const double q : with_squares(log.rows(), predicted)) EXPECT_TRUE(std::isfinite(q));
}

}  // namespace
}  // namespace rein
