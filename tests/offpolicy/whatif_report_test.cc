#include "rein/whatif_report.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/small.h"
#include "true_curve.h"

namespace rein {
namespace {

// A log whose cost is lower by this much in every row, so that half a budget can be met.
constexpr double kLess = 0.4;

OwnedLog cheaper(OwnedLog log) {
  const std::size_t heads = static_cast<std::size_t>(log.rows().heads);
  for (std::size_t i = 1; i < log.outcomes.size(); i += heads) log.outcomes[i] -= kLess;
  return log;
}

TEST(WhatifReport, IntervalOfTheShareAtHalfTheBudgetCoversTheTruth) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  const LinearTruth truth(4, 2, true, 5);
  constexpr int kLogs = 100;
  int covered = 0;
  int found_any = 0;
  int none = 0;
  double width = 0.0;
  double apart = 0.0;
  for (int i = 0; i < kLogs; ++i) {
    const OwnedLog log = draw_log(truth, "uniform", 2000, 900 + static_cast<std::uint64_t>(i));
    const OwnedLog low = cheaper(log);
    WhatifOptions options;
    options.budgets = {0.08};
    const Whatif found = whatif(low.rows(), options).value();
    if (!found.half_of_last) continue;
    ++found_any;
    const RewardShare& half = *found.half_of_last;
    if (std::isnan(half.low)) {
      ++none;  // out of balance by chance
      continue;
    }
    EXPECT_EQ(half.budget, 0.04);
    EXPECT_EQ(half.of, 0.08);
    WhatifOptions real;
    real.budgets = {half.budget + kLess, half.of + kLess};
    const Whatif same = whatif(log.rows(), real).value();
    const TrueCurve curve = true_curve(truth, log.rows(), real, same, 4096);
    const double share = curve.reward[0] / curve.reward[1];
    covered += half.low <= share && share <= half.high ? 1 : 0;
    EXPECT_NEAR(half.share, same.points[0].values[0].value / same.points[1].values[0].value, 1e-6);
    width += half.high - half.low;
    const double part = same.points[0].values[0].error / same.points[1].values[0].value;
    const double whole =
        half.share * same.points[1].values[0].error / same.points[1].values[0].value;
    apart += 2.0 * 1.96 * std::hypot(part, whole);
  }
  EXPECT_EQ(found_any, kLogs);
  EXPECT_LE(none, 4);
  EXPECT_GE(covered + none, 95 - 7);
  EXPECT_LT(width, apart);  // the two rewards vary together
}

TEST(WhatifReport, VerdictSaysTheShare) {
  const LinearTruth truth(4, 2, true, 5);
  const OwnedLog log = cheaper(draw_log(truth, "uniform", 4000, 3));
  WhatifOptions options;
  options.budgets = {0.04, 0.08};
  const Whatif found = whatif(log.rows(), options).value();
  ASSERT_TRUE(found.half_of_last);
  char text[200];
  std::snprintf(
      text, sizeof(text),
      "At half the budget, cost 0.04 per round instead of 0.08, priced policies earn %.1f %% "
      "[%.1f, %.1f] of the reward.",
      100.0 * found.half_of_last->share, 100.0 * found.half_of_last->low,
      100.0 * found.half_of_last->high);
  EXPECT_EQ(found.verdict[0], text);
  // The budget of half is one of the points here, so both say the same.
  EXPECT_NEAR(found.half_of_last->share,
              found.points[0].values[0].value / found.points[1].values[0].value, 1e-12);
}

// A log of mails by lot: none is free and sells 0.3, a mail costs 0.5 to 1 and sells more to some.
OwnedLog mails(int rows, std::uint64_t seed) {
  OwnedLog log = draw_log(LinearTruth(4, 2, true, 5), "uniform", rows, seed);
  Rng rng(seed, 77);
  for (std::size_t i = 0; i < log.played.size(); ++i) {
    const double x = log.context[i * static_cast<std::size_t>(log.rows().features)];
    const bool mailed = log.played[i] != 0;
    log.outcomes[2 * i] = rng.uniform() < 0.3 + (mailed ? 0.2 + 0.2 * x : 0.0) ? 1.0 : 0.0;
    log.outcomes[2 * i + 1] = mailed ? 0.5 + 0.5 * rng.uniform() : 0.0;
  }
  return log;
}

TEST(WhatifReport, SaysWhatTheFreeActionHasAndWhatHalfOfTheMoneyAdds) {
  const OwnedLog log = mails(8000, 3);
  WhatifOptions options;
  options.heads = {"sales", "dollars"};
  options.actions.assign(static_cast<std::size_t>(log.rows().actions), "mail");
  for (std::size_t a = 0; a < options.actions.size(); ++a) options.actions[a] += std::to_string(a);
  options.actions[0] = "none";
  options.budgets = {0.1, 0.4};
  const Whatif found = whatif(log.rows(), options).value();
  ASSERT_TRUE(found.cheapest);
  EXPECT_EQ(found.cheapest->action, 0);
  EXPECT_NEAR(found.cheapest->spend, 0.0, 1e-5);
  EXPECT_NEAR(found.cheapest->reward.value, 0.3, 0.04);
  const double last = found.points[1].values[0].value;
  EXPECT_NEAR(found.cheapest->share.share, found.cheapest->reward.value / last, 1e-12);
  EXPECT_NEAR(found.cheapest->last.value, last - found.cheapest->reward.value, 1e-12);
  ASSERT_TRUE(found.cheapest->half_of_gain);
  EXPECT_NEAR(found.cheapest->half_of_gain->share, found.cheapest->half.value / found.cheapest->last.value, 1e-12);
  EXPECT_LT(found.cheapest->half_of_gain->share, found.half_of_last->share)
      << "half of the money keeps less of what money adds than of the reward";
  EXPECT_NE(found.verdict[1].find("none for everybody, dollars 0 per round, has "), std::string::npos) << found.verdict[1];
  EXPECT_NE(found.verdict[1].find("half of the money keeps "), std::string::npos);
}

TEST(WhatifReport, IntervalsBesideTheFreeActionCoverTheTruth) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  constexpr int kLogs = 60;
  int covered = 0, told = 0;
  for (int i = 0; i < kLogs; ++i) {
    WhatifOptions options;
    options.budgets = {0.2};
    const Whatif found = whatif(mails(4000, 500 + static_cast<std::uint64_t>(i)).rows(), options).value();
    ASSERT_TRUE(found.cheapest);
    if (std::isnan(found.cheapest->reward.low)) continue;
    ++told;
    covered += found.cheapest->reward.low <= 0.3 && 0.3 <= found.cheapest->reward.high ? 1 : 0;
  }
  EXPECT_GE(told, kLogs - 6);
  EXPECT_GE(covered, told - 7);
}

