// Ranges are units: a problem in dollars and one in thousandths of its largest cost are the same.
#include <gtest/gtest.h>

#include "policy/play.h"

namespace rein {
namespace {

// Rewards in [0, 1] and costs in [0, 1] times these.
struct Scales {
  double reward, first, second;
};

Case problem(const std::string& spec, const Scales& scales) {
  Case c{.spec = spec, .shape = {.actions = 4, .context = 2, .rounds = 400}};
  c.shape.reward = {0.0, scales.reward};
  c.shape.costs = {{"a", {0.0, scales.first}}, {"b", {0.0, scales.second}}};
  c.shape.budgets = {60.0 * scales.first, 90.0 * scales.second};
  return c;
}

// Plays both side by side and compares all that is decided.
void expect_same_decisions(const std::string& spec, const Scales& scales, double tolerance) {
  SCOPED_TRACE(spec);
  const Case units = problem(spec, {1.0, 1.0, 1.0});
  Game one(units), other(problem(spec, scales));
  for (int t = 0; t < 300; ++t) {
    const OwnedRound round = round_of(units.shape, t);
    one.policy->decide(round.view(), one.rng, one.scratch, one.decision).check();
    other.policy->decide(round.view(), other.rng, other.scratch, other.decision).check();
    ASSERT_EQ(one.decision.action, other.decision.action) << t;
    for (int a = 0; a < round.actions; ++a) {
      ASSERT_NEAR(one.decision.probabilities()[a], other.decision.probabilities()[a], tolerance);
      ASSERT_NEAR(one.decision.estimates.mean(0)[a] * scales.reward,
                  other.decision.estimates.mean(0)[a], tolerance * scales.reward);
    }
    if (!one.decision.prices.empty()) {  // reward per unit of cost
      const double price = one.decision.prices[1] * scales.reward / scales.second;
      ASSERT_NEAR(price, other.decision.prices[1],  // Newton's steps multiply what is rounded
                  100.0 * tolerance * (scales.reward / scales.second + price));
    }
    const Outcome outcome = outcome_of(units.shape, round.view(), one.decision.action, t);
    one.policy->learn(round.view(), one.decision, outcome).check();
    const Outcome scaled{
        .reward = outcome.reward * scales.reward,
        .costs = {outcome.costs[0] * scales.first, outcome.costs[1] * scales.second}};
    other.policy->learn(round.view(), other.decision, scaled).check();
  }
  EXPECT_NEAR(one.policy->state().spent[0] * scales.first, other.policy->state().spent[0],
              1e-9 * scales.first);
}

TEST(Scale, RangesInAnyUnitGiveTheSameDecisions) {
  for (const char* spec :
       {"ccb", "ccb(horizon=0)", "ccb(setting=expectation)", "ccb(tuning=theory)",
        "ccb(setting=pacing,v_scale=0.01,gamma_scale=10,tuning=theory)",
        "ccb(setting=knapsack,lambda_scale=2000,gamma_scale=10,tuning=theory)",
        "ccb(setting=almost_sure,lambda_scale=2000,tuning=theory)",
        "ccb(setting=linear_constraints,v_scale=0.001,tuning=theory)", "squarecb", "greedy",
        "epsilon", "uniform", "loe2d(v_scale=0.01)", "lagrange", "lagrange(dual=fixed_share,eta=2)",
        "squarecbwk(gamma_scale=8)", "squarecbwk(explore=30,stages=2)"}) {
    expect_same_decisions(spec, {10.0, 500.0, 0.003}, 1e-9);
    expect_same_decisions(spec, {16.0, 512.0, 0.125}, 0.0);  // powers of two: the same bits
  }
}

}  // namespace
}  // namespace rein
