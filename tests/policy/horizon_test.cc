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

class PastTheHorizon : public testing::TestWithParam<const char*> {};

TEST_P(PastTheHorizon, ItGoesOnAtTheRateItHad) {
  const Shape shape{.actions = 2,
                    .context = 2,
                    .reward = {0, 1},
                    .costs = {{.name = "dollars", .range = {0.0, 1.0}}}};
  auto policy = make_policy(GetParam(), shape).value();
  const double before = spent(*policy, 0, 2000);
  EXPECT_NE(policy->state().status, Status::kPast);
  const double after = spent(*policy, 2000, 6000);
  EXPECT_GT(before, 0.1);
  EXPECT_NEAR(after, 0.3, 0.06) << before;
  const Status status = policy->state().status;
  EXPECT_TRUE(status == Status::kPast || status == Status::kOver) << name_of(status);
}

INSTANTIATE_TEST_SUITE_P(Tunings, PastTheHorizon,
                         testing::Values("ccb(budget=600,rounds=2000)",
                                         "ccb(budget=600,rounds=2000,tuning=theory)"));

}  // namespace
}  // namespace rein
