// What `carry` adds: what closed windows left, since the model or the key was made, and nothing of the
// time before.
#include <gtest/gtest.h>

#include "engine/windows.h"

namespace rein {
namespace {

constexpr std::int64_t kNow = 1'795'019'800;  // in November 2026

Budget carried(double amount, Window window, std::string scope = "") {
  Budget budget = dollars("carried", amount, window);
  budget.carry = true;
  budget.scope = std::move(scope);
  return budget;
}

std::int64_t limit(const Engine& engine, std::span<const Scope> scopes = {}) {
  return engine.budgets(scopes).value()[0].limit;
}

TEST(Carry, GrantsOnlyWindowsSinceTheModelWasMade) {
  const Scope acme[] = {{"tenant", "acme"}};
  for (const Window& window :
       {Window::run(), Window::rounds(7), Window::ticks(1), Window::ticks(5), Window::ticks(86'400),
        Window::ticks(std::int64_t{1} << 40), Window::day("Europe/Berlin"), Window::week(),
        Window::month("America/New_York")}) {
    Engine engine = small_engine(with({carried(5, window)}));
    engine.tick(kNow).check();
    EXPECT_EQ(limit(engine), 5'000'000) << per_of(window);
    if (window.kind == Window::Kind::kRun) continue;
    Engine keyed = small_engine(with({carried(5, window, "tenant")}));
    keyed.tick(kNow).check();
    EXPECT_EQ(limit(keyed, acme), 5'000'000) << per_of(window);
  }
}

TEST(Carry, AllowsNoMoreDecisionsThanTheFirstWindowHasMoneyFor) {
  Engine engine = small_engine(with({carried(5, Window::ticks(86'400))}));
  engine.tick(kNow).check();
  EXPECT_EQ(fitting(engine), 5);
}

TEST(Carry, AddsEveryWindowOfAPause) {
  Engine engine = small_engine(with({carried(5, Window::ticks(100))}));
  engine.tick(kNow).check();
  engine.learn(decided(engine), {.reward = 0, .costs = {1}}).check();
  engine.tick(kNow + 100'000).check();  // 1000 windows
  EXPECT_EQ(limit(engine), 5'004'000'000);
}

TEST(Carry, WhatWasToppedUpBeforeTheFirstTickStays) {
  Engine engine = small_engine(with({carried(5, Window::ticks(60))}));
  engine.top_up("carried", 2).check();
  engine.set_amount("carried", 3).check();
  engine.tick(kNow).check();
  EXPECT_EQ(limit(engine), 5'000'000);
  engine.tick(kNow + 60).check();
  EXPECT_EQ(limit(engine), 8'000'000);
}

TEST(Carry, ADecisionAtTickZeroBeginsTheTime) {
  Engine engine = small_engine(with({carried(5, Window::ticks(10))}));
  engine.learn(decided(engine), {.reward = 0, .costs = {1}}).check();
  engine.tick(30).check();
  EXPECT_EQ(limit(engine), 19'000'000);
}

TEST(Carry, AKeyThatLeavesAndComesAgainBeginsAnew) {
  EngineOptions options = with({carried(5, Window::ticks(10), "tenant")});
  options.most_keys = 1;
  Engine engine = small_engine(options);
  engine.tick(kNow).check();
  const Scope acme[] = {{"tenant", "acme"}}, other[] = {{"tenant", "other"}};
  const std::vector<double> x = context_of(0);
  const auto cancelled = [&](std::span<const Scope> who) {
    engine.cancel(engine.decide({.actions = 3, .context = x}, {.scopes = who}).value().id).check();
  };
  cancelled(acme);
  engine.tick(kNow + 50).check();
  EXPECT_EQ(limit(engine, acme), 30'000'000);
  cancelled(other);
  EXPECT_EQ(limit(engine, other), 5'000'000);
  EXPECT_EQ(limit(engine, acme), 5'000'000);
  engine.tick(kNow + 60).check();
  cancelled(acme);
  EXPECT_EQ(limit(engine, acme), 5'000'000);
}

}  // namespace
}  // namespace rein
