// A clock that was wrong is set back: windows are those of the right time, and no money is granted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/life.h"
#include "engine/windows.h"
#include "rein/rng.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kClockNow = 1'795'019'800, kClockYear = 31'536'000;

std::vector<Budget> all_budgets(bool carry) {
  std::vector<Budget> budgets;
  int n = 0;
  for (const Window& window :
       {Window::ticks(86'400), Window::ticks(7), Window::day("Europe/Berlin"), Window::week(),
        Window::month("America/New_York"), Window::rolling(86'400), Window::rounds(1000),
        Window::run()}) {
    for (const char* scope : {"", "tenant"}) {
      if (window.kind == Window::Kind::kRun && *scope != 0) continue;
      Budget budget = dollars("b" + std::to_string(n++), 8, window);
      budget.carry = carry && window.kind != Window::Kind::kRolling;
      budget.scope = scope;
      budgets.push_back(budget);
    }
  }
  return budgets;
}

const Scope kAcme[] = {{"tenant", "acme"}};

TEST(SetClock, OnlyToAnEarlierTime) {
  Engine engine = small_engine(with({dollars("day", 5, Window::day())}));
  engine.tick(kClockNow).check();
  EXPECT_THAT(engine.set_clock(kClockNow).error(), HasSubstr("tick() moves it forward"));
  EXPECT_FALSE(engine.set_clock(-1).ok());
  EXPECT_FALSE(engine.fold(ClockRecord{.now = kClockNow - 86'400}).ok()) << "without its window";
  engine.set_clock(kClockNow - 86'400).check();
  EXPECT_EQ(engine.state().now, kClockNow - 86'400);
  EXPECT_LE(engine.state().budgets[0].first, kClockNow - 86'400);
  EXPECT_GE(engine.state().budgets[0].last, kClockNow - 86'400);
}

TEST(SetClock, WhatWasSpentUnderTheWrongClockCountsInTheRightWindow) {
  Engine engine = small_engine(with({dollars("day", 5, Window::day())}));
  engine.tick(kClockNow).check();
  engine.learn(decided(engine), {.reward = 0, .costs = {1}}).check();
  engine.tick(kClockNow + 10 * kClockYear).check();
  engine.learn(decided(engine), {.reward = 0, .costs = {1}}).check();
  const std::uint64_t open = decided(engine);
  engine.set_clock(kClockNow + 60).check();
  EXPECT_EQ(engine.state().budgets[0].spent, 2'000'000);
  EXPECT_EQ(engine.state().budgets[0].held, 1'000'000);
  EXPECT_EQ(engine.state().budgets[0].limit, 5'000'000);
  EXPECT_EQ(fitting(engine), 2);
  engine.learn(open, {.reward = 0, .costs = {0.25}}).check();
  EXPECT_EQ(engine.state().budgets[0].spent, 2'250'000);
}

TEST(SetClock, CarryLosesTheWindowsThatNeverWere) {
  Budget budget = dollars("carried", 5, Window::ticks(100));
  budget.carry = true;
  Engine engine = small_engine(with({budget}));
  engine.tick(kClockNow).check();
  engine.learn(decided(engine), {.reward = 0, .costs = {1}}).check();
  engine.tick(kClockNow + 10 * kClockYear).check();
  engine.learn(decided(engine), {.reward = 0, .costs = {1}}).check();
  engine.set_clock(kClockNow + 1).check();
  EXPECT_EQ(fitting(engine), 3);
  engine.tick(kClockNow + 101).check();
  EXPECT_EQ(fitting(engine), 8);
}

// Random lives of which the clock is wrong for a time. Afterwards no account has more left than its
// amount, nor more than it had; every replay and every snapshot agrees.
TEST(SetClock, GrantsNoMoneyInAnyKindOfWindow) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng(seed, 3);
    EngineOptions options = with(all_budgets(seed % 2 == 0));
    options.most_keys = 3;
    options.expire_after = seed % 3 == 0 ? 500 : 0;
    Engine engine = small_engine(options);
    Life life;
    std::vector<std::uint64_t> ids;
    std::int64_t now = kClockNow + rng.below(kClockYear);
    const auto live = [&](int steps) {
      for (int step = 0; step < steps; ++step) {
        const std::vector<double> x = context_of(static_cast<std::uint64_t>(rng.below(8)));
        const std::int64_t roll = rng.below(10);
        if (roll < 4) {
          auto made = engine.decide({.actions = 3, .context = x}, {.scopes = kAcme});
          if (made) ids.push_back(made.value().id);
        } else if (roll < 8 && !ids.empty()) {
          const auto n = static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(ids.size())));
          static_cast<void>(engine.learn(ids[n], {.reward = 0, .costs = {rng.uniform()}}));
        } else {
          engine.tick(now += rng.below(4)).check();
        }
        life.note(engine);
      }
    };
    engine.tick(now).check();
    life.note(engine);
    live(30);
    const std::int64_t right = now;
    for (int jumps = 0; jumps < 1 + static_cast<int>(seed % 3); ++jumps) {
      engine.tick(now += 1 + rng.below(10 * kClockYear)).check();
      life.note(engine);
      live(20);
    }
    const auto before = engine.budgets(kAcme).value();
    now = right + rng.below(50);
    engine.set_clock(now).check();
    life.note(engine);
    const auto after = engine.budgets(kAcme).value();
    for (std::size_t i = 0; i < after.size(); ++i) {
      const std::int64_t left = after[i].limit - after[i].spent - after[i].held;
      const std::int64_t had = before[i].limit - before[i].spent - before[i].held;
      EXPECT_LE(left, had) << seed << " " << after[i].name;
      if (seed % 2 == 1) {
        EXPECT_LE(left, 8'000'000) << seed << " " << after[i].name;
      }
    }
    life.snapshot(engine);
    live(60);
    ASSERT_EQ(life.replay(small_engine(options)), engine.state_hash()) << seed;
    ASSERT_EQ(life.replay_from(0), engine.state_hash()) << seed;
  }
}

}  // namespace
}  // namespace rein
