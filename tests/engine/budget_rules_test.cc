// Rules of docs/budgets.md about windows, scopes and changes, one test each, named after the rule
// (tests/rules_test.py). Rules whose tests are longer are in the files beside this one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "allocations.h"
#include "engine/small.h"
#include "engine/windows.h"
#include "money/budgets.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

void spend(Engine& engine, double cost, std::span<const Scope> scopes = {}) {
  const std::vector<double> x = context_of(0);
  const std::uint64_t id =
      engine.decide({.actions = 3, .context = x}, {.scopes = scopes}).value().id;
  engine.learn(id, {.reward = 0, .costs = {cost}}).check();
}

Engine one(const Budget& budget, int most_keys = 100) {
  EngineOptions options = with({budget});
  options.most_keys = most_keys;
  return small_engine(options);
}

Budget per_user(double amount, Window window, BudgetKind kind = BudgetKind::kHard) {
  Budget budget = dollars("each", amount, std::move(window));
  budget.kind = kind;
  budget.scope = "user";
  return budget;
}

TEST(RulesWindows, PerRun) {
  Engine engine = one(dollars("all", 3, Window::run()));
  for (int n = 0; n < 3; ++n) {
    EXPECT_EQ(fitting(engine), 3 - n);
    spend(engine, 1.0);
    engine.tick(1'000'000 * (n + 1)).check();
  }
  EXPECT_EQ(fitting(engine), 0);
  EXPECT_EQ(engine.state().budgets[0].window, 0);
}

TEST(RulesWindows, Per3600Ticks) {
  Engine engine = one(dollars("hour", 2, Window::ticks(3600)));
  for (int n = 0; n < 2; ++n) spend(engine, 1.0);
  engine.tick(3599).check();
  EXPECT_EQ(fitting(engine), 0);
  engine.tick(3600).check();
  EXPECT_EQ(fitting(engine), 2);
  engine.tick(3600 * 9 + 1).check();
  EXPECT_EQ(engine.state().budgets[0].window, 9);
  EXPECT_EQ(engine.state().budgets[0].first, 3600 * 9);
}

TEST(RulesWindows, PerLast3600Ticks) {
  Engine engine = one(dollars("hour", 2, Window::rolling(3600)));
  engine.tick(100).check();
  spend(engine, 1.0);
  engine.tick(2000).check();
  spend(engine, 1.0);
  engine.tick(100 + 3599).check();
  EXPECT_EQ(fitting(engine), 0) << "both are among the last 3600 ticks";
  engine.tick(100 + 3600 + 3600 / 63).check();
  EXPECT_EQ(fitting(engine), 1) << "the first has left, one bucket later at most";
}

TEST(RulesWindows, ARollingWindow) {
  constexpr std::int64_t kLength = 1000;
  for (const bool keyed : {false, true}) {
    Budget budget = keyed ? per_user(1e6, Window::rolling(kLength))
                          : dollars("last", 1e6, Window::rolling(kLength));
    Engine engine = one(budget);
    const std::int64_t too_long = kLength / (keyed ? 7 : 63) + 1;
    const Scope user[] = {{"user", "u"}};
    const auto scopes = keyed ? std::span<const Scope>(user) : std::span<const Scope>();
    std::deque<std::pair<std::int64_t, std::int64_t>> spent;  // when, micro-units
    Rng rng(3);
    std::int64_t now = 0;
    for (int n = 0; n < 2000; ++n) {
      engine.tick(now += rng.below(12)).check();
      const std::int64_t micros = rng.below(1'000'000);
      spend(engine, static_cast<double>(micros) / 1e6, scopes);
      spent.emplace_back(now, micros);
      std::int64_t least = 0, most = 0;
      for (const auto& [when, amount] : spent) {
        if (when > now - kLength) least += amount;
        if (when > now - kLength - too_long) most += amount;
      }
      const std::int64_t counted = engine.budgets(scopes).value()[0].spent;
      ASSERT_GE(counted, least) << "never too little";
      ASSERT_LE(counted, most) << "at most one bucket too much";
      while (spent.front().first < now - 2 * kLength) spent.pop_front();
    }
  }
}

