// Which keys of a budget may be forgotten, and when a new one that finds no place may come again.
#include <gtest/gtest.h>

#include "engine/windows.h"

namespace rein {
namespace {

Budget per_tenant(double amount, Window window, bool carry = false, bool hard = true) {
  Budget budget = dollars("each", amount, std::move(window));
  budget.scope = "tenant";
  budget.carry = carry;
  budget.kind = hard ? BudgetKind::kHard : BudgetKind::kSteer;
  return budget;
}

Engine with_keys(const std::vector<Budget>& budgets, int most_keys, std::int64_t expire_after = 0) {
  EngineOptions options = with(budgets);
  options.most_keys = most_keys;
  options.expire_after = expire_after;
  return small_engine(options);
}

Result<Engine::Decision> decide_for(Engine& engine, const std::string& tenant) {
  const Scope who[] = {{"tenant", tenant}};
  const std::vector<double> x = context_of(0);
  return engine.decide({.actions = 3, .context = x}, {.scopes = who});
}

void spend_by(Engine& engine, const std::string& tenant, double cost) {
  const std::uint64_t id = decide_for(engine, tenant).value().id;
  engine.learn(id, {.reward = 0, .costs = {cost}}).check();
}

void top_up_for(Engine& engine, const std::string& tenant, double amount) {
  const Scope who[] = {{"tenant", tenant}};
  engine.top_up("each", amount, who).check();
}

std::int64_t left_of(const Engine& engine, const std::string& tenant) {
  const Scope who[] = {{"tenant", tenant}};
  const BudgetState state = engine.budgets(who).value()[0];
  return state.limit - state.spent - state.held;
}

std::int64_t room_for(const Engine& engine, const std::string& tenant) {
  const Scope who[] = {{"tenant", tenant}};
  return engine.room_at(who);
}

// A top-up of an idle key is not forgotten before its window ends.
TEST(RulesScopes, KeysStay) {
  for (const bool rolling : {false, true}) {
    Engine engine =
        with_keys({per_tenant(2, rolling ? Window::rolling(70) : Window::ticks(100))}, 1);
    engine.tick(50).check();
    top_up_for(engine, "acme", 3);
    EXPECT_EQ(decide_for(engine, "other").reason(), Reason::kFull);
    EXPECT_EQ(left_of(engine, "acme"), 5'000'000);
    engine.tick(150).check();
    EXPECT_TRUE(decide_for(engine, "other").ok()) << "the top-up was for the window that ended";
  }
}

TEST(KeysStay, ATopUpThatIsCarriedStaysUntilAsMuchWasSpent) {
  Engine engine = with_keys({per_tenant(2, Window::ticks(100), true)}, 1);
  engine.tick(50).check();
  top_up_for(engine, "acme", 3);
  engine.tick(150).check();
  EXPECT_EQ(decide_for(engine, "other").reason(), Reason::kFull);
  for (int n = 0; n < 2; ++n) spend_by(engine, "acme", 1.0);
  engine.tick(250).check();
  EXPECT_EQ(decide_for(engine, "other").reason(), Reason::kFull) << "one of three is left";
  spend_by(engine, "acme", 1.0);
  EXPECT_EQ(decide_for(engine, "other").reason(), Reason::kFull) << "spent in the open window";
  engine.tick(350).check();
  EXPECT_TRUE(decide_for(engine, "other").ok()) << "what is left was carried, not topped up";
}

TEST(KeysStay, ATopUpOfASteeredBudgetStaysUntilItIsSpent) {
  EngineOptions options = with({per_tenant(2, Window::ticks(100), false, false)});
  options.most_keys = 1;
  Engine engine = Engine::make("ccb", small_shape(), options).value();
  top_up_for(engine, "acme", 1);
  spend_by(engine, "acme", 0.75);
  EXPECT_EQ(decide_for(engine, "other").reason(), Reason::kFull);
  spend_by(engine, "acme", 0.5);
  EXPECT_TRUE(decide_for(engine, "other").ok()) << "a new key would have more";
}

TEST(KeysStay, WhatWasTakenFromAHardBudgetIsNotForgottenEither) {
  Engine engine = with_keys({per_tenant(2, Window::ticks(100))}, 1);
  top_up_for(engine, "acme", -1);
  EXPECT_EQ(decide_for(engine, "other").reason(), Reason::kFull);
  EXPECT_EQ(left_of(engine, "acme"), 1'000'000);
}

TEST(KeysStay, ATopUpOfANewKeyNeedsAPlaceToo) {
  Engine engine = with_keys({per_tenant(2, Window::ticks(100))}, 1);
  spend_by(engine, "acme", 1.0);
  const Scope who[] = {{"tenant", "other"}};
  const auto refused = engine.top_up("each", 1, who);
  EXPECT_EQ(refused.reason(), Reason::kFull);
  EXPECT_NE(refused.error().find("more places (most_keys), or budgets with shorter windows"),
            std::string::npos)
      << refused.error();
  EXPECT_EQ(engine.room_at(who), 100);
}

// Whatever frees a key, the next call sees it, however many were refused before.
TEST(KeysStay, AKeyThatIsFreedMakesRoomAfterRefusals) {
  for (const int way : {0, 1, 2, 3, 4}) {
    Engine engine =
        with_keys({per_tenant(2, way == 4 ? Window::rolling(100) : Window::ticks(100))}, 2);
    engine.tick(10).check();
    const std::uint64_t a = decide_for(engine, "a").value().id;
    const std::uint64_t b = decide_for(engine, "b").value().id;
    for (int n = 0; n < 3; ++n) EXPECT_EQ(decide_for(engine, "c").reason(), Reason::kFull);
    if (way == 0) engine.cancel(a).check();
    if (way == 1) engine.learn(b, {.reward = 0, .costs = {0}}).check();
    if (way >= 2) engine.learn(a, {.reward = 0, .costs = {1}}).check();
    if (way == 2) engine.tick(110).check();
    if (way == 3) {
      EXPECT_EQ(decide_for(engine, "c").reason(), Reason::kFull) << "spent in the open window";
      engine.begin_window("each").check();
    }
    if (way == 4) engine.tick(300).check();
    EXPECT_TRUE(decide_for(engine, "c").ok()) << way;
  }
}

TEST(KeysStay, ALateBillOfNothingFreesItsKey) {
  Engine engine = with_keys({per_tenant(2, Window::ticks(100))}, 1, 5);
  const std::uint64_t id = decide_for(engine, "a").value().id;
  engine.tick(10).check();
  EXPECT_EQ(decide_for(engine, "b").reason(), Reason::kFull) << "its hold counts as spent";
  engine.learn(id, {.reward = kMissing, .costs = {0}}).check();
  EXPECT_TRUE(decide_for(engine, "b").ok());
}

TEST(KeysStay, TheKeyThatIsFreeForLongestLeaves) {
  Engine engine = with_keys({per_tenant(2, Window::ticks(100))}, 3);
  for (const char* tenant : {"a", "b", "c"}) spend_by(engine, tenant, 0.5);
  spend_by(engine, "a", 0.5);
  engine.tick(100).check();
  EXPECT_EQ(engine.state().keys[0].keys, 3);
  spend_by(engine, "d", 0.25);  // in the place of b
  spend_by(engine, "e", 0.25);  // of c
  engine.set_amount("each", 1).check();
  EXPECT_TRUE(decide_for(engine, "f").ok()) << "a was the last that was used, and leaves last";
  EXPECT_EQ(decide_for(engine, "g").reason(), Reason::kFull);
}

// The next place is free when a window ends or a decision expires.
TEST(RulesScopes, IfAllKeysMustStay) {
  Engine hour = with_keys({per_tenant(2, Window::ticks(100))}, 1, 20);
  hour.tick(30).check();
  EXPECT_EQ(room_for(hour, "b"), 30) << "there is room";
  const std::uint64_t id = decide_for(hour, "a").value().id;
  EXPECT_EQ(room_for(hour, "b"), 51) << "the decision expires";
  hour.learn(id, {.reward = 0, .costs = {1}}).check();
  EXPECT_EQ(room_for(hour, "b"), 100) << "the window ends";
  EXPECT_EQ(room_for(hour, "a"), 30);
  for (std::int64_t tick = 31; tick < 100; ++tick) {
    hour.tick(tick).check();
    ASSERT_EQ(decide_for(hour, "b").reason(), Reason::kFull) << tick;
  }
  hour.tick(100).check();
  EXPECT_TRUE(decide_for(hour, "b").ok());

  Engine rolling = with_keys({per_tenant(2, Window::rolling(70))}, 1);
  rolling.tick(33).check();
  spend_by(rolling, "a", 1.0);
  const std::int64_t at = room_for(rolling, "b");
  rolling.tick(at - 1).check();
  EXPECT_EQ(decide_for(rolling, "b").reason(), Reason::kFull);
  rolling.tick(at).check();
  EXPECT_TRUE(decide_for(rolling, "b").ok()) << at;

  Engine rounds = with_keys({per_tenant(2, Window::rounds(10))}, 1);
  spend_by(rounds, "a", 1.0);
  EXPECT_EQ(room_for(rounds, "b"), -1) << "nobody knows when decisions come";
}

TEST(KeysStay, ARefusedCallChangesNothing) {
  Engine engine = with_keys({per_tenant(2, Window::ticks(100))}, 1);
  decide_for(engine, "a").check();
  const std::uint64_t hash = engine.state_hash();
  for (int n = 0; n < 3; ++n) EXPECT_EQ(decide_for(engine, "c").reason(), Reason::kFull);
  EXPECT_EQ(engine.state_hash(), hash);
  EXPECT_EQ(Engine::restore(engine.snapshot()).value().state_hash(), hash);
}

}  // namespace
}  // namespace rein
