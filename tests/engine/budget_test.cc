// Hard budgets from the user's point of view. Sums are computed again here, from the costs that
// were sent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "engine/small.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

EngineOptions three_models(double budget) {
  EngineOptions options;
  options.hard_budget = {budget};
  options.largest_costs = {{0.01}, {0.1}, {1.0}};
  return options;
}

TEST(RulesBudgets, Hard) {
  Engine engine = small_engine({.hard_budget = {2.5}});
  const std::uint64_t first = decided(engine);
  const std::uint64_t second = decided(engine);
  EXPECT_EQ(engine.state().budgets[0].held, 2'000'000);
  auto third = decide(engine);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.reason(), Reason::kBudget);
  EXPECT_THAT(third.error(), HasSubstr("none of the 3 actions fits"));
  engine.learn(first, {.reward = 0, .costs = {0.5}}).check();
  EXPECT_EQ(engine.state().budgets[0].spent, 500'000);
  EXPECT_TRUE(decide(engine)) << "0.5 spent, 1 held, 1 asked for: exactly 2.5";
  EXPECT_FALSE(decide(engine));
  engine.learn(second, {.reward = 0, .costs = {0.000001}}).check();
  EXPECT_FALSE(decide(engine)) << "one micro-unit is missing";
}

TEST(HardBudget, ActionsThatDoNotFitAreTakenOutBeforeDeciding) {
  Engine engine = small_engine(three_models(0.25));
  const Engine::Decision ticket = decide(engine).value();
  EXPECT_EQ(ticket.fitting, 2);
  ASSERT_EQ(ticket.probabilities.size(), 3U);
  EXPECT_EQ(ticket.probabilities[2], 0.0);
  EXPECT_TRUE(std::isnan(ticket.estimates->mean(0)[2]));
  EXPECT_FALSE(std::isnan(ticket.estimates->mean(1)[1]));
  EXPECT_NEAR(ticket.probabilities[0] + ticket.probabilities[1], 1.0, 1e-12);
  EXPECT_EQ(ticket.probability, ticket.probabilities[static_cast<std::size_t>(ticket.action)]);
}

// Probabilities match frequencies: 20 000 first decisions with different seeds.
TEST(HardBudget, ProbabilitiesStayTrue) {
  const int runs = sanitized() ? 500 : 20'000;
  int second = 0;
  double expected = 0.0;
  EngineOptions options = three_models(0.25);
  options.most_open = 4;
  options.remember = 0;
  const std::vector<double> x = context_of(1);
  const std::vector<std::int32_t> ids = {2, 1, 0};
  for (int run = 0; run < runs; ++run) {
    options.seed = static_cast<std::uint64_t>(run);
    Engine engine = small_engine(options);
    const Engine::Decision ticket = engine.decide({.actions = 3, .context = x, .ids = ids}).value();
    EXPECT_EQ(ticket.probabilities[0], 0.0) << "id 2 does not fit";
    EXPECT_EQ(ticket.action, ids[static_cast<std::size_t>(ticket.place)]);
    second += ticket.action == 1;
    expected += ticket.probabilities[1];
  }
  EXPECT_NEAR(second, expected, 4.0 * std::sqrt(runs * 0.25));
}

TEST(HardBudget, TheSafeActionIsPlayedWhenNothingElseFits) {
  EngineOptions options;
  options.hard_budget = {1.5};
  options.safe_action = 1;
  Engine engine = small_engine(options);
  int safe = 0;
  for (std::uint64_t n = 0; n < 50; ++n) safe += decide(engine, n).value().action == 1;
  EXPECT_GE(safe, 49) << "one other fits at most";
  const Engine::Decision ticket = decide(engine).value();
  EXPECT_EQ(ticket.action, 1);
  EXPECT_EQ(ticket.probability, 1.0);
  EXPECT_EQ(ticket.fitting, 1);
}

TEST(HardBudget, TheSafeActionMustBeOffered) {
  EngineOptions options;
  options.hard_budget = {0.5};
  options.safe_action = 1;
  Engine engine = small_engine(options);
  const std::vector<double> x = context_of(0);
  const std::vector<std::int32_t> ids = {0, 2};
  auto refused = engine.decide({.actions = 2, .context = x, .ids = ids});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.reason(), Reason::kBudget);
  EXPECT_THAT(refused.error(), HasSubstr("safe action, id 1"));
}

TEST(RulesBillsLateMissingTooHigh, AHardBudgetsPromise) {
  EngineOptions options = three_models(10);
  options.safe_action = 0;
  Engine engine = small_engine(options);
  const std::vector<double> x = context_of(0);
  for (std::int32_t id = 0; id < 3; ++id) {
    const std::vector<std::int32_t> ids = {id};
    const Engine::Decision ticket = engine.decide({.actions = 1, .context = x, .ids = ids}).value();
    const double most = options.largest_costs[static_cast<std::size_t>(id)][0];
    engine.learn(ticket.id, {.reward = 0, .costs = {most + 1e-6}}).check();
    EXPECT_EQ(engine.state().budgets[0].over_holds, id + 1);
  }
  EXPECT_EQ(engine.state().budgets[0].spent, 1'110'003);
  EXPECT_EQ(engine.state().clipped, 1) << "only the last is above the range of the cost";
}

TEST(HardBudget, ABillFarAboveItsHoldBlocksFurtherSpending) {
  Engine engine = small_engine({.hard_budget = {2.0}});
  engine.learn(decided(engine), {.reward = 0, .costs = {5.0}}).check();
  EXPECT_EQ(engine.state().budgets[0].spent, 5'000'000);
  EXPECT_EQ(engine.state().billed[0], 5.0);
  EXPECT_EQ(engine.state().clipped, 1) << "for learning only";
  EXPECT_EQ(engine.policy().state().spent[0], 5.0);
  EXPECT_EQ(decide(engine).reason(), Reason::kBudget);
}