TEST(RulesWindows, MoneyBelongsToTheWindowOfItsDecision) {
  Engine engine = one(dollars("day", 2, Window::ticks(10)));
  const std::uint64_t early = decided(engine), late = decided(engine);
  EXPECT_EQ(fitting(engine), 0);
  engine.learn(early, {.reward = 0, .costs = {1}}).check();
  engine.tick(10).check();
  EXPECT_EQ(fitting(engine), 2);
  engine.learn(late, {.reward = 0, .costs = {1}}).check();
  EXPECT_EQ(engine.state().budgets[0].spent, 0) << "it corrects the first day";
  EXPECT_EQ(fitting(engine), 2);
  EXPECT_EQ(engine.state().billed[0], 2.0);
  const std::uint64_t old = decided(engine);
  engine.tick(10 * 20).check();  // more windows than are remembered
  engine.learn(old, {.reward = 0, .costs = {1}}).check();
  EXPECT_EQ(engine.state().budgets[0].spent, 0);
  EXPECT_EQ(engine.state().billed[0], 3.0) << "it counts in the total only";
}

TEST(RulesWindows, CarryTrue) {
  Budget day = dollars("day", 3, Window::ticks(10));
  day.carry = true;
  Engine engine = one(day);
  spend(engine, 1.0);
  const std::uint64_t open = decided(engine);
  engine.tick(10).check();
  EXPECT_EQ(engine.state().budgets[0].limit, 4'000'000) << "3, and 3 - 1 spent - 1 held";
  engine.cancel(open).check();
  EXPECT_EQ(engine.state().budgets[0].limit, 5'000'000) << "what the hold freed";
  engine.tick(30).check();
  EXPECT_EQ(engine.state().budgets[0].limit, 11'000'000) << "and a window without decisions";
  spend(engine, 13.0);  // a bill above its hold
  engine.tick(40).check();
  EXPECT_EQ(engine.state().budgets[0].limit, 1'000'000) << "debts carry over";
}

TEST(RulesWindows, TheClockNeverGoesBack) {
  Engine engine = one(dollars("day", 3, Window::ticks(10)));
  engine.tick(25).check();
  EXPECT_THAT(engine.tick(24).error(), HasSubstr("the clock never goes back"));
  EXPECT_EQ(engine.state().now, 25);
  engine.tick(25).check();
}

