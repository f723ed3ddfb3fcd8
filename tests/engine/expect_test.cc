// Expected costs: decisions use them, records and snapshots carry them.
#include <gtest/gtest.h>

#include <array>

#include "engine/small.h"

namespace rein {
namespace {

constexpr const char* kPolicy = "ccb(rate=0.1)";
constexpr std::array kFirst{0.1, 0.4, 0.8};
constexpr std::array kLater{0.1, 0.4, 0.05};

Engine engine_of(const EngineOptions& options = {}) {
  return Engine::make(kPolicy, small_shape(), options).value();
}

double cost_of(Engine& engine, int action) {
  const std::vector<double> x = context_of(1);
  LookScratch scratch;
  return engine.look({.actions = 3, .context = x}, scratch)
      .value()
      .estimates->mean(1)[static_cast<std::size_t>(action)];
}

TEST(Expect, DecisionsStartFromIt) {
  Engine engine = engine_of();
  engine.expect(kFirst).check();
  for (int a = 0; a < 3; ++a)
    EXPECT_NEAR(cost_of(engine, a), kFirst[static_cast<std::size_t>(a)], 1e-12);
  EXPECT_NEAR(decide(engine).value().estimates->mean(1)[2], 0.8, 1e-12);
  EXPECT_GT(engine.state().reserved[0], 0.05) << "before any outcome";
  engine.expect(kLater).check();
  EXPECT_NEAR(cost_of(engine, 2), 0.05, 1e-12);
  engine.expect({}).check();
  EXPECT_NEAR(cost_of(engine, 2), 0.1, 1e-12) << "the budget per round: nothing else is known";
}

TEST(Expect, ByIdWhereARoundOffersSomeActions) {
  Engine engine = engine_of();
  engine.expect(kFirst).check();
  const std::vector<double> x = context_of(1);
  const std::vector<std::int32_t> ids{2, 0};
  LookScratch scratch;
  const Engine::Decision ticket =
      engine.look({.actions = 2, .context = x, .ids = ids}, scratch).value();
  EXPECT_NEAR(ticket.estimates->mean(1)[0], 0.8, 1e-12);
  EXPECT_NEAR(ticket.estimates->mean(1)[1], 0.1, 1e-12);
}

TEST(Expect, ARoundMayBringItsOwn) {
  Engine engine = engine_of();
  engine.expect(kFirst).check();
  const std::vector<double> x = context_of(1);
  LookScratch scratch;
  const Engine::Decision ticket =
      engine.look({.actions = 3, .context = x, .expected_costs = kLater}, scratch).value();
  EXPECT_NEAR(ticket.estimates->mean(1)[2], 0.05, 1e-12);
}

TEST(Expect, RefusesWhatDoesNotFit) {
  Engine engine = engine_of();
  const std::uint64_t before = engine.state_hash();
  EXPECT_EQ(engine.expect(std::array{0.1, 0.2}).error(),
            "expected costs: found 2 numbers; accepted: 3 (3 actions, 1 costs)");
  EXPECT_EQ(engine.expect(std::array{0.1, 0.2, 7.0}).error(),
            "expected costs: action id 2 has 7 for cost \"dollars\"; accepted: 0 to 1");
  EXPECT_TRUE(engine.record().empty());
  EXPECT_EQ(engine.state_hash(), before);
}

TEST(Expect, ReplaysToTheBitFromTheStartAndFromASnapshot) {
  EngineOptions options;
  options.hard_budget = {30.0};
  options.largest_costs = {{0.1}, {0.5}, {1.0}};
  options.safe_action = 0;
  Engine engine = engine_of(options), again = engine_of(options);
  std::vector<std::string> journal;
  const auto note = [&] {
    ASSERT_FALSE(engine.record().empty());
    journal.emplace_back(engine.record());
  };
  std::string snapshot;
  std::size_t from = 0;
  for (std::uint64_t n = 0; n < 120; ++n) {
    if (n % 30 == 10) {
      engine.expect(n % 60 == 10 ? kFirst : kLater).check();
      note();
    }
    const auto ticket = decide(engine, n);
    if (!ticket) break;
    const std::uint64_t id = ticket.value().id;
    const double most = ticket.value().action == 0 ? 0.1 : 0.4;
    note();
    if (n == 40) {
      snapshot = engine.snapshot();
      from = journal.size();
    }
    engine.learn(id, {.reward = 0.5, .costs = {most}}).check();
    note();
  }
  for (const std::string& record : journal) again.fold(record).check();
  EXPECT_EQ(again.state_hash(), engine.state_hash());
  Engine restored = Engine::restore(snapshot).value();
  for (std::size_t n = from; n < journal.size(); ++n) restored.fold(journal[n]).check();
  EXPECT_EQ(restored.state_hash(), engine.state_hash());
  EXPECT_EQ(restored.snapshot(), engine.snapshot());
}

// The form of what others have kept.
TEST(Expect, WithoutItRecordsAndSnapshotsKeepTheirForm) {
  Engine engine = engine_of();
  const std::size_t empty = engine.snapshot().size();
  engine.expect(kFirst).check();
  EXPECT_EQ(engine.snapshot().size(), empty + 3 * sizeof(double));
  engine.expect({}).check();
  EXPECT_EQ(engine.snapshot().size(), empty);
}

}  // namespace
}  // namespace rein
