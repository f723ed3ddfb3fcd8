// Outcomes come in parts: the reward and each cost on its own, in any order, late or never.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/small.h"

namespace rein {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Shape two_costs() {
  return {.actions = 3,
          .context = 2,
          .costs = {{.name = "dollars", .range = {0.0, 1.0}},
                    {.name = "seconds", .range = {0.0, 10.0}}}};
}

constexpr const char* kTwoCosts = "ccb(budget=[100,1000],rounds=1000)";

Engine two_cost_engine(const EngineOptions& options = {}) {
  return Engine::make(kTwoCosts, two_costs(), options).value();
}

std::vector<double> list(const Costs& costs) { return {costs.begin(), costs.end()}; }

const Outcome kReward{.reward = 0.5};
const Outcome kDollars{.costs = {0.25, kMissing}};
const Outcome kSeconds{.costs = {kMissing, 3.0}};

TEST(RulesOutcomesInParts, EachPartIsAppliedOnce) {
  Engine engine = two_cost_engine();
  const std::uint64_t id = decided(engine);
  for (const Outcome& part : {kDollars, kReward, kSeconds}) {
    EXPECT_EQ(engine.learn(id, part).value(), LearnResult::kApplied);
    EXPECT_FALSE(engine.record().empty());
    const std::uint64_t hash = engine.state_hash();
    EXPECT_EQ(engine.learn(id, part).value(), LearnResult::kDuplicate);
    EXPECT_TRUE(engine.record().empty());
    EXPECT_EQ(engine.state_hash(), hash);
  }
  EXPECT_EQ(engine.state().open, 0);
  EXPECT_EQ(engine.state().learned, 1);
  const std::uint64_t hash = engine.state_hash();
  const Outcome whole{.reward = 0.5, .costs = {0.25, 3.0}};
  for (const Outcome& again : {kReward, kDollars, kSeconds, whole}) {
    EXPECT_EQ(engine.learn(id, again).value(), LearnResult::kDuplicate) << "after it was settled";
  }
  EXPECT_EQ(engine.state_hash(), hash);
  EXPECT_THAT(list(engine.state().billed), ElementsAre(0.25, 3.0)) << "never twice";
}

TEST(EngineParts, AConflictNamesThePartAndChangesNothing) {
  Engine engine = two_cost_engine();
  const std::uint64_t id = decided(engine);
  const auto refused = [&](const Outcome& outcome, const char* part) {
    const std::uint64_t hash = engine.state_hash();
    auto done = engine.learn(id, outcome);
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.reason(), Reason::kConflict);
    EXPECT_THAT(done.error(), HasSubstr(part));
    EXPECT_EQ(engine.state_hash(), hash);
  };
  engine.learn(id, kDollars).check();
  refused({.costs = {0.26, kMissing}}, "cost \"dollars\"");
  refused({.reward = 0.5, .costs = {0.26, 3.0}}, "cost \"dollars\"");  // nothing of it is applied
  engine.learn(id, {.reward = 0.5, .costs = {0.25, 3.0}}).check();     // the parts that are new
  EXPECT_EQ(engine.state().learned, 1);
  refused({.reward = 0.75}, "the reward");
  refused({.costs = {kMissing, 3.5}}, "cost \"seconds\"");
  refused({.reward = 0.75, .costs = {0.25, 3.0}}, "the reward");
}

TEST(EngineParts, WhatIsNoPartIsRefused) {
  Engine engine = two_cost_engine();
  const std::uint64_t id = decided(engine);
  for (const Outcome& bad :
       {Outcome{}, Outcome{.reward = std::nan("")}, Outcome{.costs = {0.5}},
        Outcome{.costs = {kMissing, kMissing}}, Outcome{.reward = 2.0},
        Outcome{.costs = {std::nan(""), 1.0}}, Outcome{.costs = {-0.5, kMissing}}}) {
    const std::uint64_t hash = engine.state_hash();
    EXPECT_EQ(engine.learn(id, bad).reason(), Reason::kInvalid);
    EXPECT_EQ(engine.state_hash(), hash);
  }
  EXPECT_EQ(engine.state().partly, 0);
}

