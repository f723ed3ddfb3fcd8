// Budgets that steer: the price follows the tightest that applies. Tests of a suite Rules... are named
// after a rule of docs/budgets.md (tests/rules_test.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/life.h"
#include "engine/shop.h"
#include "engine/small.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

// The share of a day at which its n-th of `all` decisions comes: few at night, many at noon.
double time_of(int n, int all) {
  const double share = (n + 0.5) / all;
  double low = 0.0, high = 1.0;
  for (int k = 0; k < 40; ++k) {
    const double t = 0.5 * (low + high);
    (t - 0.9 * std::sin(2.0 * M_PI * t) / (2.0 * M_PI) < share ? low : high) = t;
  }
  return low;
}

constexpr std::int64_t kDay = 86400;

TEST(Steer, CouponsByTheDayForThirtyDaysAreSpentByTheEveningWithinOnePercent) {
  Engine engine = made({steer("day", 400, Window::day())});
  Shop shop;
  double all = 0.0;
  for (int day = 0; day < 30; ++day) {
    double spent = 0.0;
    for (int n = 0; n < 1000; ++n) {
      engine.tick(static_cast<std::int64_t>((day + time_of(n, 1000)) * kDay)).check();
      spent += shop.play(engine);
    }
    EXPECT_NEAR(spent, 400, day == 0 ? 30 : 20) << "day " << day;  // on the first day prices are unknown
    all += spent;
  }
  EXPECT_NEAR(all / 30, 400, 4);
}

TEST(Steer, AQuietNightAndABusyNoonSpendByPlan) {
  Engine engine = made({steer("day", 400, Window::day())});
  Shop shop;
  std::array<double, 2> spent{}, count{};  // at night, at noon
  for (int day = 0; day < 12; ++day) {
    for (int n = 0; n < 1000; ++n) {
      const double time = time_of(n, 1000);
      engine.tick(static_cast<std::int64_t>((day + time) * kDay)).check();
      const double cost = shop.play(engine);
      if (day < 2) continue;
      const bool night = time < 0.25;
      if (!night && (time < 0.4 || time > 0.6)) continue;
      spent[night ? 0 : 1] += cost;
      count[night ? 0 : 1] += 1.0;
    }
  }
  EXPECT_GT(count[1], 3.0 * count[0]);
  EXPECT_NEAR(spent[0] / count[0], 0.4, 0.08) << "per decision at night";
  EXPECT_NEAR(spent[1] / count[1], 0.4, 0.04) << "per decision at noon";
}

TEST(Steer, ADayAndAMonthOnOneCostAreBothKept) {
  Engine engine = made(
      {steer("day", 400, Window::ticks(kDay)), steer("month", 9000, Window::ticks(30 * kDay))});
  Shop shop;
  for (int month = 0; month < 2; ++month) {
    double all = 0.0;
    for (int day = 0; day < 30; ++day) {
      double spent = 0.0;
      for (int n = 0; n < 500; ++n) {
        engine.tick(static_cast<std::int64_t>((30 * month + day + n / 500.0) * kDay)).check();
        spent += shop.play(engine);
      }
      EXPECT_LT(spent, 408) << "day " << day;
      all += spent;
    }
    EXPECT_NEAR(all, 9000, 90) << "month " << month;
  }
}

TEST(Steer, TwelveMonthsInARowOnOneAgent) {
  Engine engine = made({steer("month", 300, Window::month("Europe/Berlin"))});
  Shop shop;
  std::int64_t now = 1767222000;  // the first of January 2026, in Berlin
  engine.tick(now).check();
  std::vector<double> spent(12);
  for (int n = 0; n < 12 * 900; ++n) {
    now = 1767222000 + n * (365 * kDay / (12 * 900));
    engine.tick(now).check();
    const std::int64_t month = engine.state().budgets[0].window;
    ASSERT_LT(month, 12);
    spent[static_cast<std::size_t>(month)] += shop.play(engine);
  }
  for (std::size_t month = 0; month < 12; ++month) {
    EXPECT_NEAR(spent[month], 300, month == 0 ? 30 : 6) << "month " << month;
  }
}

TEST(RulesSteeredBudgets, ARollingWindow) {
  Engine engine = made({steer("last day", 200, Window::rolling(kDay))});
  Shop shop;
  double all = 0.0;
  for (int n = 0; n < 20 * 500; ++n) {
    engine.tick(n * (kDay / 500)).check();
    const double cost = shop.play(engine);
    if (n >= 5 * 500) all += cost;
    if (n % 100 == 0 && n > 1000) {
      EXPECT_LT(engine.state().budgets[0].spent, 216'000'000);
    }
  }
  EXPECT_NEAR(all / 15, 200, 8);
}

