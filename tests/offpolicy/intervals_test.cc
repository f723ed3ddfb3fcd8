// What is printed about a log is true: rare, skewed and drifting rewards, and rows that belong together.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "offpolicy/unit_question.h"
#include "rein/log_rows.h"
#include "rein/policy_values.h"
#include "rein/rng.h"
#include "rein/whatif.h"
#include "temp_file.h"

namespace rein {
namespace {

// Two actions, played alike. Action 1 costs 1.
struct Coin {
  std::vector<std::int32_t> played, unit;
  std::vector<double> propensity, outcomes, context;

  Coin(int rows, std::uint64_t seed, const std::function<double(Rng&, int, int)>& reward,
       double propensity_as_written = 0.5) {
    Rng rng(seed, 77);
    for (int row = 0; row < rows; ++row) {
      const int a = rng.uniform() < 0.5 ? 1 : 0;
      played.push_back(a);
      propensity.push_back(propensity_as_written);
      context.push_back(rng.uniform());
      outcomes.insert(outcomes.end(), {reward(rng, row, a), a == 1 ? 1.0 : 0.0});
    }
  }
  OfflineRows rows() const {
    return {.rows = static_cast<std::int64_t>(played.size()),
            .actions = 2,
            .heads = 2,
            .features = 1,
            .played = played,
            .propensity = propensity,
            .outcomes = outcomes,
            .context = context,
            .unit = unit};
  }
};

PolicyValues values_of(const Coin& log, PolicyValuesOptions options) {
  options.learner.heads = {"reward", "cost"};
  return policy_values(log.rows(), options).value();
}

const PolicyValue& best_of(const PolicyLine& line) {
  return line.evaluation.values[line.evaluation.recommended];
}

std::function<double(Rng&, int, int)> yes(double share) {
  return [share](Rng& rng, int, int) { return rng.uniform() < share ? 1.0 : 0.0; };
}

bool warned(const std::vector<std::string>& warnings, const char* of) {
  for (const std::string& text : warnings) {
    if (text.find(of) != std::string::npos) return true;
  }
  return false;
}

TEST(Intervals, AtAllTimesIsTrueForALogThatDrifts) {
  const Coin log(4000, 1, [](Rng& rng, int row, int) {
    return rng.uniform() < (row < 2000 ? 0.1 : 0.9) ? 1.0 : 0.0;
  });
  PolicyValuesOptions options{.policies = {"action(1)", "squarecb"}, .sequence = true};
  options.learner.ranges = {{0.0, 1.0}, {0.0, 1.0}};
  const PolicyValues found = values_of(log, options);
  for (const PolicyLine& line : found.policies) {
    EXPECT_LT(line.sequences[0].low[0], 0.5) << line.name;
    EXPECT_GT(line.sequences[0].high[0], 0.5) << line.name;
  }
}

TEST(Intervals, AtAllTimesMeansAtAllTimes) {
  const double before = 0.2;
  const double after = 0.7;
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Coin log(2000, seed, [&](Rng& rng, int row, int) {
      return rng.uniform() < (row < 1000 ? before : after) ? 1.0 : 0.0;
    });
    std::vector<double> target;
    for (int row = 0; row < 2000; ++row) target.insert(target.end(), {0.3, 0.7});
    const auto found = confidence_sequence(log.rows(), target, 0, {0.0, 1.0}, 50).value();
    bool all = true;
    for (std::size_t i = 0; i < found.rows.size(); ++i) {
      const auto n = static_cast<double>(found.rows[i]);
      const double mean =
          (before * std::min(n, 1000.0) + after * std::max(0.0, n - 1000.0)) / n;
      all = all && found.low[i] <= mean && mean <= found.high[i];
    }
    held += all ? 1 : 0;
  }
  EXPECT_GE(held, 38);
}

TEST(Intervals, NoRewardInTheLogHasAnUpperEnd) {
  const Coin log(1000, 2, yes(0.0));
  const PolicyValues found = values_of(log, {.policies = {"logged", "action(1)"}});
  for (const PolicyLine& line : found.policies) {
    EXPECT_EQ(best_of(line).low[0], 0.0) << line.name;
    EXPECT_GT(best_of(line).high[0], 0.003) << line.name;
    EXPECT_LT(best_of(line).high[0], 0.02) << line.name;
  }
}

TEST(Intervals, AFreeActionAmongDearOnesIsKnownToBeFree) {
  Coin log(3000, 4, yes(0.1));
  for (std::size_t i = 0; i < log.played.size(); ++i) log.outcomes[2 * i + 1] = log.played[i] == 0;
  const PolicyValues found = values_of(log, {.policies = {"action(1)", "action(0)"}});
  EXPECT_LT(best_of(found.policies[0]).high[1], 0.01);
  EXPECT_GT(best_of(found.policies[1]).low[1], 0.99);
}

TEST(Intervals, HoldWhereRewardsAreRare) {
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Coin log(1000, seed, yes(0.002));
    const PolicyValues found = values_of(log, {.policies = {"action(1)"}});
    const PolicyValue& best = best_of(found.policies[0]);
    held += best.low[0] <= 0.002 && 0.002 <= best.high[0] ? 1 : 0;
  }
  EXPECT_GE(held, 57);
}

