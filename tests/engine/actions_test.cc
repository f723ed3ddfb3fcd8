// Actions with names, added and removed while an engine runs.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "engine/small.h"
#include "rein/batch.h"

namespace rein {
namespace {

using Names = std::vector<std::string>;

Engine named_engine(const char* policy = "ccb(rate=0.1)", EngineOptions options = {}) {
  options.actions = Names{"small", "large", "none"};
  return Engine::make(policy, small_shape(), options).value();
}

// One round that offers all actions that may be offered.
Engine::Decision offer(Engine& engine, int n) {
  const std::vector<double> x = context_of(n);
  const std::vector<std::int32_t> ids(engine.offered().begin(), engine.offered().end());
  return engine.decide({.actions = static_cast<int>(ids.size()), .context = x, .ids = ids}).value();
}

// Plays rounds and lets each record fold into `twin`, if there is one.
void play(Engine& engine, int from, int to, Engine* twin = nullptr) {
  for (int n = from; n < to; ++n) {
    const Engine::Decision made = offer(engine, n);
    const std::uint64_t id = made.id;
    const double cost = made.action == 1 ? 0.4 : 0.05, reward = made.action == 3 ? 0.9 : 0.3;
    if (twin != nullptr) twin->fold(engine.record()).check();
    engine.learn(id, {.reward = reward, .costs = {cost}}).check();
    if (twin != nullptr) twin->fold(engine.record()).check();
  }
}

TEST(Actions, HaveNames) {
  Engine engine = named_engine();
  EXPECT_EQ(engine.action_id("large").value(), 1);
  EXPECT_EQ(engine.action_name(2), "none");
  EXPECT_EQ(engine.action_name(7), "");
  const auto unknown = engine.action_id("larg");
  EXPECT_EQ(unknown.reason(), Reason::kUnknown);
  EXPECT_NE(unknown.error().find("small, large, none"), std::string::npos) << unknown.error();
}

TEST(Actions, NamesAreChecked) {
  const auto error = [](Names names) {
    return Engine::make("ccb(rate=0.1)", small_shape(), {.actions = std::move(names)}).error();
  };
  EXPECT_NE(error({"a", "b"}).find("2 names; accepted: one per action (3)"), std::string::npos);
  EXPECT_NE(error({"a", "b", "a"}).find("\"a\" twice"), std::string::npos);
  EXPECT_NE(error({"a", "", "b"}).find("a name of 0 bytes"), std::string::npos);
}

TEST(Actions, TheActionOfASubsetIsNotItsPlace) {
  Engine engine = named_engine();
  const std::vector<double> x = context_of(1);
  const std::vector<std::int32_t> ids{2};
  const Engine::Decision made = engine.decide({.actions = 1, .context = x, .ids = ids}).value();
  EXPECT_EQ(made.action, 2);
  EXPECT_EQ(made.place, 0);
  EXPECT_EQ(engine.open()[0].action, 2);
}

TEST(Actions, OneThatIsAddedIsFoundAndPlayed) {
  Engine engine = named_engine();
  play(engine, 0, 300);
  EXPECT_EQ(engine.add_action("better").value(), 3);
  EXPECT_EQ(engine.action_id("better").value(), 3);
  EXPECT_EQ(engine.offered().size(), 4U);
  int played = 0;
  for (int n = 300; n < 800; ++n) {
    const Engine::Decision made = offer(engine, n);
    played += made.action == 3 ? 1 : 0;
    const double cost = made.action == 1 ? 0.4 : 0.05, reward = made.action == 3 ? 0.9 : 0.3;
    engine.learn(made.id, {.reward = reward, .costs = {cost}}).check();
  }
  EXPECT_GT(played, 400);
}

TEST(Actions, WhatWasLearnedOfTheOthersStays) {
  Engine engine = named_engine();
  play(engine, 0, 300);
  const std::vector<double> x = context_of(7);
  LookScratch scratch;
  const auto look = [&] { return engine.look({.actions = 3, .context = x}, scratch).value(); };
  const Engine::Decision before = look();
  std::vector<double> means(before.estimates->mean(0).begin(), before.estimates->mean(0).end());
  std::vector<double> costs(before.estimates->mean(1).begin(), before.estimates->mean(1).end());
  const double price = before.prices[0];
  const std::int64_t rounds = engine.policy_state().rounds;
  engine.add_action("new").value();
  const Engine::Decision after = look();
  for (std::size_t a = 0; a < 3; ++a) {
    EXPECT_DOUBLE_EQ(after.estimates->mean(0)[a], means[a]);
    EXPECT_DOUBLE_EQ(after.estimates->mean(1)[a], costs[a]);
  }
  EXPECT_DOUBLE_EQ(after.prices[0], price);
  EXPECT_EQ(engine.policy_state().rounds, rounds);
  const std::vector<std::int32_t> ids{0, 3};
  const Engine::Decision wide =
      engine.look({.actions = 2, .context = x, .ids = ids}, scratch).value();
  EXPECT_GT(wide.estimates->width()[1], 4 * wide.estimates->width()[0]) << "nothing is known of it";
}

// Every kind of oracle that keeps parameters per action.
TEST(Actions, AllTheseOraclesGrow) {
  for (const char* oracle :
       {"vaw", "vaw(memory=100)", "vaw(memory=auto)", "ons", "adagrad", "kernel(size=16)",
        "kernel(size=8,kind=dictionary)", "stack(of=[vaw,ons])", "auto"}) {
    const std::string policy = std::string("ccb(rate=0.1,oracle=") + oracle + ")";
    auto made = Engine::make(policy, small_shape(), {});
    ASSERT_TRUE(made.ok()) << made.error();
    Engine engine = std::move(made).value();
    play(engine, 0, 60);
    const auto added = engine.add_action();
    ASSERT_TRUE(added.ok()) << oracle << ": " << added.error();
    play(engine, 60, 120);
    EXPECT_EQ(Engine::restore(engine.snapshot()).value().state_hash(), engine.state_hash());
  }
}

TEST(Actions, OutcomesInPartsAndSharesGrowToo) {
  Engine engine =
      Engine::make("ccb(rate=0.1,least=[0.1,0,0.1],most=[1,0.5,1],floor=0.02)", small_shape(), {})
          .value();
  for (int n = 0; n < 100; ++n) {
    const Engine::Decision made = offer(engine, n);
    engine.learn(made.id, {.reward = kMissing, .costs = {0.1}}).check();
    if (n % 2 == 0) engine.learn(made.id, {.reward = 0.5, .costs = {kMissing}}).check();
  }
  engine.add_action().value();
  play(engine, 100, 200);
  const std::vector<double> x = context_of(3);
  LookScratch scratch;
  EXPECT_GE(engine.look({.actions = 4, .context = x}, scratch).value().probabilities[0], 0.1);
}

TEST(Actions, ReplayAndSnapshotsGiveTheSameBits) {
  Engine engine = named_engine(), twin = named_engine();
  play(engine, 0, 50, &twin);
  engine.add_action("fourth").value();
  twin.fold(engine.record()).check();
  play(engine, 50, 90, &twin);
  engine.remove_action(1).check();
  twin.fold(engine.record()).check();
  Engine middle = Engine::restore(engine.snapshot()).value();
  engine.add_action("large").value();  // comes back, as a new one
  const std::string again(engine.record());
  twin.fold(again).check();
  middle.fold(again).check();
  EXPECT_EQ(engine.action_id("large").value(), 4);
  for (int n = 90; n < 140; ++n) {
    const Engine::Decision made = offer(engine, n);
    const std::uint64_t id = made.id;
    const std::string decided(engine.record());
    engine.learn(id, {.reward = 0.3, .costs = {0.05}}).check();
    for (Engine* other : {&twin, &middle}) {
      other->fold(decided).check();
      other->fold(engine.record()).check();
    }
  }
  EXPECT_EQ(engine.state_hash(), twin.state_hash());
  EXPECT_EQ(engine.state_hash(), middle.state_hash());
  const Engine back = Engine::restore(engine.snapshot()).value();
  EXPECT_EQ(back.state_hash(), engine.state_hash());
  EXPECT_EQ(back.action_name(4), "large");
  EXPECT_EQ(back.offered().size(), 4U);
}

TEST(Actions, ARemovedOneIsNotOfferedAndStillLearned) {
  Engine engine = named_engine();
  const std::vector<double> x = context_of(1);
  const std::vector<std::int32_t> only{1};
  const std::uint64_t open = engine.decide({.actions = 1, .context = x, .ids = only}).value().id;
  engine.remove_action(1).check();
  const auto refused = engine.decide({.actions = 3, .context = x});
  EXPECT_EQ(refused.reason(), Reason::kUnknown);
  EXPECT_NE(refused.error().find("\"large\", which was removed"), std::string::npos);
  const auto batch = decide_many(engine, {.rounds = 1, .actions = 3, .contexts = x}, {});
  EXPECT_EQ(batch.reason(), Reason::kUnknown);
  EXPECT_EQ(engine.learn(open, {.reward = 0.5, .costs = {0.4}}).value(), LearnResult::kApplied);
  EXPECT_EQ(engine.action_name(1), "large");
  EXPECT_FALSE(engine.action_id("large").ok());
  EXPECT_FALSE(engine.remove_action(1).ok());
  engine.remove_action(0).check();
  EXPECT_NE(engine.remove_action(2).error().find("last action"), std::string::npos);
}

TEST(Actions, LargestAndExpectedCostsComeWithANewOne) {
  Engine engine =
      named_engine("uniform", {.hard_budget = {100.0}, .largest_costs = {{0.1}, {0.4}, {0.0}}});
  EXPECT_NE(engine.add_action("x").error().find("one per cost (1)"), std::string::npos);
  EXPECT_FALSE(engine.add_action("x", {.largest_costs = {7.0}}).ok()) << "above its range";
  engine.add_action("x", {.largest_costs = {0.7}}).value();
  const std::vector<double> x = context_of(1);
  const std::vector<std::int32_t> only{3};
  engine.decide({.actions = 1, .context = x, .ids = only}).value();
  EXPECT_EQ(engine.state().budgets[0].held, 700'000);

  Engine told = named_engine();
  told.expect(std::vector{0.1, 0.2, 0.3}).check();
  EXPECT_FALSE(told.add_action("x").ok());
  told.add_action("x", {.expected_costs = {0.05}}).value();
  LookScratch scratch;
  EXPECT_NEAR(told.look({.actions = 4, .context = x}, scratch).value().estimates->mean(1)[3], 0.05,
              1e-12);
}

TEST(Actions, RefusedWhereTheTheoremHasAFixedNumber) {
  Engine engine = Engine::make("ccb(tuning=theory,rate=0.1,rounds=100)", small_shape(), {}).value();
  const std::uint64_t before = engine.state_hash();
  const auto refused = engine.add_action();
  EXPECT_NE(refused.error().find("theorem"), std::string::npos) << refused.error();
  EXPECT_EQ(engine.state_hash(), before);
  EXPECT_NE(engine.add_action("x").error().find("accepted: no name"), std::string::npos);
}

}  // namespace
}  // namespace rein
