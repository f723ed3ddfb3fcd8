// Runs of agents: caps inside caps, beside budgets, for decisions whose bills come late or never.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/small.h"
#include "money/agent_runs.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

EngineOptions cheap() {
  EngineOptions options{.seed = 5, .most_open = 200, .expire_after = 50};
  options.largest_costs = {{0.01}, {0.1}, {0.3}};
  options.hard_budget = {1000.0};
  return options;
}

Result<Engine::Decision> decide_in(Engine& engine, std::uint64_t run, std::uint64_t n = 0) {
  const std::vector<double> x = context_of(n);
  return engine.decide({.actions = 3, .context = x}, {.run = run});
}

std::uint64_t opened(Engine& engine, double amount, std::uint64_t parent = 0, std::int64_t ticks = 1000) {
  return engine.open_run({.amounts = {amount}, .expire_after = ticks, .parent = parent}).value();
}

AgentRunState::Money money(const Engine& engine, std::uint64_t run) { return engine.agent_run(run).value().costs[0]; }

TEST(AgentRuns, ARunIsACapOnWhatItsDecisionsCost) {
  Engine engine = small_engine(cheap());
  const std::uint64_t run = opened(engine, 0.35);
  const Engine::Decision first = decide_in(engine, run).value();
  const double most = cheap().largest_costs[static_cast<std::size_t>(first.action)][0];
  EXPECT_EQ(money(engine, run).held, std::llround(most * 1e6));
  int made = 1;
  while (made < 100 && decide_in(engine, run, static_cast<std::uint64_t>(made))) ++made;
  EXPECT_LT(made, 40);
  EXPECT_EQ(engine.barred()[0].budget, "run");
  EXPECT_EQ(engine.barred()[0].until, -1);
  EXPECT_EQ(decide_in(engine, run).reason(), Reason::kBudget);
  EXPECT_TRUE(decide(engine)) << "without the run there is no cap";
  engine.learn(first.id, {.reward = 1.0, .costs = {0.001}}).check();
  const AgentRunState state = engine.agent_run(run).value();
  EXPECT_EQ(state.costs[0].spent, 1000);
  EXPECT_EQ(state.decisions, made);
  EXPECT_EQ(state.waiting, made - 1);
  EXPECT_LE(state.costs[0].spent + state.costs[0].held, state.costs[0].limit);
}

