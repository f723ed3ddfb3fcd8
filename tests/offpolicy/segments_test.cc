// Segments: a tree that finds who is served, words for it, and values from rows that chose neither.
#include "rein/segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/math.h"
#include "offpolicy/segment_tree.h"
#include "rein/rng.h"
#include "sanitized.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

// A log by lot of two mails and none. A catalog costs 0.4 and helps those in the west with a recency over 0.6; a
// note costs 0.05 and helps everybody a little.
struct MailLog {
  explicit MailLog(int count, std::uint64_t seed = 3) {
    Rng rng(seed);
    for (int i = 0; i < count; ++i) {
      const double recency = rng.uniform();
      const bool west = rng.uniform() < 0.5;
      const auto action = static_cast<std::int32_t>(rng.below(3));
      context.insert(context.end(), {recency, west ? 0.0 : 1.0, west ? 1.0 : 0.0});
      played.push_back(action);
      propensity.push_back(1.0 / 3.0);
      outcomes.push_back(rng.uniform() < chance(action, recency, west) ? 1.0 : 0.0);
      outcomes.push_back(kCosts[action]);
    }
  }
  static double chance(int action, double recency, bool west) {
    const bool wants = west && recency > 0.6;
    return 0.1 + (action == 1 ? 0.05 : action == 2 ? (wants ? 0.6 : 0.0) : 0.0);
  }
  OfflineRows rows() const {
    return {.rows = static_cast<std::int64_t>(played.size()),
            .actions = 3,
            .heads = 2,
            .features = 3,
            .played = played,
            .propensity = propensity,
            .outcomes = outcomes,
            .context = context,
            .unit = unit};
  }
  static constexpr double kCosts[] = {0.0, 0.05, 0.4};
  std::vector<std::int32_t> played, unit;
  std::vector<double> propensity, outcomes, context;
};

SegmentsOptions about_mails(double budget = 0.12) {
  return {.cost = 1,
          .budget = budget,
          .most = 4,
          .heads = {"reward", "dollars"},
          .actions = {"none", "note", "catalog"},
          .columns = {"recency", "region=east", "region=west"}};
}

TEST(Segments, FindThoseWhomTheDearActionHelps) {
  const MailLog log(12000);
  const Segments found = segments(log.rows(), about_mails()).value();
  EXPECT_EQ(found.cheapest, 0);
  EXPECT_NEAR(static_cast<double>(found.grown), 6000.0, 300.0);
  EXPECT_EQ(found.grown + found.valued, 12000);
  ASSERT_GE(found.segments.size(), 2u);
  const Segment& first = found.segments[0];
  EXPECT_EQ(first.action, 2) << first.words;
  EXPECT_THAT(first.words, HasSubstr("recency over 0."));
  EXPECT_THAT(first.words, HasSubstr("region is "));
  EXPECT_NEAR(first.gain[0].value, 0.5, 0.2);
  EXPECT_GT(first.gain[0].low, 0.25);
  for (const Segment& segment : found.segments) {
    EXPECT_LE(segment.gain[0].value, first.gain[0].value) << "the largest gain comes first";
    EXPECT_NEAR(std::accumulate(segment.actions.begin(), segment.actions.end(), 0.0), 1.0, 1e-9);
  }
  EXPECT_NEAR(found.all.values[1].value, 0.12, 0.02) << "the budget is kept on the other half";
}

TEST(Segments, AreAPartition) {
  const MailLog log(6000);
  const Segments found = segments(log.rows(), about_mails()).value();
  double share = 0.0;
  std::int64_t rows = 0;
  for (const Segment& segment : found.segments) {
    share += segment.share;
    rows += segment.rows;
  }
  EXPECT_NEAR(share, 1.0, 1e-12);
  EXPECT_EQ(rows, found.valued);
  EXPECT_EQ(found.all.rows, found.valued);
  EXPECT_EQ(found.all.words, "everybody");
}

// The intervals are about rows that chose neither the policy nor the group. So they hold as often as they say, also
// in the group that looks best of all where in truth all are alike: what a group gains is then known exactly.
TEST(Segments, IntervalsOfTheBestGroupHoldWhereAllAreAlike) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  constexpr int kLogs = 80;
  constexpr double kEffect[] = {0.0, 0.05, 0.3};
  int held = 0, told = 0;
  for (int i = 0; i < kLogs; ++i) {
    MailLog log(6000, 100 + static_cast<std::uint64_t>(i));
    Rng rng(static_cast<std::uint64_t>(i), 9);
    for (std::size_t row = 0; row < log.played.size(); ++row) {
      log.outcomes[2 * row] = rng.uniform() < 0.2 + kEffect[log.played[row]] ? 1.0 : 0.0;
    }
    const Segments found = segments(log.rows(), about_mails()).value();
    const auto first = std::ranges::find_if(
        found.segments, [](const Segment& segment) { return !std::isnan(segment.gain[0].low); });
    if (first == found.segments.end()) continue;
    ++told;
    double truth = 0.0;
    for (std::size_t a = 0; a < 3; ++a) truth += first->actions[a] * kEffect[a];
    held += first->gain[0].low <= truth && truth <= first->gain[0].high ? 1 : 0;
  }
  EXPECT_GE(told, kLogs - 15) << "small groups have none";
  EXPECT_GE(held, told - 10) << "5 % may fail; more than 10 of 80 are less likely than 1 %";
}