TEST(RulesBillsLateMissingTooHigh, Expiry) {
  EngineOptions options{.expire_after = 5, .hard_budget = {2.0}};
  Engine engine = small_engine(options);
  decided(engine);
  engine.tick(6).check();
  EXPECT_EQ(engine.state().budgets[0].spent, 1'000'000);
  EXPECT_EQ(engine.state().budgets[0].held, 0);
}

TEST(HardBudget, ALateBillReplacesWhatExpiryCounted) {
  EngineOptions options = three_models(2.0);
  options.expire_after = 5;
  options.default_outcome = Outcome{.reward = 0, .costs = {0.05}};
  Engine engine = small_engine(options);
  const std::vector<double> x = context_of(0);
  const std::vector<std::int32_t> cheap = {0};
  const std::vector<std::int32_t> dear = {2};
  engine.decide({.actions = 1, .context = x, .ids = cheap}).check();
  const std::uint64_t late = engine.decide({.actions = 1, .context = x, .ids = dear}).value().id;
  EXPECT_EQ(engine.tick(6).value(), 2);
  EXPECT_EQ(engine.state().budgets[0].spent, 10'000 + 1'000'000) << "until the bills come";
  EXPECT_EQ(engine.policy().state().rounds, 2) << "the default outcome was learned";
  const Outcome bill{.reward = 1, .costs = {0.3}};
  EXPECT_EQ(engine.learn(late, bill).value(), LearnResult::kLate);
  EXPECT_EQ(engine.state().budgets[0].spent, 10'000 + 300'000);
  EXPECT_EQ(engine.policy().state().rounds, 2) << "a late reward is not learned";
  EXPECT_EQ(engine.learn(late, bill).value(), LearnResult::kLate) << "its reward is not accepted";
  EXPECT_EQ(engine.learn(late, {.costs = {0.3}}).value(), LearnResult::kDuplicate);
  EXPECT_EQ(engine.learn(late, {.reward = 1, .costs = {0.4}}).reason(), Reason::kConflict);
  EXPECT_EQ(engine.state().late, 1);
}

TEST(HardBudget, ACostWithoutOneIsBilledAndHasNoBudget) {
  Shape shape = small_shape();
  shape.costs.push_back({.name = "seconds", .range = {-5.0, 5.0}});
  EngineOptions options;
  options.hard_budget = {1.0, std::numeric_limits<double>::infinity()};
  Engine engine = Engine::make("ccb(setting=expectation,rounds=100)", shape, options).value();
  const std::uint64_t id = decided(engine);
  engine.learn(id, {.reward = 0, .costs = {0.0, -4.5}}).check();
  EXPECT_EQ(engine.state().budgets.size(), 1U);
  EXPECT_EQ(engine.state().billed[1], -4.5);
}

// 1000 decisions are open. Costs are adversarial: the largest, the largest minus a millionth, or
// any. They settle in any order, some expire, some are sent twice. The sum computed here, in whole
// micro-units, never exceeds the budget, even if every open decision came in at its largest cost.
TEST(HardBudget, IsNeverPassedByOneMicroUnitWithAThousandOpen) {
  const int steps = sanitized() ? 20'000 : 200'000;
  const std::int64_t largest[3] = {1, 33'333, 1'000'000};
  EngineOptions options{.most_open = 1000, .remember = 100, .expire_after = 900};
  options.hard_budget = {1'234.567891};
  options.largest_costs = {{1e-6}, {0.033333}, {1.0}};
  constexpr std::int64_t kBudget = 1'234'567'891;
  Engine engine = Engine::make("squarecb(rounds=100000)", small_shape(), options).value();

  struct Sent {
    std::uint64_t id;
    std::int64_t at;
    int action;
  };
  std::vector<Sent> waiting;
  Rng rng(3);
  std::int64_t spent = 0;
  std::int64_t most_open = 0;
  std::int64_t now = 0;
  for (int step = 0; step < steps; ++step) {
    if (rng.uniform() < 0.1) engine.tick(++now).check();
    if (waiting.size() < 1000) {
      if (auto ticket = decide(engine, static_cast<std::uint64_t>(step))) {
        waiting.push_back({ticket.value().id, now, ticket.value().action});
      } else {
        ASSERT_EQ(ticket.reason(), Reason::kBudget);
      }
    }
    most_open = std::max(most_open, engine.state().open);
    if (!waiting.empty() && rng.uniform() < (step < steps / 4 ? 0.05 : 0.9)) {
      const auto which =
          static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(waiting.size())));
      const Sent sent = waiting[which];
      waiting[which] = waiting.back();
      waiting.pop_back();
      const std::int64_t most = largest[sent.action];
      const std::int64_t cost = rng.uniform() < 0.7   ? most
                                : rng.uniform() < 0.5 ? most - 1
                                                      : rng.below(most + 1);
      auto learned =
          engine.learn(sent.id, {.reward = 0, .costs = {static_cast<double>(cost) / 1e6}});
      const bool forgotten = learned.value() == LearnResult::kForgotten;
      spent += forgotten ? most : cost;  // of a forgotten one it may have been spent
    }
    std::int64_t could = spent;
    if (step % 64 == 0) {
      for (const Sent& sent : waiting) could += largest[sent.action];
    }
    ASSERT_LE(could, kBudget) << step;
  }
  EXPECT_EQ(most_open, 1000);
  EXPECT_GT(spent, kBudget - 40'000) << "and nearly all of it can be used";
}

}  // namespace
}  // namespace rein
