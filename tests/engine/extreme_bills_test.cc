// Bills far above their budget: what is accepted is booked exactly, what cannot be counted is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "engine/life.h"
#include "engine/windows.h"
#include "rein/rng.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

// The nearest double: what a parser makes of it.
double power_of_ten(std::int64_t exponent) {
  return std::strtod(("1e" + std::to_string(exponent)).c_str(), nullptr);
}

Engine with_amount(double amount) {
  EngineOptions options = with({dollars("all", amount, Window::ticks(10))});
  options.largest_costs = {{0.0}, {0.0}, {0.0}};
  return small_engine(options);
}

TEST(ExtremeBills, ABillOfABillionOnABudgetOfAMillionthIsBookedInFull) {
  Engine engine = with_amount(1e-6);
  engine.learn(decided(engine), {.reward = 0, .costs = {1e9}}).check();
  EXPECT_EQ(engine.state().budgets[0].spent, 1'000'000'000'000'000);
  EXPECT_EQ(engine.state().budgets[0].over_holds, 1);
}

TEST(ExtremeBills, AreBookedExactlyOrRefusedWithTheLimit) {
  Rng rng(21);
  for (int n = 0; n < 400; ++n) {
    const double amount = power_of_ten(rng.below(18) - 9);
    Engine engine = with_amount(amount);
    Life life;
    std::int64_t booked = 0, refused = 0;
    for (int k = 0; k < 8; ++k) {
      const std::uint64_t id = decided(engine);
      life.note(engine);
      const double cost = power_of_ten(rng.below(20) - 6);
      const auto done = engine.learn(id, {.reward = 0, .costs = {cost}});
      life.note(engine);
      if (!done) {
        ++refused;
        EXPECT_THAT(done.error(), HasSubstr("outcome: cost \"dollars\": money: found"));
        EXPECT_THAT(done.error(), HasSubstr("accepted: -"));
        ASSERT_GT(cost, 1e10);
        EXPECT_TRUE(engine.record().empty());
        engine.learn(id, {.reward = 0, .costs = {0}}).check();
        life.note(engine);
        continue;
      }
      ASSERT_LE(cost, 4.7e12);
      booked += std::llround(cost * 1e6);
    }
    // Coins of 10^-18 are finer than the double of 0.1 is exact, and millionths are rounded up.
    ASSERT_GE(engine.state().budgets[0].spent, booked);
    ASSERT_LE(engine.state().budgets[0].spent, booked + 1);
    ASSERT_EQ(life.replay(with_amount(amount)), engine.state_hash());
    Engine copy = Engine::restore(engine.snapshot()).value();
    ASSERT_EQ(copy.state().budgets[0].spent, engine.state().budgets[0].spent);
  }
}

TEST(ExtremeBills, AHoldThatCannotBeCountedNeverFits) {
  Engine engine = small_engine(with({dollars("all", 1e-6, Window::ticks(10))}));
  for (int n = 0; n < 100; ++n) engine.top_up("all", 400).check();  // 40000: 4e20 coins
  const std::vector<double> x = context_of(0), largest = {1e6, 1e6, 1e6};
  EXPECT_EQ(engine.decide({.actions = 3, .context = x}, {.largest_costs = largest}).reason(),
            Reason::kBudget);
}

}  // namespace
}  // namespace rein
