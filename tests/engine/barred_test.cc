// Which actions of a decision hard budgets bar, which budget does, and until when.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/windows.h"

namespace rein {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<Costs> kDeclared = {Costs{0.1}, Costs{0.5}, Costs{1.0}};

Engine with_declared(std::vector<Budget> budgets) {
  EngineOptions options = with(std::move(budgets));
  options.largest_costs = kDeclared;
  return small_engine(options);
}

std::vector<std::int32_t> actions_of(std::span<const BarredAction> barred) {
  std::vector<std::int32_t> ids;
  for (const BarredAction& action : barred) ids.push_back(action.action);
  return ids;
}

void spend_with(Engine& engine, double cost, std::int32_t action = 2) {
  const std::vector<double> x = context_of(0);
  const auto made = engine.decide({.actions = 1, .context = x, .ids = {&action, 1}});
  engine.learn(made.value().id, {.reward = 0, .costs = {cost}}).check();
}

TEST(Barred, NothingIsBarredWhileAllActionsFit) {
  Engine engine = with_declared({dollars("day", 1.0, Window::ticks(10))});
  EXPECT_THAT(decide(engine).value().barred, IsEmpty());
  EXPECT_THAT(engine.barred(), IsEmpty());
}

TEST(Barred, ADecisionSaysWhatBarsTheOthersAndUntilWhen) {
  Engine engine = with_declared({dollars("run", 2.0, Window::run()), dollars("day", 1.0, Window::ticks(10))});
  spend_with(engine, 0.7);
  const auto made = decide(engine).value();
  ASSERT_THAT(actions_of(made.barred), ElementsAre(1, 2));
  for (const BarredAction& action : made.barred) {
    EXPECT_EQ(action.budget, "day");
    EXPECT_EQ(action.until, 10);
  }
  EXPECT_EQ(made.action, 0);
  EXPECT_EQ(made.probabilities[1], 0.0);
}

TEST(Barred, NoTimeMakesABudgetOfTheWholeRunFitAgain) {
  Engine engine = with_declared({dollars("day", 1.0, Window::ticks(10)), dollars("run", 1.0, Window::run())});
  spend_with(engine, 0.7);
  const auto made = decide(engine).value();
  ASSERT_EQ(made.barred.size(), 2U);
  EXPECT_EQ(made.barred[0].budget, "day") << "the first of the two";
  EXPECT_EQ(made.barred[0].until, -1) << "the other never lets it fit";
}

TEST(Barred, ARefusalSaysItOfEveryAction) {
  Engine engine = with_declared({dollars("day", 1.0, Window::ticks(10))});
  spend_with(engine, 1.0);
  EXPECT_EQ(decide(engine).reason(), Reason::kBudget);
  EXPECT_THAT(actions_of(engine.barred()), ElementsAre(0, 1, 2));
  EXPECT_EQ(engine.barred()[0].until, 10);
  engine.tick(10).check();
  EXPECT_THAT(decide(engine).value().barred, IsEmpty());
}

TEST(Barred, TheLimitOfARequestHasNoBudgetAndNoTime) {
  Engine engine = with_declared({dollars("day", 1.0, Window::ticks(10))});
  const double most[] = {0.4};
  const std::vector<double> x = context_of(0);
  const auto made = engine.decide({.actions = 3, .context = x}, {.most_costs = most}).value();
  ASSERT_THAT(actions_of(made.barred), ElementsAre(1, 2));
  EXPECT_EQ(made.barred[0].budget, "");
  EXPECT_EQ(made.barred[0].until, -1);
  spend_with(engine, 0.7, 1);
  const auto both = engine.decide({.actions = 3, .context = x}, {.most_costs = most}).value();
  EXPECT_EQ(both.barred[0].budget, "day");
  EXPECT_EQ(both.barred[0].until, -1) << "the limit of the request stays";
}

TEST(Barred, ALookSaysWhatADecisionWouldSay) {
  Engine engine = with_declared({dollars("day", 1.0, Window::ticks(10))});
  spend_with(engine, 0.95);
  LookScratch scratch;
  const std::vector<double> x = context_of(0);
  EXPECT_EQ(engine.look({.actions = 3, .context = x}, scratch).reason(), Reason::kBudget);
  EXPECT_THAT(actions_of(scratch.barred), ElementsAre(0, 1, 2));
}

TEST(Barred, UntilIsTheFirstTickAtWhichTheActionFits) {
  for (const Window& window : {Window::ticks(10), Window::rolling(64), Window::rolling(1000)}) {
    Engine engine = with_declared({dollars("day", 1.0, window)});
    for (const std::int64_t at : {3, 6}) {
      engine.tick(at).check();
      spend_with(engine, 0.3, 1);
    }
    const std::int32_t action = 1;
    const std::vector<double> x = context_of(0);
    const Round round{.actions = 1, .context = x, .ids = {&action, 1}};
    ASSERT_EQ(engine.decide(round).reason(), Reason::kBudget);
    const std::int64_t until = engine.barred()[0].until;
    ASSERT_GT(until, 6);
    engine.tick(until - 1).check();
    ASSERT_EQ(engine.decide(round).reason(), Reason::kBudget);
    EXPECT_EQ(engine.barred()[0].until, until);
    engine.tick(until).check();
    EXPECT_TRUE(engine.decide(round).ok());
  }
}

}  // namespace
}  // namespace rein
