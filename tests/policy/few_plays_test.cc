// tuning=auto where money buys about as many plays as there are parameters.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "../sanitized.h"
#include "estimate/free_regret.h"
#include "policy/explains.h"
#include "policy/play.h"
#include "tuning/few_rounds.h"
#include "tuning/optimism.h"

namespace rein {
namespace {

TEST(FewPlays, FewRoundsOrFewPlaysPerParameterLeaveTheLaterDecisions) {
  EXPECT_EQ(later_share(2000, 2000.0, 100.0), 1.0);   // 20 rounds per parameter, all are paid
  EXPECT_EQ(later_share(1000, 1000.0, 100.0), 0.25);  // 10 rounds
  EXPECT_EQ(later_share(1500, 1500.0, 100.0), 0.625);
  EXPECT_EQ(later_share(100'000, 400.0, 100.0), 1.0);  // 4 plays
  EXPECT_EQ(later_share(100'000, 200.0, 100.0), 0.25);
  EXPECT_EQ(later_share(100'000, 300.0, 100.0), 0.625);
  EXPECT_EQ(later_share(0, 0.0, 100.0), 1.0);    // no horizon
  EXPECT_EQ(later_share(1000, 10.0, 0.0), 1.0);  // actions share their parameters
}

TEST(FewPlays, FewPlaysPerFeatureAreTakenTogether) {
  EXPECT_EQ(shared_share(40.0, 80.0), 1.0);
  EXPECT_EQ(shared_share(60.0, 80.0), 0.5);
  EXPECT_EQ(shared_share(80.0, 80.0), 0.0);
  EXPECT_EQ(shared_share(0.0, 80.0), 0.0);  // no horizon
}

// Optimism about 4 actions and 4 numbers each after `rounds` rounds of `horizon`, of which `paid` cost
// 0.5 each, under a budget per round; as a share of what it is where nothing is scarce.
double reach_after(int paid, int rounds, std::int64_t horizon, double rate) {
  Shape shape{.actions = 4, .context = 3, .costs = {{"cost", {0.0, 1.0}}}};
  const auto oracle = make_oracle(parse_spec("vaw").value(), shape).value();
  Optimism optimism(shape, Terms{.rounds = horizon, .rates = Costs{rate}}, *oracle, 1.0);
  Books books{.spent = Costs{0.0}};
  for (int t = 0; t < rounds; ++t) {
    books.rounds += 1;
    if (t < paid) books.spent[0] += 0.5;
    optimism.learn(books, t < paid ? 1.0 : 0.0);
  }
  return optimism.reach(0.5);  // w = 1, and 3 / sqrt d > 1
}

TEST(FewPlays, OptimismFallsWhereMoneyBuysFewPlays) {
  // 16 parameters: 320 plays are enough. 99 of 999 rounds were paid, so 1000 of 10 000 teach.
  EXPECT_DOUBLE_EQ(reach_after(99, 999, 10'000, 0.05), 1.0);                // money for 1000
  EXPECT_NEAR(reach_after(99, 999, 10'000, 0.008), std::sqrt(0.1), 1e-12);  // 160: half of enough
  EXPECT_NEAR(reach_after(99, 999, 10'000, 1e-9), 0.1, 1e-6);               // next to none
  EXPECT_DOUBLE_EQ(reach_after(999, 999, 10'000, 0.008), 1.0);              // every round is paid
  EXPECT_DOUBLE_EQ(reach_after(99, 999, 10'000, 0.0), 1.0);  // signed costs: no budget to run out
  EXPECT_DOUBLE_EQ(reach_after(99, 999, 0, 0.008), 1.0);     // no horizon
}

// Action 0 does nothing; the others cost 0.5 to 1 and earn by the context. Returns the share of the
// money, which buys about 20 plays, that was spent in the first half of 4000 rounds.
double spent_early(std::uint64_t seed) {
  constexpr int kActions = 5, kRounds = 4000;
  constexpr double kBudget = 15.0;
  Shape shape{.actions = kActions, .context = 3, .costs = {{"cost", {0.0, 1.0}}}};
  shape.reward = {0.0, 1.0};
  shape.rounds = kRounds;
  shape.budgets = {kBudget};
  auto policy = make_policy("ccb", shape).value();
  Rng rng(seed), world(seed + 1000);
  Scratch scratch(*policy);
  Decision decision;
  double weights[kActions][3];
  for (auto& row : weights) {
    for (double& w : row) w = 1.4 * (world.uniform() - 0.5);
  }
  double spent = 0.0;
  for (int t = 0; t < kRounds / 2; ++t) {
    std::vector<double> x;
    for (int j = 0; j < 3; ++j) x.push_back(2.0 * world.uniform() - 1.0);
    const Round round{.actions = kActions, .context = x};
    policy->decide(round, rng, scratch, decision).check();
    const int a = decision.action;
    const double noise = 0.3 * (world.uniform() - 0.5), luck = world.uniform();
    Outcome outcome{.reward = 0.0, .costs = {0.0}};
    if (a > 0) {
      double mean = 1.0;
      for (int j = 0; j < 3; ++j) mean += weights[a][j] * x[static_cast<std::size_t>(j)];
      mean *= 0.1 + (a - 1) / 6.0;
      outcome.reward = std::clamp(mean + noise, 0.0, 1.0);
      outcome.costs[0] = std::min(1.0, (0.5 + (a - 1) / 6.0) * (0.8 + 0.4 * luck));
    }
    spent += outcome.costs[0];
    policy->learn(round, decision, outcome).check();
  }
  return spent / kBudget;
}

// The first decisions know nothing and look worth a high price. They are as many as the plays that
// money buys, so they must not set the price: the money would wait for the last rounds.
TEST(FewPlays, TheMoneyDoesNotWaitForTheLastRounds) {
  const std::uint64_t seeds = repeats(40);
  double mean = 0.0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    mean += spent_early(seed) / static_cast<double>(seeds);
  if (sanitized()) return;
  EXPECT_GE(mean, 0.5);  // 0.57; 0.43 where all decisions are rehearsed
  EXPECT_LE(mean, 0.65);
}

// 60 features, most of them 0, of which three say whom the five actions help; a sixth does nothing.
// Returns the reward of 600 rounds with money for about 20 plays.
double earned_together(const char* spec, std::uint64_t seed) {
  constexpr int kActions = 6, kFeatures = 60, kRounds = 600;
  Shape shape{.actions = kActions, .context = kFeatures, .costs = {{"cost", {0.0, 1.0}}}};
  shape.reward = {0.0, 1.0};
  shape.rounds = kRounds;
  shape.budgets = {15.0};
  auto policy = make_policy(spec, shape).value();
  Rng rng(seed), world(seed + 2000);
  Scratch scratch(*policy);
  Decision decision;
  const int null = static_cast<int>(world.below(kActions));
  double earned = 0.0;
  for (int t = 0; t < kRounds; ++t) {
    std::vector<double> x;
    for (int j = 0; j < kFeatures; ++j) x.push_back(world.uniform() < 0.2 ? 1.0 : 0.0);
    const Round round{.actions = kActions, .context = x};
    policy->decide(round, rng, scratch, decision).check();
    const double need = 0.2 + 0.35 * x[0] + 0.3 * x[1] - 0.3 * x[2];
    const double noise = 0.2 * (world.uniform() - 0.5), price = 0.5 + 0.1 * decision.action;
    Outcome outcome{.reward = 0.0, .costs = {0.0}};
    if (decision.action != null) {
      outcome = {.reward = std::clamp(need + noise, 0.0, 1.0), .costs = {price}};
    }
    earned += outcome.reward;
    policy->learn(round, decision, outcome).check();
  }
  return earned;
}

TEST(FewPlays, WithFewerPlaysThanFeaturesActionsAreLearnedTogether) {
  double together = 0.0, alone = 0.0;
  for (std::uint64_t seed = 1; seed <= repeats(20); ++seed) {
    together += earned_together("ccb", seed);
    alone += earned_together("ccb(shared=0)", seed);
  }
  if (sanitized()) return;
  EXPECT_GT(together, 1.15 * alone) << together << " " << alone;
}

// With a play per feature every action is estimated by itself, to the bit.
TEST(FewPlays, WithMorePlaysNothingIsShared) {
  Shape shape{.actions = 3, .context = 2, .costs = {{"cost", {0.0, 1.0}}}};
  shape.rounds = 400;
  shape.budgets = {100.0};
  auto together = make_policy("ccb", shape).value();
  auto alone = make_policy("ccb(shared=0)", shape).value();
  Rng one(1), two(1), world(2);
  Scratch scratch(*together);
  Decision first, second;
  for (int t = 0; t < 400; ++t) {
    const std::vector<double> x{world.uniform(), world.uniform()};
    const Round round{.actions = 3, .context = x};
    together->decide(round, one, scratch, first).check();
    alone->decide(round, two, scratch, second).check();
    ASSERT_EQ(first.action, second.action);
    ASSERT_EQ(first.probability, second.probability);
    const Outcome outcome{.reward = x[0] * first.action / 3.0, .costs = {0.4 * first.action}};
    together->learn(round, first, outcome).check();
    alone->learn(round, second, outcome).check();
  }
}

// What the others say is a prior, and moves the estimate of a reward that the action alone has at 0.
TEST(FewPlays, WhatActionsShareIsExplainedAsAPrior) {
  Shape shape{.actions = 4, .context = 40, .costs = {{"cost", {0.0, 1.0}}}};
  shape.reward = {0.0, 1.0};
  shape.rounds = 15;
  for (const char* spec : {"ccb", "ccb(shared=0)"}) {
    SCOPED_TRACE(spec);
    auto policy = make_policy(spec, shape).value();
    Rng rng(1), world(2);
    Scratch scratch(*policy);
    Decision decision;
    for (int t = 0; t < 8; ++t) {
      std::vector<double> x(40);
      x[0] = t % 2;
      for (double& number : std::span(x).subspan(1)) number = world.uniform() < 0.2 ? 1.0 : 0.0;
      const Round round{.actions = 4, .context = x};
      policy->decide(round, rng, scratch, decision).check();
      policy->learn(round, decision, {.reward = 0.2 + 0.6 * x[0], .costs = {0.5}}).check();
    }
    double priors[2];
    for (int high : {0, 1}) {
      std::vector<double> x(40);
      x[0] = high;
      const Round round{.actions = 4, .context = x};
      policy->decide(round, rng, scratch, decision).check();
      Explanation why{.action = 3};
      dynamic_cast<const Explains&>(*policy).explain(round, decision, {&why, 1}).check();
      EXPECT_EQ(why.heads[0].calibration, 0.0);
      priors[high] = why.heads[0].prior;
    }
    const double apart = priors[1] - priors[0];  // 0.6 of the truth, if nothing else knew it
    if (spec == std::string("ccb")) {
      EXPECT_GT(apart, 0.15);
    } else {
      EXPECT_EQ(apart, 0.0);
    }
  }
}

// u is that of the oracle, and of how far it is from what is played.
TEST(FewPlays, TheCertifiedUCountsWhatActionsShare) {
  Shape shape{.actions = 4, .context = 40};
  shape.rounds = 15;
  auto policy = make_policy("ccb(optimism=0,oracle=vaw)", shape).value();
  const auto oracle = make_oracle(parse_spec("vaw").value(), shape).value();
  Estimates said;
  said.prepare(1, 4);
  Rng rng(1), world(2);
  Scratch scratch(*policy), other;
  Decision decision;
  double apart = 0.0, moved = 0.0;
  for (int t = 0; t < 15; ++t) {
    std::vector<double> x;
    for (int j = 0; j < 40; ++j) x.push_back(world.uniform() < 0.3 ? 1.0 : -1.0);
    const Round round{.actions = 4, .context = x};
    policy->decide(round, rng, scratch, decision).check();
    other.reset(oracle->scratch());
    oracle->predict(round, other, said);
    const int a = decision.action;
    const double away = decision.estimates.mean(0)[a] - said.mean(0)[a];
    apart += away * away;
    if (t > 10) moved = std::max(moved, std::abs(away));
    const double reward = 0.3 + 0.4 * x[0] + 0.02 * a;
    policy->learn(round, decision, {.reward = reward, .costs = {}}).check();
    oracle->learn(round, a, std::array{reward});
  }
  EXPECT_GT(moved, 0.1);
  const double most = 2.0 * free_regret(*oracle) + 8.0 * std::log(1.0 / 0.05);
  EXPECT_NEAR(policy->state().u, std::pow(std::sqrt(most) + std::sqrt(apart), 2.0), 1e-9);
}

}  // namespace
}  // namespace rein
