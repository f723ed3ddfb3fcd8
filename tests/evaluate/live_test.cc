// Runs with live budgets and with outcomes in parts. Tests of a suite Rules... are named after a rule
// of docs/budgets.md (tests/rules_test.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/bits.h"
#include "evaluate/feed.h"
#include "evaluate/temp_path.h"
#include "evaluate/window_spend.h"
#include "rein/compare.h"
#include "rein/sweep.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

constexpr const char* kLiveWorld = "linear(k=4,d=4,costs=positive)";

RunOptions with(std::vector<std::string> budgets, std::int64_t rounds = 1000, int seeds = 2) {
  RunOptions options{.rounds = rounds, .seeds = seeds};
  for (const std::string& text : budgets) {
    options.live.budgets.push_back(parse_budget(text).value());
  }
  return options;
}

Result<RunResult> try_run(const RunOptions& options, const std::string& policies = "ccb",
                          const std::string& world = kLiveWorld) {
  return run(parse_spec(world).value(), parse_specs(policies).value(), options);
}

TEST(RulesFromTheCommandLine, HardBudgetsHoldWhatTheWorldSays) {
  RunOptions options = with({"day(cost=cost,amount=10.5,per=\"100 ticks\",hard=1)",
                             "last(cost=cost,amount=15,per=\"last 150 ticks\",hard=1)"});
  options.live.late = {{"reward", 30}, {"cost", 3}};
  options.live.missing = {{"cost", 0.2}};
  const RunResult result = try_run(options, "ccb,uniform").value();
  for (const PolicyRun& policy : result.policies) {
    for (const Totals& totals : policy.totals) {
      EXPECT_EQ(totals.budgets[0].windows, 10.0);
      for (const BudgetTotals& budget : totals.budgets) {
        EXPECT_EQ(budget.over, 0.0) << policy.spec.str();
        EXPECT_GT(budget.mean, 4.0);
      }
    }
  }
  EXPECT_EQ(result.budgets, std::vector<double>{100.0}) << "15 per 150 is less than 10.5 per 100";
  EXPECT_GT(result.policies[1].totals[0].refused_rounds, 100) << "uniform spends what there is";
}

TEST(RulesFromTheCommandLine, Budget) {
  const RunResult result =
      try_run(with({"day(cost=cost,amount=20,per=\"100 rounds\")"}, 4000)).value();
  for (const Totals& totals : result.policies[0].totals) {
    const BudgetTotals& day = totals.budgets[0];
    EXPECT_EQ(day.windows, 40.0);
    EXPECT_NEAR(day.mean, 20.0, 0.6);
    EXPECT_NEAR(day.mean * 40.0, totals.spend[0], 1e-6);
    EXPECT_LT(day.over, 4.0);
    EXPECT_EQ(totals.refused_rounds, 0);
  }
  EXPECT_EQ(result.policies[0].benchmark, Setting::kKnapsack);
  EXPECT_EQ(result.budgets, std::vector<double>{800.0});
}

TEST(RulesFromTheCommandLine, Ticks) {
  RunOptions options = with({"day(cost=cost,amount=20,per=day,zone=\"Europe/Berlin\")"});
  options.live.ticks = 864;
  const Totals totals = try_run(options).value().policies[0].totals[0];
  EXPECT_EQ(totals.budgets[0].windows, 10.0) << "Berlin: the first day is short, the last is open";
  EXPECT_NEAR(totals.budgets[0].mean, 20.0, 3.0);
}

TEST(RulesFromTheCommandLine, Keys) {
  RunOptions options = with({"day(cost=cost,amount=20,per=\"100 ticks\")",
                             "each(cost=cost,amount=8,per=\"100 ticks\",scope=user)"});
  options.live.keys = {{"user", 5}};
  const Totals totals = try_run(options).value().policies[0].totals[0];
  EXPECT_EQ(totals.budgets[1].windows, 50.0) << "five keys, ten windows";
  EXPECT_NEAR(totals.budgets[1].mean * 50.0, totals.spend[0], 1e-6) << "each decision has a key";
}

// After expiry a reward is refused: it is as if it never came.
TEST(RulesFromTheCommandLine, Expire) {
  RunOptions options = with({"all(cost=cost,amount=200,rounds=1000)"});
  options.live.late = {{"reward", 50}};
  const auto in_time = bits_of(try_run(options).value());
  options.live.expire = 10;
  const auto expired = bits_of(try_run(options).value());
  EXPECT_NE(expired, in_time);
  options.live.missing = {{"reward", 1.0}};
  EXPECT_EQ(bits_of(try_run(options).value()), expired);
}

TEST(RulesFromTheCommandLine, Late) {
  RunOptions options = with({"all(cost=cost,amount=200,rounds=1000)"});
  options.delay = 7;
  const auto delayed = bits_of(try_run(options).value());
  options.delay = 0;
  options.live.late = {{"reward", 7}, {"cost", 7}};
  EXPECT_EQ(bits_of(try_run(options).value()), delayed);
  options.live.late = {{"reward", 7}};
  EXPECT_NE(bits_of(try_run(options).value()), delayed);
}