TEST(RulesScopes, AKeysDecisionsToCome) {
  Engine engine = made({steer("each", 60, Window::ticks(kDay), "user")});
  Shop shop;
  std::array<double, 2> spent{};
  for (int day = 0; day < 10; ++day) {
    for (int n = 0; n < 600; ++n) {
      engine.tick(static_cast<std::int64_t>((day + n / 600.0) * kDay)).check();
      const bool often = n % 6 != 0;
      const Scope scopes[] = {{"user", often ? "often" : "seldom"}};
      const double cost = shop.play(engine, scopes);
      if (day >= 2) spent[often ? 0 : 1] += cost;
    }
  }
  EXPECT_NEAR(spent[0] / 8, 60, 2);
  EXPECT_NEAR(spent[1] / 8, 60, 6);
  const Scope often[] = {{"user", "often"}}, seldom[] = {{"user", "seldom"}};
  engine.tick(10 * kDay).check();
  const double frequent = engine.budgets(often).value()[0].pace;
  EXPECT_NEAR(frequent, 60.0 / 500, 0.012);
  EXPECT_NEAR(engine.budgets(seldom).value()[0].pace, 60.0 / 100, 0.06);
}

TEST(Steer, AllThatApplyArePriced) {
  Engine engine = made(
      {steer("all", 100, Window::rounds(1000)), steer("each", 50, Window::rounds(1000), "user")});
  Shop shop;
  const Scope a[] = {{"user", "a"}};
  for (int n = 0; n < 1000; ++n)
    shop.play(engine, n % 2 == 0 ? std::span<const Scope>(a) : std::span<const Scope>());
  const auto found = engine.budgets(a).value();
  EXPECT_NEAR(found[0].pace, 0.1, 0.02);
  EXPECT_GT(found[1].pace, 0.09) << "half of the rounds";
}

TEST(RulesSteeredBudgets, BudgetsPerKeyInsideOneForEverybody) {
  Engine engine = made(
      {steer("all", 300, Window::rounds(1000)), steer("each", 50, Window::rounds(1000), "user")});
  Shop shop;
  double all = 0.0, one = 0.0;
  for (int n = 0; n < 5000; ++n) {
    const bool user = n % 2 == 0;
    const Scope scopes[] = {{"user", "u"}};
    const double cost =
        shop.play(engine, user ? std::span<const Scope>(scopes) : std::span<const Scope>());
    if (n < 1000) continue;
    all += cost;
    one += user ? cost : 0.0;
  }
  EXPECT_NEAR(one / 4, 50, 3);
  EXPECT_NEAR(all / 4, 300, 9);
}