TEST(WhatifReport, TotalsAreTheNumbersTimesTheRows) {
  const OwnedLog log = mails(4000, 3);
  WhatifOptions options;
  options.budgets = {0.2};
  EXPECT_EQ(whatif(log.rows(), options).value().verdict.size(), 3u);
  options.total = 64000.0;
  const Whatif found = whatif(log.rows(), options).value();
  ASSERT_EQ(found.verdict.size(), 4u);
  EXPECT_EQ(found.verdict[2].find("In 64000 rows: "), 0u) << found.verdict[2];
  EXPECT_NE(found.verdict[2].find("half of the cost, 6400, earns "), std::string::npos) << found.verdict[2];
  EXPECT_NE(found.verdict[2].find("all of the cost, 12800, earns "), std::string::npos) << found.verdict[2];
  options.total = -1.0;
  EXPECT_FALSE(whatif(log.rows(), options).ok());
}

TEST(WhatifReport, NoIntervalOfTheShareWithoutBands) {
  const LinearTruth truth(4, 2, true, 5);
  const OwnedLog log = cheaper(draw_log(truth, "uniform", 300, 3));
  WhatifOptions options;
  options.budgets = {0.08};
  const Whatif found = whatif(log.rows(), options).value();
  ASSERT_TRUE(found.half_of_last);
  EXPECT_TRUE(std::isnan(found.half_of_last->low));
  EXPECT_NE(found.verdict[0].find("(no interval)"), std::string::npos);
}

