// Budgets with windows and scopes, as a user of the engine meets them. budgets_property_test.cc checks
// the sums; here: what is refused, recorded, replayed and saved. Tests of a suite Rules... are named
// after a rule of docs/budgets.md (tests/rules_test.py).
#include "engine/windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/life.h"
#include "engine/small.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

TEST(RulesWindows, SeveralBudgetsOnOneCostHoldAtOnce) {
  Engine engine = small_engine(
      with({dollars("day", 3, Window::ticks(10)), dollars("month", 5, Window::ticks(300))}));
  EXPECT_EQ(fitting(engine), 3);
  for (int n = 0; n < 3; ++n) engine.learn(decided(engine), {.reward = 0, .costs = {1}}).check();
  EXPECT_EQ(fitting(engine), 0);
  engine.tick(10).check();
  EXPECT_EQ(fitting(engine), 2) << "of the month";
  engine.tick(300).check();
  EXPECT_EQ(fitting(engine), 3);
}

TEST(RulesWindows, Per500Rounds) {
  Engine engine = small_engine(with({dollars("ten", 6, Window::rounds(10))}));
  for (int n = 0; n < 10; ++n) engine.learn(decided(engine), {.reward = 0, .costs = {0.5}}).check();
  const BudgetState state = engine.state().budgets[0];
  EXPECT_EQ(state.window, 1);
  EXPECT_EQ(state.first, 10);
  EXPECT_EQ(state.last, 19);
  EXPECT_EQ(state.spent, 0) << "all ten belong to the first window";
}

TEST(RulesWindows, WindowsOfRoundsCountDecisions) {
  Engine engine = small_engine(with({dollars("ten", 2, Window::rounds(10))}));
  for (int n = 0; n < 2; ++n) engine.learn(decided(engine), {.reward = 0, .costs = {1}}).check();
  const std::uint64_t hash = engine.state_hash();
  for (int n = 0; n < 20; ++n) {
    const auto refused = decide(engine);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.reason(), Reason::kBudget);
    EXPECT_EQ(engine.record(), "");
  }
  EXPECT_EQ(engine.state_hash(), hash) << "a refused call changes nothing";
  engine.begin_window("ten").check();
  EXPECT_NE(engine.record(), "");
  EXPECT_EQ(fitting(engine), 2);
}

TEST(RulesWindows, PerDayWeekMonth) {
  Engine engine = small_engine(with({dollars("day", 2, Window::day("Europe/Berlin"))}));
  EXPECT_THAT(decide(engine).error(), HasSubstr("the clock has not been set"));
  engine.tick(1774738800 + 5).check();  // just after midnight in Berlin, the day clocks move
  EXPECT_EQ(engine.state().budgets[0].last - engine.state().budgets[0].first, 23 * 3600 - 1);
  EXPECT_EQ(fitting(engine), 2);
  decided(engine);
  engine.tick(1774738800 + 23 * 3600 - 1).check();
  EXPECT_EQ(engine.state().budgets[0].held, 1'000'000);
  engine.tick(1774738800 + 23 * 3600).check();
  EXPECT_EQ(engine.state().budgets[0].window, 1);
  EXPECT_EQ(engine.state().budgets[0].held, 0);
}

TEST(Windows, ABudgetThatSteersAndOneOfThePolicyAreRefused) {
  Budget steered = dollars("day", 2, Window::ticks(9));
  steered.kind = BudgetKind::kSteer;
  EXPECT_THAT(Engine::make(kSmallPolicy, small_shape(), with({steered})).error(),
              HasSubstr("a budget or rate of its own"));
}

TEST(Windows, ATickThatLeavesOutAWindowIsRefused) {
  Engine engine = small_engine(with({dollars("day", 2, Window::day())}));
  EXPECT_THAT(engine.fold(TickRecord{.now = 5}).error(), HasSubstr("its next one"));
  EXPECT_FALSE(engine.fold(TickRecord{.now = 5, .opened = {{0, {0, 6, 9}}}}).ok());
  EXPECT_FALSE(engine.fold(TickRecord{.now = 5, .opened = {{0, {0, 0, 9}}, {0, {0, 0, 9}}}}).ok());
  EXPECT_FALSE(engine.fold(TickRecord{.now = 5, .opened = {{1, {0, 0, 9}}}}).ok());
  engine.fold(TickRecord{.now = 5, .opened = {{0, {0, 0, 9}}}}).check();
}