TEST(AgentRuns, SpendingCountsInEveryRunAroundIt) {
  Engine engine = small_engine(cheap());
  const std::uint64_t task = opened(engine, 1.0), part = opened(engine, 0.5, task), step = opened(engine, 0.4, part);
  const std::uint64_t id = decide_in(engine, step).value().id;
  engine.learn(id, {.reward = 1.0, .costs = {0.2}}).check();
  for (std::uint64_t run : {task, part, step}) {
    EXPECT_EQ(money(engine, run).spent, 200'000);
    EXPECT_EQ(money(engine, run).held, 0);
  }
  EXPECT_EQ(engine.agent_run(step).value().parent, part);
  EXPECT_EQ(engine.agent_run(task).value().parent, 0U);
  const std::uint64_t narrow = opened(engine, 5.0, step);  // its own cap is above what is left around it
  int made = 0;
  while (made < 100 && decide_in(engine, narrow, 1)) ++made;
  EXPECT_LE(money(engine, step).spent + money(engine, step).held, 400'000);
}

TEST(AgentRuns, ClosingGivesTheRestBackAtOnceAndEndsTheRunsInside) {
  EngineOptions options = cheap();
  options.hard_budget = {1.0};
  Engine engine = small_engine(options);
  const std::uint64_t task = opened(engine, 0.9), part = opened(engine, 0.9, task);
  EXPECT_EQ(engine.state().budgets[0].held, 0) << "a run is a cap: nothing is set aside";
  const std::uint64_t id = decide_in(engine, part).value().id;
  engine.close_run(task).check();
  EXPECT_FALSE(engine.agent_run(part).value().open);
  EXPECT_EQ(decide_in(engine, part).reason(), Reason::kExpired);
  EXPECT_THAT(decide_in(engine, task).error(), HasSubstr("it was closed at 0; accepted: an open run"));
  EXPECT_TRUE(decide(engine));
  engine.learn(id, {.reward = 0.0, .costs = {0.3}}).check();
  EXPECT_EQ(money(engine, task).spent, 300'000) << "the bill of an open decision still counts";
  const std::uint64_t before = engine.state_hash();
  engine.close_run(task).check();
  EXPECT_TRUE(engine.record().empty()) << "closed already";
  EXPECT_EQ(engine.state_hash(), before);
  EXPECT_EQ(engine.open_run({.amounts = {1.0}, .parent = part}).reason(), Reason::kExpired);
}

TEST(AgentRuns, ForgottenRunsCloseAtTheirEnd) {
  Engine engine = small_engine(cheap());
  const std::uint64_t task = opened(engine, 1.0, 0, 20), part = opened(engine, 1.0, task, 500);
  EXPECT_EQ(engine.agent_run(part).value().ends, 20) << "not later than the run around it";
  EXPECT_EQ(engine.next_run_end(), 20);
  const std::uint64_t id = decide_in(engine, part).value().id;
  engine.tick(19).check();
  EXPECT_TRUE(engine.agent_run(task).value().open);
  engine.tick(20).check();
  EXPECT_TRUE(engine.agent_run(task).value().expired && engine.agent_run(part).value().expired);
  EXPECT_EQ(engine.state().open_runs, 0);
  EXPECT_EQ(engine.next_run_end(), -1);
  const std::int64_t held = money(engine, task).held;
  engine.tick(60).check();  // the decision expires: its hold counts as spent until the bill comes
  EXPECT_EQ(money(engine, task).spent, held);
  EXPECT_EQ(money(engine, task).held, 0);
  engine.learn(id, {.reward = kMissing, .costs = {0.005}}).check();
  EXPECT_EQ(money(engine, task).spent, 5000);
}

TEST(AgentRuns, RunsAreCheckedAndBounded) {
  Engine engine = small_engine(cheap());
  const std::uint64_t before = engine.state_hash();
  EXPECT_THAT(engine.open_run({.amounts = {-1.0}}).error(), HasSubstr("amounts: found -1"));
  EXPECT_THAT(engine.open_run({.amounts = {kMissing}}).error(), HasSubstr("one at least is not missing"));
  EXPECT_THAT(engine.open_run({.amounts = {1.0}, .expire_after = 0}).error(), HasSubstr("expire_after: found 0"));
  EXPECT_EQ(engine.open_run({.amounts = {1.0}, .parent = 77}).reason(), Reason::kUnknown);
  EXPECT_EQ(decide_in(engine, 12345).reason(), Reason::kUnknown);
  EXPECT_EQ(engine.close_run(0).reason(), Reason::kUnknown);
  EXPECT_EQ(engine.state_hash(), before);
  std::uint64_t inside = 0;
  for (int depth = 1; depth <= kMaxRunDepth; ++depth) inside = opened(engine, 1.0, inside);
  EXPECT_THAT(engine.open_run({.amounts = {1.0}, .parent = inside}).error(), HasSubstr("at most 8"));
  for (std::int64_t n = kMaxRunDepth; n < kMaxOpenRuns; ++n) opened(engine, 1.0);
  EXPECT_EQ(engine.open_run({.amounts = {1.0}}).reason(), Reason::kFull);
  const auto all = engine.agent_runs(true, 0, kMaxOpenRuns);
  for (const AgentRunState& run : all) engine.close_run(run.id).check();
  EXPECT_TRUE(engine.open_run({.amounts = {1.0}}));
  EXPECT_LE(engine.agent_runs(false, 0, kMaxOpenRuns).size(), AgentRuns::kKeptRuns + kMaxRunDepth + 1);
  EXPECT_EQ(engine.agent_run(all[50].id).reason(), Reason::kExpired) << "closed long ago and forgotten";
}

// A plain model of nested caps, for a random life with late bills, expiry, cancels, snapshots and a replay.
struct ModelRun {
  std::uint64_t parent = 0;
  std::int64_t spent = 0;
};

TEST(AgentRuns, ARandomLifeCountsEveryBillOnceUpTheChain) {
  for (std::uint64_t seed = 1; seed <= (sanitized() ? 2U : 10U); ++seed) {
    EngineOptions options = cheap();
    options.hard_budget = {40.0};
    Engine engine = small_engine(options), other = small_engine(options);
    std::map<std::uint64_t, ModelRun> runs;
    std::vector<std::uint64_t> open;
    std::map<std::uint64_t, std::uint64_t> run_of;  // of open decisions
    Rng rng(seed);
    const auto pick = [&] {
      auto it = runs.begin();
      std::advance(it, rng.below(static_cast<std::int64_t>(runs.size())));
      return it->first;
    };
    const auto follow = [&] {
      if (!engine.record().empty()) other.fold(engine.record()).check();
    };
    std::int64_t now = 0;
    for (int n = 0; n < 3000; ++n) {
      const double u = rng.uniform();
      if (u < 0.1 || runs.empty()) {
        const std::uint64_t parent = runs.empty() || u < 0.03 ? 0 : pick();
        if (const auto run = engine.open_run({.amounts = {rng.uniform()}, .expire_after = 1 + rng.below(40), .parent = parent})) {
          runs[run.value()] = {parent, 0};
        }
      } else if (u < 0.14) {
        static_cast<void>(engine.close_run(pick()));
      } else if (u < 0.6) {
        const std::uint64_t run = pick();
        if (const auto made = decide_in(engine, run, static_cast<std::uint64_t>(n))) {
          open.push_back(made.value().id);
          run_of[made.value().id] = run;
        }
      } else if (u < 0.9 && !open.empty()) {
        const auto which = static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(open.size())));
        const std::uint64_t id = open[which];
        const double bill = static_cast<double>(rng.below(1000)) / 1e5;  // a whole number of micro-units
        const auto done = engine.learn(id, {.reward = kMissing, .costs = {bill}});  // late ones too
        if (done && done.value() != LearnResult::kDuplicate) {
          for (std::uint64_t run = run_of[id]; run != 0; run = runs[run].parent) {
            runs[run].spent += std::llround(bill * 1e6);
          }
        }
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
      } else if (u < 0.93 && !open.empty()) {
        if (engine.cancel(open.back())) open.pop_back();
      } else {
        engine.tick(now += rng.below(10)).check();
      }
      follow();
      if (n == 1500) {
        const std::string saved = engine.snapshot();
        ASSERT_EQ(other.snapshot(), saved);
        other = Engine::restore(saved).value();
      }
    }
    EXPECT_EQ(other.state_hash(), engine.state_hash());
    // All holds end: what is left are the bills.
    for (int late = 0; late < 2; ++late) engine.tick(now += 100).check();
    for (std::uint64_t id : open) {
      if (!engine.learn(id, {.reward = kMissing, .costs = {0.0}})) continue;
    }
    for (const auto& [id, run] : runs) {
      const auto state = engine.agent_run(id);
      if (!state) continue;  // forgotten
      EXPECT_EQ(state.value().costs[0].held, 0);
      EXPECT_EQ(state.value().costs[0].spent, run.spent) << "seed " << seed;
      EXPECT_EQ(state.value().waiting, 0);
    }
  }
}

}  // namespace
}  // namespace rein
