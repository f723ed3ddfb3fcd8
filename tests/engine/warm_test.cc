// Engine::warm_start(): records, snapshots and hashes carry it; ids, budgets and counts do not move.
#include <gtest/gtest.h>

#include "engine/hash.h"
#include "engine/small.h"
#include "policy/fragile.h"
#include "rein/batch.h"

namespace rein {
namespace {

// Rows of a log that own their numbers.
struct Rows {
  explicit Rows(std::int64_t count, std::int64_t first = 0) {
    for (std::int64_t n = first; n < first + count; ++n) {
      contexts.push_back(context_of(static_cast<std::uint64_t>(n)));
    }
    for (std::size_t i = 0; i < contexts.size(); ++i) {
      const int action = static_cast<int>(i % 3);
      rounds.push_back({{.actions = 3, .context = contexts[i]},
                        action,
                        {.reward = 0.2 * action + 0.1 * contexts[i][0], .costs = {0.3 * action}}});
    }
  }
  std::vector<std::vector<double>> contexts;
  std::vector<LoggedRound> rounds;
};

Engine auto_engine(EngineOptions options = {}) {
  return Engine::make("ccb(budget=100,rounds=1000)", small_shape(), options).value();
}

TEST(WarmEngine, LearnsAndLeavesTheBooksAlone) {
  EngineOptions options;
  options.hard_budget = {5.0};
  Engine engine = auto_engine(options);
  const std::uint64_t open = decided(engine);
  const EngineState before = engine.state();
  const Rows rows(300);
  EXPECT_EQ(engine.warm_start(rows.rounds).value(), 300);
  const EngineState after = engine.state();
  EXPECT_EQ(after.decided, before.decided);
  EXPECT_EQ(after.learned, 0);
  EXPECT_EQ(after.billed[0], 0.0);
  EXPECT_EQ(after.budgets[0].spent, 0);
  EXPECT_EQ(after.budgets[0].held, before.budgets[0].held);
  EXPECT_EQ(after.reserved[0], before.reserved[0]);
  EXPECT_EQ(engine.policy().state().warm, 300);
  EXPECT_TRUE(engine.learn(open, {.reward = 0.1, .costs = {0.0}}).ok()) << "it is still open";
  LookScratch scratch;
  const std::vector<double> x = context_of(7);
  const auto looked = engine.look({.actions = 3, .context = x}, scratch).value();
  EXPECT_NEAR(looked.estimates->mean(1)[2], 0.6, 0.02);
}

TEST(WarmEngine, RecordsRebuildTheStateToTheBit) {
  Engine engine = auto_engine();
  std::vector<std::string> records;
  const auto keep = [&] { records.emplace_back(engine.record()); };
  std::vector<std::uint64_t> hashes;
  for (std::int64_t step = 0; step < 4; ++step) {
    Rows rows(50, 50 * step);
    rows.rounds[3].outcome.reward = kMissing;
    rows.rounds[4].outcome.costs[0] = 1.7;  // above its range: clipped
    engine.warm_start(rows.rounds).check();
    keep();
    hashes.push_back(engine.state_hash());
    const std::uint64_t id = decided(engine, static_cast<std::uint64_t>(step));
    keep();
    hashes.push_back(engine.state_hash());
    engine.learn(id, {.reward = 0.3, .costs = {0.2}}).check();
    keep();
    hashes.push_back(engine.state_hash());
  }
  Engine again = auto_engine();
  for (std::size_t i = 0; i < records.size(); ++i) {
    again.fold(records[i]).check();
    ASSERT_EQ(again.state_hash(), hashes[i]) << i;
    if (i == 6) again = Engine::restore(again.snapshot()).value();
  }
  EXPECT_EQ(again.snapshot(), engine.snapshot());
}

TEST(WarmEngine, ARecordSurvivesItsBytes) {
  Engine engine = auto_engine();
  Rows rows(5);
  const std::vector<std::int32_t> ids{2, 0};
  const std::vector<double> expected{0.5, 0.1};
  rows.rounds[1].round.ids = ids;
  rows.rounds[1].round.actions = 2;
  rows.rounds[1].round.expected_costs = expected;
  engine.warm_start(rows.rounds).check();
  const std::string bytes(engine.record());
  const Record decoded = decode(bytes).value();
  const auto& warm = std::get<WarmRecord>(decoded);
  ASSERT_EQ(warm.rows.size(), 5U);
  EXPECT_EQ(warm.rows[1].round.ids, ids);
  EXPECT_EQ(warm.rows[1].round.expected_costs, expected);
  std::string encoded;
  encode(decoded, encoded);
  EXPECT_EQ(encoded, bytes);
  // A count that encode() does not write, with a hash that fits.
  std::string count = bytes.substr(0, bytes.size() - 8);
  count[8] = static_cast<char>(count[8] + 1);
  const std::uint64_t hash = hash_of(std::string_view(count));
  count.append(reinterpret_cast<const char*>(&hash), sizeof hash);
  EXPECT_FALSE(decode(count).ok());
  for (std::size_t cut = 0; cut < bytes.size(); cut += 8) {
    EXPECT_FALSE(decode(std::string_view(bytes).substr(0, cut)).ok());
  }
}

TEST(WarmEngine, ARefusedRowIsNamedAndNothingIsLearned) {
  Engine engine = auto_engine();
  Rows before(20);
  engine.warm_start(before.rounds).check();
  const std::uint64_t hash = engine.state_hash();
  const auto refused = [&](const Rows& rows, const std::string& what) {
    const auto done = engine.warm_start(rows.rounds);
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().rfind("warm start: round 7: " + what, 0), 0U) << done.error();
    EXPECT_EQ(engine.state_hash(), hash);
    EXPECT_EQ(engine.record(), "");
  };
  Rows rows(20);
  rows.rounds[7].action = 3;
  refused(rows, "found action 3; accepted: 0 to 2");
  rows = Rows(20);
  rows.rounds[7].outcome.reward = 9.0;
  refused(rows, "");
  rows = Rows(20);
  rows.rounds[7].outcome = {};
  refused(rows, "");
  rows = Rows(20);
  rows.rounds[7].round.context = rows.rounds[7].round.context.first(1);
  refused(rows, "");
  EXPECT_EQ(engine.warm_start({}).value(), 0);
  EXPECT_FALSE(engine.warm_start(Rows(kMaxWarmRounds + 1).rounds).ok());
}

// An oracle of the caller's own that throws in the middle.
TEST(WarmEngine, AThrowInTheMiddleBringsThePolicyBack) {
  Fragile::Fuse fuse;
  Engine engine =
      Engine::make("ccb(oracle=own(name=fragile),rate=0.3)", small_shape(), {}, Fragile::own(fuse))
          .value();
  const Rows rows(20);
  const std::uint64_t hash = engine.state_hash();
  fuse.calls = 15;
  EXPECT_THROW(engine.warm_start(rows.rounds).value(), std::runtime_error);
  EXPECT_EQ(engine.state_hash(), hash);
  EXPECT_EQ(engine.warm_start(rows.rounds).value(), 20);
  EXPECT_NE(engine.state_hash(), hash);
}

TEST(WarmEngine, AGoalLearnsALogInParts) {
  const char* spec = "ccb(minimize=dollars,at_least=[reward,0.2],rounds=100)";
  Engine engine = Engine::make(spec, small_shape()).value();
  Rows rows(300);
  for (std::size_t i = 0; i < rows.rounds.size(); i += 3) rows.rounds[i].outcome.reward = kMissing;
  EXPECT_EQ(engine.warm_start(rows.rounds).value(), 300);
  const std::vector<double> x = context_of(7);
  LookScratch scratch;
  EXPECT_NEAR(engine.look({.actions = 3, .context = x}, scratch).value().estimates->mean(1)[2], 0.6,
              0.02);
  Engine again = Engine::make(spec, small_shape()).value();
  again.fold(engine.record()).check();
  EXPECT_EQ(again.state_hash(), engine.state_hash());
}

TEST(WarmEngine, BudgetsThatSteerHaveAPriceFirst) {
  EngineOptions options;
  options.budgets = {{.name = "all", .cost = "dollars", .amount = 100.0, .rounds = 1000}};
  Engine engine = Engine::make("ccb", small_shape(), options).value();
  const std::vector<double> x = context_of(7);
  LookScratch scratch;
  EXPECT_EQ(engine.look({.actions = 3, .context = x}, scratch).value().prices[0], 0.0);
  engine.warm_start(Rows(640).rounds).check();
  EXPECT_GT(engine.look({.actions = 3, .context = x}, scratch).value().prices[0], 0.1);
  Engine again = Engine::restore(engine.snapshot()).value();
  EXPECT_EQ(again.state_hash(), engine.state_hash());
}

TEST(WarmBatch, IsTheSameAsTheRounds) {
  Engine one = auto_engine(), many = auto_engine();
  const Rows rows(90);
  std::vector<double> contexts, rewards, costs;
  std::vector<std::int32_t> actions, ids;
  for (std::size_t i = 0; i < rows.rounds.size(); ++i) {
    const LoggedRound& row = rows.rounds[i];
    contexts.insert(contexts.end(), rows.contexts[i].begin(), rows.contexts[i].end());
    actions.push_back(row.action);
    rewards.push_back(row.outcome.reward);
    costs.push_back(row.outcome.costs[0]);
    ids.insert(ids.end(),
               {row.action, (row.action + 1) % 3, i % 2 == 0 ? -1 : (row.action + 2) % 3});
  }
  const LoggedBatch log{.rounds = {.rounds = 90, .actions = 3, .contexts = contexts, .ids = ids},
                        .actions = actions,
                        .rewards = rewards,
                        .costs = costs};
  std::vector<LoggedRound> plain = rows.rounds;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    plain[i].round.actions = i % 2 == 0 ? 2 : 3;
    plain[i].round.ids = std::span<const std::int32_t>(ids).subspan(3 * i, i % 2 == 0 ? 2 : 3);
    plain[i].action = 0;
  }
  one.warm_start(std::span(plain).first(40)).check();
  one.warm_start(std::span(plain).subspan(40)).check();
  ASSERT_TRUE(check_logged(many, log).ok());
  EXPECT_EQ(warm_start(many, log, 0, 40).value(), 40);
  EXPECT_EQ(warm_start(many, log, 40, 1000).value(), 50);
  EXPECT_EQ(many.state_hash(), one.state_hash());

  actions[33] = 9;
  const auto refused = check_logged(many, log);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().find("round 33: it was given action 9"), std::string::npos)
      << refused.error();
  actions[33] = 0;
  costs[44] = -3.0;
  EXPECT_NE(check_logged(many, log).error().find("round 44"), std::string::npos);
}

TEST(WarmBatch, SkipsRoundsWithoutAnOutcome) {
  Engine engine = auto_engine();
  const std::vector<double> contexts(8), rewards{0.1, kMissing, 0.2, kMissing};
  const std::vector<double> costs{0.1, 0.1, kMissing, kMissing};
  const std::vector<std::int32_t> actions(4);
  const LoggedBatch log{.rounds = {.rounds = 4, .actions = 3, .contexts = contexts},
                        .actions = actions,
                        .rewards = rewards,
                        .costs = costs};
  ASSERT_TRUE(check_logged(engine, log).ok());
  EXPECT_EQ(warm_start(engine, log).value(), 3);
}

}  // namespace
}  // namespace rein
