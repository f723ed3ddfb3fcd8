#include "solve/long_term.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "rein/rng.h"
#include "solve/columns.h"
#include "solve/lp.h"
#include "solve/mixture.h"

namespace rein {
namespace {

struct Rounds {
  int costs;
  std::vector<int> actions;
  std::vector<std::vector<double>> values;  // of each round, head by head
};

Rounds random_rounds(std::uint64_t seed, int rounds, int most_actions, int costs, bool coarse) {
  Rng rng(seed);
  Rounds q{.costs = costs};
  for (int t = 0; t < rounds; ++t) {
    const int k = 1 + static_cast<int>(rng.below(most_actions));
    q.actions.push_back(k);
    q.values.emplace_back();
    for (int j = 0; j < k * (costs + 1); ++j) {
      const double x = 2.0 * rng.uniform() - 1.0;
      q.values.back().push_back(coarse ? std::round(3.0 * x) / 3.0 : x);
    }
  }
  return q;
}

LongTermAnswer solve(const Rounds& q, const std::vector<double>& budgets) {
  LongTerm long_term(16, q.costs);
  for (std::size_t t = 0; t < q.values.size(); ++t) long_term.add(q.values[t], q.actions[t]);
  return long_term.solve(budgets);
}

// Keeps every action and merges nothing: the decomposition, also for one cost.
LongTermAnswer solve_columns(const Rounds& q, const std::vector<double>& budgets) {
  std::vector<double> points;
  std::vector<std::int32_t> counts(q.actions.begin(), q.actions.end());
  for (std::size_t t = 0; t < q.values.size(); ++t) {
    for (int a = 0; a < q.actions[t]; ++a) {
      for (int h = 0; h <= q.costs; ++h) {
        points.push_back(q.values[t][static_cast<std::size_t>(h * q.actions[t] + a)]);
      }
    }
  }
  return solve_by_columns({points, counts, q.costs}, budgets);
}

TEST(LongTerm, ABudgetBeyondReachIsAsGoodAsNone) {
  const Rounds q = random_rounds(5, 40, 6, 2, false);
  const LongTermAnswer plain = solve(q, {4.0, 100.0});
  for (double large : {1e12, 1e30, 1e99, 1e300}) {
    const LongTermAnswer answer = solve(q, {4.0, large});
    EXPECT_NEAR(answer.value, plain.value, 1e-8) << large;
    EXPECT_EQ(answer.prices[1], 0.0);
  }
}

// The LP as written, with one variable per action of every round. `slack` widens budgets that
// cannot be met beyond the smallest relaxation.
LongTermAnswer solve_in_full(const Rounds& q, const std::vector<double>& budgets, double slack) {
  Lp lp;
  const int m = q.costs;
  const int rounds = static_cast<int>(q.values.size());
  for (double b : budgets) lp.add_row(-Lp::kInfinity, b);
  for (int t = 0; t < rounds; ++t) lp.add_row(1.0, 1.0);
  std::vector<int> rows(static_cast<std::size_t>(m));
  for (int i = 0; i < m; ++i) rows[static_cast<std::size_t>(i)] = i;
  const int relax = lp.add_column(-1.0, rows, std::vector<double>(rows.size(), -1.0));
  std::vector<double> rewards;
  rows.push_back(0);
  for (int t = 0; t < rounds; ++t) {
    const int k = q.actions[static_cast<std::size_t>(t)];
    rows.back() = m + t;
    for (int a = 0; a < k; ++a) {
      std::vector<double> entries;
      const auto& values = q.values[static_cast<std::size_t>(t)];
      for (int i = 1; i <= m; ++i) entries.push_back(values[static_cast<std::size_t>(i * k + a)]);
      entries.push_back(1.0);
      lp.add_column(0.0, rows, entries);
      rewards.push_back(values[static_cast<std::size_t>(a)]);
    }
  }
  EXPECT_EQ(lp.maximize(), LpStatus::kOptimal);
  const double v = lp.x(relax);
  const double room = v > 1e-9 ? v + slack : 0.0;
  for (int i = 0; i < m; ++i)
    lp.set_row(i, -Lp::kInfinity, budgets[static_cast<std::size_t>(i)] + room);
  lp.drop(relax);
  for (std::size_t j = 0; j < rewards.size(); ++j)
    lp.set_value(static_cast<int>(j) + 1, rewards[j]);
  EXPECT_EQ(lp.maximize(), LpStatus::kOptimal);
  return {.value = lp.value(), .relaxed = v > 1e-9 ? v : 0.0};
}

TEST(LongTermTest, BuysTheSteepestSegmentsFirst) {
  // Round one: (cost, reward) = (0, 0), (1, 1), (2, 1.5); round two: (0, 0), (1, 0.75). Slopes 1,
  // 0.5 and 0.75: a budget of 2.5 takes 1, then 0.75, then half of 0.5.
  const Rounds q{.costs = 1,
                 .actions = {3, 2},
                 .values = {{0.0, 1.0, 1.5, 0.0, 1.0, 2.0}, {0.75, 0.0, 1.0, 0.0}}};
  const LongTermAnswer answer = solve(q, {2.5});
  EXPECT_DOUBLE_EQ(answer.value, 2.0);
  EXPECT_DOUBLE_EQ(answer.prices[0], 0.5);
  EXPECT_EQ(answer.relaxed, 0.0);
  EXPECT_DOUBLE_EQ(solve(q, {100.0}).value, 2.25);
  EXPECT_EQ(solve(q, {100.0}).prices[0], 0.0);
}

TEST(LongTermTest, InfeasibleBudgetIsRelaxedByTheLeastThatHelps) {
  const Rounds q{
      .costs = 1, .actions = {2, 2}, .values = {{1.0, 0.5, 0.4, 0.1}, {0.2, 0.9, 0.3, 0.8}}};
  const LongTermAnswer answer = solve(q, {0.1});
  EXPECT_NEAR(answer.relaxed, 0.3, 1e-12);  // 0.1 + 0.3 at the least, 0.1 allowed
  EXPECT_NEAR(answer.value, 0.7, 1e-12);
}

TEST(LongTermTest, NoCostsMeansTheBestActionOfEveryRound) {
  const Rounds q{.costs = 0, .actions = {2, 3}, .values = {{0.25, 0.5}, {-1.0, -0.5, -0.75}}};
  EXPECT_DOUBLE_EQ(solve(q, {}).value, 0.0);
}

TEST(LongTermTest, PastTheLimitOfMemoryThereIsNoAnswer) {
  LongTerm long_term(2, 1, /*most_doubles=*/8);
  for (int t = 0; t < 5; ++t) long_term.add(std::vector<double>{0.0, 1.0, 0.0, 1.0}, 2);
  EXPECT_TRUE(std::isnan(long_term.solve(std::vector<double>{1.0}).value));
  LongTerm several(2, 2, /*most_doubles=*/8);
  for (int t = 0; t < 5; ++t) several.add(std::vector<double>{0.0, 1.0, 0.0, 1.0, 0.0, 1.0}, 2);
  EXPECT_TRUE(std::isnan(several.solve(std::vector<double>{1.0, 1.0}).value));
}

TEST(LongTermTest, MayBeAskedAgainWithOtherBudgets) {
  const Rounds q = random_rounds(5, 200, 6, 1, false);
  LongTerm long_term(16, 1);
  for (std::size_t t = 0; t < q.values.size(); ++t) long_term.add(q.values[t], q.actions[t]);
  const double first = long_term.solve(std::vector<double>{-20.0}).value;
  const double more = long_term.solve(std::vector<double>{20.0}).value;
  EXPECT_GT(more, first);
  EXPECT_NEAR(long_term.solve(std::vector<double>{-20.0}).value, first, 1e-10);
}

RC_GTEST_PROP(LongTermProperty, AgreesWithTheWholeLp, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const int rounds = *rc::gen::inRange(1, 40);
  const int costs = *rc::gen::inRange(1, 6);
  const Rounds q = random_rounds(seed, rounds, 8, costs, *rc::gen::arbitrary<bool>());
  const double rate = *rc::gen::element(-0.6, -0.3, 0.0, 0.2);
  const std::vector<double> budgets(static_cast<std::size_t>(costs), rate * rounds);
  const double slack = kLongTermSlack * rounds;
  const LongTermAnswer full = solve_in_full(q, budgets, slack);
  const LongTermAnswer answer = solve(q, budgets);
  RC_ASSERT(std::abs(answer.relaxed - full.relaxed) < 1e-6);
  double value = answer.value;
  if (costs == 1 && full.relaxed > 0.0) {  // exact at the edge; the whole LP is asked beyond it
    value = solve(q, {budgets[0] + full.relaxed + slack}).value;
  }
  RC_ASSERT(std::abs(value - full.value) < 1e-6);
  const LongTermAnswer columns = solve_columns(q, budgets);
  RC_ASSERT(std::abs(columns.value - full.value) < 1e-6);
}

// The prices prove the value: no choice earns more than the dual at any prices >= 0.
RC_GTEST_PROP(LongTermProperty, PricesCloseTheGap, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const int costs = *rc::gen::inRange(1, 5);
  const int rounds = 60;
  const Rounds q = random_rounds(seed, rounds, 8, costs, false);
  const std::vector<double> budgets(static_cast<std::size_t>(costs), 0.05 * rounds);
  const LongTermAnswer answer = solve(q, budgets);
  RC_PRE(answer.relaxed == 0.0);
  double dual = 0.0;
  for (int i = 0; i < costs; ++i) dual += answer.prices[i] * budgets[static_cast<std::size_t>(i)];
  for (std::size_t t = 0; t < q.values.size(); ++t) {
    double best = -INFINITY;
    for (int a = 0; a < q.actions[t]; ++a) {
      double score = q.values[t][static_cast<std::size_t>(a)];
      for (int i = 0; i < costs; ++i) {
        score -=
            answer.prices[i] * q.values[t][static_cast<std::size_t>((i + 1) * q.actions[t] + a)];
      }
      best = std::max(best, score);
    }
    dual += best;
  }
  RC_ASSERT(std::abs(dual - answer.value) < 1e-7);
}

// Keeping a cap in every round also keeps the sum of the caps.
RC_GTEST_PROP(LongTermProperty, IsAtLeastTheSumOfTheRounds, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const int costs = *rc::gen::inRange(1, 4);
  const Rounds q = random_rounds(seed, 30, 8, costs, false);
  const std::vector<double> caps(static_cast<std::size_t>(costs), 0.1);
  Mixture mixture(8, costs);
  double sum = 0.0;
  double budget = 0.0;
  for (std::size_t t = 0; t < q.values.size(); ++t) {
    const MixtureAnswer answer = mixture.solve(q.values[t], q.actions[t], caps);
    sum += answer.value;
    budget += 0.1 + answer.relaxed;
  }
  const LongTermAnswer answer = solve(q, std::vector<double>(caps.size(), budget));
  RC_ASSERT(answer.relaxed == 0.0);
  RC_ASSERT(answer.value >= sum - 1e-7);
}

}  // namespace
}  // namespace rein
