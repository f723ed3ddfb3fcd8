// Shares and the control group in the engine: hard budgets and request limits come first, and
// records keep the mark.
#include <gtest/gtest.h>

#include "engine/small.h"

namespace rein {
namespace {

constexpr const char* kShares = "ccb(control=2,holdout=0.2,least=[0.1,0.1,0.2],rate=0.9)";

Engine engine_with(double budget) {
  EngineOptions options;
  options.seed = 5;
  options.hard_budget = {budget};
  options.largest_costs = {{0.01}, {0.1}, {1.0}};
  return Engine::make(kShares, small_shape(), options).value();
}

TEST(SharesInTheEngine, AHardBudgetComesFirstAndTheControlIsMarkedAsBarred) {
  Engine engine = engine_with(0.5);
  const Engine::Decision d = decide(engine).value();
  EXPECT_EQ(d.fitting, 2);
  EXPECT_EQ(d.holdout, Holdout::kBarred);
  EXPECT_EQ(d.probabilities[2], 0.0);
  EXPECT_GE(d.probabilities[0], 0.1);
  EXPECT_GE(d.probabilities[1], 0.1);
  EXPECT_NEAR(d.probabilities[0] + d.probabilities[1], 1.0, 1e-12);
}

TEST(SharesInTheEngine, ARequestLimitComesFirstToo) {
  Engine engine = engine_with(1000.0);
  const std::vector<double> x = context_of(0), limit = {0.5};
  const auto d = engine.decide({.actions = 3, .context = x}, {.most_costs = limit}).value();
  EXPECT_EQ(d.holdout, Holdout::kBarred);
  EXPECT_EQ(d.probabilities[2], 0.0);
  const Engine::Decision free = decide(engine).value();
  EXPECT_NE(free.holdout, Holdout::kBarred);
  EXPECT_GE(free.probabilities[2], 0.4);
}

TEST(SharesInTheEngine, TheHardBudgetIsNeverPassed) {
  Engine engine = engine_with(20.0);
  double spent = 0.0;
  for (std::uint64_t n = 0; n < 400; ++n) {
    auto made = decide(engine, n);
    if (!made) break;
    const double cost = made.value().action == 0 ? 0.01 : made.value().action == 1 ? 0.1 : 1.0;
    engine.learn(made.value().id, {.reward = cost, .costs = {cost}}).check();
    spent += cost;
  }
  EXPECT_LE(spent, 20.0 + 1e-9);
  EXPECT_GT(spent, 19.0);
}

TEST(SharesInTheEngine, RecordsAndSnapshotsKeepTheMark) {
  Engine engine = engine_with(1000.0), replayed = engine_with(1000.0);
  int inside = 0, outside = 0;
  for (std::uint64_t n = 0; n < 100; ++n) {
    const Engine::Decision d = decide(engine, n).value();
    inside += d.holdout == Holdout::kInside;
    outside += d.holdout == Holdout::kOutside;
    const auto read = decode(engine.record()).value();
    EXPECT_EQ(std::get<DecideRecord>(read).decision.holdout, d.holdout);
    replayed.fold(engine.record()).check();
    if (n % 3 != 0) continue;  // the others stay open
    engine.learn(d.id, {.reward = 0.1, .costs = {0.01}}).check();
    replayed.fold(engine.record()).check();
  }
  EXPECT_GT(inside, 5);
  EXPECT_GT(outside, 50);
  EXPECT_EQ(replayed.state_hash(), engine.state_hash());
  EXPECT_EQ(Engine::restore(engine.snapshot()).value().state_hash(), engine.state_hash());
}

}  // namespace
}  // namespace rein
