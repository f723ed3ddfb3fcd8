// No scale to know: costs in any unit, ranges that are far too wide, and none at all give what the
// tight range gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <deque>

#include "engine/small.h"
#include "rein/engine.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

constexpr int kRounds = 3000;
constexpr int kSeeds = 8;
constexpr double kRate = 0.06;
constexpr std::array kRangesCosts = {0.0005, 0.01, 0.07, 0.7};
constexpr std::array kRewards = {0.2, 0.45, 0.6, 0.8};

enum class Kept { kBySpec, kByWindow, kByRun };  // where the budget is

struct Told {
  Kept kept = Kept::kBySpec;
  double scale = 1.0;        // of all costs
  double wide = 1.0;         // times the tight range
  double wide_reward = 1.0;  // times [0, 1]
  bool declared = true;      // otherwise neither range is
  std::size_t delay = 0;     // decisions that are open at any time
};

struct Played {
  double reward = 0.0;
  double spent = 0.0;  // of the budget
};

Shape shape_of(const Told& setup) {
  Shape shape{.actions = 4, .context = 3, .costs = {{"dollars", Range::unknown()}}};
  shape.reward = Range::unknown();
  if (!setup.declared) return shape;
  shape.reward = {0.0, setup.wide_reward};
  shape.costs[0].range = {0.0, 0.75 * setup.scale * setup.wide};
  return shape;
}

Engine make(const Told& setup, std::uint64_t seed) {
  const double rate = kRate * setup.scale;
  EngineOptions options;
  options.seed = seed;
  Spec spec("ccb");
  Budget budget{.name = "w", .cost = "dollars", .amount = rate * 500};
  if (setup.kept == Kept::kBySpec) {
    spec.set("budget", {.is = rate * kRounds});
    spec.set("rounds", {.is = static_cast<double>(kRounds)});
  } else if (setup.kept == Kept::kByWindow) {
    budget.window = Window::rounds(500);
    options.budgets = {budget};
  } else {
    budget.amount = rate * kRounds;
    budget.rounds = kRounds;
    options.budgets = {budget};
  }
  return Engine::make(spec, shape_of(setup), options).value();
}

struct Late {
  std::uint64_t id;
  Outcome outcome;
};

Played play_ranges(const Told& setup) {
  Played played;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Engine engine = make(setup, seed);
    Rng noise(1000 + seed);
    std::deque<Late> late;
    for (int t = 0; t < kRounds; ++t) {
      const std::array x = {1.0, noise.uniform(), noise.uniform()};
      std::array<double, 4> rewards{}, costs{};
      for (std::size_t a = 0; a < 4; ++a) {
        rewards[a] = noise.uniform() < 0.8 * kRewards[a] * (0.5 + x[1 + a % 2]) ? 1.0 : 0.0;
        costs[a] =
            kRangesCosts[a] * (0.5 + x[1 + (a + 1) % 2]) * (0.6 + 0.8 * noise.uniform()) / 2.0;
      }
      const auto made = engine.decide({.actions = 4, .context = x}).value();
      const auto a = static_cast<std::size_t>(made.action);
      played.reward += rewards[a] / kRounds / kSeeds;
      played.spent += costs[a] / (kRate * kRounds) / kSeeds;
      late.push_back({made.id, {.reward = rewards[a], .costs = {costs[a] * setup.scale}}});
      if (late.size() <= setup.delay) continue;
      engine.learn(late.front().id, late.front().outcome).check();
      late.pop_front();
    }
  }
  return played;
}

// setup differs from one with the tight range that played `tight`.
void expect_as_tight(const Played& tight, const Told& setup) {
  SCOPED_TRACE(testing::Message() << "budget " << static_cast<int>(setup.kept) << ", costs x "
                                  << setup.scale << ", range x " << setup.wide << " and "
                                  << setup.wide_reward << (setup.declared ? "" : ", none declared")
                                  << ", delay " << setup.delay);
  const Played found = play_ranges(setup);
  EXPECT_NEAR(found.reward, tight.reward, 0.01 * tight.reward);
  EXPECT_NEAR(found.spent, tight.spent, 0.005 * tight.spent);
}

