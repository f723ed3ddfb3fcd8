// What happened so far: bounded, thinned evenly, kept by snapshots.
#include "rein/history.h"

#include <gtest/gtest.h>

#include "engine/small.h"

namespace rein {
namespace {

void play_history(Engine& engine, int from, int to) {
  for (int n = from; n < to; ++n) {
    const Engine::Decision made = decide(engine, static_cast<std::uint64_t>(n)).value();
    const std::uint64_t id = made.id;
    engine.learn(id, {.reward = 0.5, .costs = {0.125}}).check();
  }
}

TEST(HistoryTest, BeginsWithEveryDecision) {
  Engine engine = small_engine();
  ASSERT_EQ(engine.history().size(), 1U) << "the present";
  play_history(engine, 0, 10);
  const std::vector<HistoryPoint> points = engine.history();
  ASSERT_EQ(points.size(), 10U);
  EXPECT_EQ(points[3].decided, 4);
  EXPECT_EQ(points[3].learned, 3) << "of the fourth nothing has come";
  EXPECT_DOUBLE_EQ(points[3].reward, 1.5);
  EXPECT_DOUBLE_EQ(points[3].spent[0], 0.375);
  EXPECT_DOUBLE_EQ(points.back().spent[0], 1.25);
  EXPECT_NEAR(points.back().allowed[0], 1.0, 1e-12) << "100 over 1000 rounds";
  EXPECT_EQ(points.back().prices.size(), 1);
}

// 8 windows of 50 allow 400, whatever the policy made of them.
TEST(HistoryTest, AllowedIsThePlanOfTheWindows) {
  const Shape shape{.actions = 2, .costs = {{"dollars", {0.0, 5.0}}}};
  EngineOptions options;
  options.budgets = {{.name = "minute", .cost = "dollars", .amount = 50, .window = Window::ticks(60)},
                     {.name = "all", .cost = "dollars", .amount = 1000, .rounds = 100}};
  Engine engine = Engine::make("ccb", shape, options).value();
  engine.tick(30).check();  // in the first window, which then has 30 ticks
  EXPECT_EQ(engine.policy_state().allowed[0], 0.0);
  engine.tick(45).check();
  EXPECT_EQ(engine.policy_state().allowed[0], 0.0) << "the run has begun no decision";
  for (int n = 0; n < 50; ++n) {
    engine.learn(engine.decide({.actions = 2}).value().id, {.reward = 1, .costs = {0.5}}).check();
  }
  EXPECT_EQ(engine.policy_state().allowed[0], 25.0) << "half of the rest of the first window has passed";
  engine.tick(8 * 60).check();
  EXPECT_EQ(engine.policy_state().allowed[0], 400.0);
  engine.top_up("minute", 7).check();
  EXPECT_EQ(engine.policy_state().allowed[0], 407.0);
  EXPECT_EQ(Engine::restore(engine.snapshot()).value().policy_state().allowed[0], 407.0);
  engine.set_amount("all", 600).check();
  EXPECT_EQ(engine.policy_state().allowed[0], 300.0) << "half of the run";
  EXPECT_EQ(engine.history().back().allowed[0], 300.0);
}

TEST(HistoryTest, RewardsAreCountedAsTheyCome) {
  EngineOptions options;
  options.expire_after = 5;
  Engine engine = small_engine(options);
  for (int n = 0; n < 10; ++n) {
    const std::uint64_t id = decided(engine, static_cast<std::uint64_t>(n));
    engine.learn(id, {.reward = kMissing, .costs = {0.125}}).check();
    if (n % 2 == 0) engine.learn(id, {.reward = 0.75, .costs = {kMissing}}).check();
  }
  engine.tick(10).check();
  const EngineState state = engine.state();
  EXPECT_EQ(state.rewarded, 5);
  EXPECT_EQ(engine.policy_state().rounds, 10);
  EXPECT_DOUBLE_EQ(engine.policy_state().reward / static_cast<double>(state.rewarded), 0.75);
  EXPECT_EQ(engine.history().back().rewarded, 5);
  EXPECT_EQ(Engine::restore(engine.snapshot()).value().state().rewarded, 5);
}

TEST(HistoryTest, ThinsEvenlyAndStaysBounded) {
  Engine engine = small_engine();
  play_history(engine, 0, 3000);
  const std::vector<HistoryPoint> points = engine.history();
  EXPECT_LE(points.size(), static_cast<std::size_t>(kHistoryPoints));
  EXPECT_GE(points.size(), static_cast<std::size_t>(kHistoryPoints) / 2);
  const std::int64_t apart = points[0].decided;
  for (std::size_t n = 0; n + 1 < points.size(); ++n) {
    EXPECT_EQ(points[n].decided, apart * static_cast<std::int64_t>(n + 1));
  }
  std::int64_t plays = 0;
  for (std::int64_t count : points.back().plays) plays += count;
  EXPECT_EQ(plays, 3000);
}

TEST(HistoryTest, SnapshotsKeepItAndNothingDependsOnIt) {
  Engine engine = Engine::make("ccb(rate=0.1)", small_shape(), {}).value();
  play_history(engine, 0, 700);
  engine.add_action().value();
  play_history(engine, 700, 900);
  Engine back = Engine::restore(engine.snapshot()).value();
  EXPECT_EQ(back.state_hash(), engine.state_hash());
  play_history(engine, 900, 1000);
  play_history(back, 900, 1000);
  const auto one = engine.history(), two = back.history();
  ASSERT_EQ(one.size(), two.size());
  for (std::size_t n = 0; n < one.size(); ++n) {
    EXPECT_EQ(one[n].decided, two[n].decided);
    EXPECT_EQ(one[n].reward, two[n].reward);
    EXPECT_EQ(one[n].plays, two[n].plays);
    EXPECT_EQ(one[n].plays.size(), 4U);
  }
}

TEST(HistoryTest, ManyActionsAreNotCounted) {
  Shape shape = small_shape();
  shape.actions = kHistoryActions + 1;
  Engine engine = Engine::make("uniform", shape, {}).value();
  const std::vector<double> x = context_of(1);
  engine.decide({.actions = shape.actions, .context = x}).value();
  EXPECT_TRUE(engine.history().back().plays.empty());
}

}  // namespace
}  // namespace rein
