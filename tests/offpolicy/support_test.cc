// Effective sizes to expect: a log that happens to lack the rows that carry the value gives no interval.
#include "offpolicy/propensity_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/small.h"
#include "linear_log.h"
#include "rein/whatif.h"

namespace rein {
namespace {

constexpr int kSupportRows = 2000;
constexpr double kSteep = 4.0;
constexpr int kSteepFeatures = 6;

// Three actions. Action 0 has the log-odds -4 x against each other one, for x in [-1, 1], and every
// action at least `floor`. Its reward and cost are larger by 0.4.
OwnedLog falling_log(int rows, double floor, std::uint64_t seed) {
  OwnedLog log{.actions = 3, .heads = 2};
  Rng rng(seed, 4);
  for (int t = 0; t < rows; ++t) {
    double x[kLogFeatures];
    for (double& value : x) value = 2.0 * rng.uniform() - 1.0;
    const double free = 1.0 - 3.0 * floor;
    const double first = floor + free / (1.0 + 2.0 * rein::exp(kSteep * x[0]));
    const int action = rng.uniform() < first ? 0 : (rng.uniform() < 0.5 ? 1 : 2);
    log.played.push_back(action);
    log.propensity.push_back(action == 0 ? first : 0.5 * (1.0 - first));
    log.context.insert(log.context.end(), x, x + kLogFeatures);
    for (int h = 0; h < 2; ++h)
      log.outcomes.push_back(0.3 + (action == 0 ? 0.4 : 0.0) + 0.1 * rng.uniform());
  }
  return log;
}

Evaluation first_action(const OwnedLog& log) {
  std::vector<double> target;
  for (std::size_t t = 0; t < log.played.size(); ++t) target.insert(target.end(), {1.0, 0.0, 0.0});
  return evaluate_policy(log.rows(), target, cross_fit(log.rows()).value(),
                         {.adaptive = Adaptive::kNo})
      .value();
}

bool says(const std::vector<std::string>& warnings, const char* text) {
  for (const std::string& line : warnings) {
    if (line.find(text) != std::string::npos) return true;
  }
  return false;
}

TEST(PropensityModel, FindsThePropensitiesOfActionsThatWereNotPlayed) {
  const LinearTruth truth(4, 2, false, 5);
  const OwnedLog log = draw_log(truth, "softmax", kSupportRows, 3);
  const PropensityModel model(log.rows());
  double p[4];
  double found[4];
  for (int i = 0; i < 200; ++i) {
    double x[kLogFeatures];
    even_context(i, x);
    policy_at(truth, "softmax", x, p);
    model.probabilities(x, nullptr, found);
    for (int a = 0; a < 4; ++a) EXPECT_NEAR(found[a] / p[a], 1.0, 1e-3) << i << ' ' << a;
  }
  const std::uint8_t offered[] = {1, 0, 1, 1};
  model.probabilities(log.context.data(), offered, found);
  EXPECT_EQ(found[1], 0.0);
  EXPECT_NEAR(found[0] + found[2] + found[3], 1.0, 1e-12);
}

// The score of action a in this context; the softmax of these has propensities down to 1e-6.
double steep_score(int action, const double* x) {
  double out = 0.0;
  for (int j = 0; j < kSteepFeatures; ++j)
    out += kSteep * std::sin(1.0 + 2.0 * action + 3.0 * j) * x[j];
  return out;
}

TEST(PropensityModel, IsExactWhereTheLogHardlyEverPlays) {
  constexpr int kActions = 4;
  OwnedLog log{.actions = kActions, .heads = 1};
  Rng rng(3, 4);
  std::vector<double> all;  // rows x actions
  for (int t = 0; t < kSupportRows; ++t) {
    double x[kSteepFeatures];
    for (double& value : x) value = 2.0 * rng.uniform() - 1.0;
    double p[kActions];
    double sum = 0.0;
    for (int a = 0; a < kActions; ++a) sum += p[a] = rein::exp(steep_score(a, x));
    int action = 0;
    for (double& value : p) value /= sum;
    for (double u = rng.uniform(); action + 1 < kActions && u >= p[action]; ++action) u -= p[action];
    all.insert(all.end(), p, p + kActions);
    log.played.push_back(action);
    log.propensity.push_back(p[action]);
    log.context.insert(log.context.end(), x, x + kSteepFeatures);
    log.outcomes.push_back(0.0);
  }
  OfflineRows rows = log.rows();
  rows.features = kSteepFeatures;
  const PropensityModel model(rows);
  EXPECT_FALSE(model.floor());
  double found[kActions];
  double least = 1.0;
  for (std::size_t t = 0; t < log.played.size(); ++t) {
    model.probabilities(log.context.data() + t * kSteepFeatures, nullptr, found);
    for (std::size_t a = 0; a < kActions; ++a) {
      const double p = all[t * kActions + a];
      least = std::min(least, p);
      ASSERT_NEAR(found[a] / p, 1.0, 0.01) << t << ' ' << a;
    }
  }
  EXPECT_LT(least, 1e-5);
}

TEST(PropensityTail, EndsAtAFloorAndFallsOnWithoutOne) {
  PropensityTail floor;
  floor.add(std::vector<double>(50, 0.1));
  EXPECT_NEAR(floor.end(), 0.1, 1e-12);
  PropensityTail falling;
  falling.add(std::vector<double>{0.01, 0.5, 0.02, 0.04});
  falling.add(std::vector<double>{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1});
  EXPECT_NEAR(falling.end(), 0.01 * 0.001, 1e-12);
  EXPECT_EQ(PropensityTail().end(), 1.0);
}

// The mean of 1 / propensity of the first action over the contexts of the log, plus so many of its
// standard errors.
double mean_inverse(const OwnedLog& log, double floor, double errors) {
  const std::size_t n = log.played.size();
  double sum = 0.0;
  double squares = 0.0;
  for (std::size_t t = 0; t < n; ++t) {
    const double steep = rein::exp(kSteep * log.context[t * kLogFeatures]);
    const double inverse = 1.0 / (floor + (1.0 - 3.0 * floor) / (1.0 + 2.0 * steep));
    sum += inverse;
    squares += inverse * inverse;
  }
  const double mean = sum / static_cast<double>(n);
  const double variance = squares / static_cast<double>(n) - mean * mean;
  return mean + errors * std::sqrt(variance / static_cast<double>(n));
}

TEST(ExpectedSize, IsCautiousWithoutAFloor) {
  const OwnedLog log = falling_log(kSupportRows, 0.0, 7);
  const double found = first_action(log).overlap.expected_size;
  EXPECT_NEAR(found * mean_inverse(log, 0.0, 1.645) / kSupportRows, 1.0, 1e-3);
  // Over many logs the mean of 1 / propensity is 1 + 2 sinh(4) / 4.
  const double size = kSupportRows / (1.0 + 2.0 * std::sinh(kSteep) / kSteep);
  int over = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const OwnedLog other = falling_log(kSupportRows, 0.0, seed);
    over += kSupportRows / mean_inverse(other, 0.0, 1.645) > size ? 1 : 0;
  }
  EXPECT_LE(over, 12);  // 5 are promised
}

TEST(ExpectedSize, IsTheMeanWithAFloor) {
  SquareMean mean;
  for (const double square : {1.0, 1.0, 4.0, 6.0}) mean.add(1.0, square);
  EXPECT_NEAR(mean.size(400.0, true), 400.0 / 3.0, 1e-9);
  EXPECT_NEAR(mean.size(400.0, false), 400.0 / (3.0 + 1.645 * std::sqrt(18.0) / 4.0), 1e-9);
  EXPECT_EQ(SquareMean().size(400.0, true), 0.0);
  // Every third row counts twice: 16 = 4^2, and the squares of the weights count.
  SquareMean weighted;
  for (const double weight : {1.0, 1.0, 2.0}) weighted.add(weight, 3.0);
  EXPECT_NEAR(weighted.size(3.0, true), 16.0 / 18.0, 1e-12);
  const OwnedLog log = draw_log(LinearTruth(3, 2, false, 5), "epsilon", kSupportRows, 7);
  const PropensityModel model(log.rows());
  EXPECT_TRUE(model.floor());
  double p[3];
  double sum = 0.0;
  for (std::size_t t = 0; t < log.played.size(); ++t) {
    model.probabilities(log.context.data() + t * kLogFeatures, nullptr, p);
    sum += 1.0 / p[0];
  }
  EXPECT_NEAR(first_action(log).overlap.expected_size, 4e6 / sum, 1e-6);
}

TEST(ExpectedSize, UnderTheSmallestTakesTheIntervalAway) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  int lucky = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const OwnedLog log = falling_log(kSupportRows, 0.0, seed);
    const Evaluation found = first_action(log);
    if (found.overlap.effective_size < kSmallestEffectiveSize) continue;
    ++lucky;
    EXPECT_LT(found.overlap.expected_size, kSmallestEffectiveSize);
    for (const PolicyValue& value : found.values) EXPECT_TRUE(std::isnan(value.low[0]));
    EXPECT_TRUE(says(found.warnings, "logs with such propensities"));
    const Whatif curve = whatif(log.rows(), {.budgets = {0.7, 0.8}}).value();
    const CurvePoint& last = curve.points.back();
    ASSERT_NEAR(last.shares[0], 1.0, 1e-9);
    EXPECT_NEAR(last.expected_size / found.overlap.expected_size, 1.0, 0.05);
    EXPECT_TRUE(std::isnan(last.values[0].band_low));
    EXPECT_TRUE(std::isnan(last.values[0].low));
    EXPECT_TRUE(says(curve.warnings, "logs with such propensities"));
  }
  EXPECT_GE(lucky, 3);
}