// t moves with the first part, each queue when its cost comes. By the second part nothing counts
// again.
TEST(RulesOutcomesInParts, ARoundCountsWithItsFirstPart) {
  Engine engine =
      Engine::make("ccb(budget=[100,1000],rounds=1000,setting=pacing,tuning=theory)", two_costs())
          .value();
  const std::uint64_t id = decided(engine);
  engine.learn(id, kDollars).check();
  PolicyState state = engine.policy().state();
  EXPECT_EQ(state.rounds, 1);
  EXPECT_EQ(state.reward, 0.0);
  EXPECT_NEAR(state.queues[0], 0.25 - 0.1, 1e-12);  // what was paid, less the budget per round
  EXPECT_NEAR(state.queues[1], 0.0 - 0.1, 1e-12);   // nothing was paid yet
  engine.learn(id, kReward).check();
  engine.learn(id, kSeconds).check();
  state = engine.policy().state();
  EXPECT_EQ(state.rounds, 1);
  EXPECT_EQ(state.reward, 0.5);
  EXPECT_NEAR(state.queues[0], 0.25 - 0.1, 1e-12);
  EXPECT_NEAR(state.queues[1], 0.3 - 0.1, 1e-12);
  EXPECT_THAT(list(state.spent), ElementsAre(0.25, testing::DoubleNear(3.0, 1e-12)));
}

// All parts one by one leave the same books as the whole outcome, in any order. What was learned of
// a head is the same too.
TEST(EngineParts, PartsAddUpToTheWholeOutcome) {
  const char* spec = "ccb(budget=[100,1000],rounds=1000,setting=pacing,tuning=theory)";
  Engine whole = Engine::make(spec, two_costs(), {.seed = 3}).value();
  Engine parts = Engine::make(spec, two_costs(), {.seed = 3}).value();
  for (std::uint64_t n = 0; n < 60; ++n) {
    const auto a = decide(whole, n).value(), b = decide(parts, n).value();
    ASSERT_EQ(a.action, b.action);
    ASSERT_NEAR(a.probability, b.probability, 1e-9);
    const Outcome outcome{.reward = 0.1 * a.action, .costs = {0.2 * a.action, 4.0}};
    whole.learn(a.id, outcome).check();
    parts.learn(b.id, {.costs = {kMissing, 4.0}}).check();
    parts.learn(b.id, {.reward = outcome.reward}).check();
    parts.learn(b.id, {.costs = {outcome.costs[0], kMissing}}).check();
  }
  const PolicyState a = whole.policy().state(), b = parts.policy().state();
  EXPECT_EQ(a.rounds, b.rounds);
  EXPECT_EQ(a.reward, b.reward);
  EXPECT_THAT(list(b.spent), testing::Pointwise(testing::DoubleNear(1e-9), list(a.spent)));
  EXPECT_THAT(list(b.queues), testing::Pointwise(testing::DoubleNear(1e-9), list(a.queues)));
  EXPECT_EQ(a.effective_size, b.effective_size);
}