TEST(RulesRangesAndScales, CostsInAnyUnitRanges1000TimesTooWideAndNone) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  for (const Kept kept : {Kept::kBySpec, Kept::kByWindow, Kept::kByRun}) {
    const Played tight = play_ranges({.kept = kept});
    for (const double scale : {1e-6, 1e6}) {
      expect_as_tight(tight, {.kept = kept, .scale = scale});
      expect_as_tight(tight, {.kept = kept, .scale = scale, .declared = false});
    }
    expect_as_tight(tight, {.kept = kept, .wide = 1000.0});
    expect_as_tight(tight, {.kept = kept, .wide = 1000.0, .wide_reward = 1000.0});
    expect_as_tight(tight, {.kept = kept, .declared = false});
    const Played late = play_ranges({.kept = kept, .delay = 40});
    expect_as_tight(late, {.kept = kept, .declared = false, .delay = 40});
    expect_as_tight(late, {.kept = kept, .scale = 1e-6, .declared = false, .delay = 40});
  }
}

// Powers of two: the same bits.
TEST(Ranges, WithoutRangesDecisionsDoNotFollowTheUnit) {
  constexpr double kScale = 0x1p-20;
  Told one{.kept = Kept::kByRun, .declared = false}, other = one;
  other.scale = kScale;
  Engine a = make(one, 3), b = make(other, 3);
  Rng noise(4);
  for (int t = 0; t < 1000; ++t) {
    const std::array x = {1.0, noise.uniform(), noise.uniform()};
    const auto first = a.decide({.actions = 4, .context = x}).value();
    const auto second = b.decide({.actions = 4, .context = x}).value();
    ASSERT_EQ(first.action, second.action) << t;
    ASSERT_NEAR(first.probability, second.probability, 1e-6) << t;
    const double cost = kRangesCosts[static_cast<std::size_t>(first.action)] * (0.5 + x[1]);
    const double reward = noise.uniform();
    a.learn(first.id, {.reward = reward, .costs = {cost}}).check();
    b.learn(second.id, {.reward = reward, .costs = {cost * kScale}}).check();
  }
}

// Everything that is learned is in records and snapshots.
TEST(Ranges, WithoutRangesReplaysToTheSameHash) {
  const Told setup{.kept = Kept::kByWindow, .declared = false};
  Engine engine = make(setup, 5), replayed = make(setup, 5);
  std::string middle;
  Rng noise(6);
  std::vector<std::string> records;
  for (int t = 0; t < 600; ++t) {
    const std::array x = {1.0, noise.uniform(), noise.uniform()};
    const double most = 0.05;
    const auto made =
        engine.decide({.actions = 4, .context = x}, {.most_costs = {&most, t % 3 == 0 ? 1UL : 0UL}})
            .value();
    records.emplace_back(engine.record());
    const double cost = kRangesCosts[static_cast<std::size_t>(made.action)] * (0.5 + x[1]);
    engine.learn(made.id, {.reward = noise.uniform(), .costs = {cost}}).check();
    records.emplace_back(engine.record());
    if (t == 300) middle = engine.snapshot();
  }
  Engine restored = Engine::restore(middle).value();
  for (std::size_t n = 0; n < records.size(); ++n) {
    replayed.fold(records[n]).check();
    if (n >= 602) restored.fold(records[n]).check();
  }
  EXPECT_EQ(replayed.state_hash(), engine.state_hash());
  EXPECT_EQ(restored.state_hash(), engine.state_hash());
  EXPECT_EQ(Engine::restore(engine.snapshot()).value().state_hash(), engine.state_hash());
}

TEST(Ranges, WhatIsNotANumberIsRefused) {
  Engine engine = make({.kept = Kept::kByRun, .declared = false}, 1);
  const std::array x = {1.0, 0.5, 0.5};
  const std::uint64_t id = engine.decide({.actions = 4, .context = x}).value().id;
  EXPECT_FALSE(engine.learn(id, {.reward = INFINITY, .costs = {0.1}}));
  EXPECT_FALSE(engine.learn(id, {.reward = 1.0, .costs = {INFINITY}}));
  EXPECT_FALSE(engine.learn(id, {.reward = 1.0, .costs = {std::nan("1")}}));
  engine.learn(id, {.reward = 1e9, .costs = {1e9}}).check();  // any number, without clipping
  EXPECT_EQ(engine.clipped(), 0);
}

// A cost above its declared range: booked in full, by the policy too, and clipped for learning.
TEST(RulesBillsLateMissingTooHigh, ACostAboveItsRangeIsBookedInFull) {
  const Shape shape{.actions = 2, .costs = {{"dollars", {0.0, 1.0}}}};
  Engine engine = Engine::make("ccb(budget=100,rounds=1000)", shape).value();
  const std::uint64_t id = engine.decide({.actions = 2}).value().id;
  engine.learn(id, {.reward = 0.5, .costs = {7.0}}).check();
  EXPECT_EQ(engine.clipped(), 1);
  EXPECT_EQ(engine.state().billed[0], 7.0);
  EXPECT_EQ(engine.policy_state().spent[0], 7.0);  // before, 1: the price did not know of the rest
  EXPECT_NEAR(engine.policy_state().queues[0], 6.9, 1e-12);
}