TEST(Segments, UnitsAreNotCut) {
  MailLog log(3000);
  for (std::int32_t i = 0; i < 3000; ++i) log.unit.push_back(i / 3);
  const Segments found = segments(log.rows(), about_mails()).value();
  EXPECT_EQ(found.grown % 3, 0);
  EXPECT_EQ(found.valued % 3, 0);
}

TEST(Segments, NobodyIsToldApartWhereNothingTellsThem) {
  MailLog log(3000);
  for (double& x : log.context) x = 1.0;
  const Segments found = segments(log.rows(), about_mails(0.05)).value();
  ASSERT_EQ(found.segments.size(), 1u);
  EXPECT_EQ(found.segments[0].words, "everybody");
}

TEST(Segments, AFewRowsHaveNoInterval) {
  const MailLog log(150);
  const Segments found = segments(log.rows(), about_mails()).value();
  EXPECT_TRUE(std::isnan(found.all.gain[0].low));
  EXPECT_FALSE(found.warnings.empty());
}

TEST(Segments, TheSameBitsEachTimeAndOthersWithAnotherSeed) {
  const MailLog log(3000);
  SegmentsOptions options = about_mails();
  const std::string first = to_value(segments(log.rows(), options).value()).str();
  options.fit.threads = 3;
  EXPECT_EQ(to_value(segments(log.rows(), options).value()).str(), first);
  options.seed = 2;
  EXPECT_NE(to_value(segments(log.rows(), options).value()).str(), first);
}

TEST(Segments, WithoutPropensitiesTheyAreEstimatedAndThatIsSaid) {
  MailLog log(3000);
  log.propensity.clear();
  const Segments found = segments(log.rows(), about_mails()).value();
  ASSERT_FALSE(found.warnings.empty());
  EXPECT_THAT(found.warnings[0], HasSubstr("no propensities"));
}

TEST(Segments, RefusesWhatCannotBe) {
  const MailLog log(300);
  SegmentsOptions options = about_mails();
  options.most = 1;
  EXPECT_THAT(segments(log.rows(), options).error(), HasSubstr("accepted: 2 to 16"));
  options = about_mails(-1.0);
  EXPECT_THAT(segments(log.rows(), options).error(), HasSubstr("cannot be met"));
  options = about_mails();
  options.columns = {"one"};
  EXPECT_THAT(segments(log.rows(), options).error(), HasSubstr("names"));
  options = about_mails();
  options.cost = 2;
  EXPECT_THAT(segments(log.rows(), options).error(), HasSubstr("accepted: 1 to 1"));
}

TEST(SegmentTree, ThresholdsHaveFewDigits) {
  EXPECT_EQ(round_number_in(0.5871, 0.6123), 0.6);
  EXPECT_EQ(round_number_in(0.0, 1.0), 0.5);
  EXPECT_EQ(round_number_in(3.0, 4.0), 3.5);
  EXPECT_EQ(round_number_in(1200.0, 1900.0), 1600.0);
  EXPECT_EQ(round_number_in(-2.0, 2.0), 0.0);
  const double next = std::nextafter(1.0, 2.0);
  EXPECT_EQ(round_number_in(1.0, next), 1.0);
}

TEST(SegmentTree, FindsATrueSplitAndStops) {
  Rng rng(5);
  std::vector<double> context, weight;
  std::vector<std::int32_t> label;
  for (int i = 0; i < 2000; ++i) {
    const double x = rng.uniform(), y = rng.uniform();
    context.insert(context.end(), {y, x});
    label.push_back(x > 0.3 ? 1 : 0);
    weight.push_back(1.0);
  }
  const auto paths = grow_segments(
      {.features = 2, .labels = 2, .context = context, .label = label, .weight = weight}, 8, 50);
  ASSERT_EQ(paths.size(), 2u) << "no further split makes it purer";
  for (const SegmentPath& path : paths) {
    ASSERT_EQ(path.size(), 1u);
    EXPECT_EQ(path[0].feature, 1);
    EXPECT_NEAR(path[0].at, 0.3, 0.02);
  }
}

TEST(SegmentTree, LeavesHaveTheLeastRows) {
  Rng rng(5);
  std::vector<double> context, weight;
  std::vector<std::int32_t> label;
  for (int i = 0; i < 1000; ++i) {
    context.push_back(rng.uniform());
    label.push_back(context.back() > 0.98 ? 1 : 0);
    weight.push_back(1.0);
  }
  EXPECT_EQ(grow_segments({.features = 1, .labels = 2, .context = context, .label = label, .weight = weight}, 8, 50).size(),
            2u);
  const auto paths =
      grow_segments({.features = 1, .labels = 2, .context = context, .label = label, .weight = weight}, 2, 50);
  for (const SegmentPath& path : paths) {
    int rows = 0;
    for (const double& x : context) rows += in_segment(path, &x) ? 1 : 0;
    EXPECT_GE(rows, 50);
  }
}

}  // namespace
}  // namespace rein
