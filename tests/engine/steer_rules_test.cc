// Rules of docs/budgets.md about budgets that steer, one test each, named after the rule
// (tests/rules_test.py). Rules whose tests are longer are in steer_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/shop.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

TEST(RulesBudgets, Steer) {
  Engine engine = made({steer("day", 40, Window::rounds(100))});
  Shop shop;
  double all = 0.0;
  for (int day = 0; day < 20; ++day) {
    double spent = 0.0;
    for (int n = 0; n < 100; ++n) spent += shop.play(engine);
    EXPECT_LT(spent, 46.0) << "exceeded by little";
    all += spent;
  }
  EXPECT_NEAR(all / 20, 40.0, 1.2);
}

// A budget that is never the tightest changes nothing.
TEST(RulesSteeredBudgets, ThePriceFollowsTheTightestPace) {
  const Budget day = steer("day", 40, Window::rounds(100));
  Engine alone = made({day}), both = made({day, steer("month", 1e6, Window::rounds(3000))});
  Engine tight = made({day, steer("month", 600, Window::rounds(3000))});
  Shop shop;
  double price = 0.0, higher = 0.0;
  for (int n = 0; n < 1500; ++n) {
    shop.next();
    const Round round{.actions = 3, .context = shop.x};
    const Engine::Decision a = alone.decide(round).value(), b = both.decide(round).value(),
                           c = tight.decide(round).value();
    ASSERT_EQ(a.prices[0], b.prices[0]);
    ASSERT_EQ(a.action, b.action);
    price += a.prices[0];
    higher += c.prices[0];
    const Outcome outcome = shop.outcome(a.action), other = shop.outcome(c.action);
    alone.learn(a.id, outcome).check();
    both.learn(b.id, outcome).check();
    tight.learn(c.id, other).check();
  }
  EXPECT_GT(higher, 1.2 * price) << "600 per 3000 is half of 40 per 100";
}

TEST(RulesSteeredBudgets, DecisionsToCome) {
  Shop shop;
  Engine rounds = made({steer("day", 40, Window::rounds(100))});
  for (int n = 0; n < 30; ++n) shop.play(rounds);
  EXPECT_EQ(rounds.state().budgets[0].rounds_left, 70.0) << "known";
  Budget told = steer("day", 40, Window::ticks(1000));
  told.rounds = 250;
  EXPECT_NEAR(made({told}).state().budgets[0].rounds_left, 250.0, 1.0);
  Engine ticks = made({steer("day", 40, Window::ticks(1000))});
  const auto left = [&] { return ticks.state().budgets[0].rounds_left; };
  for (int day = 0; day < 4; ++day) {  // 20 at night, 80 in the afternoon
    for (int n = 0; n < 100; ++n) {
      if (day == 3 && n == 20) {
        ticks.tick(1000 * day + 499).check();
        EXPECT_NEAR(left(), 80.0, 8.0) << "by the profile; by the clock it would be 20";
      }
      ticks.tick(1000 * day + (n < 20 ? 25 * n : 500 + 6 * (n - 20))).check();
      shop.play(ticks);
    }
  }
}

TEST(RulesSteeredBudgets, NearTheEndOfAWindow) {
  Engine engine = made({steer("day", 900, Window::rounds(1000))});
  Shop shop;
  for (int n = 0; n < 400; ++n) shop.play(engine);
  const double spent = static_cast<double>(engine.state().budgets[0].spent) / 1e6;
  engine.set_amount("day", spent + 1.5).check();
  LookScratch scratch;
  for (int n = 0; n < 50; ++n) {
    shop.next();
    const Round round{.actions = 3, .context = shop.x};
    const Engine::Decision seen = engine.look(round, scratch).value();
    EXPECT_LT(seen.probabilities[2], 1e-15) << "it costs 2 to 3, and 1.5 are left";
    const std::vector<std::int32_t> ids = {2};
    EXPECT_EQ(engine.look({.actions = 1, .context = shop.x, .ids = ids}, scratch).value().action, 0)
        << "no other costs less";
  }
}

TEST(RulesSteeredBudgets, ThePolicysOwnBudget) {
  const auto refusal = [](const char* spec, std::vector<Budget> budgets, Shape shape) {
    auto engine = Engine::make(spec, shape, paced_by(std::move(budgets)));
    return engine ? std::string() : engine.error();
  };
  const Budget day = steer("day", 9, Window::ticks(9));
  EXPECT_EQ(refusal("ccb(rate=0.3)", {}, Shop::shape()), "");
  EXPECT_THAT(refusal("ccb(rate=0.3)", {day}, Shop::shape()),
              HasSubstr("a budget or rate of its own, and there are others that steer"));
  EXPECT_THAT(refusal("ccb(budget=9,rounds=30)", {day}, Shop::shape()),
              HasSubstr("a budget or rate of its own"));
  Shape total = Shop::shape();
  total.rounds = 100;
  total.budgets = {40.0};
  EXPECT_EQ(refusal("ccb(budget=40)", {}, total), "");
  EXPECT_THAT(refusal("ccb(budget=41)", {}, total), HasSubstr("the budget is given twice: [40]"));
  EXPECT_THAT(refusal("ccb", {}, Shop::shape()), HasSubstr("has range [0, 3] and no budget"));
}

TEST(RulesSteeredBudgets, WhichPolicies) {
  const Budget day = steer("day", 9, Window::ticks(9));
  EXPECT_TRUE(Engine::make("ccb", Shop::shape(), paced_by({day})).ok());
  EXPECT_TRUE(Engine::make("ccb(tuning=auto)", Shop::shape(), paced_by({day})).ok());
  for (const char* spec : {"uniform", "squarecb", "epsilon", "ccb(tuning=theory,rounds=9)"}) {
    const auto refused = Engine::make(spec, Shop::shape(), paced_by({day}));
    ASSERT_FALSE(refused.ok()) << spec;
    EXPECT_THAT(refused.error(), HasSubstr("budgets that steer")) << spec;
  }
}

TEST(RulesChangesWhileItRuns, AgentSetRounds) {
  Budget run = steer("all", 100, Window::run());
  run.rounds = 1000;
  Engine engine = made({run});
  EXPECT_EQ(engine.state().budgets[0].rounds_left, 1000.0);
  engine.set_rounds("all", 60'000).check();
  EXPECT_EQ(engine.state().budgets[0].rounds_left, 60'000.0);
  EXPECT_NEAR(engine.state().budgets[0].pace, 100.0 / 60'000, 1e-15);
}

}  // namespace
}  // namespace rein
