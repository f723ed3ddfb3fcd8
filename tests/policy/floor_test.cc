// The floor under probabilities: what it promises, what it spends, and the effective sample size.
#include "policy/floor.h"

#include <gtest/gtest.h>

#include <numeric>

#include "policy/by_hand.h"

namespace rein {
namespace {

const Shape kFloorShape{
    .actions = 4, .context = 3, .costs = {{"dollars", {0.0, 1.0}}}, .rounds = 400};

// Actions cost 0.1, 0.2, 0.4 and 0.8, and earn as much. Learned without noise.
Outcome priced(const Round& round, int action) {
  const double cost = 0.1 * static_cast<double>(1 << round.id(action));
  return {.reward = cost, .costs = {cost}};
}

class Floors : public testing::Test {
 protected:
  // Plays `rounds` rounds that offer all actions. `look` sees every decision.
  template <class Look>
  static PolicyState play(const std::string& spec, int rounds, Look look) {
    Game game({.spec = spec, .shape = kFloorShape});
    for (int t = 0; t < rounds; ++t) {
      const OwnedRound round = round_of(kFloorShape, 3 * t);
      game.policy->decide(round.view(), game.rng, game.scratch, game.decision).check();
      look(game, std::as_const(game.decision));
      game.policy->learn(round.view(), game.decision, priced(round.view(), game.decision.action))
          .check();
    }
    return game.policy->state();
  }
};

TEST_F(Floors, EveryActionThatFitsHasItsShare) {
  double least = 1.0;
  play("ccb(floor=0.2,rate=0.3)", 300, [&](const Game&, const Decision& d) {
    double sum = 0.0;
    for (int a = 0; a < 4; ++a) {
      sum += d.probabilities()[a];
      // 0.2 times the cost is at most a quarter of 0.3: a cost of at most 0.375.
      const bool fits = d.estimates.mean(1)[a] <= 0.375 && d.scores()[a] > -1e15;
      if (!fits) continue;
      EXPECT_GE(d.probabilities()[a], 0.05 * (1.0 - 1e-12));
      least = std::min(least, d.probabilities()[a]);
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);
    EXPECT_EQ(d.probability, d.probabilities()[d.action]);  // the true propensity
  });
  EXPECT_LT(least, 0.11);  // the floor was what held some of them up
}

TEST_F(Floors, WithoutItProbabilitiesAreMuchSmaller) {
  double least = 1.0;
  play("ccb(rate=0.3)", 300, [&](const Game&, const Decision& d) {
    for (double p : d.probabilities()) least = std::min(least, p);
  });
  EXPECT_LT(least, 0.01);
}

TEST_F(Floors, ABarredActionGetsNothing) {
  int barred = 0;
  play("ccb(floor=0.2,rate=0.3)", 400, [&](const Game&, const Decision& d) {
    for (int a = 0; a < 4; ++a) {
      if (d.scores()[a] > -1e15) continue;
      EXPECT_EQ(d.probabilities()[a], 0.0);
      ++barred;
    }
  });
  EXPECT_GT(barred, 0);
}

TEST_F(Floors, TheBudgetIsKeptWithIt) {
  for (const char* spec : {"ccb(floor=0.05,rate=0.15)", "ccb(floor=0.5,rate=0.15)"}) {
    const PolicyState state = play(spec, 400, [](const Game&, const Decision&) {});
    EXPECT_LE(state.spent[0], 1.01 * 0.15 * 400) << spec;
    EXPECT_GE(state.spent[0], 0.9 * 0.15 * 400) << spec;
  }
}

TEST_F(Floors, ZeroIsNoFloor) {
  std::vector<double> with, without;
  const auto keep = [](std::vector<double>& to) {
    return [&to](const Game&, const Decision& d) {
      to.insert(to.end(), d.probabilities().begin(), d.probabilities().end());
    };
  };
  play("ccb(floor=0,rate=0.3)", 100, keep(with));
  play("ccb(rate=0.3)", 100, keep(without));
  EXPECT_EQ(with, without);
}

TEST_F(Floors, AnyShareFromZeroToOneIsTakenAndNoOther) {
  EXPECT_TRUE(make_policy("ccb(floor=1,rate=0.3)", kFloorShape).ok());
  EXPECT_FALSE(make_policy("ccb(floor=1.1,rate=0.3)", kFloorShape).ok());
  EXPECT_FALSE(make_policy("ccb(floor=-0.1,rate=0.3)", kFloorShape).ok());
}

TEST_F(Floors, TheTheoremDoesNotCoverIt) {
  const auto theory = [](const char* spec) {
    return make_policy(spec, kFloorShape).value()->state().theorem.has_value();
  };
  EXPECT_TRUE(theory("ccb(budget=100,tuning=theory)"));
  EXPECT_FALSE(theory("ccb(budget=100,floor=0.1,tuning=theory)"));
}

TEST_F(Floors, SavedAndLoadedItGoesOnWithTheSameBits) {
  const Case c{.spec = "ccb(floor=0.1,rate=0.3)", .shape = kFloorShape};
  Game one(c);
  for (int t = 0; t < 90; ++t) one.play(t);
  Game other(c);
  other.policy->load(one.policy->save()).check();
  EXPECT_EQ(other.policy->state().effective_size, one.policy->state().effective_size);
  other.rng = one.rng;
  for (int t = 90; t < 150; ++t) {
    one.play(t);
    other.play(t);
    ASSERT_EQ(copy(one.decision.probabilities()), copy(other.decision.probabilities()));
  }
}

TEST(EffectiveSize, IsEveryRoundForUniformChoices) {
  Game game({.spec = "uniform", .shape = kFloorShape});
  EXPECT_EQ(game.policy->state().effective_size, 0.0);
  for (int t = 0; t < 50; ++t) game.play(t);
  EXPECT_NEAR(game.policy->state().effective_size, 50.0, 1e-9);
}

TEST(EffectiveSize, IsNothingWithoutExploration) {
  Hand hand(two_actions("greedy", {{0.0, 1.0}}));
  for (int t = 0; t < 20; ++t) {
    hand.decide();
    hand.learn(0, {.reward = 1.0, .costs = {0.0}});
  }
  EXPECT_EQ(hand.state().effective_size, 0.0);
}

// p = (0.9, 0.1): the weights 1 / (2 p) have the mean square (1 / 0.9 + 1 / 0.1) / 4 = 2.7778.
TEST(EffectiveSize, IsRoundsOverTheMeanSquareOfTheWeights) {
  Hand hand(two_actions("epsilon(epsilon=0.2)", {{0.0, 1.0}}));
  for (int t = 0; t < 100; ++t) {
    hand.decide();
    hand.learn(0, {.reward = 1.0, .costs = {0.0}});
  }
  // In the first round both actions are alike.
  EXPECT_NEAR(hand.state().effective_size, 100.0 * 100.0 / (1.0 + 99.0 * 25.0 / 9.0), 1e-9);
}

}  // namespace
}  // namespace rein