TEST(ExpectedSize, KeepsTheIntervalsOfLogsWithAFloor) {
  int given = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Evaluation found = first_action(falling_log(2 * kSupportRows, 0.03, seed));
    given += std::isnan(found.find("dr")->low[0]) ? 0 : 1;
    EXPECT_GT(found.overlap.expected_size, kSmallestEffectiveSize) << seed;
  }
  EXPECT_GE(given, 37);  // balance takes 1 %
}

// A log by a learner: the effective size depends on what it saw, so only its floor decides.
TEST(FloorSize, DecidesInLogsOfLearners) {
  const auto interval = [](int rows, Adaptive adaptive) {
    const OwnedLog log = draw_log(LinearTruth(3, 2, false, 5), "epsilon", rows, 7);  // floor 0.1
    std::vector<double> target(static_cast<std::size_t>(rows) * 3);
    for (std::size_t t = 0; t < log.played.size(); ++t) target[3 * t] = 1.0;
    return evaluate_policy(log.rows(), target, cross_fit(log.rows()).value(), {.adaptive = adaptive})
        .value();
  };
  const Evaluation enough = interval(520, Adaptive::kYes);
  EXPECT_NEAR(enough.overlap.floor_size, 52.0, 1e-6);
  EXPECT_LT(enough.overlap.effective_size, kSmallestEffectiveSize);
  EXPECT_FALSE(std::isnan(enough.find("stabilized_dr")->low[0]));
  EXPECT_TRUE(std::isnan(enough.find("ips")->low[0]));
  const Evaluation few = interval(390, Adaptive::kYes);
  EXPECT_TRUE(std::isnan(few.find("stabilized_dr")->low[0]));
  EXPECT_TRUE(says(few.warnings, "its rows times its least propensity are 39, under 40"));
  const Evaluation fixed = interval(520, Adaptive::kNo);
  EXPECT_TRUE(std::isnan(fixed.overlap.floor_size));
  EXPECT_TRUE(std::isnan(fixed.find("dr")->low[0]));
}

}  // namespace
}  // namespace rein
