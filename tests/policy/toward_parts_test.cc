// Goals whose outcomes come in parts, and goals with expected costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <deque>

#include "policy/play.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

// Three models: quality is the reward; context 0 says how hard the prompt is.
const Shape kTowardPartsShape{.actions = 3,
                              .context = 2,
                              .reward = {0.0, 1.0},
                              .costs = {{"dollars", {0.0, 1.0}}, {"seconds", {0.0, 2.0}}},
                              .rounds = 8000};
constexpr double kDollars[] = {0.02, 0.2, 1.0};
const char* const kFloor = "ccb(at_least=[reward,0.92],minimize=dollars)";

double quality(int action, double hard) {
  return action == 2 ? 0.97 : 1.0 - (action == 0 ? 0.6 : 0.25) * hard;
}

struct Waiting {
  std::array<double, 2> x;
  Decision decision;
  double seen;
};

// The bill comes at once, the mark 20 rounds later, in this share of the rounds.
struct TowardPartsPlayed {
  double quality = 0.0, dollars = 0.0, marks = 0.0, sum_of_marks = 0.0;
};
TowardPartsPlayed play_parts(Game& game, int rounds, double share) {
  Rng rng(4);
  TowardPartsPlayed sums;
  std::deque<Waiting> waiting;
  for (int t = 0; t < rounds; ++t) {
    const std::array<double, 2> x = {rng.uniform(), 1.0};
    const Round round{.actions = 3, .context = x};
    game.policy->decide(round, game.rng, game.scratch, game.decision).check();
    const int a = game.decision.action;
    const double seen = rng.uniform() < quality(a, x[0]) ? 1.0 : 0.0;
    const Outcome bill{.costs = {kDollars[a], 0.5 + 0.5 * a}};
    game.policy->learn(round, game.decision, bill, Part::kFirst).check();
    waiting.push_back({x, game.decision, seen});
    sums.quality += seen / rounds;
    sums.dollars += kDollars[a] / rounds;
    if (waiting.size() <= 20) continue;
    const Waiting& due = waiting.front();
    if (rng.uniform() < share) {
      const Round old{.actions = 3, .context = due.x};
      game.policy->learn(old, due.decision, {.reward = due.seen}, Part::kLater).check();
      sums.marks += 1.0;
      sums.sum_of_marks += due.seen;
    }
    waiting.pop_front();
  }
  return sums;
}

TEST(TowardParts, TheFloorIsMetWithLateAndMissingMarks) {
  Game game({.spec = kFloor, .shape = kTowardPartsShape});
  ASSERT_TRUE(game.policy->state().learns_parts);
  const TowardPartsPlayed got = play_parts(game, 8000, 0.6);
  EXPECT_NEAR(got.quality, 0.92, 0.01);
  EXPECT_LT(got.dollars, 0.5) << "the best rule that knows all pays 0.40";
}

// Totals are of the parts that came, and estimates are those of whole outcomes.
TEST(TowardParts, ReportsWhatCame) {
  Game game({.spec = kFloor, .shape = kTowardPartsShape});
  const TowardPartsPlayed got = play_parts(game, 3000, 0.5);
  const PolicyState state = game.policy->state();
  EXPECT_EQ(state.rounds, 3000);
  EXPECT_NEAR(state.reward, got.sum_of_marks, 1e-6);
  EXPECT_NEAR(state.spent[0], 3000 * got.dollars, 1e-6);
  for (int a = 0; a < 3; ++a) {
    EXPECT_NEAR(game.decision.estimates.mean(1)[a], kDollars[a], 0.1) << a;
  }
}

TEST(TowardParts, SavedAndLoadedItGoesOnWithTheSameBits) {
  Game one({.spec = kFloor, .shape = kTowardPartsShape}),
      other({.spec = kFloor, .shape = kTowardPartsShape});
  play_parts(one, 200, 0.5);
  other.policy->load(one.policy->save()).check();
  other.rng = one.rng;
  EXPECT_EQ(other.policy->state().reward, one.policy->state().reward);
  play_parts(one, 60, 0.5);
  play_parts(other, 60, 0.5);
  EXPECT_EQ(other.policy->save(), one.policy->save());
  const std::string bytes = one.policy->save();
  EXPECT_FALSE(other.policy->load(bytes.substr(0, 60)).ok());
  EXPECT_EQ(other.policy->save(), bytes) << "a refused state changes nothing";
}

// Whole outcomes save what they always saved: the mapped policy alone.
TEST(TowardParts, WholeOutcomesLeaveNoTrace) {
  Game whole({.spec = kFloor, .shape = kTowardPartsShape});
  whole.play(0, 30);
  EXPECT_EQ(whole.policy->save().find("goal in parts"), std::string::npos);
  Game parts({.spec = kFloor, .shape = kTowardPartsShape});
  play_parts(parts, 30, 0.5);
  EXPECT_NE(parts.policy->save().find("goal in parts"), std::string::npos);
}

