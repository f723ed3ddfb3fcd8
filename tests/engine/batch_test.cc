#include "rein/batch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/small.h"
#include "policy/fragile.h"

namespace rein {
namespace {

// Output arrays for a batch of the small engine.
struct Arrays {
  explicit Arrays(std::size_t n)
      : ids(n), actions(n), probability(n), probabilities(3 * n), prices(n), estimates(6 * n) {}
  DecisionBatch view() {
    return {.ids = ids,
            .actions = actions,
            .probability = probability,
            .probabilities = probabilities,
            .prices = prices,
            .estimates = estimates};
  }
  std::vector<std::uint64_t> ids;
  std::vector<std::int32_t> actions;
  std::vector<double> probability, probabilities, prices, estimates;
};

std::vector<double> contexts_of(int rounds) {
  std::vector<double> all;
  for (int n = 0; n < rounds; ++n) {
    for (double number : context_of(static_cast<std::uint64_t>(n))) all.push_back(number);
  }
  return all;
}

TEST(BatchTest, DecidesAndLearnsAsSingleCallsDo) {
  Engine one = small_engine();
  Engine many = small_engine();
  const std::vector<double> contexts = contexts_of(20);
  Arrays out(20);
  const auto decided =
      decide_many(many, {.rounds = 20, .actions = 3, .contexts = contexts}, out.view());
  EXPECT_EQ(decided.value(), 20);
  for (std::size_t n = 0; n < 20; ++n) {
    const Engine::Decision ticket = decide(one, n).value();
    EXPECT_EQ(out.ids[n], ticket.id);
    EXPECT_EQ(out.actions[n], ticket.action);
    EXPECT_EQ(out.probability[n], ticket.probability);
    EXPECT_EQ(out.prices[n], ticket.prices[0]);
    for (std::size_t a = 0; a < 3; ++a) {
      EXPECT_EQ(out.probabilities[3 * n + a], ticket.probabilities[a]);
      EXPECT_EQ(out.estimates[6 * n + a], ticket.estimates->mean(0)[a]);
      EXPECT_EQ(out.estimates[6 * n + 3 + a], ticket.estimates->mean(1)[a]);
    }
  }
  EXPECT_EQ(one.state_hash(), many.state_hash());

  const std::vector<double> rewards(20, 0.5), costs(20, 0.25);
  EXPECT_EQ(learn_many(many, out.ids, rewards, costs).value(), 20);
  EXPECT_EQ(learn_many(many, out.ids, rewards, costs).value(), 0);
  for (std::uint64_t id : out.ids) one.learn(id, {.reward = 0.5, .costs = {0.25}}).check();
  EXPECT_EQ(one.state_hash(), many.state_hash());
}

TEST(BatchTest, RefusesAWholeBatchBeforeItsFirstDecision) {
  Engine engine = small_engine({.most_open = 4});
  const std::uint64_t before = engine.state_hash();
  Arrays out(5);
  std::vector<double> contexts = contexts_of(5);
  const auto full =
      decide_many(engine, {.rounds = 5, .actions = 3, .contexts = contexts}, out.view());
  EXPECT_EQ(full.reason(), Reason::kFull);
  contexts.resize(8);
  contexts[5] = NAN;
  Arrays four(4);
  const auto bad =
      decide_many(engine, {.rounds = 4, .actions = 3, .contexts = contexts}, four.view());
  EXPECT_EQ(bad.error().find("batch: round 2: "), 0U) << bad.error();
  contexts.pop_back();
  EXPECT_EQ(
      decide_many(engine, {.rounds = 4, .actions = 3, .contexts = contexts}, four.view()).error(),
      "batch: contexts has 7 entries; accepted: 2 for each of 4 rounds");
  EXPECT_FALSE(decide_many(engine, {.rounds = 1, .actions = 4, .contexts = contexts}, {}).ok());
  EXPECT_EQ(engine.state_hash(), before);
}

TEST(BatchTest, MarksRoundsThatTheHardBudgetLeavesNothingFor) {
  Engine engine = small_engine({.hard_budget = {2.0}});
  const std::vector<double> contexts = contexts_of(3);
  Arrays out(3);
  const auto decided =
      decide_many(engine, {.rounds = 3, .actions = 3, .contexts = contexts}, out.view());
  EXPECT_EQ(decided.value(), 2);
  EXPECT_GE(out.actions[1], 0);
  EXPECT_EQ(out.actions[2], -1);
  EXPECT_EQ(out.ids[2], 0U);
  EXPECT_EQ(out.probabilities[6] + out.probabilities[7] + out.probabilities[8], 0.0);
}

TEST(BatchTest, AStoppedBatchLeavesNoDecisionOpen) {
  Engine engine = small_engine({.hard_budget = {400.0}});
  const std::uint64_t kept = decided(engine);
  const std::vector<double> contexts = contexts_of(300);
  const RoundBatch rounds{.rounds = 300, .actions = 3, .contexts = contexts};
  Arrays out(300);
  std::int64_t asked = 0;
  const auto stopped = decide_many(engine, rounds, out.view(), [&](std::int64_t done) {
    asked = done;
    return done < 150;
  });
  EXPECT_EQ(stopped.error(),
            fmt::format("batch: stopped after {} of 300 rounds; they are cancelled", asked));
  EXPECT_GE(asked, 150);
  EXPECT_LT(asked, 300);
  EXPECT_EQ(engine.state().cancelled, asked);
  ASSERT_EQ(engine.open().size(), 1U);
  EXPECT_EQ(engine.open()[0].id, kept);
  EXPECT_EQ(engine.state().budgets[0].held, 1'000'000) << "only that of the decision before";
  EXPECT_EQ(out.ids, std::vector<std::uint64_t>(300, 0));

  EXPECT_EQ(decide_many(engine, rounds, out.view(), [](std::int64_t) { return true; }).value(),
            300);
  const std::vector<double> rewards(300, 0.5), costs(300, 0.25);
  EXPECT_FALSE(
      learn_many(engine, out.ids, rewards, costs, [](std::int64_t) { return false; }).ok());
  const std::int64_t learned = engine.state().learned;
  EXPECT_GT(learned, 0);
  EXPECT_EQ(learn_many(engine, out.ids, rewards, costs).value(), 300 - learned);
}

TEST(BatchTest, ABatchWhoseOracleThrowsLeavesNoDecisionOpen) {
  Fragile::Fuse fuse;
  Engine engine =
      Engine::make("ccb(oracle=own(name=fragile),rate=0.3)", small_shape(), {}, Fragile::own(fuse))
          .value();
  const std::vector<double> contexts = contexts_of(20);
  Arrays out(20);
  fuse.calls = 9;
  EXPECT_THROW(
      (void)decide_many(engine, {.rounds = 20, .actions = 3, .contexts = contexts}, out.view()),
      std::runtime_error);
  EXPECT_GT(engine.state().decided, 0);
  EXPECT_EQ(engine.state().open, 0);
}

TEST(BatchTest, ARefusedOutcomeNamesItsPlaceAndThoseBeforeAreLearned) {
  Engine engine = small_engine();
  const std::vector<std::uint64_t> ids = {decided(engine, 0), decided(engine, 1),
                                          decided(engine, 2)};
  const std::vector<double> rewards = {0.1, 7.0, 0.3}, costs(3, 0.1);
  const auto stopped = learn_many(engine, ids, rewards, costs);
  EXPECT_EQ(stopped.error().find("batch: outcome 1 of 3: "), 0U) << stopped.error();
  EXPECT_EQ(engine.state().learned, 1);
  EXPECT_FALSE(learn_many(engine, ids, rewards, {}).ok());
}

TEST(BatchTest, ABadFeatureIsFoundBeforeAnythingIsDecided) {
  Engine engine = Engine::make("uniform", Shape{.actions = 2, .features = 1}).value();
  const std::uint64_t before = engine.state_hash();
  const std::vector<double> features = {0.1, 0.2, 0.3, INFINITY};
  auto done = decide_many(engine, {.rounds = 2, .actions = 2, .features = features}, {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().find("batch: round 1: round: features[1] is inf"), 0U) << done.error();
  EXPECT_EQ(engine.state_hash(), before);
}

}  // namespace
}  // namespace rein
