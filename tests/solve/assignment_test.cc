#include "solve/assignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "rein/rng.h"
#include "solve/long_term.h"

namespace rein {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
const std::vector<std::string> kNames = {"money", "time"};

std::vector<double> totals_of(const AssignmentInput& in, const AssignedActions& found) {
  std::vector<double> sums(static_cast<std::size_t>(1 + in.costs), 0.0);
  for (std::int64_t t = 0; t < in.rounds; ++t) {
    for (int h = 0; h <= in.costs; ++h) {
      const std::int64_t line = t * (1 + in.costs) + h;
      sums[static_cast<std::size_t>(h)] += in.values[static_cast<std::size_t>(
          line * in.actions + found.actions[static_cast<std::size_t>(t)])];
    }
  }
  return sums;
}

// Everybody is alike: the price alone would give all or nothing.
TEST(Assignment, EqualRoundsGetTheDearerActionInTheirOrderUntilTheMoneyEnds) {
  std::vector<double> values;
  for (int t = 0; t < 100; ++t) values.insert(values.end(), {0.1, 0.3, 0.0, 1.0});
  const std::vector<double> limits = {33.0};
  const AssignmentInput in{.rounds = 100, .actions = 2, .costs = 1, .values = values, .limits = limits};
  const AssignedActions found = assign_actions(in, kNames).value();
  EXPECT_EQ(totals_of(in, found)[1], 33.0);
  EXPECT_EQ(found.ties, 100);
  EXPECT_EQ(found.raised, 33);
  EXPECT_EQ(found.actions[32], 1);
  EXPECT_EQ(found.actions[33], 0);
  EXPECT_NEAR(found.prices[0], 0.2, 1e-9);
}

TEST(Assignment, WithoutALimitEveryRoundGetsItsBestAction) {
  const std::vector<double> values = {0.1, 0.3, 0.0, 1.0, 0.5, 0.2, 0.0, 1.0};
  const std::vector<double> limits = {kNone};
  const AssignmentInput in{.rounds = 2, .actions = 2, .costs = 1, .values = values, .limits = limits};
  EXPECT_THAT(assign_actions(in, kNames).value().actions, testing::ElementsAre(1, 0));
}

TEST(Assignment, AnActionThatIsNotOfferedIsNotAssigned) {
  const double nan = std::nan("");
  const std::vector<double> values = {nan, 0.3, 0.0, 1.0, 0.5, nan, 0.0, 1.0};
  const std::vector<double> limits = {1.0};
  const AssignmentInput in{.rounds = 2, .actions = 2, .costs = 1, .values = values, .limits = limits};
  EXPECT_THAT(assign_actions(in, kNames).value().actions, testing::ElementsAre(1, 0));
}

TEST(Assignment, ALimitThatCannotBeMetIsRefusedWithTheLeast) {
  const std::vector<double> values = {0.1, 0.3, 2.0, 3.0, 0.5, 0.2, 2.0, 3.0};
  const std::vector<double> limits = {3.0};
  const AssignmentInput in{.rounds = 2, .actions = 2, .costs = 1, .values = values, .limits = limits};
  const auto found = assign_actions(in, kNames);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error(), testing::HasSubstr("costs 4 in all"));
}

// Against the LP, whose value no assignment can pass: what is lost is at most what a few rounds gain.
RC_GTEST_PROP(AssignmentProperty, KeepsLimitsAndIsNearTheLinearProgram, ()) {
  Rng rng(*rc::gen::arbitrary<std::uint64_t>());
  const int costs = 1 + static_cast<int>(rng.below(2));
  const int actions = 2 + static_cast<int>(rng.below(4));
  const int rounds = 200;
  std::vector<double> values;
  LongTerm lp(actions, costs);
  for (int t = 0; t < rounds; ++t) {
    std::vector<double> round;
    for (int j = 0; j < actions * (1 + costs); ++j) round.push_back(rng.uniform());
    for (int i = 1; i <= costs; ++i) round[static_cast<std::size_t>(i * actions)] = 0.0;
    lp.add(round, actions);
    values.insert(values.end(), round.begin(), round.end());
  }
  std::vector<double> limits;
  for (int i = 0; i < costs; ++i) limits.push_back(rounds * (0.02 + 0.4 * rng.uniform()));
  const AssignmentInput in{
      .rounds = rounds, .actions = actions, .costs = costs, .values = values, .limits = limits};
  const AssignedActions found = assign_actions(in, kNames).value();
  const std::vector<double> sums = totals_of(in, found);
  for (int i = 0; i < costs; ++i) {
    RC_ASSERT(sums[static_cast<std::size_t>(i + 1)] <= limits[static_cast<std::size_t>(i)] * (1.0 + 1e-9));
  }
  const double best = lp.solve(limits).value;
  RC_ASSERT(sums[0] <= best + 1e-6);
  RC_ASSERT(sums[0] >= best - (costs == 1 ? 1.0 : 4.0));
}

}  // namespace
}  // namespace rein