// The unit of the reward is not known, so nothing says how large the rare ones are.
TEST(Intervals, NoneWhereOneRowMakesUpTheError) {
  Coin rare(1000, 3, [](Rng&, int, int) { return 0.0; });
  rare.outcomes[2 * 17] = 40.0;
  rare.played[17] = 1;
  const PolicyValues found = values_of(rare, {.policies = {"action(1)"}});
  EXPECT_TRUE(std::isnan(best_of(found.policies[0]).low[0]));
  EXPECT_TRUE(warned(found.policies[0].evaluation.warnings, "no interval for reward"));
  PolicyValuesOptions ranged{.policies = {"action(1)"}};
  ranged.learner.ranges = {{0.0, 100.0}, {std::nan(""), std::nan("")}};
  const PolicyValues known = values_of(rare, ranged);
  EXPECT_LT(best_of(known.policies[0]).low[0], 0.08);
  EXPECT_GT(best_of(known.policies[0]).high[0], 0.3);
}

TEST(Intervals, OutcomesThatAreAlwaysTheSameHaveNone) {
  const Coin log(1000, 4, [](Rng&, int, int) { return 7.5; });
  const PolicyValues found = values_of(log, {.policies = {"action(1)"}});
  EXPECT_EQ(best_of(found.policies[0]).value[0], 7.5);
  EXPECT_TRUE(std::isnan(best_of(found.policies[0]).low[0]));
  EXPECT_TRUE(warned(found.policies[0].evaluation.warnings, "gave the same"));
}

Coin users(std::uint64_t seed, int rows = 2000, int each = 20) {
  std::vector<double> common;
  Rng rng(seed, 78);
  for (int i = 0; i <= rows / each; ++i) common.push_back(rng.normal());
  Coin log(rows, seed, [&](Rng& noise, int row, int) {
    return common[static_cast<std::size_t>(row / each)] + 0.5 * noise.normal();
  });
  for (int row = 0; row < rows; ++row) log.unit.push_back(row / each);
  return log;
}

TEST(Units, IntervalsHoldWhereRowsBelongTogether) {
  int held = 0;
  int alone = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Coin log = users(seed);
    const auto holds = [&] {
      const PolicyValues found = values_of(log, {.policies = {"action(1)"}});
      const PolicyValue& best = best_of(found.policies[0]);
      return best.low[0] <= 0.0 && 0.0 <= best.high[0] ? 1 : 0;
    };
    held += holds();
    log.unit.clear();
    alone += holds();
  }
  EXPECT_GE(held, 51);
  EXPECT_LE(alone, 45);  // about half
}

