// Too many open decisions: which give way, which are refused, and what becomes of their money.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "engine/life.h"
#include "engine/small.h"
#include "rein/batch.h"

namespace rein {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Outcome cost_alone(double cost) { return {.reward = kMissing, .costs = {cost}}; }

TEST(Crowded, DecisionsWithoutAHardBudgetGiveWayOldestFirst) {
  Engine engine = small_engine({.most_open = 100});
  std::vector<std::uint64_t> ids;
  for (std::uint64_t n = 0; n < 14'288; ++n) ids.push_back(decided(engine, n));
  EXPECT_EQ(engine.state().open, 100);
  EXPECT_EQ(engine.state().gave_way, 14'188);
  EXPECT_EQ(engine.state().expired, 14'188);
  EXPECT_THAT(engine.gave_way_last(), ElementsAre(ids[14'187]));
  EXPECT_EQ(engine.open()[0].id, ids[14'188]);
}

TEST(Crowded, OneWhoseCostsCameGivesWayBeforeAnOlderOneThatHoldsMoney) {
  Engine engine = small_engine({.most_open = 3, .hard_budget = {100.0}});
  const std::uint64_t first = decided(engine, 0), second = decided(engine, 1);
  decided(engine, 2);
  engine.learn(second, cost_alone(0.25)).check();
  decided(engine, 3);
  EXPECT_THAT(engine.gave_way_last(), ElementsAre(second));
  EXPECT_EQ(engine.open()[0].id, first);
  EXPECT_EQ(engine.state().budgets[0].spent, 250'000);
  EXPECT_EQ(engine.state().budgets[0].held, 3'000'000);
  // It is answered as after expiry.
  EXPECT_EQ(engine.learn(second, {.reward = 1.0}).reason(), Reason::kExpired);
  EXPECT_EQ(engine.learn(second, cost_alone(0.25)).value(), LearnResult::kDuplicate);
  EXPECT_EQ(engine.state().budgets[0].spent, 250'000);
}

TEST(Crowded, OnlyWhereAllHoldMoneyIsANewOneRefused) {
  Engine engine = small_engine({.most_open = 2, .hard_budget = {100.0}});
  decided(engine, 0);
  const std::uint64_t second = decided(engine, 1);
  const std::uint64_t before = engine.state_hash();
  const auto refused = decide(engine, 2);
  EXPECT_EQ(refused.reason(), Reason::kFull);
  for (const char* word : {"most_open", "expire_after", "cost", "ancel"}) {
    EXPECT_THAT(refused.error(), HasSubstr(word));
  }
  EXPECT_EQ(engine.state_hash(), before);
  engine.learn(second, cost_alone(0.5)).check();
  EXPECT_TRUE(decide(engine, 2).ok());
}

TEST(Crowded, AnActionThatCannotCostAnythingHoldsNoMoney) {
  Engine engine = Engine::make("uniform", small_shape(),
                               {.most_open = 1,
                                .hard_budget = {1.0},
                                .largest_costs = {{0.0}, {0.5}, {1.0}}})
                      .value();
  const std::vector<double> x = context_of(1);
  const std::vector<std::int32_t> free{0}, dear{1};
  engine.decide({.actions = 1, .context = x, .ids = free}).check();
  engine.decide({.actions = 1, .context = x, .ids = dear}).check();
  EXPECT_EQ(engine.decide({.actions = 1, .context = x, .ids = free}).reason(), Reason::kFull);
}

TEST(Crowded, ABillAfterGivingWayIsBookedOnce) {
  Engine engine = small_engine({.most_open = 1});
  const std::uint64_t first = decided(engine, 0);
  decided(engine, 1);
  EXPECT_EQ(engine.learn(first, cost_alone(0.5)).value(), LearnResult::kLate);
  EXPECT_EQ(engine.learn(first, cost_alone(0.5)).value(), LearnResult::kDuplicate);
  EXPECT_DOUBLE_EQ(engine.state().billed[0], 0.5);
}

TEST(Crowded, WhatGivesWayIsLearnedLikeWhatExpires) {
  EngineOptions options{.most_open = 1};
  options.default_outcome = Outcome{.reward = 0.25, .costs = {0.125}};
  Engine engine = small_engine(options);
  decided(engine, 0);
  EXPECT_EQ(engine.policy().state().rounds, 0);
  decided(engine, 1);
  EXPECT_EQ(engine.policy().state().rounds, 1);
  EXPECT_DOUBLE_EQ(engine.policy().state().reward, 0.25);
}

TEST(Crowded, ReplayAndSnapshotsGiveTheSameBits) {
  const EngineOptions options{.most_open = 8, .hard_budget = {1000.0}};
  Engine engine = small_engine(options);
  Life life;
  std::vector<std::uint64_t> ids;
  Rng rng(5);
  for (std::uint64_t n = 0; n < 1200; ++n) {
    const auto made = decide(engine, n);
    if (made) ids.push_back(made.value().id);
    life.note(engine);
    const std::uint64_t id = ids[ids.size() - 1 - rng.below(std::min<std::uint64_t>(ids.size(), 9))];
    const std::uint64_t kind = rng.below(4);
    (void)engine.learn(id, kind < 3 ? cost_alone(0.5) : Outcome{.reward = 0.5});
    life.note(engine);
    if (n == 133) {
      engine.set_limits(4, 0).check();
      life.note(engine);
    }
    if (n % 97 == 0) life.snapshot(engine);
  }
  EXPECT_GT(engine.state().gave_way, 20);
  EXPECT_LE(engine.state().open, 8);
  EXPECT_EQ(life.replay(small_engine(options)), engine.state_hash());
  for (std::size_t n = 0; n < life.snapshots(); ++n) {
    EXPECT_EQ(life.replay_from(n), engine.state_hash());
  }
}

TEST(Crowded, LimitsChangeWhileItRuns) {
  Engine engine = small_engine({.most_open = 3});
  for (std::uint64_t n = 0; n < 3; ++n) decided(engine, n);
  engine.set_limits(2, 10).check();
  EXPECT_EQ(engine.options().most_open, 2);
  EXPECT_EQ(engine.options().expire_after, 10);
  EXPECT_EQ(engine.state().open, 3) << "nothing leaves before there is a new one";
  decided(engine, 3);
  EXPECT_EQ(engine.state().open, 2);
  EXPECT_EQ(engine.tick(11).value(), 2);
  EXPECT_FALSE(engine.set_limits(0, 10).ok());
  EXPECT_FALSE(engine.set_limits(2, -1).ok());
  EXPECT_EQ(engine.options().most_open, 2);
  const Engine back = Engine::restore(engine.snapshot()).value();
  EXPECT_EQ(back.options().most_open, 2);
  EXPECT_EQ(back.state_hash(), engine.state_hash());
  Engine other = small_engine({.most_open = 3});
  other.load(engine.snapshot()).check();
  EXPECT_EQ(other.options().expire_after, 10);
  EXPECT_EQ(other.state_hash(), engine.state_hash());
}

TEST(Crowded, TheStatusSaysSoBeforeTheLimit) {
  Engine engine = small_engine({.most_open = 10});
  for (std::uint64_t n = 0; n < 8; ++n) decided(engine, n);
  EXPECT_EQ(engine.policy_state().status, Status::kOk);
  decided(engine, 8);
  EXPECT_EQ(engine.policy_state().status, Status::kCrowded);
  EXPECT_EQ(name_of(Status::kCrowded), "crowded");
  for (const char* word : {"outcomes", "cancel", "expire_after", "most_open"}) {
    EXPECT_THAT(std::string(advice(Status::kCrowded)), HasSubstr(word));
  }
}

TEST(Crowded, ABatchMayTakeTheRoomOfThoseThatGiveWay) {
  Engine engine = small_engine({.most_open = 4});
  for (std::uint64_t n = 0; n < 4; ++n) decided(engine, n);
  EXPECT_EQ(engine.room(), 4);
  std::vector<double> contexts(8, 0.5);
  std::vector<std::uint64_t> ids(4);
  const auto done = decide_many(engine, {.rounds = 4, .actions = 3, .contexts = contexts}, {.ids = ids});
  ASSERT_TRUE(done.ok()) << done.error();
  EXPECT_EQ(engine.state().open, 4);
  for (const OpenDecision& one : engine.open()) EXPECT_THAT(ids, testing::Contains(one.id));
}

}  // namespace
}  // namespace rein
