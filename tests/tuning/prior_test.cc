// What the outcomes of unknown actions are taken to be, and declared costs.
#include "tuning/prior.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "rein/bytes.h"

namespace rein {
namespace {

constexpr double kRate = 0.05;
const Shape kPriorShape{.actions = 4, .context = 1, .costs = {{"dollars", {0.0, 2.0}}}};
const std::vector<double> kContext{0.5};
const Round kPriorRound{.actions = 4, .context = kContext};

Prior prior_of(Prior::Options options = {}) {
  Costs rates(1);
  rates[0] = kRate;
  return {kPriorShape, {1.0, 2.0}, rates, std::move(options)};
}

void play(Prior& prior, int action, double reward, double cost, int times = 1,
          const Round& round = kPriorRound) {
  Costs costs(1);
  costs[0] = cost / 2.0;
  for (int t = 0; t < times; ++t) prior.learn(round, action, reward, costs);
}

// What an oracle that knows nothing of the action is corrected to, in units.
double cost_of(const Prior& prior, int action, double mean = 0.0,
               const Round& round = kPriorRound) {
  return prior.corrected(round, action, 0, mean);
}

TEST(Prior, AnUnknownActionIsLikeTheOthers) {
  Prior prior = prior_of();
  play(prior, 0, 0.5, 0.02, 50);
  play(prior, 1, 0.7, 1.0);
  // Means of 0.01 and 0.5, and the budget per round: each counts once.
  const double pooled = (0.01 + 0.5 + kRate) / 3.0;
  EXPECT_NEAR(prior.pooled(1), pooled, 1e-12);
  EXPECT_NEAR(cost_of(prior, 2), pooled, 1e-12);
  EXPECT_NEAR(prior.lift(2), 0.6, 1e-12);
}

TEST(Prior, WhatIsKnownIsLeftAlone) {
  Prior prior = prior_of();
  play(prior, 0, 0.5, 0.02, 150);
  play(prior, 1, 0.5, 1.0);
  EXPECT_NEAR(cost_of(prior, 0, /*mean=*/0.01), 0.01, 1e-3);
  EXPECT_LT(prior.lift(0), 0.01);
}

// After three plays ridge regression leaves out a quarter of a constant. What replaces it is mostly
// the action's own mean.
TEST(Prior, APlayedActionKeepsItsOwnMean) {
  Prior prior = prior_of();
  play(prior, 0, 0.5, 0.02, 3);
  play(prior, 1, 0.5, 1.6, 3);
  EXPECT_NEAR(cost_of(prior, 0, 0.75 * 0.01), 0.0075 + 0.25 * (3 * 0.01 + kRate) / 4.0, 1e-12);
  const double pooled = (0.01 + 0.8 + kRate) / 3.0;
  EXPECT_NEAR(cost_of(prior, 1, 0.75 * 0.8), 0.6 + 0.25 * (3 * 0.8 + pooled) / 4.0, 1e-12);
}

TEST(Prior, ANullActionIsKnown) {
  Prior prior = prior_of();
  play(prior, 1, 0.5, 1.0, 50);
  play(prior, 2, 0.5, 0.06, 50);
  const double unknown = cost_of(prior, 3);
  play(prior, 0, 0.0, 0.0);
  EXPECT_LT(cost_of(prior, 0), 0.02 * unknown) << "others never gave 0: one 0 is enough";
  EXPECT_NEAR(cost_of(prior, 3), unknown, 1e-12) << "a null action is not pooled";
}

TEST(Prior, WhereZerosAreCommonANullActionNeedsMoreOfThem) {
  Prior prior = prior_of();
  for (int t = 0; t < 100; ++t) play(prior, 1, 0.5, t % 10 == 0 ? 2.0 : 0.0);
  play(prior, 0, 0.0, 0.0);
  const double once = cost_of(prior, 0);
  EXPECT_GT(once, 0.2 * prior.pooled(1));
  play(prior, 0, 0.0, 0.0, 60);
  EXPECT_LT(cost_of(prior, 0), 1e-3 * once);
}

// If a budget can be kept at all, some action keeps it.
TEST(Prior, WhileNothingFitsTheBudgetAnUnknownActionMay) {
  Prior prior = prior_of();
  play(prior, 1, 0.5, 1.0, 5);
  EXPECT_NEAR(cost_of(prior, 3), kRate, 1e-12);
  play(prior, 0, 0.5, 0.04);
  EXPECT_GT(cost_of(prior, 3), 0.15);
  EXPECT_LE(cost_of(prior, 0, 0.005), kRate) << "others do not lift it over the budget";
}

TEST(Prior, NoneLeavesEstimatesAsTheyAre) {
  Prior prior = prior_of({.pooled = false});
  play(prior, 1, 0.5, 1.0, 5);
  EXPECT_EQ(cost_of(prior, 3, 0.25), 0.25);
  EXPECT_EQ(prior.lift(3), 0.0);
}

TEST(Prior, ADeclaredCostIsAPriorWithAWeightInPlays) {
  const std::vector<double> declared{0.0, 0.2, 0.4, 1.6};
  Prior prior = prior_of({.declared = declared, .weight = 5.0});
  play(prior, 0, 0.5, 1.0, 5);
  EXPECT_NEAR(cost_of(prior, 3), 0.8, 1e-12) << "not the pooled mean";
  play(prior, 3, 0.5, 0.4, 5);  // declared 1.6, paid 0.4: after five plays half of each
  EXPECT_NEAR(cost_of(prior, 3, /*mean=*/0.2), (0.8 + 0.2 + 0.8 / 6.0) / 2.0, 1e-12);
}

TEST(Prior, ANewDeclaredCostMovesTheEstimateAtOnce) {
  Prior prior = prior_of();
  const std::array<double, 4> before{0.1, 0.2, 0.4, 1.6};
  const std::array<double, 4> after{0.1, 0.2, 0.4, 0.16};
  Round old = kPriorRound, now = kPriorRound;
  old.expected_costs = before;
  now.expected_costs = after;
  play(prior, 3, 0.5, 1.2, 1000, old);
  const double was = cost_of(prior, 3, 0.6, old);
  EXPECT_NEAR(was, 0.6, 0.01);
  EXPECT_NEAR(cost_of(prior, 3, 0.6, now), was / 10.0, 1e-12);
  // What is paid now is learned in the units of before.
  EXPECT_NEAR(prior.to_learn(now, 3, 0, 0.06), 0.6, 1e-12);
  EXPECT_NEAR(prior.to_learn(old, 3, 0, 0.6), 0.6, 1e-12);
}

TEST(Prior, WithAMemoryAnActionThatWasNotTriedForLongIsUnknownAgain) {
  Prior prior = prior_of({.memory = 100.0});
  play(prior, 3, 0.5, 1.6, 20);
  play(prior, 0, 0.5, 0.04, 50);
  EXPECT_LT(cost_of(prior, 3), 0.2 * prior.pooled(1)) << "the regression knows most of it";
  play(prior, 0, 0.5, 0.04, 1000);
  EXPECT_NEAR(cost_of(prior, 3), prior.pooled(1), 1e-3);
  play(prior, 3, 0.5, 0.04);  // and what it costs now counts
  EXPECT_LT(cost_of(prior, 3), 0.06);
}

// Else the share never falls below 1 / 201, and its squares add up without end.
TEST(Prior, EveryPlayCountsInTheShareAndTheLastOnesInTheMean) {
  Prior prior = prior_of();
  play(prior, 0, 0.2, 0.02, 3000);
  EXPECT_NEAR(prior.lift(0), 0.2 / 3001.0, 1e-7);
  play(prior, 0, 0.8, 0.02, 1000);
  EXPECT_NEAR(prior.lift(0), 0.8 / 4001.0, 0.01 * 0.8 / 4001.0);
}

TEST(Prior, TheCheapestKnownActionIsToldOfThoseThatAreOffered) {
  Prior prior = prior_of();
  EXPECT_TRUE(std::isinf(prior.least(kPriorRound, 0)));
  play(prior, 2, 0.5, 1.0, 3);
  play(prior, 1, 0.5, 0.6);
  EXPECT_NEAR(prior.least(kPriorRound, 0), 0.3, 1e-12);
  const std::vector<int> ids{2, 3};
  EXPECT_NEAR(prior.least({.actions = 2, .context = kContext, .ids = ids}, 0), 0.5, 1e-12);
  // Declared costs have a weight of five plays; action 3 was never played.
  const Prior told = prior_of({.declared = {1.0, 1.0, 1.0, 0.4}});
  EXPECT_NEAR(told.least(kPriorRound, 0), 0.2, 1e-12);
}

TEST(Prior, StateIsSavedToTheBit) {
  Prior prior = prior_of({.declared = {0.1, 0.2, 0.4, 1.6}});
  play(prior, 0, 0.5, 0.0, 3);
  play(prior, 2, 0.25, 0.7, 2);
  ByteWriter out;
  prior.save(out);
  Prior other = prior_of({.declared = {0.1, 0.2, 0.4, 1.6}});
  ByteReader in(out.bytes());
  other.load(in);
  ASSERT_TRUE(in.finish().ok());
  ByteWriter again;
  other.save(again);
  EXPECT_EQ(out.bytes(), again.bytes());
  for (int a = 0; a < 4; ++a) EXPECT_EQ(cost_of(prior, a), cost_of(other, a));
}

}  // namespace
}  // namespace rein