TEST(Steer, AHundredThousandKeysHaveMoneyOfTheirOwn) {
  Engine engine = made({steer("each", 5, Window::ticks(kDay), "user")});
  Shop shop;
  for (std::uint64_t n = 0; n < repeats(100'000); ++n) {
    shop.next();
    const std::string name = std::to_string(n);
    const Scope scopes[] = {{"user", name}};
    const auto made = engine.decide({.actions = 3, .context = shop.x}, {.scopes = scopes}).value();
    const std::uint64_t id = made.id;
    engine.learn(id, shop.outcome(made.action)).check();
  }
  const Scope first[] = {{"user", "0"}};
  const BudgetState state = engine.budgets(first).value()[0];
  EXPECT_EQ(state.held, 0);
  EXPECT_GT(state.pace, 0.0);
}

TEST(RulesSteeredBudgets, ARunNeedsRounds) {
  Budget run = steer("run", 400, Window::run());
  EXPECT_THAT(Engine::make("ccb", Shop::shape(), paced_by({run})).error(),
              HasSubstr("how long it must last; accepted: rounds=N"));
  run.rounds = 1000;
  Engine engine = made({run});
  Shop shop;
  double spent = 0.0;
  for (int n = 0; n < 1000; ++n) spent += shop.play(engine);
  EXPECT_NEAR(spent, 400, 4);
  EXPECT_EQ(engine.policy_state().status, Status::kPast);
  EXPECT_TRUE(engine.state().budgets[0].past);
  spent = 0.0;
  for (int n = 0; n < 2000; ++n) spent += shop.play(engine);
  EXPECT_NEAR(spent, 800, 80);
  engine.set_rounds("run", 4000).check();  // another horizon
  EXPECT_FALSE(engine.state().budgets[0].past);
  EXPECT_NEAR(engine.state().budgets[0].rounds_left, 1000, 1e-9);
}

TEST(Steer, ANewPeriodATopUpAnotherAmountAndAnotherHorizonChangeThePace) {
  Budget run = steer("run", 100, Window::run());
  run.rounds = 1000;
  Engine engine = made({run});
  const auto pace = [&] { return engine.state().budgets[0].pace; };
  EXPECT_NEAR(pace(), 0.1, 1e-12);
  engine.top_up("run", 50).check();
  EXPECT_NEAR(pace(), 0.15, 1e-12);
  engine.set_amount("run", 200).check();
  EXPECT_NEAR(pace(), 0.25, 1e-12);
  engine.set_rounds("run", 500).check();
  EXPECT_NEAR(pace(), 0.5, 1e-12);
  engine.begin_window("run").check();
  EXPECT_NEAR(pace(), 0.4, 1e-12);
  EXPECT_THAT(engine.set_rounds("run", 0).error(), HasSubstr("accepted: 1 to 2^53"));
}

// A run has no profile of arrivals that another horizon could stretch.
TEST(Steer, ANewWindowOfARunWithAnotherHorizonIsSaved) {
  Budget run = steer("run", 100, Window::run());
  Budget each = steer("each", 100, Window::run(), "user");
  run.rounds = each.rounds = 50;
  Engine engine = made({run, each});
  Shop shop;
  const Scope user[] = {{"user", "u"}}, other[] = {{"user", "new"}};
  for (int n = 0; n < 50; ++n) shop.play(engine, user);
  for (const char* name : {"run", "each"}) {
    engine.begin_window(name).check();
    engine.set_rounds(name, 80).check();
  }
  EXPECT_NEAR(engine.state().budgets[0].pace, 100.0 / 80, 1e-12);
  EXPECT_GT(engine.budgets(other).value()[1].pace, 0.0);
  auto restored = Engine::restore(engine.snapshot());
  ASSERT_TRUE(restored.ok()) << restored.error();
  EXPECT_EQ(restored.value().state_hash(), engine.state_hash());
}

TEST(RulesSteeredBudgets, Reservations) {
  EngineOptions options = paced_by({steer("day", 400, Window::rounds(1000))});
  options.expire_after = 10;
  Engine engine = Engine::make("ccb", Shop::shape(), options).value();
  Shop shop;
  for (int n = 0; n < 300; ++n) shop.play(engine);
  const std::int64_t spent = engine.state().budgets[0].spent;
  std::int64_t held = 0;
  std::uint64_t id = 0;
  for (int n = 0; n < 20; ++n) {
    shop.next();
    id = engine.decide({.actions = 3, .context = shop.x}).value().id;
    held = engine.state().budgets[0].held;
  }
  EXPECT_GT(held, 0) << "the expected costs of open decisions";
  engine.tick(11).check();
  EXPECT_EQ(engine.state().budgets[0].held, 0);
  EXPECT_EQ(engine.state().budgets[0].spent, spent);
  EXPECT_EQ(engine.learn(id, {.reward = 0, .costs = {2}}).value(), LearnResult::kLate);
  EXPECT_EQ(engine.state().budgets[0].spent, spent + 2'000'000);
}

TEST(RulesSteeredBudgets, HardBudgetsArePacedToo) {
  Budget day = steer("day", 400, Window::rounds(1000));
  day.kind = BudgetKind::kHard;
  EngineOptions options = paced_by({day});
  options.largest_costs = {{0.0}, {1.0}, {3.0}};
  Engine engine = Engine::make("ccb", Shop::shape(), options).value();
  Shop shop;
  for (int day_number = 0; day_number < 5; ++day_number) {
    double spent = 0.0, first_half = 0.0;
    for (int n = 0; n < 1000; ++n) {
      spent += shop.play(engine);
      if (n == 499) first_half = spent;
    }
    EXPECT_LE(spent, 400.0);
    if (day_number == 0) continue;
    EXPECT_GT(spent, 380.0);
    EXPECT_NEAR(first_half, 200, 80);
  }
}

TEST(Steer, WhatCannotBeSteeredIsRefused) {
  const auto refusal = [](const char* spec, std::vector<Budget> budgets,
                          Shape shape = Shop::shape()) {
    auto engine = Engine::make(spec, shape, paced_by(std::move(budgets)));
    return engine ? std::string() : engine.error();
  };
  const Budget day = steer("day", 9, Window::ticks(9));
  EXPECT_THAT(refusal("ccb(rate=0.3)", {day}), HasSubstr("a budget or rate of its own"));
  EXPECT_THAT(refusal("ccb(tuning=theory,rounds=9)", {day}), HasSubstr("tuning=auto"));
  EXPECT_THAT(refusal("uniform", {day}), HasSubstr("accepted: ccb"));
  EXPECT_THAT(refusal("ccb", {steer("run", 9, Window::run())}), HasSubstr("how long it must last"));
  Shape two = Shop::shape();
  two.costs.push_back({"seconds", {0.0, 1.0}});
  EXPECT_THAT(refusal("ccb", {day}, two), HasSubstr("\"seconds\" has no budget"));
}

TEST(Steer, ACostWithoutABudgetIsRefused) {
  EXPECT_THAT(Engine::make("ccb", Shop::shape()).error(),
              HasSubstr("cost \"coupons\" has range [0, 3] and no budget"));
  EXPECT_TRUE(Engine::make("ccb(rate=0.1)", Shop::shape()).ok());
  EXPECT_TRUE(Engine::make("ccb(setting=expectation)", Shop::shape()).ok()) << "said so";
  EXPECT_TRUE(Engine::make("uniform", Shop::shape()).ok()) << "ignores costs";
}

TEST(Steer, ABudgetGivenTwiceWithDifferentValuesIsRefused) {
  Shape shape = Shop::shape();
  shape.rounds = 100;
  shape.budgets = {40.0};
  EXPECT_TRUE(Engine::make("ccb(budget=40)", shape).ok());
  EXPECT_THAT(Engine::make("ccb(budget=41)", shape).error(), HasSubstr("given twice"));
  EXPECT_TRUE(Engine::make("ccb(rate=0.4)", shape).ok());
  EXPECT_THAT(Engine::make("ccb(rate=0.5)", shape).error(), HasSubstr("given twice"));
}

// A random life; its records and any of its snapshots give the same hash.
TEST(Steer, RecordsReplayToTheSameHashFromAnySnapshot) {
  EngineOptions options = paced_by({steer("day", 50, Window::day("America/New_York")),
                                    steer("last", 90, Window::rolling(2 * kDay)),
                                    steer("each", 5, Window::ticks(kDay), "user"),
                                    steer("team", 9, Window::rounds(150), "team")});
  options.expire_after = 3000;
  options.most_keys = 6;
  Engine engine = Engine::make("ccb", Shop::shape(), options).value();
  Life life;
  std::vector<std::uint64_t> ids;
  Rng rng(5);
  Shop shop;
  std::int64_t now = 1'700'000'000;
  engine.tick(now).check();
  life.note(engine);
  for (int step = 0; step < 3000; ++step) {
    const std::string user = std::to_string(rng.below(9)), team = std::to_string(rng.below(3));
    const Scope scopes[] = {{"user", user}, {"team", team}};
    const double roll = rng.uniform();
    shop.next();
    if (roll < 0.45) {
      if (auto made = engine.decide({.actions = 3, .context = shop.x}, {.scopes = scopes})) {
        ids.push_back(made.value().id);
      }
    } else if (roll < 0.8 && !ids.empty()) {
      const auto which = static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(ids.size())));
      static_cast<void>(engine.learn(ids[which], shop.outcome(static_cast<int>(rng.below(3)))));
    } else if (roll < 0.82 && !ids.empty()) {
      static_cast<void>(engine.cancel(ids.back()));
    } else if (roll < 0.98) {
      engine.tick(now += rng.below(20) == 0 ? rng.below(2 * kDay) : rng.below(900)).check();
    } else if (roll < 0.99) {
      static_cast<void>(engine.top_up("each", 0.5, scopes));
    } else {
      engine.set_rounds("day", 100 + rng.below(100)).check();
    }
    life.note(engine);
    if (step % 600 == 300) life.snapshot(engine);
  }
  EXPECT_GT(engine.state().budgets[0].window, 10);
  EXPECT_EQ(life.replay(Engine::make("ccb", Shop::shape(), options).value()), engine.state_hash());
  for (std::size_t n = 0; n < life.snapshots(); ++n) {
    EXPECT_EQ(life.replay_from(n), engine.state_hash()) << "from snapshot " << n;
  }
}

}  // namespace
}  // namespace rein