TEST(Units, BandsAreTheSameInAnyOrderOfTheRows) {
  const Coin log = users(7);
  Coin mixed(0, 1, yes(0.5));
  for (std::size_t step = 0; step < 20; ++step) {
    for (std::size_t row = step; row < log.played.size(); row += 20) {
      mixed.played.push_back(log.played[row]);
      mixed.unit.push_back(log.unit[row] + 3);
      mixed.propensity.push_back(log.propensity[row]);
      mixed.context.push_back(log.context[row]);
      mixed.outcomes.insert(mixed.outcomes.end(),
                            {log.outcomes[2 * row], log.outcomes[2 * row + 1]});
    }
  }
  const WhatifOptions options{.budgets = {0.2, 0.5}, .adaptive = Adaptive::kNo};
  const Whatif one = whatif(log.rows(), options).value();
  const Whatif other = whatif(mixed.rows(), options).value();
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(one.points[k].values[0].band_low, other.points[k].values[0].band_low, 1e-9);
    EXPECT_NEAR(one.points[k].values[0].band_high, other.points[k].values[0].band_high, 1e-9);
  }
  Coin alone = log;
  alone.unit.clear();
  const Whatif narrow = whatif(alone.rows(), options).value();
  EXPECT_GT(one.points[0].values[0].error, 2.0 * narrow.points[0].values[0].error);
  EXPECT_GT(one.logged[0].error, 2.0 * narrow.logged[0].error);
}

TEST(Units, AreAskedForWhereRowsLookAlike) {
  Coin log = users(9);
  EXPECT_EQ(question_about_units(log.rows()), "");
  log.unit.clear();
  EXPECT_NE(question_about_units(log.rows()).find("--unit"), std::string::npos);
  EXPECT_EQ(question_about_units(Coin(2000, 5, yes(0.3)).rows()), "");
}

// Rows of users in any order: neither neighbours nor contexts are alike, but a column has the users.
TEST(Units, AreAskedForByTheColumnThatHasThem) {
  Rng rng(3, 5);
  std::vector<std::array<std::string, 3>> lines;
  for (int user = 0; user < 200; ++user) {
    const double own = rng.normal();
    for (int i = 0; i < 20; ++i) {
      const bool b = rng.uniform() < 0.5;
      lines.push_back({fmt::format("{},0.5,{}", b ? "B" : "A", own + rng.normal()),
                       fmt::format("u{}", user), fmt::format("{}", rng.below(300))});
    }
  }
  std::ranges::shuffle(lines, std::mt19937(7));
  const TempFile file("");
  std::string text = "a,p,r,user,shop\n", without = "a,p,r,shop\n", partly = text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& [row, user, shop] = lines[i];
    text += fmt::format("{},{},{}\n", row, user, shop);
    without += fmt::format("{},{}\n", row, shop);
    partly += fmt::format("{},{},{}\n", row, i % 2 == 0 ? user : "", shop);
  }
  const auto asked = [&](const std::string& content, const LogOptions& options = {}) {
    file.write(content);
    const LogRows rows = log_rows(read_log(file.path(), options).value()).value();
    EXPECT_EQ(question_about_units(rows.view()), "");
    return question_about_columns(file.path(), options, rows.view());
  };
  EXPECT_NE(asked(text).find("--unit user"), std::string::npos);
  EXPECT_EQ(asked(text, {.unit = "user"}), "");
  EXPECT_EQ(asked(without), "");
  EXPECT_EQ(asked(partly), "");  // a row without a user belongs to nobody
}

TEST(Units, AtLeastAsManyAsFolds) {
  Coin log = users(12, 600, 300);
  const auto curve = whatif(log.rows(), {.budgets = {0.5}, .adaptive = Adaptive::kNo});
  ASSERT_FALSE(curve.ok());
  EXPECT_NE(curve.error().find("found 5 folds for 2 units"), std::string::npos);
  EXPECT_TRUE(policy_values(log.rows(), {.policies = {"action(1)"}}).ok());
  std::fill(log.unit.begin(), log.unit.end(), 7);
  const auto found = policy_values(log.rows(), {.policies = {"action(1)"}});
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.error().find("1 folds for 1 units"), std::string::npos);
}

