#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "engine/small.h"
#include "evaluate/falsify_calls.h"

namespace rein {
namespace {

using testing::HasSubstr;

std::set<std::string> quantities(const std::vector<Call>& calls) {
  std::set<std::string> found;
  for (const Call& call : calls) found.insert(call.quantity);
  return found;
}

// A run whose figures are all half of their bounds.
Totals half_of_bounds() {
  Totals totals;
  totals.regret = totals.regret_long_term = totals.regret_stationary = 50.0;
  totals.ccv = totals.spend = totals.ccv_positive = {40.0};
  totals.ccv_average = {10.0};
  totals.oracle_error = 1.0;
  totals.u = totals.u_bound = 2.0;
  totals.bounds.regret = 100.0;
  totals.bounds.ccv = {80.0};
  return totals;
}

// The bounds by a margin are held against regret and the largest CCV over time.
TEST(FalsifyTest, HoldsTheBoundsByAMargin) {
  Totals totals = half_of_bounds();
  totals.ccv_max = {60.0};
  totals.bounds.regret_margin = 100.0;
  totals.bounds.ccv_max = {30.0};
  int found = 0;
  for (const Call& call : calls_of({.setting = Setting::kSlater}, totals)) {
    if (call.quantity == "regret (margin)") found += call.ratio() == 0.5 ? 1 : 100;
    if (call.quantity == "ccv_max (margin)") found += call.ratio() == 2.0 ? 10 : 100;
  }
  EXPECT_EQ(found, 11);
}

TEST(FalsifyTest, HoldsEveryFigureAgainstItsBound) {
  FalsifyCase of{.setting = Setting::kLinearConstraints};
  const auto calls = calls_of(of, half_of_bounds());
  EXPECT_EQ(quantities(calls), (std::set<std::string>{"oracle_error", "regret", "regret_long_term",
                                                      "regret_stationary", "ccv"}));
  for (const Call& call : calls) EXPECT_DOUBLE_EQ(call.ratio(), 0.5) << call.quantity;
}

// Without i.i.d. contexts part (f) has no claim about the best over all rounds; part (d) always
// has.
TEST(FalsifyTest, LongTermRegretOnlyWhereItIsPromised) {
  Totals totals = half_of_bounds();
  totals.regret_stationary = std::nan("");
  const auto has = [&](Setting setting) {
    return quantities(calls_of({.setting = setting}, totals)).contains("regret_long_term");
  };
  EXPECT_TRUE(has(Setting::kKnapsack));
  EXPECT_FALSE(has(Setting::kLinearConstraints));
  EXPECT_FALSE(has(Setting::kPacing));
  EXPECT_EQ(quantities(calls_of({.setting = Setting::kAlmostSure}, totals)).count("ccv_positive"),
            1u);
}

TEST(FalsifyTest, RunsOutsideTheTheoremAreNotJudged) {
  Totals totals = half_of_bounds();
  totals.bounds = {};
  totals.no_bound = NoBound::kInfeasible;
  EXPECT_TRUE(calls_of({}, totals).empty());
  totals.no_bound = NoBound::kErrors;
  EXPECT_TRUE(calls_of({.own_u = false}, totals).empty());
  const auto calls = calls_of({}, totals);
  EXPECT_EQ(quantities(calls), (std::set<std::string>{"oracle_error"}));
  EXPECT_GT(calls[0].ratio(), 1.0);
}

TEST(FalsifyTest, TheSameSeedTriesTheSameCases) {
  if (sanitized()) GTEST_SKIP() << "a long search, which the plain build has";
  const FalsifyOptions options{.cases = 60, .seed = 5, .threads = 1};
  FalsifyOptions more = options, other = options;
  more.threads = 3;
  other.seed = 6;
  const Falsification one = falsify(options).value();
  const Falsification three = falsify(more).value();
  const Falsification another = falsify(other).value();
  ASSERT_EQ(one.closest.size(), three.closest.size());
  EXPECT_EQ(one.runs, three.runs);
  for (std::size_t i = 0; i < one.closest.size(); ++i) {
    EXPECT_EQ(one.closest[i].command, three.closest[i].command);
    EXPECT_EQ(one.closest[i].measured, three.closest[i].measured);
  }
  EXPECT_NE(one.closest[0].command, another.closest[0].command);
  EXPECT_EQ(one.refused, 0) << one.refusal;
  EXPECT_GT(one.runs, 20);
}

TEST(FalsifyTest, FindsNothing) {
  const int cases = sanitized() ? 20 : 200;
  const Falsification found = falsify({.cases = cases, .seed = 3}).value();
  EXPECT_EQ(found.offences, 0);
  for (const Call& call : found.offenders) ADD_FAILURE() << call.quantity << ": " << call.command;
  EXPECT_GT(found.runs, cases / 4);
}

// Bounds that are four times too small are found, and the printed command shows them.
TEST(FalsifyTest, FindsBoundsThatAreTooSmall) {
  if (sanitized()) GTEST_SKIP() << "a long search, which the plain build has";
  const Falsification found = falsify({.cases = 500, .seed = 1, .tighten = 4.0}).value();
  EXPECT_GT(found.offences, 0);
  const std::set<std::string> which = quantities(found.offenders);
  EXPECT_TRUE(which.count("ccv") + which.count("ccv_positive") > 0);
  for (const Call& call : found.offenders) {
    EXPECT_GT(call.measured, call.bound);
    EXPECT_THAT(call.command, HasSubstr("rein run --world '"));
    EXPECT_EQ(call.others, 8);
  }
}

// A hunt may keep to one setting. It then comes within a factor of 8 of the bounds by a margin, and
// finds them where they are divided by that.
TEST(FalsifyTest, FindsAWrongBoundByTheMargin) {
  if (sanitized()) GTEST_SKIP() << "a long search, which the plain build has";
  const FalsifyOptions options{.cases = 240, .seed = 1, .setting = "slater", .tighten = 8.0};
  const Falsification found = falsify(options).value();
  const std::set<std::string> which = quantities(found.offenders);
  EXPECT_TRUE(which.contains("ccv_max (margin)"));
  for (const Call& call : found.closest) EXPECT_THAT(call.command, HasSubstr("setting=slater"));
  FalsifyOptions none = options;
  none.setting = "slate";
  EXPECT_THAT(falsify(none).error(), HasSubstr("slater"));
}

TEST(FalsifyTest, RefusesAHuntWithoutAnEnd) {
  EXPECT_THAT(falsify({}).error(), HasSubstr("accepted: one of them above 0"));
  EXPECT_FALSE(falsify({.seconds = -1.0}).ok());
  EXPECT_FALSE(falsify({.cases = 10, .tighten = 0.5}).ok());
}

}  // namespace
}  // namespace rein
