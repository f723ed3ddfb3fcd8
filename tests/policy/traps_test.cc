// Plain problems on which a default could fail for good: a constant action beside rare rewards, exact
// outcomes, new actions, bills that come late. Forty seeds of each; every one must earn its share.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "policy/play.h"
#include "sanitized.h"

namespace rein {
namespace {

// What one action gives in a round: a reward, and a cost where the problem has one.
struct Given {
  double reward = 0.0;
  double cost = 0.0;
};

struct Trap {
  std::string name;
  int actions;
  double rate;  // the budget per round; 0: there is no cost
  // The outcome of an action, for three random numbers of the round.
  std::function<Given(int action, const double* random)> gives;
  double best;  // what the best policy earns per round
};

double click(double random, double p) { return random < p ? 1.0 : 0.0; }

std::vector<Trap> traps() {
  return {
      {"Constant03BesideClicks06", 2, 0.0,
       [](int a, const double* u) { return Given{a == 0 ? 0.3 : click(u[0], 0.6)}; }, 0.6},
      {"Constant002BesideClicks01", 2, 0.0,
       [](int a, const double* u) { return Given{a == 0 ? 0.02 : click(u[0], 0.1)}; }, 0.1},
      {"Constant005BesideClicks012And004", 3, 0.0,
       [](int a, const double* u) {
         return Given{a == 0 ? 0.05 : click(u[0], a == 1 ? 0.12 : 0.04)};
       },
       0.12},
      {"SafeActionOfLittleNoise", 2, 0.0,
       [](int a, const double* u) {
         return Given{a == 0 ? 0.3 + 0.03 * (u[1] - 0.5) : click(u[0], 0.6)};
       },
       0.6},
      {"ConstantZeroIsNotBest", 2, 0.0,
       [](int a, const double* u) { return Given{a == 0 ? 0.0 : click(u[0], 0.05)}; }, 0.05},
      {"FreeConstantBesideWhatMoneyBuys", 3, 0.3,
       [](int a, const double* u) {
         if (a == 0) return Given{0.05, 0.0};
         return a == 1 ? Given{click(u[0], 0.12), 0.1 + 0.2 * u[1]}
                       : Given{click(u[0], 0.5), 0.5 + 0.5 * u[1]};
       },
       0.05 + 0.4 * 0.45},  // the dear action in two rounds of five
      {"CheapConstantBesideClicks", 3, 0.3,
       [](int a, const double* u) {
         if (a == 0) return Given{0.02, 0.0};
         return a == 1 ? Given{click(u[0], 0.1), 0.1 + 0.2 * u[1]} : Given{0.03, 0.01};
       },
       0.1},
  };
}

// The shares of the best that every seed earned, ascending; and the largest spend over the budget.
struct Earned {
  std::vector<double> shares;
  double mean = 0.0, most_spent = 0.0;
};

Earned play(const Trap& trap, int rounds, int seeds, const std::string& keys = "") {
  Shape shape{.actions = trap.actions, .context = 1, .reward = {0.0, 1.0}, .rounds = rounds};
  std::string spec = keys.empty() ? "ccb" : "ccb(" + keys + ")";
  if (trap.rate > 0.0) {
    shape.costs = {{"dollars", {0.0, 1.0}}};
    shape.budgets = {trap.rate * rounds};
  }
  Earned earned;
  for (int seed = 0; seed < seeds; ++seed) {
    Game game({.spec = spec, .shape = shape}, static_cast<std::uint64_t>(seed) + 1);
    const double context[] = {1.0};
    const Round round{.actions = trap.actions, .context = context};
    double sum = 0.0, spent = 0.0;
    for (int t = 0; t < rounds; ++t) {
      Rng rng(static_cast<std::uint64_t>(seed) + 1000, static_cast<std::uint64_t>(t));
      const double random[] = {rng.uniform(), rng.uniform(), rng.uniform()};
      game.policy->decide(round, game.rng, game.scratch, game.decision).check();
      const Given given = trap.gives(game.decision.action, random);
      Outcome outcome{.reward = given.reward, .costs = Costs(trap.rate > 0.0 ? 1 : 0)};
      if (trap.rate > 0.0) outcome.costs[0] = given.cost;
      game.policy->learn(round, game.decision, outcome).check();
      sum += given.reward;
      spent += given.cost;
    }
    earned.shares.push_back(sum / (trap.best * rounds));
    earned.mean += earned.shares.back() / seeds;
    if (trap.rate > 0.0) earned.most_spent = std::max(earned.most_spent, spent / shape.budgets[0]);
  }
  std::ranges::sort(earned.shares);
  return earned;
}

class Traps : public testing::TestWithParam<int> {};

TEST_P(Traps, EverySeedEarnsItsShareAtTwentyThousandRounds) {
  const Trap trap = traps()[static_cast<std::size_t>(GetParam())];
  const Earned earned = play(trap, 20'000, static_cast<int>(repeats(40)));
  EXPECT_GE(earned.mean, 0.93);
  EXPECT_GE(earned.shares.front(), 0.80);
  EXPECT_LE(earned.most_spent, 1.01);
}

// After 2000 rounds an action of rare rewards had some seventy plays at most. By chance these may all have
// given nothing, so one seed or two are still behind.
TEST_P(Traps, AfterTwoThousandRoundsNearlyEverySeedEarnsItsShare) {
  const Trap trap = traps()[static_cast<std::size_t>(GetParam())];
  const Earned earned = play(trap, 2000, static_cast<int>(repeats(40)));
  const std::size_t behind = earned.shares.size() / 20;
  if (sanitized()) GTEST_SKIP() << "four seeds say little of shares, which the plain build judges";
  EXPECT_GE(earned.mean, 0.85);
  EXPECT_GE(earned.shares[behind], 0.75 - 2.0 / std::sqrt(trap.best * 2000.0));
  EXPECT_GE(earned.shares.front(), 0.35);
  EXPECT_LE(earned.most_spent, 1.05);
}

INSTANTIATE_TEST_SUITE_P(Plain, Traps, testing::Range(0, static_cast<int>(traps().size())),
                         [](const auto& test) {
                           return traps()[static_cast<std::size_t>(test.param)].name;
                         });

// A safe action at five levels: always the level, beside clicks of twice that, and of 0.7 times that.
TEST(TrapsAlone, ASafeActionAtAnyLevelHidesNoBetterOne) {
  for (const double level : {0.02, 0.05, 0.1, 0.2, 0.3}) {
    const Trap safe{"Safe", 3, 0.3,
                    [level](int a, const double* u) {
                      if (a == 0) return Given{level, 0.0};
                      return a == 1 ? Given{click(u[0], 2.0 * level), 0.2} : Given{click(u[0], 0.7 * level), 0.1};
                    },
                    2.0 * level};
    const Earned earned = play(safe, 10'000, static_cast<int>(repeats(40)));
    EXPECT_GE(earned.mean, level < 0.1 ? 0.88 : 0.95) << level;
    EXPECT_GE(earned.shares.front(), level < 0.1 ? 0.45 : 0.80) << level;
    EXPECT_LE(earned.most_spent, 1.01) << level;
  }
}

// Clicks follow the context, and one number of it is 10 000: in the first round, or later.
TEST(TrapsAlone, AnOutlierBlindsNoSeed) {
  const Shape shape{.actions = 2, .context = 1, .reward = {0.0, 1.0}, .rounds = 4000};
  for (const int outlier : {0, 1000}) {
    double mean = 0.0;
    const auto seeds = repeats(40);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      Game game({.spec = "ccb", .shape = shape}, seed);
      double sum = 0.0, best = 0.0;
      for (int t = 0; t < 4000; ++t) {
        Rng rng(seed + 7000, static_cast<std::uint64_t>(t));
        const double x = 2.0 * rng.uniform() - 1.0;
        const double context[] = {t == outlier ? 10'000.0 : x};
        const Round round{.actions = 2, .context = context};
        game.policy->decide(round, game.rng, game.scratch, game.decision).check();
        const double p = 0.5 + (game.decision.action == 0 ? 0.4 : -0.4) * x;
        game.policy->learn(round, game.decision, {.reward = click(rng.uniform(), p), .costs = Costs(0)}).check();
        sum += p;
        best += 0.5 + 0.4 * std::abs(x);
      }
      EXPECT_GE(sum, 0.85 * best) << seed << ", outlier in round " << outlier;
      mean += sum / best / static_cast<double>(seeds);
    }
    EXPECT_GE(mean, 0.95) << "outlier in round " << outlier;
  }
}

// The floor on tries is what frees them: without it some seeds earn the constant for ever.
TEST(TrapsAlone, WithoutTriesSomeSeedsAreLocked) {
  const Trap trap = traps()[1];
  EXPECT_LT(play(trap, 20'000, 4, "tries=0").shares.front(), 0.5);
}

// For 4000 rounds nothing gives anything, and then all is as before. What was learned in between is that
// every action gives 0; the changes back are seen in the actions that are played alone.
TEST(TrapsAlone, AfterRoundsThatGaveNothingAllActionsAreTriedAgain) {
  const Shape shape{.actions = 3, .context = 2, .reward = {0.0, 1.0}, .rounds = 12'000};
  for (std::uint64_t seed = 1; seed <= repeats(12); ++seed) {
    Game game({.spec = "ccb", .shape = shape}, seed);
    double sum = 0.0, best = 0.0;
    for (int t = 0; t < 12'000; ++t) {
      Rng rng(seed + 5000, static_cast<std::uint64_t>(t));
      const double context[] = {2.0 * rng.uniform() - 1.0, 2.0 * rng.uniform() - 1.0};
      const double means[] = {0.1, 0.3 + 0.15 * context[0], 0.5 + 0.3 * context[1]};
      const Round round{.actions = 3, .context = context};
      game.policy->decide(round, game.rng, game.scratch, game.decision).check();
      const bool gives = t < 4000 || t >= 8000;
      const double reward = gives ? click(rng.uniform(), means[game.decision.action]) : 0.0;
      game.policy->learn(round, game.decision, {.reward = reward, .costs = Costs(0)}).check();
      if (t < 8000) continue;
      sum += reward;
      best += *std::ranges::max_element(means);
    }
    EXPECT_GE(sum, 0.83 * best) << seed;
  }
}

}  // namespace
}  // namespace rein
