// reward_oracle and cost_oracle: short for a pair, and where they are refused.
#include <gtest/gtest.h>

#include "policy/play.h"

namespace rein {
namespace {

const Shape kTwoClassesShape{
    .actions = 3, .context = 2, .costs = {{"dollars", {0.0, 1.0}}}, .rounds = 200};

void expect_same_play(const std::string& one, const std::string& other) {
  SCOPED_TRACE(one + " and " + other);
  Game a({.spec = one, .name = "", .shape = kTwoClassesShape}),
      b({.spec = other, .name = "", .shape = kTwoClassesShape});
  for (int t = 0; t < 120; ++t) {
    a.play(t);
    b.play(t);
    ASSERT_EQ(copy(a.decision.probabilities()), copy(b.decision.probabilities()));
  }
  EXPECT_EQ(a.policy->state().u, b.policy->state().u);
}

TEST(TwoClasses, AreShortForAPair) {
  for (const std::string policy :
       {"ccb(", "ccb(tuning=theory,", "loe2d(", "lagrange(", "squarecbwk(", "weakly_adaptive("}) {
    const std::string start = policy + "rate=0.2,";
    expect_same_play(start + "cost_oracle=adagrad,reward_oracle=vaw(reg=2))",
                     start + "oracle=pair(cost=adagrad,reward=vaw(reg=2)))");
    expect_same_play(start + "cost_oracle=adagrad)",
                     start + "oracle=pair(cost=adagrad,reward=vaw))");
    expect_same_play(start + "oracle=adagrad,reward_oracle=vaw)",
                     start + "oracle=pair(cost=adagrad,reward=vaw))");
    expect_same_play(start + "cost_oracle=vaw,reward_oracle=vaw)", start + "oracle=vaw)");
  }
}

TEST(TwoClasses, OptimismIsOfTheRewardAlone) {
  expect_same_play("ccb(rate=0.2,oracle=optimistic(of=vaw),cost_oracle=adagrad)",
                   "ccb(rate=0.2,oracle=pair(cost=adagrad,reward=optimistic(of=vaw)))");
  expect_same_play("ccb(rate=0.2,oracle=optimistic(of=vaw),reward_oracle=kernel(size=8))",
                   "ccb(rate=0.2,reward_oracle=kernel(size=8),cost_oracle=vaw)");
}

TEST(TwoClasses, AnOptimisticOracleReplacesTheOptimismOfAuto) {
  expect_same_play("ccb(rate=0.2,oracle=optimistic(alpha=0,of=vaw))",
                   "ccb(rate=0.2,optimism=0,oracle=vaw)");
  expect_same_play("ccb(rate=0.2,reward_oracle=optimistic(alpha=0,of=vaw),cost_oracle=adagrad)",
                   "ccb(rate=0.2,cost_oracle=adagrad,optimism=0)");
}

TEST(TwoClasses, UIsTheLargerOfTheTwo) {
  const auto u = [](const std::string& oracle) {
    return make_policy("ccb(rate=0.2,tuning=theory," + oracle + ")", kTwoClassesShape)
        .value()
        ->state()
        .u;
  };
  EXPECT_EQ(u("cost_oracle=kernel(size=64)"),
            std::max(u("oracle=vaw"), u("oracle=kernel(size=64)")));
}

TEST(TwoClasses, AreRefusedWhereOneMatrixMustServeAllHeads) {
  for (const char* policy : {"aupd", "lincbwk", "pacer", "optimistic3", "pgd"}) {
    const auto made = make_policy(std::string(policy) + "(rate=0.2,oracle=pair)", kTwoClassesShape);
    ASSERT_FALSE(made.ok()) << policy;
    EXPECT_NE(made.error().find("need one oracle with widths, and pair is two"), std::string::npos);
    EXPECT_FALSE(
        make_policy(std::string(policy) + "(rate=0.2,cost_oracle=vaw)", kTwoClassesShape).ok());
  }
}

}  // namespace
}  // namespace rein