TEST(RulesFromTheCommandLine, Missing) {
  RunOptions options = with({"all(cost=cost,amount=400,rounds=2000)"}, 2000, 8);
  const auto reward = [&] {
    const RunResult result = try_run(options).value();
    double sum = 0.0;
    for (const Totals& totals : result.policies[0].totals) sum += totals.reward;
    return sum / 8.0;
  };
  const double all = reward();
  options.live.missing = {{"reward", 0.4}};
  const double most = reward();
  options.live.missing = {{"reward", 1.0}};
  const double none = reward();
  EXPECT_GT(most, 0.93 * all);
  EXPECT_LT(none, 0.8 * all) << "it never sees a reward";
}

TEST(Live, EveryPolicyLosesTheSameParts) {
  const Shape shape{.actions = 2, .context = 1, .costs = {{.name = "a"}}};
  const std::vector<PartRule> rules = {{.missing = 0.4}, {.missing = 0.2}};
  const auto came = [&](const char* policy, std::uint64_t seed) {
    Engine engine = Engine::make(policy, shape).value();
    Feed feed(rules, 1000, seed);
    const std::vector<double> x = {1.0};
    for (std::int64_t t = 1; t <= 1000; ++t) {
      const std::uint64_t id = engine.decide({.actions = 2, .context = x}).value().id;
      feed.add(t, id, {.reward = 0.5, .costs = {0.25}});
      feed.deliver(t, engine).check();
    }
    std::vector<std::pair<bool, bool>> missing;  // of those that are open
    for (const OpenDecision& open : engine.open()) {
      missing.emplace_back(is_missing(open.came.reward), is_missing(open.came.costs[0]));
    }
    return missing;
  };
  const auto found = came("squarecb", 1);
  EXPECT_EQ(found, came("epsilon", 1));
  EXPECT_NE(found, came("epsilon", 2));
  const auto rewards = std::ranges::count(found, true, &std::pair<bool, bool>::first);
  const auto costs = std::ranges::count(found, true, &std::pair<bool, bool>::second);
  EXPECT_NEAR(static_cast<double>(rewards), 400.0, 50.0);
  EXPECT_NEAR(static_cast<double>(costs), 200.0, 40.0);
}

TEST(Live, TheFeedHandsOverPartsWhenTheyAreDue) {
  Shape shape{.actions = 2, .context = 1, .costs = {{.name = "a"}, {.name = "b"}}};
  Engine engine = Engine::make("squarecb", shape).value();
  const std::vector<PartRule> rules = {{.late = 3}, {.late = 0}, {.missing = 1.0, .late = 1}};
  Feed feed(rules, 100, 1);
  const std::vector<double> x = {1.0};
  const std::uint64_t id = engine.decide({.actions = 2, .context = x}).value().id;
  feed.add(1, id, {.reward = 0.5, .costs = {0.25, 0.75}});
  feed.deliver(1, engine).check();
  EXPECT_EQ(engine.open()[0].came.costs[0], 0.25);
  EXPECT_TRUE(is_missing(engine.open()[0].came.reward));
  feed.deliver(2, engine).check();
  feed.deliver(3, engine).check();
  EXPECT_TRUE(is_missing(engine.open()[0].came.reward));
  feed.deliver(4, engine).check();
  EXPECT_EQ(engine.open()[0].came.reward, 0.5);
  EXPECT_TRUE(is_missing(engine.open()[0].came.costs[1])) << "it is lost";
}

TEST(RulesFromTheCommandLine, WindowsAreMeasuredByWhatTheirDecisionsCost) {
  const auto spend = [](const char* text, std::vector<std::pair<std::int64_t, double>> costs,
                        std::int64_t open) {
    WindowSpend found(parse_budget(text).value());
    std::int64_t now = 0;
    for (const auto& [window, cost] : costs) found.add(0, now++, window, cost);
    return found.totals(open);
  };
  BudgetTotals t = spend("d(cost=c,amount=3,per=\"9 ticks\")", {{0, 2}, {0, 2}, {1, 1}, {2, 9}}, 2);
  EXPECT_EQ(t.windows, 2.0) << "the third has not ended";
  EXPECT_EQ(t.mean, 2.5);
  EXPECT_EQ(t.over, 6.0) << "but it counts here";
  EXPECT_EQ(t.under, 2.0);
  t = spend("d(cost=c,amount=3,per=\"9 ticks\",carry=1)", {{0, 2}, {2, 7}, {3, 4}}, 4);
  EXPECT_EQ(t.over, 1.0) << "1 was carried over, and 3 of a window without decisions; then nothing";
  t = spend("d(cost=c,amount=3,per=\"2 rounds\")", {{0, 1}}, 0);
  EXPECT_EQ(t.windows, 1.0) << "the only one";
  t = spend("d(cost=c,amount=3,per=\"last 2 ticks\")", {{0, 1}, {0, 1}, {0, 3}, {0, 0}}, 0);
  EXPECT_EQ(t.windows, 3.0) << "measured from the second decision on";
  EXPECT_EQ(t.mean, 3.0);
  EXPECT_EQ(t.over, 1.0);
  EXPECT_EQ(t.under, 1.0);
}

