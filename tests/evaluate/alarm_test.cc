// The realizability alarm inside a policy.
#include <gtest/gtest.h>

#include "evaluate/late.h"
#include "rein/world.h"

namespace rein {
namespace {

constexpr const char* kLinear = "ccb(oracle=vaw(memory=auto))";

struct Watched {
  AlarmState alarm;
  Status status;
  std::string bytes;
};

Watched play(const char* world_spec, const char* policy_spec, std::uint64_t seed, int rounds,
             int delay = 0) {
  const auto world = make_world(std::string_view(world_spec), seed, rounds).value();
  const auto policy = make_policy(policy_spec, world->shape()).value();
  Scratch scratch(*policy);
  Decision decision(*policy);
  Rng rng(seed);
  Outcome outcome;
  Late late(*policy, delay);
  for (int t = 0; t < rounds; ++t) {
    const Round& round = world->next();
    policy->decide(round, late.reserved(), rng, scratch, decision).check();
    world->outcome(decision.action, outcome);
    late.learn(*policy, round, decision, outcome).check();
    world->observe(decision.action, outcome);
  }
  return {policy->state().alarm.value(), policy->state().status, policy->save()};
}

TEST(PolicyAlarm, RingsWhereTheClassIsWrongAndSaysWhy) {
  for (std::uint64_t seed : {1, 2, 3}) {
    const AlarmState alarm = play("nonlinear", kLinear, seed, 6000).alarm;
    EXPECT_TRUE(alarm.ringing);
    EXPECT_TRUE(alarm.why == "shadow" || alarm.why == "bias");
    EXPECT_GE(alarm.head, 0);
    EXPECT_GT(alarm.round, 0);
    EXPECT_LE(alarm.round, 6000);
    EXPECT_EQ(play("nonlinear", kLinear, seed, 6000).status, Status::kClass);
  }
}

// The default changes its class before the alarm has proved that it is wrong.
TEST(PolicyAlarm, IsQuietWhereTheRaceFoundTheClass) {
  EXPECT_FALSE(play("nonlinear", "ccb", 1, 6000).alarm.ringing);
}

TEST(PolicyAlarm, IsQuietWhereTheClassIsRight) {
  for (const char* world : {"linear(d=4,k=4)", "heavy", "linear(d=4,k=4,order=adaptive)"}) {
    EXPECT_FALSE(play(world, "ccb", 1, 4000).alarm.ringing) << world;
  }
}

// Predictions of late outcomes are older than the oracle's certificate, so they are made again.
TEST(PolicyAlarm, LateOutcomesNeitherRingItNorSilenceIt) {
  EXPECT_FALSE(play("heavy", "ccb", 1, 4000, 100).alarm.ringing);
  EXPECT_FALSE(play("linear(d=4,k=4)", "ccb", 1, 4000, 100).alarm.ringing);
  EXPECT_TRUE(play("nonlinear", kLinear, 1, 8000, 100).alarm.ringing);
}

// If only the class of the rewards is wrong, the reward head rings.
TEST(PolicyAlarm, WatchesBothOfAPair) {
  const char* policy = "ccb(cost_oracle=kernel(size=64),reward_oracle=vaw)";
  const AlarmState alarm = play("nonlinear", policy, 1, 8000).alarm;
  EXPECT_TRUE(alarm.ringing);
  EXPECT_EQ(alarm.head, 0);
  EXPECT_FALSE(play("linear(d=4,k=4)", policy, 1, 3000).alarm.ringing);
}

TEST(PolicyAlarm, IsAKeyAndTheTheoremHasItOff) {
  const auto world = make_world("linear(d=3,k=3)", 1, 100).value();
  const auto has = [&](const char* spec) {
    return make_policy(spec, world->shape()).value()->state().alarm.has_value();
  };
  EXPECT_TRUE(has("ccb"));
  EXPECT_FALSE(has("ccb(alarm=0)"));
  EXPECT_FALSE(has("ccb(tuning=theory)"));
  EXPECT_TRUE(has("ccb(alarm=1,tuning=theory)"));
  EXPECT_TRUE(play("nonlinear", "ccb(alarm=1,rounds=8000,tuning=theory)", 1, 8000).alarm.ringing);
}

TEST(PolicyAlarm, AShapeTooLargeToWatchHasNone) {
  const Shape shape{.actions = 3, .features = 5000, .costs = {{}}, .rounds = 10};
  EXPECT_FALSE(make_policy("ccb(oracle=adagrad)", shape).value()->state().alarm);
}

TEST(PolicyAlarm, IsPartOfWhatIsSaved) {
  const auto world = make_world("nonlinear", 1, 6000).value();
  const Watched rung = play("nonlinear", kLinear, 1, 6000);
  const auto other = make_policy(kLinear, world->shape()).value();
  other->load(rung.bytes).check();
  EXPECT_TRUE(other->state().alarm->ringing);
  EXPECT_EQ(other->state().alarm->round, rung.alarm.round);
  EXPECT_EQ(other->save(), rung.bytes);
}

}  // namespace
}  // namespace rein
