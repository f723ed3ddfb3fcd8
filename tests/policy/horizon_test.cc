// A policy that plays longer than it was told goes on at the rate it had, and says so.
#include <gtest/gtest.h>

#include "rein/policy.h"

namespace rein {
namespace {

// The mean cost per round over the rounds from `from` to `to`; action 1 costs 1 and is worth it.
double spent(Policy& policy, int from, int to) {
  Rng rng(2), world(7, static_cast<std::uint64_t>(from));
  Scratch scratch(policy);
  Decision decision(policy);
  double sum = 0.0;
  for (int t = from; t < to; ++t) {
    const double x[] = {1.0, world.uniform()};
    const Round round{.actions = 2, .context = x};
    policy.decide(round, rng, scratch, decision).check();
    const double cost = decision.action == 1 ? 1.0 : 0.0;
    const double reward = decision.action == 1 ? 0.5 + 0.5 * x[1] : 0.1;
    policy.learn(round, decision, {.reward = reward, .costs = {cost}}).check();
    sum += cost;
  }
  return sum / (to - from);
}

const Shape kHorizonShape{.actions = 2,
                          .context = 2,
                          .reward = {0, 1},
                          .costs = {{.name = "dollars", .range = {0.0, 1.0}}}};

TEST(PastTheHorizon, ItGoesOnAtTheRateItHadAndSaysSo) {
  auto policy = make_policy("ccb(budget=600,rounds=2000)", kHorizonShape).value();
  EXPECT_NEAR(spent(*policy, 0, 2000), 0.3, 0.003);
  EXPECT_NE(policy->state().status, Status::kPast);
  EXPECT_NEAR(spent(*policy, 2000, 6000), 0.3, 0.015);
  EXPECT_EQ(policy->state().status, Status::kPast);
}

// The theorem speaks of T rounds. Its price goes on, and the policy says that they are over.
TEST(PastTheHorizon, TheTheoremIsOverToo) {
  auto policy = make_policy("ccb(budget=1900,rounds=2000,tuning=theory)", kHorizonShape).value();
  spent(*policy, 0, 2100);
  EXPECT_EQ(policy->state().status, Status::kPast);
}

}  // namespace
}  // namespace rein