TEST(Windows, BudgetsCanBeChangedWhileItRuns) {
  Engine engine = small_engine(with({dollars("all", 1, Window::run())}));
  engine.learn(decided(engine), {.reward = 0, .costs = {1}}).check();
  EXPECT_EQ(fitting(engine), 0);
  engine.top_up("all", 2).check();
  EXPECT_EQ(fitting(engine), 2);
  engine.set_amount("all", 4).check();
  EXPECT_EQ(fitting(engine), 5);
  engine.begin_window("all").check();
  EXPECT_EQ(fitting(engine), 4);
  EXPECT_EQ(engine.top_up("none", 2).error(), "budget: found \"none\"; accepted: all");
  EXPECT_FALSE(engine.set_amount("all", -1).ok());
}

TEST(Windows, EveryTenantHasItsOwnMoney) {
  Budget per_tenant = dollars("tenant", 2, Window::ticks(10));
  per_tenant.scope = "tenant";
  Engine engine = small_engine(with({per_tenant, dollars("all", 3, Window::run())}));
  const Scope acme[] = {{"tenant", "acme"}}, other[] = {{"tenant", "other"}};
  EXPECT_EQ(fitting(engine, acme), 2);
  const std::vector<double> x = context_of(0);
  for (int n = 0; n < 2; ++n) engine.decide({.actions = 3, .context = x}, {.scopes = acme}).check();
  EXPECT_EQ(fitting(engine, acme), 0);
  EXPECT_EQ(fitting(engine, other), 1) << "of everybody's";
  EXPECT_EQ(engine.budgets(acme).value()[0].held, 2'000'000);
  EXPECT_EQ(engine.state().budgets.size(), 1U) << "only those for everybody";
  engine.set_amount("tenant", 4).check();  // of every key
  EXPECT_EQ(engine.budgets(acme).value()[0].limit, 4'000'000);
  EXPECT_THAT(engine.top_up("tenant", 1).error(), HasSubstr("accepted: a key of it"));
  const Scope unknown[] = {{"team", "x"}};
  EXPECT_THAT(engine.decide({.actions = 3, .context = x}, {.scopes = unknown}).error(),
              HasSubstr("found \"team\"; accepted: tenant"));
}

