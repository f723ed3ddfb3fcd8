// Hard budgets with hold=quantile(q): less is held, one reserve covers a bill above its hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>

#include "engine/small.h"
#include "rein/result.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

constexpr double kQuantile = 0.9;

// One action, whose largest cost is 1: what is left of the budget says how many may be open.
EngineOptions one_budget(double amount, double quantile) {
  EngineOptions options{.seed = 3, .most_open = 1000};
  options.budgets = {{.name = "all", .cost = "dollars", .amount = amount, .kind = BudgetKind::kHard, .rounds = 100'000}};
  options.budgets[0].hold_quantile = quantile;
  return options;
}

Engine one_action(double amount, double quantile, const char* policy = "uniform") {
  const Shape shape{.actions = 1, .context = 0, .costs = {{.name = "dollars", .range = {0.0, 1.0}}}};
  return Engine::make(policy, shape, one_budget(amount, quantile)).value();
}

Result<Engine::Decision> decide_one(Engine& engine) { return engine.decide({.actions = 1}); }

// Bills of 0.001 to 0.009, whose 0.9 quantile is 0.009.
void teach(Engine& engine, int bills = 200) {
  for (int n = 0; n < bills; ++n) {
    const std::uint64_t id = decide_one(engine).value().id;
    engine.learn(id, {.reward = 0.0, .costs = {0.001 * (1 + n % 9)}}).check();
  }
}

int open_until_refused(Engine& engine, int most = 900) {
  int count = 0;
  while (count < most && decide_one(engine)) ++count;
  return count;
}

TEST(LearnedHolds, ManyMoreDecisionsAreOpenThanWithTheLargestCost) {
  Engine exact = one_action(5.0, 0.0), learned = one_action(5.0, kQuantile);
  teach(exact);
  teach(learned);
  EXPECT_LE(open_until_refused(exact), 4);
  EXPECT_GT(open_until_refused(learned), 300);
  const BudgetState state = learned.state().budgets[0];
  EXPECT_LE(state.spent + state.held + state.reserve, state.limit);
  EXPECT_GT(state.reserve, 980'000) << "the largest cost less the hold of one decision";
}

TEST(LearnedHolds, TheLargestCostIsHeldWhileLittleIsKnown) {
  Engine engine = one_action(5.0, kQuantile);
  teach(engine, 8);
  decide_one(engine).value();
  EXPECT_EQ(engine.state().budgets[0].held, 1'000'000);
  EXPECT_EQ(engine.state().budgets[0].reserve, 0);
}

TEST(LearnedHolds, ABillAboveItsHoldIsBookedAndCountedAndTheReserveCoversIt) {
  Engine engine = one_action(2.0, kQuantile);
  teach(engine, 20);
  std::vector<std::uint64_t> ids;
  while (const auto made = decide_one(engine)) ids.push_back(made.value().id);
  ASSERT_GT(ids.size(), 50U);
  engine.learn(ids[7], {.reward = 0.0, .costs = {1.0}}).check();  // the most that it can cost
  BudgetState state = engine.state().budgets[0];
  EXPECT_EQ(state.passed_holds, 1);
  EXPECT_EQ(state.over_holds, 0) << "it was not above the largest cost";
  EXPECT_LE(state.spent + state.held, state.limit) << "the reserve covered it";
  const auto refused = decide_one(engine);
  ASSERT_FALSE(refused) << "no new decision until there is money for the reserve";
  EXPECT_EQ(refused.reason(), Reason::kBudget);
  for (std::uint64_t id : ids) {
    if (id != ids[7]) engine.learn(id, {.reward = 0.0, .costs = {0.0}}).check();
  }
  EXPECT_EQ(engine.state().budgets[0].reserve, 0);
}

// The theorem of docs/holds.md: spent + held exceeds the limit by no more than the excesses of the bills that
// pass while an earlier pass is not made good.
TEST(LearnedHolds, TheCapIsExceededByNoMoreThanTheBillsThatPassTogether) {
  for (std::uint64_t seed = 1; seed <= (sanitized() ? 3U : 20U); ++seed) {
    Engine engine = one_action(30.0, kQuantile, "ccb");
    Rng rng(seed);
    std::deque<std::uint64_t> open;
    double clashes = 0.0;  // excess of bills that passed while no reserve was left for them
    double spent = 0.0;
    for (int n = 0; n < 4000; ++n) {
      if (const auto made = decide_one(engine); made && rng.uniform() < 0.9) open.push_back(made.value().id);
      else if (made) engine.cancel(made.value().id).check();
      while (open.size() > 40 || (!open.empty() && rng.uniform() < 0.4)) {
        const auto which = static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(open.size())));
        const DecideRecord record = *engine.open_record(open[which]).value();
        const double bill = rng.uniform() < 0.03 ? rng.uniform() : 0.004 * rng.uniform();
        const BudgetState before = engine.state().budgets[0];
        const double hold = static_cast<double>(record.holds[0].hold) / 1e9;  // coins
        const bool covered = before.spent + before.held + before.reserve <= before.limit;
        engine.learn(open[which], {.reward = rng.uniform(), .costs = {bill}}).check();
        if (!covered) clashes += std::max(0.0, bill - hold);
        spent += bill;
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
        const BudgetState after = engine.state().budgets[0];
        const double used = static_cast<double>(after.spent + after.held) / 1e6;
        ASSERT_LE(used, 30.0 + clashes + 1e-3);
      }
    }
    EXPECT_NEAR(static_cast<double>(engine.state().budgets[0].spent) / 1e6, spent, 0.01);
    EXPECT_GT(engine.state().budgets[0].passed_holds, 10);
  }
}

TEST(LearnedHolds, FollowTheContextWhereThePolicyEstimatesCosts) {
  const Shape shape{.actions = 1, .context = 2, .costs = {{.name = "dollars", .range = {0.0, 1.0}}}};
  Engine engine = Engine::make("ccb", shape, one_budget(1e4, kQuantile)).value();
  Rng rng(9);
  for (int n = 0; n < 3000; ++n) {
    const double length = rng.uniform();
    const std::uint64_t id = engine.decide({.actions = 1, .context = std::vector<double>{1.0, length}}).value().id;
    engine.learn(id, {.reward = rng.uniform(), .costs = {0.3 * length * (0.8 + 0.4 * rng.uniform())}}).check();
  }
  const auto held = [&](double length) {
    const std::uint64_t id = engine.decide({.actions = 1, .context = std::vector<double>{1.0, length}}).value().id;
    const double hold = static_cast<double>(engine.open_record(id).value()->holds[0].hold) / 1e6;
    engine.cancel(id).check();
    return hold;
  };
  EXPECT_LT(held(0.1), 0.15);
  EXPECT_GT(held(1.0), 0.28);
  EXPECT_LT(held(1.0), 0.6);
}

TEST(LearnedHolds, WhatTheCallerSaysForThisDecisionIsNeverExceeded) {
  Engine engine = one_action(5.0, kQuantile);
  teach(engine);
  const std::vector<double> most = {0.002};
  const std::uint64_t id = engine.decide({.actions = 1}, {.largest_costs = most}).value().id;
  EXPECT_LE(engine.open_record(id).value()->holds[0].hold, 20'000'000) << "coins of 10^-10";
}

// Records, snapshots and every way in which a decision ends.
TEST(LearnedHolds, AFoldOfTheRecordsAndOfASnapshotGivesTheSameState) {
  EngineOptions options = one_budget(80.0, kQuantile);
  options.expire_after = 30;
  options.budgets.push_back({.name = "user", .cost = "dollars", .amount = 15.0, .kind = BudgetKind::kHard,
                             .window = Window::ticks(100), .scope = "user"});
  options.budgets.back().hold_quantile = kQuantile;
  const Shape shape{.actions = 2, .context = 1, .costs = {{.name = "dollars", .range = {0.0, 1.0}}}};
  const auto make = [&] { return Engine::make("ccb", shape, options).value(); };
  Engine engine = make(), other = make();
  std::vector<std::string> records;
  std::string half;
  const auto note = [&] {
    if (!engine.record().empty()) records.emplace_back(engine.record());
  };
  Rng rng(4);
  std::deque<std::uint64_t> open;
  for (int n = 0; n < 1500; ++n) {
    const std::string user = "u" + std::to_string(rng.below(5));
    const std::vector<Scope> scopes = {{"user", user}};
    const std::vector<double> x = {rng.uniform()};
    if (const auto made = engine.decide({.actions = 2, .context = x}, {.scopes = scopes})) {
      open.push_back(made.value().id);
      note();
    }
    while (open.size() > 8) {
      const double u = rng.uniform();
      if (u < 0.8) {
        engine.learn(open.front(), {.reward = u, .costs = {u < 0.02 ? 0.9 : 0.01 * u}}).check();
        note();
      } else if (u < 0.9 && engine.cancel(open.front())) {
        note();
      }  // the others expire
      open.pop_front();
    }
    engine.tick(n / 2).check();
    note();
    if (n == 700) half = engine.snapshot();
    if (n == 700) records.emplace_back("half");
  }
  for (const std::string& record : records) {
    if (record == "half") {
      ASSERT_EQ(other.snapshot(), half);
      other = Engine::restore(half).value();
      continue;
    }
    const auto folded = other.fold(record);
    ASSERT_TRUE(folded) << folded.error();
  }
  EXPECT_EQ(other.state_hash(), engine.state_hash());
  EXPECT_EQ(Engine::restore(engine.snapshot()).value().state_hash(), engine.state_hash());
  EXPECT_GT(engine.state().budgets[0].passed_holds, 0);
}

TEST(LearnedHolds, ForgedRecordsAreRefused) {
  Engine engine = one_action(5.0, kQuantile);
  teach(engine);
  Scratch scratch;
  DecideRecord record;
  engine.choose({.actions = 1}, scratch, record).check();
  record.holds.push_back({1, 1});
  EXPECT_FALSE(engine.fold(record)) << "two costs";
  record.holds.assign(1, {.hold = std::int64_t{1} << 60, .base = 1});
  ASSERT_TRUE(engine.fold(record)) << "the largest cost is held";
  EXPECT_EQ(engine.state().budgets[0].held, 1'000'000);
}

TEST(LearnedHolds, WordsAreChecked) {
  EXPECT_EQ(parse_hold("largest").value(), 0.0);
  EXPECT_EQ(parse_hold("quantile(0.999)").value(), 0.999);
  for (const char* text : {"", "quantile", "quantile(0.5)", "quantile(1)", "quantile(0.99", "quantile(nan)"}) {
    EXPECT_THAT(parse_hold(text).error(), HasSubstr("accepted: largest")) << text;
  }
  const Budget budget = parse_budget("all(amount=5,cost=dollars,hard=1,hold=\"quantile(0.99)\")").value();
  EXPECT_EQ(budget.hold_quantile, 0.99);
  EXPECT_EQ(parse_budget(to_text(budget)).value(), budget);
  EngineOptions options = one_budget(1.0, 0.99);
  options.budgets[0].kind = BudgetKind::kSteer;
  const auto made = Engine::make("ccb", small_shape(), options);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error(), HasSubstr("hold=quantile(0.99) of a budget that steers"));
  options = one_budget(1.0, 0.99);
  options.budgets.push_back(options.budgets[0]);
  options.budgets[1].name = "other";
  options.budgets[1].hold_quantile = 0.999;
  EXPECT_THAT(Engine::make("ccb", small_shape(), options).error(), HasSubstr("one quantile per cost"));
}

}  // namespace
}  // namespace rein
