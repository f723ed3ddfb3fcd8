// Tries: what every action is played at least, and what that may cost.
#include "policy/tries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "evaluate/late.h"
#include "policy/play.h"
#include "rein/engine.h"

namespace rein {
namespace {

// Plays rounds without context; `gives` says reward and cost of an action. Returns plays per action.
template <class Gives>
std::vector<int> plays_of(const std::string& spec, const Shape& shape, int rounds, Gives gives,
                          int delay = 0) {
  Game game({.spec = spec, .shape = shape});
  Late late(*game.policy, delay);
  std::vector<int> plays(static_cast<std::size_t>(shape.actions));
  const Round round{.actions = shape.actions};
  for (int t = 0; t < rounds; ++t) {
    const Money money{.reserved = late.reserved()};
    game.policy->decide(round, money, game.rng, game.scratch, game.decision).check();
    double sum = 0.0;
    for (double p : game.decision.probabilities()) sum += p;
    EXPECT_NEAR(sum, 1.0, 1e-12);
    EXPECT_EQ(game.decision.probability, game.decision.probabilities()[game.decision.action]);
    plays[static_cast<std::size_t>(game.decision.action)] += 1;
    const Outcome outcome = gives(game.decision.action);
    late.learn(*game.policy, round, game.decision, outcome).check();
  }
  return plays;
}

const Shape kFree{.actions = 4, .reward = {0.0, 1.0}, .rounds = 4000};
const Shape kPriced{
    .actions = 4, .reward = {0.0, 1.0}, .costs = {{"dollars", {0.0, 1.0}}}, .rounds = 4000};

// 5 sqrt(4000) / 4 = 79 plays are due; chance makes it a few less.
TEST(Tries, EveryActionIsPlayedInProportionToTheRootOfTheRounds) {
  const auto exact = [](int a) { return Outcome{.reward = a == 0 ? 0.9 : 0.1, .costs = Costs(0)}; };
  const std::vector<int> with = plays_of("ccb", kFree, 4000, exact);
  const std::vector<int> without = plays_of("ccb(tries=0)", kFree, 4000, exact);
  for (int a = 1; a < 4; ++a) {
    EXPECT_GE(with[a], 55) << a;
    EXPECT_LE(with[a], 110) << a;
    EXPECT_LE(without[a], 10) << a;
  }
}

// The action of 0.9 is the 5th, and comes after 1000 rounds without it.
TEST(Tries, AnActionThatIsNewIsTried) {
  const Shape shape{.actions = 2, .reward = {0.0, 1.0}, .rounds = 3000};
  Game game({.spec = "ccb", .shape = shape});
  const std::vector<std::int32_t> old = {0}, both = {0, 1};
  int plays = 0;
  for (int t = 0; t < 3000; ++t) {
    const std::vector<std::int32_t>& ids = t < 1000 ? old : both;
    const Round round{.actions = static_cast<int>(ids.size()), .ids = ids};
    game.policy->decide(round, game.rng, game.scratch, game.decision).check();
    const int id = round.id(game.decision.action);
    plays += id == 1;
    game.policy
        ->learn(round, game.decision, {.reward = id == 0 ? 0.4 : 0.9, .costs = Costs(0)})
        .check();
  }
  EXPECT_GE(plays, 1500);
}

// Money for one play in a hundred rounds: tries may take 1/64 of it, and what is not spent.
TEST(Tries, TheyLeaveTheBudgetToThePolicy) {
  const auto gives = [](int a) {
    return Outcome{.reward = a == 0 ? 0.0 : 0.2 + 0.2 * a, .costs = Costs{a == 0 ? 0.0 : 0.5 + 0.1 * a}};
  };
  Shape shape = kPriced;
  shape.budgets = {0.01 * 4000};
  const std::vector<int> plays = plays_of("ccb", shape, 4000, gives);
  const double spent = 0.6 * plays[1] + 0.7 * plays[2] + 0.8 * plays[3];
  EXPECT_LE(spent, 1.02 * 40.0);
  EXPECT_GE(plays[3], 35) << "1.0 per dollar, where the others give 0.67 and 0.86";
}

TEST(Tries, ABarredActionIsNotTried) {
  Game game({.spec = "ccb(rate=0.05,rounds=400)", .shape = kPriced});
  const Round round{.actions = 4};
  int barred = 0;
  for (int t = 0; t < 400; ++t) {
    game.policy->decide(round, game.rng, game.scratch, game.decision).check();
    for (int a = 0; a < 4; ++a) {
      if (game.decision.scores()[a] > -1e15) continue;
      EXPECT_LT(game.decision.probabilities()[a], 1e-12);
      ++barred;
    }
    const double cost = 0.1 * static_cast<double>(1 << game.decision.action);
    game.policy->learn(round, game.decision, {.reward = cost, .costs = {cost}}).check();
  }
  EXPECT_GT(barred, 0);
}

TEST(Tries, SavedAndLoadedTheyGoOnWithTheSameBits) {
  const Case c{.spec = "ccb(rate=0.3,tries=7)", .shape = kPriced};
  Game one(c), other(c);
  one.play(0, 90);
  other.policy->load(one.policy->save()).check();
  other.rng = one.rng;
  for (int t = 90; t < 150; ++t) {
    one.play(t);
    other.play(t);
    EXPECT_EQ(copy(one.decision.probabilities()), copy(other.decision.probabilities()));
  }
}

TEST(Tries, TheTheoremKnowsNone) {
  const Case c{.spec = "ccb(budget=100,tries=5,tuning=theory)", .shape = kPriced};
  EXPECT_FALSE(make(c)->state().theorem.has_value());
  const Case none{.spec = "ccb(budget=100,tuning=theory)", .shape = kPriced};
  EXPECT_TRUE(make(none)->state().theorem.has_value());
}

// Rewards come at once and costs 500 rounds later: until then the best by its reward may be the one
// that takes all the money.
TEST(LateBills, RewardsThatComeFirstDoNotSpendTheMoney) {
  Shape shape = kPriced;
  shape.rounds = 5000;
  shape.budgets = {0.3 * 5000};
  for (int delay : {500, 1000}) {
    double most = 0.0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      Game game({.spec = "ccb", .shape = shape}, seed);
      const Round round{.actions = 4};
      struct Open {
        Decision decision;
        Outcome outcome;
      };
      std::vector<Open> open;
      double spent = 0.0, held = 0.0;
      for (int t = 0; t < 5000; ++t) {
        const double reserved[] = {held};
        game.policy->decide(round, {.reserved = reserved}, game.rng, game.scratch, game.decision).check();
        const int a = game.decision.action;
        const Outcome outcome{.reward = 0.2 + 0.2 * a, .costs = Costs{0.01 + 0.3 * a}};
        held += game.decision.estimates.mean(1)[a];
        spent += outcome.costs[0];
        game.policy
            ->learn(round, game.decision, {.reward = outcome.reward, .costs = {kMissing}}, Part::kFirst)
            .check();
        open.push_back({game.decision, outcome});
        if (t < delay) continue;
        const Open& due = open[static_cast<std::size_t>(t - delay)];
        held -= due.decision.estimates.mean(1)[due.decision.action];
        game.policy
            ->learn(round, due.decision, {.costs = due.outcome.costs}, Part::kLater)
            .check();
      }
      most = std::max(most, spent / shape.budgets[0]);
    }
    EXPECT_LE(most, 1.02) << delay;
  }
}

// Everything comes 500 rounds late, and by then the money is gone several times. Three actions are free: the
// best of them is to be played, whatever the price.
TEST(LateBills, AfterADebtTheBestOfTheFreeActionsIsPlayed) {
  const Shape shape{.actions = 5,
                    .context = 1,
                    .reward = {0.0, 1.0},
                    .costs = {{"dollars", {0.0, 1.0}}},
                    .rounds = 5000,
                    .budgets = {50.0}};
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Game game({.spec = "ccb", .shape = shape}, seed);
    Late late(*game.policy, 500);
    double sum = 0.0;
    for (int t = 0; t < 5000; ++t) {
      Rng rng(seed + 70, static_cast<std::uint64_t>(t));
      const double context[] = {2.0 * rng.uniform() - 1.0};
      const Round round{.actions = 5, .context = context};
      const Money money{.reserved = late.reserved()};
      game.policy->decide(round, money, game.rng, game.scratch, game.decision).check();
      const double rewards[] = {rng.uniform() < 0.7 ? 1.0 : 0.0, 0.2, 0.8, 0.5, 0.6};
      const double costs[] = {0.0, 0.0, 0.0, rng.uniform() < 0.5 ? 1.0 : 0.0, 0.5};
      const int action = game.decision.action;
      late.learn(*game.policy, round, game.decision, {.reward = rewards[action], .costs = {costs[action]}})
          .check();
      if (t >= 1000) sum += rewards[action];
    }
    EXPECT_GE(sum, 0.90 * 0.8 * 4000) << seed;
  }
}

// A cost whose budget allows everything may never be reported: rewards are learned all the same.
TEST(LateBills, ACostThatNothingLimitsStopsNoLearningWhereItNeverComes) {
  Shape shape{.actions = 3, .reward = {0.0, 1.0}, .costs = {{"dollars", {0.0, 1.0}}, {"tokens", {0.0, 1.0}}}};
  EngineOptions options{.most_open = 2000};
  options.budgets = {{.name = "day", .cost = "dollars", .amount = 500.0, .window = Window::ticks(1000)},
                     {.name = "all", .cost = "tokens", .amount = 1e6, .window = Window::ticks(1000)}};
  Engine engine = Engine::make("ccb", shape, options).value();
  int best = 0;
  for (int t = 0; t < 600; ++t) {
    engine.tick(t).check();
    const Engine::Decision made = engine.decide(Round{.actions = 3}).value();
    best += made.action == 2;
    const Outcome outcome{.reward = 0.2 + 0.3 * made.action, .costs = {0.1, kMissing}};
    engine.learn(made.id, outcome).check();
  }
  EXPECT_GE(best, 400);
}

}  // namespace
}  // namespace rein
