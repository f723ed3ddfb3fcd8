// Amounts per key, names of keys, and the windows that are remembered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/windows.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

Budget tenants(Window window = Window::ticks(10)) {
  Budget budget = dollars("tenants", 5, std::move(window));
  budget.scope = "tenant";
  budget.amounts = {{"acme", 25}, {"beta", 15}};
  return budget;
}

std::int64_t limit_of(const Engine& engine, std::string_view tenant) {
  const Scope who[] = {{"tenant", tenant}};
  return engine.budgets(who).value()[0].limit / 1'000'000;
}

void spend_as(Engine& engine, std::string_view tenant, double cost) {
  const Scope who[] = {{"tenant", tenant}};
  const std::vector<double> x = context_of(0);
  const std::uint64_t id =
      engine.decide({.actions = 3, .context = x}, {.scopes = who}).value().id;
  engine.learn(id, {.reward = 0, .costs = {cost}}).check();
}

TEST(RulesAmountsPerKey, AKeyMayHaveAnAmountOfItsOwn) {
  Engine engine = small_engine(with({tenants()}));
  const Scope acme[] = {{"tenant", "acme"}}, other[] = {{"tenant", "other"}};
  EXPECT_EQ(fitting(engine, acme), 25);
  EXPECT_EQ(fitting(engine, other), 5);
  spend_as(engine, "acme", 1.0);
  engine.tick(10).check();
  EXPECT_EQ(limit_of(engine, "acme"), 25) << "in every window";
  Budget twice = tenants();
  twice.amounts.push_back({"acme", 3});
  EXPECT_THAT(Engine::make(kSmallPolicy, small_shape(), with({twice})).error(),
              HasSubstr("found two amounts of \"acme\"; accepted: one amount per key"));
}

TEST(RulesAmountsPerKey, AgentSetAmountChangesTheAmountOfOneKey) {
  Engine engine = small_engine(with({tenants()}));
  const Scope acme[] = {{"tenant", "acme"}}, other[] = {{"tenant", "other"}};
  spend_as(engine, "other", 1.0);
  engine.set_amount("tenants", 2, other).check();
  EXPECT_EQ(fitting(engine, other), 1) << "from the open window on";
  engine.set_amount("tenants", std::nullopt, acme).check();
  EXPECT_EQ(fitting(engine, acme), 5) << "as the others again";
  engine.set_amount("tenants", 7).check();
  EXPECT_EQ(limit_of(engine, "acme"), 7);
  EXPECT_EQ(limit_of(engine, "other"), 2) << "it has an amount of its own";
  EXPECT_THAT(engine.set_amount("tenants", 2, {}).error(), HasSubstr("it is per tenant"));
  EXPECT_THAT(engine.set_amount("tenants", -1, acme).error(), HasSubstr("accepted: 0 to"));
}

TEST(RulesAmountsPerKey, TheAmountStaysWithTheKey) {
  EngineOptions options = with({tenants()});
  options.most_keys = 1;
  Engine engine = small_engine(options);
  spend_as(engine, "acme", 20.0);
  engine.tick(10).check();
  spend_as(engine, "other", 1.0);  // acme leaves
  engine.tick(20).check();
  spend_as(engine, "acme", 1.0);
  EXPECT_EQ(limit_of(engine, "acme"), 25);
}

TEST(KeyAmounts, SurviveSnapshotsAndReplays) {
  Engine engine = small_engine(with({tenants()}));
  Engine replayed = small_engine(with({tenants()}));
  const auto note = [&](const Result<>& done) {
    done.check();
    replayed.fold(engine.record()).check();
  };
  const Scope beta[] = {{"tenant", "beta"}}, acme[] = {{"tenant", "acme"}};
  note(engine.set_amount("tenants", 11, beta));
  note(engine.set_amount("tenants", std::nullopt, acme));
  spend_as(engine, "beta", 1.0);
  EXPECT_EQ(limit_of(replayed, "beta"), 11);
  EXPECT_EQ(limit_of(replayed, "acme"), 5);
  const Engine restored = Engine::restore(engine.snapshot()).value();
  EXPECT_EQ(restored.state_hash(), engine.state_hash());
  EXPECT_EQ(limit_of(restored, "beta"), 11);
  EXPECT_EQ(limit_of(restored, "acme"), 5);
}