TEST(Live, ThreadsFilesAndOtherMachinesGiveTheSameBits) {
  RunOptions run = with({"day(cost=cost,amount=20,per=\"100 rounds\")"}, 300, 3);
  run.live.missing = {{"reward", 0.3}};
  run.threads = 1;
  const std::vector<Spec> policies = parse_specs("ccb,ccb(rounds=300)").value();
  const Spec world = parse_spec(kLiveWorld).value();
  const RunResult one = rein::run(world, policies, run).value();
  run.threads = 2;
  EXPECT_EQ(bits_of(rein::run(world, policies, run).value()), bits_of(one));
  TempPath path("live.jsonl");
  CompareOptions options{.run = run, .resume = path.str()};
  for (int time = 0; time < 2; ++time) {
    const Comparison found = compare(world, policies, options).value();
    EXPECT_EQ(bits_of(found.result), bits_of(one));
    EXPECT_EQ(found.restored, time == 0 ? 0U : 6U);
  }
  options.run.live.missing = {{"reward", 0.2}};
  EXPECT_THAT(compare(world, policies, options).error(), HasSubstr("live is"));
  options = {.run = run};
  Sweep sweep = Sweep::open(world, policies, options).value();
  const auto lines = play_lines(world, sweep.plays(), sweep.options()).value();
  for (const std::string& line : lines) sweep.add(line).check();
  EXPECT_EQ(bits_of(sweep.run().value()), bits_of(one));
}

TEST(Live, SaysWhatItFoundAndWhatIsAccepted) {
  const auto error = [](RunOptions options, const char* policy = "ccb",
                        const char* world = kLiveWorld) {
    options.rounds = 50;
    return try_run(options, policy, world).error();
  };
  const char* day = "day(cost=cost,amount=20,per=\"100 rounds\")";
  RunOptions options = with({day});
  options.live.missing = {{"rewards", 0.4}};
  EXPECT_EQ(error(options), "run: missing has \"rewards\"; accepted: reward, cost");
  options.live.missing = {{"reward", 1.4}};
  EXPECT_THAT(error(options), HasSubstr("is 1.4; accepted: 0 to 1"));
  options = with({day});
  options.live.late = {{"cost", -1}};
  EXPECT_THAT(error(options), HasSubstr("late of \"cost\" is -1"));
  options.live.late = {{"cost", 3}};
  EXPECT_THAT(error(options, "banditq(budget=9)", kLiveWorld), HasSubstr("policy banditq"));
  options = with({day});
  options.live.keys = {{"user", 3}};
  EXPECT_THAT(error(options), HasSubstr("no budget has this scope"));
  EXPECT_THAT(error(with({"each(cost=cost,amount=1,per=day,scope=user)"})),
              HasSubstr("accepted: the number of keys, user=N"));
  EXPECT_THAT(error(with({"day(cost=dollars,amount=1)"})),
              HasSubstr("budget \"day\": found cost \"dollars\"; accepted: cost"));
  EXPECT_THAT(error(with({day}), "ccb", "linear(m=2,costs=positive)"),
              HasSubstr("found cost \"cost\"; accepted: cost_1, cost_2"));
  EXPECT_THAT(error(with({"a(cost=cost_1,amount=1)"}), "ccb", "linear(m=2,costs=positive)"),
              HasSubstr("cost \"cost_2\" has no budget"));
  EXPECT_THAT(error(with({day}), "ccb", "linear(costs=positive,budget=5)"),
              HasSubstr("the world has a budget of its own"));
  EXPECT_THAT(error(with({day}), "squarecb"), HasSubstr("does not follow budgets that steer"));
  EXPECT_THAT(error(with({day}), "ccb", "linear"), HasSubstr("costs=positive"));
  options = with({day});
  options.live.ticks = 0;
  EXPECT_THAT(error(options), HasSubstr("ticks is 0; accepted: 1 to"));
}

TEST(Live, AnEngineHasNoBoundOfTheTheorem) {
  RunOptions options{.rounds = 100};
  options.live.late = {{"reward", 1}};
  const Totals totals =
      try_run(options, "ccb(tuning=theory)", "linear(k=3,d=3)").value().policies[0].totals[0];
  EXPECT_EQ(totals.no_bound, NoBound::kLive);
  EXPECT_FALSE(totals.bounds.regret.has_value());
}

}  // namespace
}  // namespace rein