TEST(Units, AndALearnersLogHaveNoInterval) {
  Coin log = users(11);
  PolicyValuesOptions options{.policies = {"action(1)"}};
  options.value.adaptive = Adaptive::kYes;
  const PolicyValues found = values_of(log, options);
  EXPECT_TRUE(std::isnan(best_of(found.policies[0]).low[0]));
  const auto curve = whatif(log.rows(), {.budgets = {0.5}, .adaptive = Adaptive::kYes});
  ASSERT_FALSE(curve.ok());
  EXPECT_NE(curve.error().find("belong together"), std::string::npos);
}

TEST(Propensities, MayBeRounded) {
  const Coin log(3000, 6, yes(0.3), 0.500001);
  const PolicyValues found = values_of(log, {.policies = {"uniform"}});
  EXPECT_FALSE(std::isnan(best_of(found.policies[0]).low[0]));
  const Coin wrong(3000, 6, yes(0.3), 0.51);
  EXPECT_TRUE(std::isnan(best_of(values_of(wrong, {.policies = {"uniform"}}).policies[0]).low[0]));
}

TEST(Budgets, APolicyThatPassesItsBudgetIsNamed) {
  const Coin log(3000, 8, [](Rng& rng, int, int a) { return a + 0.1 * rng.normal(); });
  PolicyValuesOptions options{.policies = {"squarecb", "ccb"}};
  options.learner.budgets = {0.3};
  const PolicyValues found = values_of(log, options);
  EXPECT_TRUE(warned(found.policies[0].evaluation.warnings, "over its budget of 0.3"));
  EXPECT_FALSE(warned(found.policies[1].evaluation.warnings, "over its budget"));
}

// The best of actions that earn the same looks better than it is. Its interval counts that.
TEST(FixedMix, IntervalsHoldForTheBestOfManyActions) {
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed, 79);
    Coin log(0, 1, yes(0.5));
    for (int row = 0; row < 2000; ++row) {
      const int a = static_cast<int>(rng.below(8));
      log.played.push_back(a);
      log.propensity.push_back(0.125);
      log.context.push_back(rng.uniform());
      log.outcomes.insert(log.outcomes.end(), {rng.normal(), 0.1 * rng.uniform()});
    }
    OfflineRows rows = log.rows();
    rows.actions = 8;
    const Whatif found = whatif(rows, {.budgets = {0.2}, .adaptive = Adaptive::kNo}).value();
    const CurveValue& value = found.fixed[0].values[0];
    held += value.low <= 0.0 && 0.0 <= value.high ? 1 : 0;
  }
  EXPECT_GE(held, 55);
}

// The best fixed mix of the curve and `mix(...)` of evaluate are about the same policy.
TEST(FixedMix, IsTheMixThatEvaluateValues) {
  const Coin log(3000, 12, [](Rng& rng, int, int a) { return 0.02 * a + rng.normal(); });
  const PolicyValues direct = values_of(log, {.policies = {"mix(0=0.6,1=0.4)"}});
  double first = 0.0;
  for (const int folds : {2, 5, 20}) {
    WhatifOptions options{.budgets = {0.4}, .adaptive = Adaptive::kNo};
    options.fit.folds = folds;
    const Whatif curve = whatif(log.rows(), options).value();
    ASSERT_TRUE(curve.fixed[0].binding);
    const double value = curve.fixed[0].values[0].value;
    if (folds == 2) first = value;
    EXPECT_NEAR(value, first, 0.1 * curve.fixed[0].values[0].error) << folds;
    EXPECT_NEAR(value, best_of(direct.policies[0]).value[0], 0.3 * curve.fixed[0].values[0].error);
  }
}

}  // namespace
}  // namespace rein