TEST(RulesOutcomesInParts, MoneyIsBookedWhenItsCostComes) {
  Engine engine = two_cost_engine({.hard_budget = {2.0, 30.0}});
  const std::uint64_t id = decided(engine);
  const auto budget = [&](std::size_t i) { return engine.state().budgets[i]; };
  EXPECT_EQ(budget(0).held, 1'000'000);
  EXPECT_EQ(budget(1).held, 10'000'000);
  engine.learn(id, kDollars).check();
  EXPECT_EQ(budget(0).held, 0);
  EXPECT_EQ(budget(0).spent, 250'000);
  EXPECT_EQ(budget(1).held, 10'000'000) << "its bill has not come";
  EXPECT_EQ(engine.state().reserved[0], 0.0);
  engine.learn(id, kSeconds).check();
  EXPECT_EQ(budget(1).held, 0);
  EXPECT_EQ(budget(1).spent, 3'000'000);
  EXPECT_EQ(engine.state().open, 1) << "its reward has not come";
  engine.learn(id, kReward).check();
  EXPECT_EQ(budget(0).spent, 250'000);
  EXPECT_EQ(engine.state().open, 0);
}

TEST(RulesOutcomesInParts, Expiry) {
  Engine engine = two_cost_engine({.expire_after = 5,
                                   .default_outcome = Outcome{.reward = -1.0, .costs = {0.5, 5.0}},
                                   .hard_budget = {2.0, 30.0}});
  const std::uint64_t some = decided(engine, 0), none = decided(engine, 1);
  engine.learn(some, kDollars).check();
  EXPECT_EQ(engine.tick(10).value(), 2);
  PolicyState state = engine.policy().state();
  EXPECT_EQ(state.rounds, 2);
  EXPECT_EQ(state.reward, -2.0);
  EXPECT_NEAR(state.spent[0], 0.25 + 0.5, 1e-12);  // what came, and one default
  EXPECT_NEAR(state.spent[1], 5.0 + 5.0, 1e-12);
  EXPECT_THAT(list(engine.state().billed), ElementsAre(0.25, 0.0));
  EXPECT_EQ(engine.state().budgets[0].spent, 250'000 + 1'000'000);  // a missing bill counts in full

  // A later reward is refused; a later cost is booked, once, and replaces the default.
  auto late = engine.learn(some, kReward);
  EXPECT_EQ(late.reason(), Reason::kExpired);
  EXPECT_EQ(engine.learn(some, kSeconds).value(), LearnResult::kLate);
  EXPECT_EQ(engine.learn(some, kSeconds).value(), LearnResult::kDuplicate);
  EXPECT_EQ(engine.learn(some, {.costs = {0.25, 3.0}}).value(), LearnResult::kDuplicate);
  EXPECT_EQ(engine.learn(some, {.costs = {kMissing, 4.0}}).reason(), Reason::kConflict);
  EXPECT_EQ(engine.learn(some, {.costs = {0.5, kMissing}}).reason(), Reason::kConflict);
  EXPECT_EQ(engine.learn(none, kDollars).value(), LearnResult::kLate);
  state = engine.policy().state();
  EXPECT_EQ(state.rounds, 2);
  EXPECT_EQ(state.reward, -2.0) << "nothing is learned";
  EXPECT_NEAR(state.spent[0], 0.25 + 0.25, 1e-12) << "the bill in place of the default";
  EXPECT_NEAR(state.spent[1], 3.0 + 5.0, 1e-12);
  EXPECT_THAT(list(engine.state().billed), ElementsAre(0.5, 3.0));
  EXPECT_EQ(engine.state().budgets[0].spent, 500'000);
  EXPECT_EQ(engine.state().budgets[1].spent, 3'000'000 + 10'000'000);
  EXPECT_EQ(engine.state().late, 2);
}

// The answer depends on the parts: costs are booked once, and the reward is never taken.
TEST(EngineParts, ARewardAfterExpiryIsNeitherTakenNorRemembered) {
  Engine engine = two_cost_engine({.expire_after = 5});
  const std::uint64_t id = decided(engine);
  engine.tick(10).check();
  const Outcome both{.reward = 1.0, .costs = {0.25, kMissing}};
  EXPECT_EQ(engine.learn(id, both).value(), LearnResult::kLate);
  const std::uint64_t before = engine.state_hash();
  EXPECT_EQ(engine.learn(id, both).value(), LearnResult::kLate) << "its reward is not accepted";
  EXPECT_EQ(engine.learn(id, kReward).reason(), Reason::kExpired) << "nor is it remembered";
  EXPECT_EQ(engine.learn(id, {.reward = -1.0}).reason(), Reason::kExpired);
  EXPECT_EQ(engine.learn(id, {.reward = -1.0, .costs = both.costs}).value(), LearnResult::kLate);
  EXPECT_EQ(engine.learn(id, {.costs = both.costs}).value(), LearnResult::kDuplicate);
  EXPECT_EQ(engine.learn(id, {.costs = {0.5, kMissing}}).reason(), Reason::kConflict);
  EXPECT_EQ(engine.state_hash(), before) << "nothing of this changes anything";
  EXPECT_EQ(engine.learn(id, {.reward = 1.0, .costs = {0.25, 3.0}}).value(), LearnResult::kLate);
  EXPECT_THAT(list(engine.state().billed), ElementsAre(0.25, 3.0));
  EXPECT_EQ(engine.state().late, 2);
  EXPECT_EQ(engine.policy().state().reward, 0.0);
}

// Without a default outcome nothing is learned of what is missing; the bill still moves the queue.
TEST(EngineParts, ALateBillCountsForThePrice) {
  Engine engine = small_engine({.expire_after = 5});
  const std::uint64_t id = decided(engine);
  engine.tick(10).check();
  const std::string before = engine.policy().save();
  EXPECT_EQ(engine.learn(id, {.reward = 1.0, .costs = {0.75}}).value(), LearnResult::kLate);
  const PolicyState state = engine.policy().state();
  EXPECT_EQ(state.rounds, 0);
  EXPECT_EQ(state.spent[0], 0.75);
  EXPECT_EQ(state.queues[0], 0.75);
  EXPECT_EQ(state.reward, 0.0);
  EXPECT_NE(engine.policy().save(), before);
}

TEST(RulesOutcomesInParts, AgentCancel) {
  Engine engine = two_cost_engine({.expire_after = 5});
  for (const Outcome& part : {kReward, kDollars, kSeconds}) {
    const std::uint64_t id = decided(engine);
    engine.learn(id, part).check();
    const std::uint64_t hash = engine.state_hash();
    EXPECT_EQ(engine.cancel(id).reason(), Reason::kConflict);
    EXPECT_EQ(engine.state_hash(), hash);
  }
  const std::uint64_t fresh = decided(engine), other = decided(engine);
  engine.cancel(fresh).check();
  EXPECT_EQ(engine.learn(fresh, kReward).reason(), Reason::kConflict) << "it was given up";
  EXPECT_EQ(engine.state().cancelled, 1);
  const auto partly = engine.open()[0].id;
  engine.tick(10).check();
  EXPECT_EQ(engine.cancel(partly).reason(), Reason::kConflict);
  EXPECT_EQ(engine.cancel(other).reason(), Reason::kExpired);
}

TEST(RulesOutcomesInParts, AgentOpen) {
  Engine engine = two_cost_engine();
  engine.tick(7).check();
  const std::uint64_t first = decided(engine, 0);
  engine.tick(9).check();
  const std::uint64_t second = decided(engine, 1);
  decided(engine, 2);
  engine.learn(first, kDollars).check();
  engine.learn(second, kReward).check();
  const std::vector<OpenDecision> open = engine.open();
  ASSERT_EQ(open.size(), 3U);
  EXPECT_EQ(open[0].id, first);
  EXPECT_EQ(open[0].at, 7);
  EXPECT_TRUE(is_missing(open[0].came.reward));
  EXPECT_EQ(open[0].came.costs[0], 0.25);
  EXPECT_TRUE(is_missing(open[0].came.costs[1]));
  EXPECT_EQ(open[1].came.reward, 0.5);
  EXPECT_EQ(engine.open(2).size(), 2U);
  const EngineState state = engine.state();
  EXPECT_EQ(state.open, 3);
  EXPECT_EQ(state.partly, 2);
  EXPECT_EQ(state.without_reward, 2);
  EXPECT_THAT(state.without_cost, ElementsAre(2, 3));
  EXPECT_EQ(state.open_since, 7);
  Engine again = Engine::restore(engine.snapshot()).value();
  EXPECT_EQ(again.state().partly, 2);
  EXPECT_THAT(again.state().without_cost, ElementsAre(2, 3));
  EXPECT_EQ(again.open()[1].came.reward, 0.5);
}

TEST(EngineParts, APolicyThatLearnsWholeOutcomesSaysSo) {
  for (const char* spec : {"banditq", "pgd", "optimistic3"}) {
    Shape shape = two_costs();
    shape.rounds = 100;
    shape.budgets = {10.0, 100.0};
    Engine engine = Engine::make(spec, shape).value();
    const std::uint64_t id = decided(engine);
    const std::uint64_t hash = engine.state_hash();
    EXPECT_THAT(engine.learn(id, kDollars).error(), HasSubstr("the reward and every cost")) << spec;
    EXPECT_EQ(engine.state_hash(), hash);
    engine.learn(id, {.reward = 0.5, .costs = {0.25, 3.0}}).check();
  }
}

// The dear action's outcomes are mostly lost: no reward, and bills that come after expiry or never.
// What is spent is what was billed, and the price sees it.
TEST(RulesOutcomesInParts, SpentIsWhatWasBilled) {
  Engine engine = small_engine({.seed = 2, .expire_after = 20, .hard_budget = {80.0}});
  Rng rng(5);
  double billed = 0.0;
  std::vector<std::uint64_t> lost;
  for (std::uint64_t n = 0; n < 400; ++n) {
    auto d = decide(engine, n);
    if (!d) break;
    const bool dear = d.value().action == 2;
    const double cost = dear ? 0.5 : 0.05;
    if (!dear || rng.uniform() < 0.2) {
      engine.learn(d.value().id, {.reward = dear ? 1.0 : 0.2, .costs = {cost}}).check();
      billed += cost;
    } else {
      lost.push_back(d.value().id);
    }
    engine.tick(static_cast<std::int64_t>(n)).check();
    if (!lost.empty() && rng.uniform() < 0.3) {
      if (engine.learn(lost.front(), {.costs = {0.5}})) billed += 0.5;
      lost.erase(lost.begin());
    }
  }
  EXPECT_NEAR(engine.state().billed[0], billed, 1e-9);
  EXPECT_NEAR(engine.policy().state().spent[0], billed, 1e-9);
  EXPECT_GT(engine.state().late, 20);
}

// Random parts, conflicts, expiry and cancels, with two costs and hard budgets.
struct PartsLife {
  Engine engine;
  std::vector<std::string> journal = {};
  std::vector<std::uint64_t> ids = {};
  std::int64_t now = 0;
  int refused = 0;

  void note() {
    if (!engine.record().empty()) journal.emplace_back(engine.record());
  }
  void step(std::uint64_t n) {
    Rng rng(31, n);
    if (auto ticket = decide(engine, n)) {
      ids.push_back(ticket.value().id);
      note();
    }
    for (int sends = 0; sends < 4; ++sends) {
      const std::size_t back = static_cast<std::size_t>(rng.below(12));
      if (back >= ids.size()) continue;
      const std::uint64_t id = ids[ids.size() - 1 - back];
      Outcome outcome{.costs = {kMissing, kMissing}};
      if (rng.uniform() < 0.4) outcome.reward = 0.25 * static_cast<double>(rng.below(2));
      if (rng.uniform() < 0.4) outcome.costs[0] = 0.5;
      if (rng.uniform() < 0.4) outcome.costs[1] = 4.0 * rng.uniform();
      refused += !engine.learn(id, outcome);
      note();
    }
    if (rng.uniform() < 0.1 && !ids.empty()) {
      refused += !engine.cancel(ids.back());
      note();
    }
    if (rng.uniform() < 0.3) {
      engine.tick(now += rng.below(8)).check();
      note();
    }
  }
};

Engine busy_engine() {
  return two_cost_engine({.seed = 9,
                          .most_open = 60,
                          .remember = 30,
                          .expire_after = 15,
                          .default_outcome = Outcome{.reward = -0.5, .costs = {kMissing, 2.0}},
                          .hard_budget = {90.0, 2000.0}});
}

TEST(EngineParts, RecordsReplayToTheSameHashFromTheStartAndFromAnySnapshot) {
  PartsLife life{busy_engine()};
  std::vector<std::pair<std::size_t, std::string>> snapshots;
  for (std::uint64_t n = 0; n < 150; ++n) {
    life.step(n);
    if (n % 10 == 9) snapshots.emplace_back(life.journal.size(), life.engine.snapshot());
  }
  EXPECT_GT(life.refused, 100);
  EXPECT_GT(life.engine.state().learned, 10);
  EXPECT_GT(life.engine.state().expired, 10);
  EXPECT_GT(life.engine.state().late, 5);
  snapshots.emplace_back(0, busy_engine().snapshot());
  for (const auto& [from, snapshot] : snapshots) {
    Engine again = Engine::restore(snapshot).value();
    for (std::size_t i = from; i < life.journal.size(); ++i) again.fold(life.journal[i]).check();
    ASSERT_EQ(again.state_hash(), life.engine.state_hash()) << "from record " << from;
    ASSERT_EQ(again.snapshot(), life.engine.snapshot());
  }
}

}  // namespace
}  // namespace rein