std::string refusal(std::string_view spec, const Shape& shape, const EngineOptions& options = {}) {
  const auto made = Engine::make(spec, shape, options);
  return made ? "" : made.failure().message;
}

TEST(RulesRangesAndScales, TheoremsNeedRanges) {
  const Shape none = shape_of({.declared = false});
  for (const char* spec :
       {"ccb(budget=9,rounds=99,tuning=theory)", "squarecb", "pgd(budget=9,rounds=99)",
        "ccb(budget=9,rounds=99,oracle=mlp)", "ccb(budget=9,rounds=99,gain=constant)",
        "ccb(budget=9,rounds=99,pricer=quadratic)", "ccb(budget=9,rounds=99,alarm=1)",
        "ccb(budget=9,rounds=99,baseline=0)", "greedy(oracle=adagrad)"}) {
    EXPECT_THAT(refusal(spec, none), HasSubstr("accepted: a range for the reward")) << spec;
  }
  EXPECT_THAT(refusal("stop(of=uniform,null=0,at=5)", none), HasSubstr("largest value of cost"));
  EXPECT_THAT(refusal("ccb", none), HasSubstr("no range and no budget"));
  for (const char* spec : {"ccb(budget=9,rounds=99)", "ccb(setting=expectation)", "greedy",
                           "epsilon", "uniform", "ccb(rate=0.1,oracle=kernel)"}) {
    EXPECT_EQ(refusal(spec, none), "") << spec;
  }
}

TEST(RulesRangesAndScales, AHardBudgetNeedsALargestCost) {
  Shape shape = shape_of({.declared = false});
  EngineOptions options;
  options.budgets = {{.name = "day",
                      .cost = "dollars",
                      .amount = 1.0,
                      .kind = BudgetKind::kHard,
                      .window = Window::rounds(100)}};
  const std::array x = {1.0, 0.5, 0.5};
  const Round round{.actions = 4, .context = x};
  Engine engine = Engine::make("ccb", shape, options).value();
  const auto refused = engine.decide(round);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.failure().message, HasSubstr("nothing says what action id 0 can cost"));
  const std::array largest = {0.1, 0.2, 0.4, 2.0};  // with the round
  const auto made = engine.decide(round, {.largest_costs = largest});
  ASSERT_TRUE(made);
  EXPECT_EQ(made.value().fitting, 3);

  options.largest_costs = {{0.1}, {0.2}, {0.4}, {2.0}};  // per action
  Engine other = Engine::make("ccb", shape, options).value();
  EXPECT_EQ(other.decide(round).value().fitting, 3);
  options.largest_costs.clear();
  shape.costs[0].range = {0.0, 0.5};  // or a range
  EXPECT_EQ(Engine::make("ccb", shape, options).value().decide(round).value().fitting, 4);
}

// ... and NearTheEndOfAWindowTheLearnedBoundMustFit, below.
TEST(RulesWhatAnActionCanCost, ItIsUsedForMostCostsAndNearTheEndOfASteeredWindow) {
  Engine engine = make({.kept = Kept::kByRun, .declared = false}, 1);
  const std::array x = {1.0, 0.5, 0.5};
  const Round round{.actions = 4, .context = x};
  const double most = 0.05;
  EXPECT_EQ(engine.decide(round, {.most_costs = {&most, 1}}).value().fitting, 4);  // nothing seen
  for (int t = 0; t < 400; ++t) {
    const auto made = engine.decide(round).value();
    const double cost = kRangesCosts[static_cast<std::size_t>(made.action)];
    engine.learn(made.id, {.reward = 0.1 * made.action, .costs = {t % 50 == 49 ? 9.0 : cost}})
        .check();
  }
  const auto learned = engine.learned_largest_costs();
  EXPECT_EQ(learned[1], 0.01);  // one in 50 is above the 0.95 quantile
  const auto made = engine.decide(round, {.most_costs = {&most, 1}}).value();
  EXPECT_EQ(made.fitting, 2);
  EXPECT_LT(made.action, 2);
}