TEST(RulesARoundsOwnLimits, ARoundMayBringItsOwnLargestCosts) {
  Engine engine = small_engine(with({dollars("all", 1, Window::run())}));
  const std::vector<double> x = context_of(0), most = {2.0, 0.4, 2.0};
  for (int n = 0; n < 2; ++n) {
    const Engine::Decision ticket =
        engine.decide({.actions = 3, .context = x}, {.largest_costs = most}).value();
    EXPECT_EQ(ticket.action, 1);
    EXPECT_EQ(ticket.fitting, 1);
  }
  EXPECT_EQ(engine.state().budgets[0].held, 800'000);
  EXPECT_EQ(engine.decide({.actions = 3, .context = x}, {.largest_costs = most}).reason(),
            Reason::kBudget);
  const std::vector<double> few = {1.0};
  EXPECT_EQ(engine.decide({.actions = 3, .context = x}, {.largest_costs = few}).error(),
            "decide: largest_costs has 1 numbers; accepted: 3, or none");
}

TEST(RulesARoundsOwnLimits, ARoundMayHaveALimitOfItsOwn) {
  EngineOptions options;
  options.hard_budget = {10.0};
  options.largest_costs = {{0.1}, {0.5}, {1.0}};
  Engine engine = small_engine(options);
  const std::vector<double> x = context_of(0), most = {0.5};
  const Engine::Decision ticket =
      engine.decide({.actions = 3, .context = x}, {.most_costs = most}).value();
  EXPECT_EQ(ticket.fitting, 2);
  EXPECT_EQ(ticket.probabilities[2], 0.0);
  EXPECT_NEAR(ticket.probabilities[0] + ticket.probabilities[1], 1.0, 1e-12);
}

TEST(RulesBillsLateMissingTooHigh, Cancel) {
  Engine engine = small_engine(with({dollars("all", 1, Window::run())}));
  const std::uint64_t id = decided(engine);
  EXPECT_EQ(fitting(engine), 0);
  engine.cancel(id).check();
  EXPECT_EQ(fitting(engine), 1);
  EXPECT_EQ(engine.policy().state().rounds, 0);
  EXPECT_TRUE(engine.cancel(id).ok()) << "again: nothing changes";
  EXPECT_TRUE(engine.record().empty());
  EXPECT_EQ(engine.learn(id, {.reward = 0, .costs = {1}}).reason(), Reason::kConflict);
  const std::uint64_t second = decided(engine);
  engine.learn(second, {.reward = 0, .costs = {0.1}}).check();
  EXPECT_EQ(engine.cancel(second).reason(), Reason::kConflict);
  EXPECT_EQ(engine.cancel(12345).reason(), Reason::kUnknown);
}

TEST(RulesBillsLateMissingTooHigh, LateBillsCount) {
  EngineOptions options = with({dollars("all", 9, Window::run())});
  options.expire_after = 5;
  options.remember = 1;
  Engine engine = small_engine(options);
  const std::uint64_t first = decided(engine), second = decided(engine);
  engine.tick(6).check();
  EXPECT_EQ(engine.state().budgets[0].spent, 2'000'000);
  const std::uint64_t hash = engine.state_hash();
  EXPECT_EQ(engine.learn(first, {.reward = 0, .costs = {0.5}}).value(), LearnResult::kForgotten);
  EXPECT_EQ(engine.state().too_late, 1);
  EXPECT_EQ(engine.state_hash(), hash);
  EXPECT_EQ(engine.learn(second, {.reward = 0, .costs = {0.5}}).value(), LearnResult::kLate);
  EXPECT_EQ(engine.state().budgets[0].spent, 1'500'000);
}

// A random life; its records and any of its snapshots give the same hash.
TEST(RulesChangesWhileItRuns, EveryChangeIsARecord) {
  Budget user = dollars("user", 2, Window::ticks(40));
  user.scope = "user";
  Budget month = dollars("month", 30, Window::month("America/New_York"));
  month.carry = true;
  EngineOptions options = with({user, month, dollars("rolling", 9, Window::rolling(100))});
  options.expire_after = 30;
  options.remember = 40;
  options.most_keys = 6;
  Engine engine = small_engine(options);
  Life life;
  std::vector<std::uint64_t> ids;
  Rng rng(5);
  std::int64_t now = 1'700'000'000;
  engine.tick(now).check();
  life.note(engine);
  for (int step = 0; step < 2000; ++step) {
    const std::string key = std::to_string(rng.below(9));
    const Scope scopes[] = {{"user", key}};
    const std::vector<double> x = context_of(rng.counter() % 8);
    const double roll = rng.uniform();
    if (roll < 0.45) {
      if (auto ticket = engine.decide({.actions = 3, .context = x}, {.scopes = scopes})) {
        ids.push_back(ticket.value().id);
      }
    } else if (roll < 0.75 && !ids.empty()) {
      const auto which = static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(ids.size())));
      static_cast<void>(engine.learn(ids[which], {.reward = 0.5, .costs = {rng.uniform()}}));
    } else if (roll < 0.8 && !ids.empty()) {
      static_cast<void>(engine.cancel(ids.back()));
    } else if (roll < 0.98) {
      engine.tick(now += rng.below(20) == 0 ? rng.below(4'000'000) : rng.below(9)).check();
    } else {
      static_cast<void>(engine.top_up("user", 0.5, scopes));
    }
    life.note(engine);
    if (step % 400 == 200) life.snapshot(engine);
  }
  EXPECT_GT(engine.state().budgets[0].window, 3);
  EXPECT_EQ(life.replay(small_engine(options)), engine.state_hash());
  for (std::size_t n = 0; n < life.snapshots(); ++n) {
    EXPECT_EQ(life.replay_from(n), engine.state_hash()) << "from snapshot " << n;
  }
}

}  // namespace
}  // namespace rein