TEST(RulesScopes, KeysLeave) {
  const Scope a[] = {{"user", "a"}}, b[] = {{"user", "b"}}, c[] = {{"user", "c"}};
  Engine engine = one(per_user(2, Window::ticks(10)), 2);
  spend(engine, 1.0, a);
  spend(engine, 1.0, b);
  const std::vector<double> x = context_of(0);
  EXPECT_EQ(engine.decide({.actions = 3, .context = x}, {.scopes = c}).reason(), Reason::kFull)
      << "both have spent in the open window";
  engine.tick(10).check();
  const std::uint64_t open = engine.decide({.actions = 3, .context = x}, {.scopes = a}).value().id;
  spend(engine, 0.5, c);
  EXPECT_EQ(engine.budgets(a).value()[0].held, 1'000'000) << "it has an open decision";
  EXPECT_EQ(engine.decide({.actions = 3, .context = x}, {.scopes = b}).reason(), Reason::kFull)
      << "b has left, and the others are busy";
  engine.cancel(open).check();
  spend(engine, 0.0, b);
  EXPECT_EQ(engine.budgets(c).value()[0].spent, 500'000) << "a made room, used least recently";
}

TEST(RulesScopes, AHardBudgetPerKeyOverTheWholeRunIsRefused) {
  EXPECT_THAT(Engine::make(kSmallPolicy, small_shape(), with({per_user(2, Window::run())})).error(),
              HasSubstr("would keep every key for ever; accepted: a window, or kind steer"));
}

TEST(RulesScopes, Memory) {
  EXPECT_EQ(sizeof(Period), 64U);
  EXPECT_EQ(Budgets::kKeptPerKey, 2);
  EXPECT_EQ(Arrivals::kBytesPerKey, 24);
  constexpr int kKeys = 1 << 15;
  EngineOptions options = with({per_user(2, Window::ticks(10))});
  options.most_keys = kKeys;
  options.remember = 1;
  Engine engine = small_engine(options);
  const long before = allocated_bytes;
  for (int n = 0; n < kKeys; ++n) {
    const std::string name = std::to_string(n);
    const Scope scopes[] = {{"user", name}};
    spend(engine, 0.5, scopes);
  }
  // Vectors double as they grow, so in all they ask for twice what they hold. The table of keys was
  // there before.
  const double per_key = static_cast<double>(allocated_bytes - before) / kKeys / 2.0;
  EXPECT_NEAR(per_key, 200.0, 10.0);
}

TEST(RulesScopes, KeysAreStoredAsDigests) {
  EngineOptions options = with({per_user(2, Window::ticks(10))});
  const auto life = [&] {
    Engine engine = small_engine(options);
    const Scope scopes[] = {{"user", "ada.lovelace@example.org"}};
    const std::vector<double> x = context_of(0);
    engine.decide({.actions = 3, .context = x}, {.scopes = scopes}).check();
    return std::string(engine.record()) + engine.snapshot();
  };
  EXPECT_EQ(life().find("lovelace"), std::string::npos);
  const KeyDigest digest = digest_of("u7", 1);
  EXPECT_NE(digest, digest_of("u7", 2)) << "it depends on the secret";
  EXPECT_NE(digest, digest_of("u8", 1));
}

TEST(RulesChangesWhileItRuns, AgentTopUp) {
  Engine engine = one(dollars("day", 1, Window::ticks(10)));
  engine.top_up("day", 2).check();
  EXPECT_EQ(fitting(engine), 3);
  engine.tick(10).check();
  EXPECT_EQ(fitting(engine), 1) << "the open window only";
  Engine keyed = one(per_user(1, Window::ticks(10)));
  const Scope a[] = {{"user", "a"}}, b[] = {{"user", "b"}};
  keyed.top_up("each", 2, a).check();
  EXPECT_EQ(fitting(keyed, a), 3);
  EXPECT_EQ(fitting(keyed, b), 1);
}

TEST(RulesChangesWhileItRuns, AgentSetAmount) {
  Engine engine = one(dollars("day", 3, Window::ticks(10)));
  for (int n = 0; n < 2; ++n) spend(engine, 1.0);
  engine.set_amount("day", 5).check();
  EXPECT_EQ(fitting(engine), 3);
  engine.set_amount("day", 1).check();
  EXPECT_EQ(fitting(engine), 0) << "more was spent";
  engine.tick(10).check();
  EXPECT_EQ(fitting(engine), 1) << "and in later windows";
}

TEST(RulesChangesWhileItRuns, AgentBeginWindow) {
  for (const Window& window : {Window::run(), Window::rounds(50), Window::ticks(50)}) {
    Engine engine = one(dollars("all", 1, window));
    engine.tick(7).check();
    spend(engine, 1.0);
    EXPECT_EQ(fitting(engine), 0);
    engine.begin_window("all").check();
    EXPECT_EQ(fitting(engine), 1);
    EXPECT_EQ(engine.state().budgets[0].window, 1);
  }
  Engine engine = one(dollars("all", 1, Window::rolling(50)));
  EXPECT_THAT(engine.begin_window("all").error(), HasSubstr("its windows begin by the clock"));
}

TEST(RulesChangesWhileItRuns, ABudgetInThePolicysSpecCannotBeChanged) {
  Engine engine = small_engine();  // ccb(budget=100,...)
  const std::uint64_t hash = engine.state_hash();
  for (const auto& refused : {engine.set_amount("dollars", 5), engine.top_up("dollars", 5),
                              engine.begin_window("dollars")}) {
    EXPECT_THAT(refused.error(), HasSubstr("the budget is in the policy's spec, which cannot be "
                                           "changed while it runs; accepted: a Budget of the "
                                           "engine instead (in Python rein.Budget)"));
  }
  EXPECT_EQ(engine.state_hash(), hash);
  EXPECT_TRUE(engine.record().empty());
}

}  // namespace
}  // namespace rein