// Near the end of a window an action whose learned bound exceeds what is left is not played. Its cost
// and two standard deviations, 2.5, would still fit.
TEST(Ranges, NearTheEndOfAWindowTheLearnedBoundMustFit) {
  Shape shape{.actions = 2, .costs = {{"dollars", Range::unknown()}}};
  shape.reward = Range::unknown();
  EngineOptions options;
  options.budgets = {
      {.name = "w", .cost = "dollars", .amount = 30.0, .window = Window::rounds(200)}};
  Engine engine = Engine::make("ccb", shape, options).value();
  int plays = 0, near = 0;
  for (int t = 0; t < 6000; ++t) {
    const BudgetState window = engine.state().budgets[0];
    const double left = static_cast<double>(window.limit - window.spent - window.held) / 1e6;
    const auto made = engine.decide({.actions = 2}).value();
    if (t > 1000 && left > 2.55 && left < 2.95) {
      EXPECT_EQ(made.action, 0) << t;
      ++near;
    }
    const double cost = made.action == 0 ? 0.0 : ++plays % 8 == 0 ? 3.0 : 0.8;
    engine.learn(made.id, {.reward = made.action == 0 ? 0.1 : 1.0, .costs = {cost}}).check();
  }
  EXPECT_EQ(engine.learned_largest_costs()[1], 3.0);
  EXPECT_GT(near, 20);
}

TEST(RulesRangesAndScales, WhatARangeIsFor) {
  Shape shape{.actions = 2, .costs = {{"dollars", {0.0, 0.5}}}};
  EngineOptions options;
  options.hard_budget = {10.0};
  Engine declared = Engine::make("uniform", shape, options).value();
  declared.decide({.actions = 2}).check();
  EXPECT_EQ(declared.state().budgets[0].held, 500'000) << "the largest cost of every action";
  shape.costs[0].range = Range::from(0.0);
  Engine lower = Engine::make("uniform", shape).value();
  const std::uint64_t id = lower.decide({.actions = 2}).value().id;
  EXPECT_FALSE(lower.learn(id, {.reward = 0.0, .costs = {-0.1}}).ok()) << "no refunds";
  lower.learn(id, {.reward = 0.0, .costs = {1e6}}).check();
}

// Costs of 10^-9 under a hard budget of 10^-6.
TEST(RulesRangesAndScales, Coins) {
  const Shape shape{.actions = 2, .costs = {{"dollars", {0.0, 1e-9}}}};
  EngineOptions options;
  options.hard_budget = {1e-6};
  Engine engine = Engine::make("uniform", shape, options).value();
  for (int n = 0; n < 1000; ++n) {
    const auto made = engine.decide({.actions = 2});
    ASSERT_TRUE(made.ok()) << n << " " << made.error();
    engine.learn(made.value().id, {.reward = 0.0, .costs = {1e-9}}).check();
    ASSERT_EQ(engine.state().budgets[0].spent, 1) << "shown in millionths, rounded up";
  }
  EXPECT_EQ(engine.decide({.actions = 2}).reason(), Reason::kBudget) << "all of it is spent";
}

Engine without_ranges() {
  Shape shape{.actions = 2, .costs = {{"dollars", Range::unknown()}}};
  shape.reward = Range::unknown();
  EngineOptions options;
  options.budgets = {
      {.name = "w", .cost = "dollars", .amount = 100.0, .window = Window::rounds(200)}};
  return Engine::make("ccb", shape, options).value();
}

TEST(RulesWhatAnActionCanCost, AnActionThatWasNotSeenYet) {
  Engine engine = without_ranges();
  const double most = 0.01;
  const std::vector<std::int32_t> first = {0};
  EXPECT_EQ(engine.decide({.actions = 2}, {.most_costs = {&most, 1}}).value().fitting, 2);
  for (int n = 0; n < 40; ++n) {
    const std::uint64_t id = engine.decide({.actions = 1, .ids = first}).value().id;
    engine.learn(id, {.reward = 1.0, .costs = {0.5}}).check();
  }
  const auto made = engine.decide({.actions = 2}, {.most_costs = {&most, 1}}).value();
  EXPECT_EQ(made.action, 1) << "nothing speaks against it";
  EXPECT_EQ(made.fitting, 1);
}

TEST(RulesWhatAnActionCanCost, ItFollowsAChangeOfPricesWithin32Plays) {
  Engine engine = without_ranges();
  const std::vector<std::int32_t> first = {0};
  const auto play = [&](double cost, int times) {
    for (int n = 0; n < times; ++n) {
      const std::uint64_t id = engine.decide({.actions = 1, .ids = first}).value().id;
      engine.learn(id, {.reward = 1.0, .costs = {cost}}).check();
    }
  };
  play(1.0, 100);
  EXPECT_EQ(engine.learned_largest_costs()[0], 1.0);
  play(0.1, 32);
  EXPECT_EQ(engine.learned_largest_costs()[0], 0.1);
  const Engine restored = Engine::restore(engine.snapshot()).value();
  EXPECT_EQ(restored.learned_largest_costs()[0], 0.1) << "part of the state";
}

}  // namespace
}  // namespace rein
