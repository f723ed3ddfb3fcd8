// A baseline that comes with each round: stored with the decision, so that late outcomes learn
// against what was given. And goals in parts: expiry, late bills and replays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "engine/small.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

constexpr const char* kBaseline = "ccb(baseline=round,baseline_share=0.5,rate=0.9)";

Shape shape() {
  Shape made = small_shape();
  made.reward = {0.0, 1.0};
  return made;
}

Engine engine_with(EngineOptions options = {}) {
  options.seed = 5;
  return Engine::make(kBaseline, shape(), options).value();
}

std::array<double, 3> baseline_of(std::uint64_t n) {
  const double p = 0.1 * static_cast<double>(n % 10);
  return {p, 1.0 - p, 0.0};
}

Engine::Decision decide_with_baseline(Engine& engine, std::uint64_t n) {
  const std::vector<double> x = context_of(n);
  const auto pi = baseline_of(n);
  return engine.decide({.actions = 3, .context = x, .baseline = pi}).value();
}

TEST(BaselineInTheEngine, LateOutcomesLearnAgainstWhatWasGiven) {
  // Outcomes come 7 rounds late. The one engine is told other baselines in between, and its
  // snapshot goes on as the engine does.
  Engine engine = engine_with(), replayed = engine_with();
  std::vector<std::uint64_t> ids;
  for (std::uint64_t n = 0; n < 400; ++n) {
    ids.push_back(decide_with_baseline(engine, n).id);
    const Record read = decode(engine.record()).value();
    const auto pi = baseline_of(n);
    EXPECT_THAT(std::get<DecideRecord>(read).round.baseline, ::testing::ElementsAreArray(pi));
    std::string again;
    encode(read, again);
    EXPECT_EQ(again, engine.record());
    replayed.fold(engine.record()).check();
    if (n == 200) engine = Engine::restore(engine.snapshot()).value();
    if (n < 7) continue;
    const double reward = n % 3 == 0 ? 1.0 : 0.5;
    engine.learn(ids[n - 7], {.reward = reward, .costs = {0.1}}).check();
    replayed.fold(engine.record()).check();
  }
  EXPECT_EQ(replayed.state_hash(), engine.state_hash());
  LookScratch scratch;
  const std::vector<double> x = context_of(1);
  const auto pi = baseline_of(1);
  const auto last = engine.look({.actions = 3, .context = x, .baseline = pi}, scratch).value();
  EXPECT_LT(last.probabilities[1], 0.9) << "enough was learned to play others";
  EXPECT_GE(last.probabilities[1], 0.5 * 0.9 - 1e-9);
}

TEST(BaselineInTheEngine, ItIsRenormalisedOverWhatFits) {
  EngineOptions options;
  options.hard_budget = {0.5};
  options.largest_costs = {{0.01}, {0.1}, {1.0}};
  Engine engine = engine_with(options);
  const std::vector<double> x = context_of(0);
  const std::array<double, 3> pi = {0.1, 0.3, 0.6}, dear = {0.0, 0.0, 1.0};
  const auto d = engine.decide({.actions = 3, .context = x, .baseline = pi}).value();
  EXPECT_NEAR(d.probabilities[0], 0.25, 1e-12) << "at first only the baseline is safe";
  EXPECT_NEAR(d.probabilities[1], 0.75, 1e-12);
  EXPECT_EQ(d.probabilities[2], 0.0);
  const auto none = engine.decide({.actions = 3, .context = x, .baseline = dear}).value();
  EXPECT_LT(none.probabilities[0], 1.0) << "nothing of it fits: no baseline in this round";
  EXPECT_GT(none.probabilities[0], 0.0);
  EXPECT_EQ(Engine::restore(engine.snapshot()).value().state_hash(), engine.state_hash());
}

TEST(BaselineInTheEngine, ARefusedBaselineChangesNothing) {
  Engine engine = engine_with();
  const std::uint64_t hash = engine.state_hash();
  const std::vector<double> x = context_of(0);
  const std::array<double, 3> wrong = {0.5, 0.7, 0.0};
  const auto done = engine.decide({.actions = 3, .context = x, .baseline = wrong});
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error(), HasSubstr("sums to 1.2"));
  EXPECT_EQ(engine.state_hash(), hash);
  Engine plain = Engine::make("ccb(rate=0.9)", shape()).value();
  const std::array<double, 3> pi = {0.5, 0.5, 0.0};
  EXPECT_FALSE(plain.decide({.actions = 3, .context = x, .baseline = pi}));
}

// Actions that are added are no part of a fixed mix.
TEST(BaselineInTheEngine, AFixedMixStaysWhenActionsAreAdded) {
  Engine engine = Engine::make("ccb(baseline=[0.2,0.8,0],rate=0.9)", shape()).value();
  decided(engine);
  engine.add_action().value();
  const std::vector<double> x = context_of(0);
  const auto d = engine.decide({.actions = 4, .context = x}).value();
  EXPECT_NEAR(d.probabilities[0], 0.2, 1e-12);
  EXPECT_NEAR(d.probabilities[1], 0.8, 1e-12);
  EXPECT_EQ(Engine::restore(engine.snapshot()).value().state_hash(), engine.state_hash());
}

// A record with an empty tail is not one that encode() writes.
TEST(BaselineInTheEngine, RecordsWithoutItKeepTheirForm) {
  Engine with = engine_with(), without = engine_with();
  decide_with_baseline(with, 1);
  decided(without, 1);
  const std::string one(with.record()), other(without.record());
  // expected costs, paces, holdout and what was observed, all none, then three probabilities
  EXPECT_EQ(one.size(), other.size() + 8 * (4 + 1 + 3));
}

TEST(GoalInTheEngine, PartsLateBillsAndExpiryReplayToTheBit) {
  EngineOptions options;
  options.seed = 3;
  options.expire_after = 10;
  const char* spec = "ccb(minimize=dollars,at_least=[reward,0.4],rounds=1000)";
  Engine engine = Engine::make(spec, shape(), options).value();
  Engine replayed = Engine::make(spec, shape(), options).value();
  std::vector<std::uint64_t> ids;
  double spent = 0.0;
  const auto keep = [&] { replayed.fold(engine.record()).check(); };
  for (std::uint64_t n = 0; n < 300; ++n) {
    const Engine::Decision d = decide(engine, n).value();
    ids.push_back(d.id);
    keep();
    const double cost = 0.1 + 0.4 * d.action;
    if (n % 4 != 3) {  // the bill at once, or after expiry
      engine.learn(d.id, {.costs = {cost}}).check();
      spent += cost;
      keep();
    }
    if (n >= 5 && n % 3 == 0) {
      engine.learn(ids[n - 5], {.reward = 0.2 + 0.3 * static_cast<double>(n % 2)}).check();
      keep();
    }
    engine.tick(static_cast<std::int64_t>(n)).value();
    keep();
    if (n >= 40 && (n - 20) % 4 == 3) {
      engine.learn(ids[n - 20], {.costs = {0.5}}).check();
      spent += 0.5;
      keep();
    }
  }
  EXPECT_EQ(replayed.state_hash(), engine.state_hash());
  EXPECT_EQ(Engine::restore(engine.snapshot()).value().state_hash(), engine.state_hash());
  EXPECT_NEAR(engine.policy_state().spent[0], spent, 1e-9) << "late bills count for the goal too";
  EXPECT_NEAR(engine.state().billed[0], spent, 1e-9);
}

}  // namespace
}  // namespace rein
