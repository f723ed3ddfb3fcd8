// learn() with a lesson: money counts as told, and the policy learns what the lesson has.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/small.h"

namespace rein {
namespace {

EngineOptions with_day(std::uint64_t seed) {
  EngineOptions options{.seed = seed};
  options.budgets = {{.name = "all", .cost = "dollars", .amount = 50, .kind = BudgetKind::kHard, .rounds = 1000}};
  options.largest_costs = {{0.1}, {0.5}, {1.0}};
  return options;
}
Engine lesson_engine(std::uint64_t seed = 3) {
  return Engine::make("ccb", small_shape(), with_day(seed)).value();
}
Outcome nothing() { return {.costs = Costs(1, kMissing)}; }

TEST(Lesson, WithoutPartsLeavesThePolicyAsItWasAndBooksTheMoney) {
  Engine engine = lesson_engine();
  for (std::uint64_t n = 0; n < 20; ++n) {
    engine.learn(decided(engine, n), {.reward = 0.5, .costs = {0.0625}}).value();
  }
  const PolicyState before = engine.policy_state();
  const std::uint64_t id = decided(engine, 20);
  EXPECT_EQ(engine.learn(id, {.reward = 1.0, .costs = {0.125}}, nothing()).value(), LearnResult::kApplied);
  const PolicyState after = engine.policy_state();
  EXPECT_EQ(after.rounds, before.rounds);
  EXPECT_EQ(after.reward, before.reward);
  EXPECT_EQ(after.spent[0], before.spent[0] + 0.125);
  const EngineState state = engine.state();
  EXPECT_EQ(state.billed[0], 20 * 0.0625 + 0.125);
  EXPECT_EQ(state.budgets[0].spent, 1'375'000);
  EXPECT_EQ(state.budgets[0].held, 0);
  EXPECT_EQ(state.rewarded, 20);
  EXPECT_EQ(state.learned, 21);
  EXPECT_EQ(engine.learn(id, {.reward = 1.0, .costs = {0.125}}).value(), LearnResult::kDuplicate);
  EXPECT_EQ(engine.learn(id, {.reward = 0.0, .costs = {0.125}}).reason(), Reason::kConflict);
}

TEST(Lesson, WithOtherNumbersIsWhatThePolicyLearns) {
  Engine told = lesson_engine(), taught = lesson_engine();
  for (std::uint64_t n = 0; n < 50; ++n) {
    const Outcome outcome{.reward = 0.25, .costs = {0.0625}}, absurd{.reward = 0.75, .costs = {0.125}};
    told.learn(decided(told, n), outcome).value();
    taught.learn(decided(taught, n), absurd, outcome).value();
  }
  EXPECT_EQ(taught.policy_state().reward, told.policy_state().reward);
  EXPECT_EQ(taught.state().budgets[0].spent, 2 * told.state().budgets[0].spent);
  EXPECT_EQ(taught.policy_state().spent[0], 50 * 0.125);
}

TEST(Lesson, IsInTheRecord) {
  Engine live = lesson_engine();
  std::vector<std::string> journal;
  const auto note = [&] { journal.emplace_back(live.record()); };
  for (std::uint64_t n = 0; n < 60; ++n) {
    const std::uint64_t id = decided(live, n);
    note();
    if (n % 5 == 4) {  // in two parts
      live.learn(id, {.reward = 0.5, .costs = Costs(1, kMissing)}, nothing()).value();
      note();
      live.learn(id, {.costs = {0.0625}}, {.costs = {0.03125}}).value();
    } else if (n % 3 == 0) {
      live.learn(id, {.reward = 0.9, .costs = {0.0625}}, {.reward = 0.5, .costs = {0.0625}}).value();
    } else if (n % 3 == 1) {
      live.learn(id, {.reward = 0.9, .costs = {0.0625}}, nothing()).value();
    } else {
      live.learn(id, {.reward = 0.9, .costs = {0.0625}}).value();
    }
    note();
  }
  Engine folded = lesson_engine();
  for (std::size_t n = 0; n < journal.size(); ++n) {
    if (n == 75) folded = Engine::restore(folded.snapshot()).value();
    folded.fold(journal[n]).check();
  }
  EXPECT_EQ(folded.state_hash(), live.state_hash());
  const LearnRecord part = std::get<LearnRecord>(decode(journal.back()).value());
  ASSERT_TRUE(part.lesson);
  EXPECT_EQ(part.lesson->costs[0], 0.03125);
}

TEST(Lesson, OfAWrongOutcomeChangesNothing) {
  Engine engine = lesson_engine();
  const std::uint64_t id = decided(engine), hash = engine.state_hash();
  EXPECT_FALSE(engine.learn(id, {.reward = NAN, .costs = {-1.0}}, nothing()));
  EXPECT_FALSE(engine.learn(id, {.reward = 1.0, .costs = {0.1}}, {.reward = 1e300, .costs = {0.1}}));
  EXPECT_EQ(engine.state_hash(), hash);
}

TEST(UsedKeys, AreThoseWhoseMoneyMoved) {
  EngineOptions options = with_day(3);
  options.budgets.push_back({.name = "each", .cost = "dollars", .amount = 10, .kind = BudgetKind::kHard,
                             .window = Window::ticks(100), .scope = "tenant", .named = true});
  Engine engine = Engine::make("ccb", small_shape(), options).value();
  EXPECT_TRUE(engine.used_keys().empty());
  const std::vector<double> x = context_of(1);
  const Scope acme[] = {{"tenant", "acme"}};
  const std::uint64_t id = engine.decide({.actions = 3, .context = x}, {.scopes = acme}).value().id;
  EXPECT_TRUE(engine.used_keys().empty()) << "a hold is not spent";
  engine.learn(id, {.reward = 1.0, .costs = {0.25}}).value();
  const auto used = engine.used_keys();
  ASSERT_EQ(used.size(), 1U);
  EXPECT_TRUE(engine.used_keys().empty());
  const auto account = engine.account(1, used[0]);
  ASSERT_TRUE(account);
  EXPECT_EQ(account->key.name, "acme");
  EXPECT_EQ(account->key.spent, 250'000);
  EXPECT_EQ(account->key.limit, 10'000'000);
  EXPECT_EQ(account->key.key, engine.keys_of(acme).value()[0]);
  EXPECT_EQ(engine.dimension_of("tenant"), 0);
  EXPECT_EQ(engine.dimension_of("user"), -1);
  EXPECT_EQ(engine.account(0, {})->dimension, -1);
  EXPECT_FALSE(engine.account(1, {}));
}

}  // namespace
}  // namespace rein