TEST(RulesAmountsPerKey, KeysCanBeListed) {
  Budget budget = tenants();
  Engine quiet = small_engine(with({budget}));
  budget.named = true;
  Engine engine = small_engine(with({budget}));
  for (Engine* each : {&quiet, &engine}) {
    spend_as(*each, "gamma", 0.25);
    spend_as(*each, "acme", 0.75);
  }
  const KeyPage plain = quiet.keys("tenants").value();
  EXPECT_EQ(plain.count, 2);
  EXPECT_EQ(plain.spent, 1'000'000);
  EXPECT_EQ(plain.keys[0].name, "acme") << "its amount names it";
  EXPECT_EQ(plain.keys[1].name, "") << "only its digest is kept";
  EXPECT_EQ(engine.keys("tenants").value().keys[1].name, "gamma");
  EXPECT_EQ(Engine::restore(engine.snapshot()).value().keys("tenants").value().keys[1].name, "gamma");
  const KeyPage second = engine.keys("tenants", {.first = 1, .most = 1}).value();
  EXPECT_EQ(second.count, 2);
  ASSERT_EQ(second.keys.size(), 1U);
  EXPECT_EQ(second.keys[0].name, "gamma");
  const KeyPage found = engine.keys("tenants", {.search = "cm"}).value();
  EXPECT_EQ(found.count, 1);
  EXPECT_TRUE(found.keys[0].own);
  EXPECT_THAT(engine.keys("none").error(), HasSubstr("accepted: tenants"));
}

TEST(KeyNames, AreInTheRecordsOfDecisions) {
  Budget budget = tenants();
  budget.named = true;
  Engine engine = small_engine(with({budget})), replayed = small_engine(with({budget}));
  const Scope who[] = {{"tenant", "gamma"}};
  const std::vector<double> x = context_of(0);
  for (int n = 0; n < 2; ++n) {
    engine.decide({.actions = 3, .context = x}, {.scopes = who}).check();
    const std::string record(engine.record());
    EXPECT_EQ(record.find("gamma") != std::string::npos, n == 0) << "once";
    replayed.fold(record).check();
  }
  EXPECT_EQ(replayed.keys("tenants").value().keys[0].name, "gamma");
  EXPECT_EQ(replayed.state_hash(), engine.state_hash());
}

TEST(RulesAmountsPerKey, ClosedWindowsAreRemembered) {
  Budget budget = tenants();
  budget.keep = 3;
  budget.named = true;
  Engine engine = small_engine(with({budget}));
  for (int day = 0; day < 4; ++day) {
    engine.tick(10 * day).check();
    spend_as(engine, "acme", 0.25 * (day + 1));
    if (day == 2) spend_as(engine, "beta", 0.5);
  }
  const Scope acme[] = {{"tenant", "acme"}};
  const auto windows = engine.windows("tenants", acme).value();
  ASSERT_EQ(windows.size(), 3U);
  EXPECT_EQ(windows[0].number, 1);
  EXPECT_EQ(windows[0].first, 10);
  EXPECT_EQ(windows[0].last, 19);
  EXPECT_EQ(windows[0].spent, 500'000);
  EXPECT_EQ(windows[0].limit, 25'000'000);
  EXPECT_FALSE(windows[1].open);
  EXPECT_TRUE(windows[2].open);
  const KeyPage before = engine.keys("tenants", {.ago = 1}).value();
  EXPECT_EQ(before.count, 2);
  EXPECT_EQ(before.keys[0].name, "acme");
  EXPECT_EQ(before.keys[0].spent, 750'000);
  EXPECT_EQ(before.keys[1].name, "beta");
  EXPECT_EQ(before.spent, 1'250'000);
}

TEST(Windows, OfACalendarHaveTheirDates) {
  Engine engine = small_engine(with({dollars("day", 5, Window::day("Europe/Berlin"))}));
  engine.tick(1'774'695'600).check();  // 28 March 2026, 12:00 in Berlin; the clock moves that night
  decided(engine);
  engine.tick(1'774'695'600 + 86'400).check();
  engine.tick(1'774'695'600 + 2 * 86'400).check();
  const auto windows = engine.windows("day").value();
  ASSERT_FALSE(windows.empty());
  EXPECT_EQ(windows[0].first, 1'774'652'400);
  EXPECT_EQ(windows[0].last, 1'774'738'799);
}

}  // namespace
}  // namespace rein