// A late bill is one more sample of its mean; a correction is not.
TEST(TowardParts, LateBillsMoveMoney) {
  Game game({.spec = "ccb(at_least=[reward,0.5],at_most=[seconds,0.7],minimize=dollars)",
             .shape = kTowardPartsShape});
  game.play(0, 10);
  const PolicyState before = game.policy->state();
  const Outcome bill{.costs = {0.25, 1.5}};
  game.policy->learn({}, {}, bill, Part::kBill).check();
  const PolicyState after = game.policy->state();
  EXPECT_EQ(after.rounds, before.rounds);
  EXPECT_EQ(after.reward, before.reward);
  EXPECT_NEAR(after.spent[0], before.spent[0] + 0.25, 1e-9) << "the objective";
  EXPECT_NEAR(after.spent[1], before.spent[1] + 1.5, 1e-9);
  game.policy->learn({}, {}, {.costs = {-0.05, 0.5}}, Part::kCorrection).check();
  const PolicyState last = game.policy->state();
  EXPECT_NEAR(last.spent[0], before.spent[0] + 0.2, 1e-9);
  EXPECT_NEAR(last.spent[1], before.spent[1] + 2.0, 1e-9);
  EXPECT_FALSE(game.policy->learn({}, {}, {.costs = {0.1}}, Part::kBill).ok());
}

// The estimates of a round without anything learned, and after the list prices doubled.
TEST(TowardParts, ExpectedCostsSpeakOfTheObjectiveAndOfLimits) {
  const std::string spec = "ccb(at_least=[reward,0.5],at_most=[seconds,0.7],minimize=dollars)";
  Game game({.spec = spec, .shape = kTowardPartsShape});
  std::vector<double> listed = {0.02, 0.5, 0.2, 1.0, 0.45, 1.0};
  std::array<double, 2> x = {0.5, 1.0};
  Round round{.actions = 3, .context = x, .expected_costs = listed};
  game.policy->decide(round, game.rng, game.scratch, game.decision).check();
  for (int a = 0; a < 3; ++a) {
    EXPECT_NEAR(game.decision.estimates.mean(1)[a], listed[2 * a], 1e-9) << a;
    EXPECT_NEAR(game.decision.estimates.mean(2)[a], listed[2 * a + 1], 1e-9) << a;
  }
  Rng rng(6);
  for (int t = 0; t < 600; ++t) {  // actions cost 0.9 of their list price
    x = {rng.uniform(), 1.0};
    game.policy->decide(round, game.rng, game.scratch, game.decision).check();
    const int a = game.decision.action;
    const Outcome outcome{.reward = quality(a, x[0]),
                          .costs = {0.9 * listed[2 * a], 0.9 * listed[2 * a + 1]}};
    game.policy->learn(round, game.decision, outcome).check();
  }
  for (double& price : listed) price *= 2.0;
  game.policy->decide(round, game.rng, game.scratch, game.decision).check();
  for (int a = 0; a < 3; ++a) {  // all at once, and in proportion
    EXPECT_NEAR(game.decision.estimates.mean(1)[a] / listed[2 * a], 0.95, 0.06) << a;
    EXPECT_NEAR(game.decision.estimates.mean(2)[a] / listed[2 * a + 1], 0.95, 0.06) << a;
  }
}

// Known list prices: less is paid to learn what is dear. Both meet the floor.
TEST(TowardParts, ExpectedCostsSaveMoney) {
  const auto spent = [](const std::string& spec, std::uint64_t seed) {
    Game game({.spec = spec, .shape = kTowardPartsShape}, seed);
    Rng rng(4 + seed);
    double sum = 0.0;
    for (int t = 0; t < 60; ++t) {
      const std::array<double, 2> x = {rng.uniform(), 1.0};
      const Round round{.actions = 3, .context = x};
      game.policy->decide(round, game.rng, game.scratch, game.decision).check();
      const int a = game.decision.action;
      sum += kDollars[a];
      game.policy
          ->learn(round, game.decision,
                  {.reward = quality(a, x[0]), .costs = {kDollars[a], 0.5 + 0.5 * a}})
          .check();
    }
    return sum;
  };
  double told = 0.0, untold = 0.0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    told += spent(
        "ccb(at_least=[reward,0.3],minimize=dollars,expected_costs=[0.02,0.5,0.2,1,1,1.5])", seed);
    untold += spent("ccb(at_least=[reward,0.3],minimize=dollars)", seed);
  }
  EXPECT_LT(told, 0.9 * untold);
}

TEST(TowardParts, ExpectedCostsOutsideTheirRangeAreRefusedInTheTermsOfTheUser) {
  const auto made = make_policy(
      "ccb(at_least=[reward,0.9],minimize=dollars,expected_costs=[0.1,0.5,0.1,0.5,1.5,0.5])",
      kTowardPartsShape);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error(), HasSubstr("has 1.5 at 4; accepted: 0 to 1"));
  Game game({.spec = kFloor, .shape = kTowardPartsShape});
  const std::array<double, 2> x = {0.5, 1.0};
  const std::vector<double> listed = {0.02, 0.5, 0.2, 2.5, 0.4, 1.0};
  const auto done = game.policy->decide({.actions = 3, .context = x, .expected_costs = listed},
                                        game.rng, game.scratch, game.decision);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error(), HasSubstr("expected_costs[3] is 2.5; accepted: 0 to 2"));
}

}  // namespace
}  // namespace rein
