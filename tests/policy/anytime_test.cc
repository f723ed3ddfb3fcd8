// tuning=theory without a horizon: its constants by hand, and that it depends on no number of rounds.
#include <gtest/gtest.h>

#include <cmath>

#include "policy/play.h"

namespace rein {
namespace {

Shape anytime_shape(double low = -1.0) {
  Shape shape{.actions = 4, .context = 2};
  shape.costs.resize(1);
  shape.costs[0].range = {low, 1.0};
  return shape;
}

std::string anytime_refusal(const std::string& spec) {
  const auto made = make_policy(spec, anytime_shape());
  return made.ok() ? "made" : made.error();
}

// One round: decides, and learns this outcome.
void anytime_round(Policy& policy, Rng& rng, std::int64_t t, double cost) {
  Scratch scratch(policy);
  Decision decision(policy);
  const OwnedRound round = round_of(policy.shape(), static_cast<int>(t));
  policy.decide(round.view(), rng, scratch, decision).check();
  const double reward = 0.25 * decision.action;
  policy.learn(round.view(), decision, {.reward = reward, .costs = {cost}}).check();
}

TEST(Anytime, VIsThatOfAHorizonThatEndsNow) {
  auto policy = make_policy("ccb(tuning=theory,u=9)", anytime_shape()).value();
  Rng rng(1);
  for (std::int64_t t = 1; t <= 70; ++t) {
    const auto known = make_policy("ccb(rounds=" + std::to_string(t) + ",tuning=theory,u=9)",
                                   anytime_shape());
    EXPECT_DOUBLE_EQ(policy->state().parameters[0], known.value()->state().parameters[0]);
    EXPECT_DOUBLE_EQ(policy->state().parameters[0], std::sqrt(4.0 * 9.0 * static_cast<double>(t)));
    anytime_round(*policy, rng, t, 0.5);
  }
  EXPECT_DOUBLE_EQ(policy->state().queues[0], 35.0);  // none is forgotten
}

TEST(Anytime, UGrowsWithTheBlocks) {
  auto policy = make_policy("ccb(tuning=theory)", anytime_shape()).value();
  Rng rng(1);
  double before = 0.0;
  for (std::int64_t t = 1; t <= 70; ++t) {
    const int j = Terms::blocks(t);
    const std::string end = std::to_string((std::int64_t{1} << j) - 1);
    const auto known = make_policy("ccb(rounds=" + end + ",tuning=theory)", anytime_shape());
    EXPECT_EQ(policy->state().u, known.value()->state().u);
    EXPECT_GE(policy->state().u, before);
    before = policy->state().u;
    anytime_round(*policy, rng, t, 0.5);
  }
}

TEST(Anytime, ExponentialPricesStartAgainWithEveryBlock) {
  auto policy = make_policy("ccb(setting=almost_sure,tuning=theory,u=9)", anytime_shape()).value();
  Rng rng(1);
  for (std::int64_t t = 1; t <= 70; ++t) {
    const std::int64_t length = std::int64_t{1} << (Terms::blocks(t) - 1);
    EXPECT_DOUBLE_EQ(policy->state().queues[0], 0.5 * static_cast<double>(t - length));
    const double root = std::sqrt(4.0 * static_cast<double>(length) * 9.0);
    EXPECT_DOUBLE_EQ(policy->state().parameters[0], 1.0 / (8.0 * root));
    anytime_round(*policy, rng, t, 0.5);
  }
}

// Whatever number of rounds the problem has: it is not used, and a saved policy goes on.
TEST(Anytime, NothingDependsOnTheNumberOfRounds) {
  for (const char* spec : {"ccb(horizon=0,tuning=theory", "ccb(horizon=0,setting=almost_sure,tuning=theory",
                           "ccb(horizon=0,rate=0.3,setting=pacing,tuning=theory"}) {
    const std::string with = std::string(spec) + ",rounds=";
    auto one = make_policy(with + "10)", anytime_shape()).value();
    auto other = make_policy(with + "100000)", anytime_shape()).value();
    auto none = make_policy(std::string(spec) + ")", anytime_shape()).value();
    Rng a(5), b(5), c(5);
    for (std::int64_t t = 1; t <= 90; ++t) {
      const double cost = t % 3 == 0 ? -0.2 : 0.9;
      anytime_round(*one, a, t, cost);
      anytime_round(*other, b, t, cost);
      anytime_round(*none, c, t, cost);
      for (const Policy* alike : {other.get(), none.get()}) {
        EXPECT_EQ(one->state().parameters, alike->state().parameters);
        EXPECT_EQ(one->state().queues, alike->state().queues);
        EXPECT_EQ(one->state().reward, alike->state().reward);  // the same actions
      }
    }
    auto again = make_policy(std::string(spec) + ")", anytime_shape()).value();
    again->load(none->save()).check();
    EXPECT_EQ(again->save(), none->save());
    Rng d(9), e(9);
    for (std::int64_t t = 91; t <= 140; ++t) {
      anytime_round(*none, d, t, 0.4);
      anytime_round(*again, e, t, 0.4);
    }
    EXPECT_EQ(again->save(), none->save());
  }
}

TEST(Anytime, WhatNeedsAHorizonIsRefused) {
  EXPECT_EQ(anytime_refusal("ccb(budget=9,setting=linear_constraints,tuning=theory)"),
            "policy spec: setting linear_constraints needs the number of rounds: its total budget is "
            "per round; accepted: rounds=N, or setting=pacing with rate=PER_ROUND");
  EXPECT_EQ(anytime_refusal("ccb(setting=pacing,tuning=theory)"),
            "policy spec: tuning=theory in setting pacing needs to know how fast to spend; accepted: "
            "rate=PER_ROUND, or budget=TOTAL with rounds=N");
  EXPECT_EQ(anytime_refusal("ccb(rate=0.1,tuning=theory)"), "made");  // pacing
  EXPECT_EQ(anytime_refusal("ccb(floor=0.1,tuning=theory)"),
            "policy spec: tuning=theory takes a floor only with a number of rounds; accepted: "
            "rounds=N");
}

TEST(Anytime, TheTheoremSpeaksOfIt) {
  const auto theorem =
      make_policy("ccb(horizon=0,rounds=99,tuning=theory)", anytime_shape()).value()->state().theorem;
  ASSERT_TRUE(theorem);
  EXPECT_TRUE(theorem->anytime);
  EXPECT_EQ(theorem->after(1000).rounds, 1000);
  EXPECT_EQ(theorem->after(1000).u, theorem->growth[9]);
  EXPECT_EQ(theorem->of_block(9).rounds, 512);
  const auto given =
      make_policy("ccb(horizon=0,rounds=99,tuning=theory,u=5)", anytime_shape()).value()->state();
  EXPECT_EQ(given.theorem->after(1000).u, 5.0);
  EXPECT_EQ(given.theorem->after(1000).errors, 5.0);
}

}  // namespace
}  // namespace rein