TEST(WhatifReport, GridIsACurveWithALimitPerRow) {
  const LinearTruth truth(4, 3, false, 5);
  const OwnedLog log = draw_log(truth, "uniform", 8000, 3);
  WhatifOptions options;
  options.budgets = {0.40, 0.48, 0.56};
  double last = 0.0;
  options.progress = [&](double share) {
    EXPECT_GE(share, last);
    last = share;
    return true;
  };
  const std::vector<double> limits{0.30, 0.46, 0.55};
  const WhatifGrid grid = whatif_grid(log.rows(), options, 2, limits).value();
  EXPECT_EQ(last, 1.0);
  ASSERT_EQ(grid.rows.size(), 3u);
  options.progress = nullptr;
  options.limits = {{.head = 2, .amount = 0.46, .at_least = false}};
  const Whatif row = whatif(log.rows(), options).value();
  EXPECT_EQ(to_value(row).str(), to_value(grid.rows[1]).str());
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (!grid.rows[i].points[k].possible) continue;
      const double reward = grid.rows[i].points[k].values[0].value;
      if (i > 0 && grid.rows[i - 1].points[k].possible) {
        EXPECT_GT(reward, grid.rows[i - 1].points[k].values[0].value - 0.01);
      }
    }
  }
  WhatifReport report{.curves = {row}, .grid = grid, .title = "t", .command = "c"};
  EXPECT_NE(to_value(report).str().find("\"kind\":\"whatif_slices\""), std::string::npos);
  report.grid.reset();
  EXPECT_NE(to_value(report).str().find("\"kind\":\"whatif\""), std::string::npos);
}

TEST(WhatifReport, RefusesAGridThatIsNone) {
  const LinearTruth truth(3, 3, false, 5);
  const OwnedLog log = draw_log(truth, "uniform", 500, 3);
  WhatifOptions options;
  options.budgets = {0.5};
  const auto said = [&](int other, const std::vector<double>& limits) {
    return std::string(whatif_grid(log.rows(), options, other, limits).error());
  };
  EXPECT_EQ(said(1, {0.5}),
            "whatif: the second cost of the grid is 1; accepted: a cost from 1 to 2 other than 1");
  EXPECT_EQ(said(2, {}), "whatif: found 0 budgets of the second cost; accepted: 1 to 200");
  EXPECT_EQ(said(2, {0.5, 0.4}),
            "whatif: budget 1 of the second cost is 0.4; accepted: finite numbers that ascend");
  options.limits = {{.head = 2, .amount = 0.5, .at_least = false}};
  EXPECT_EQ(said(2, {0.5}),
            "whatif: found a grid and a limit; accepted: a grid without further limits");
}

TEST(WhatifReport, OwnPredictionsThatAreTheRegressionsHaveTheirValues) {
  const LinearTruth truth(4, 2, true, 5);
  const OwnedLog log = draw_log(truth, "epsilon", 3000, 3);
  WhatifOptions options;
  options.budgets = {0.42, 0.48, 0.54};
  const Whatif fitted = whatif(log.rows(), options).value();
  const std::vector<double> predicted = cross_fit(log.rows()).value();
  options.predictions = predicted;
  const Whatif given = whatif(log.rows(), options).value();
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(given.points[k].values[0].value, fitted.points[k].values[0].value);
    // They are taken to come from other rows, so nothing is added for folds that learned from each other.
    EXPECT_GT(given.points[k].values[0].band_low, fitted.points[k].values[0].band_low);
    EXPECT_LT(given.points[k].values[0].band_high, fitted.points[k].values[0].band_high);
    EXPECT_EQ(given.points[k].price, fitted.points[k].price);
  }
  options.predictions = std::span(predicted).first(predicted.size() - 1);
  EXPECT_EQ(
      whatif(log.rows(), options).error(),
      "whatif: found 23999 predictions; accepted: none, or 3000 rows x 4 actions x 2 outcomes");
  std::vector<double> wrong = predicted;
  wrong[16] = NAN;
  options.predictions = wrong;
  EXPECT_EQ(whatif(log.rows(), options).error(),
            "whatif: the prediction of row 2 is nan; accepted: finite numbers");
}

}  // namespace
}  // namespace rein
