#include "rein/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/small.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

const Outcome kGood{.reward = 1.0, .costs = {0.5}};
const Outcome kBad{.reward = 0.0, .costs = {0.5}};

// Runs `act`, which must be refused for this reason and change nothing.
template <class Act>
void expect_refused(Engine& engine, Reason reason, const char* words, Act act) {
  const std::uint64_t hash = engine.state_hash();
  const std::string snapshot = engine.snapshot();
  auto result = act();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.reason(), reason) << result.error();
  EXPECT_THAT(result.error(), HasSubstr(words));
  EXPECT_EQ(engine.state_hash(), hash);
  EXPECT_EQ(engine.snapshot(), snapshot);
  EXPECT_TRUE(engine.record().empty());
}

TEST(Engine, DecidesAsThePolicyWould) {
  Engine engine = small_engine({.seed = 5});
  auto policy = make_policy(kSmallPolicy, small_shape()).value();
  Rng rng(5);
  Scratch scratch(*policy);
  Decision decision(*policy);
  for (std::uint64_t n = 0; n < 200; ++n) {
    const std::vector<double> x = context_of(n);
    const Round round{.actions = 3, .context = x};
    policy->decide(round, rng, scratch, decision).check();
    const Engine::Decision ticket = engine.decide(round).value();
    ASSERT_EQ(ticket.action, decision.action);
    ASSERT_EQ(ticket.probability, decision.probability);
    ASSERT_EQ(ticket.prices, decision.prices);
    ASSERT_EQ(ticket.estimates->mean(1)[0], decision.estimates.mean(1)[0]);
    ASSERT_EQ(ticket.fitting, 3);
    const Outcome outcome{.reward = x[0] * ticket.action / 2, .costs = {0.4 * ticket.action}};
    policy->learn(round, decision, outcome).check();
    ASSERT_EQ(engine.learn(ticket.id, outcome).value(), LearnResult::kApplied);
  }
  EXPECT_EQ(engine.policy().save(), policy->save());
}

TEST(Engine, OpenDecisionsArePricedAtTheirPredictedCost) {
  Engine engine = small_engine();
  for (std::uint64_t n = 0; n < 50; ++n) {
    engine.learn(decided(engine, n), {.reward = 0.5, .costs = {0.8}}).check();
  }
  const Engine::Decision first = decide(engine).value();
  const double price = first.prices[0];
  const double predicted = first.estimates->mean(1)[static_cast<std::size_t>(first.action)];
  EXPECT_GT(predicted, 0.1);
  EXPECT_NEAR(engine.state().reserved[0], predicted, 0x1p-31);
  EXPECT_GE(engine.state().reserved[0], predicted) << "rounded up";
  const Engine::Decision second = decide(engine).value();
  EXPECT_GT(second.prices[0], price);
  engine.learn(first.id, kGood).check();
  engine.learn(second.id, kGood).check();
  EXPECT_EQ(engine.state().reserved[0], 0.0) << "nothing drifts";
}

TEST(Engine, OutcomesComeInAnyOrder) {
  Engine engine = small_engine();
  std::vector<std::uint64_t> ids;
  for (std::uint64_t n = 0; n < 20; ++n) ids.push_back(decided(engine, n));
  EXPECT_EQ(engine.state().open, 20);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_TRUE(engine.learn(ids[(i * 7 + 3) % ids.size()], kGood));
  }
  EXPECT_EQ(engine.state().open, 0);
  EXPECT_EQ(engine.state().learned, 20);
  EXPECT_EQ(engine.policy().state().rounds, 20);
}

TEST(Engine, TheSameOutcomeAgainIsFineAndSaysSo) {
  Engine engine = small_engine();
  const std::uint64_t id = decided(engine);
  EXPECT_EQ(engine.learn(id, kGood).value(), LearnResult::kApplied);
  EXPECT_FALSE(engine.record().empty());
  const std::uint64_t hash = engine.state_hash();
  EXPECT_EQ(engine.learn(id, kGood).value(), LearnResult::kDuplicate);
  EXPECT_TRUE(engine.record().empty());
  EXPECT_EQ(engine.state_hash(), hash);
  EXPECT_EQ(engine.policy().state().rounds, 1);
}

TEST(Engine, MinusZeroIsZero) {
  Engine engine = small_engine();
  const std::uint64_t id = decided(engine);
  engine.learn(id, {.reward = 0.0, .costs = {0.0}}).check();
  EXPECT_EQ(engine.learn(id, {.reward = -0.0, .costs = {-0.0}}).value(), LearnResult::kDuplicate);
}

TEST(Engine, RefusalsChangeNothing) {
  Engine engine = small_engine({.most_open = 3, .hard_budget = {100.0}});
  const std::uint64_t settled = decided(engine);
  engine.learn(settled, kGood).check();
  const std::uint64_t open = decided(engine);
  engine.tick(10).check();
  const double nan = std::nan("");

  expect_refused(engine, Reason::kConflict, "another value",
                 [&] { return engine.learn(settled, kBad); });
  expect_refused(engine, Reason::kUnknown, "ever had this id",
                 [&] { return engine.learn(12345, kGood); });
  expect_refused(engine, Reason::kInvalid, "reward is 2",
                 [&] { return engine.learn(open, {.reward = 2.0, .costs = {0.0}}); });
  expect_refused(engine, Reason::kInvalid, "reward is nan",
                 [&] { return engine.learn(open, {.reward = nan, .costs = {0.0}}); });
  expect_refused(engine, Reason::kInvalid, "found 2 costs", [&] {
    return engine.learn(open, {.reward = 1.0, .costs = {0.0, 0.0}});
  });
  expect_refused(engine, Reason::kInvalid, "never goes back", [&] { return engine.tick(9); });
  expect_refused(engine, Reason::kInvalid, "never goes back", [&] { return engine.tick(-1); });
  expect_refused(engine, Reason::kInvalid, "tick", [&] { return engine.tick(INT64_MAX); });
  expect_refused(engine, Reason::kInvalid, "context",
                 [&] { return engine.decide({.actions = 3}); });
  expect_refused(engine, Reason::kInvalid, "actions", [&] { return engine.decide({}); });
  const std::vector<double> poison = {0.0, nan};
  expect_refused(engine, Reason::kInvalid, "context[1] is nan",
                 [&] { return engine.decide({.actions = 3, .context = poison}); });

  decided(engine);
  decided(engine);
  expect_refused(engine, Reason::kFull, "most_open", [&] { return decide(engine); });
  engine.learn(open, kGood).check();
  EXPECT_TRUE(decide(engine)) << "there is room again";
}

TEST(Engine, ExpiresWhatIsOlderThanTheLimit) {
  Engine engine = small_engine({.expire_after = 10});
  engine.tick(100).check();
  const std::uint64_t old = decided(engine);
  engine.tick(105).check();
  const std::uint64_t young = decided(engine);
  EXPECT_EQ(engine.tick(110).value(), 0) << "exactly as old as allowed";
  EXPECT_EQ(engine.tick(111).value(), 1);
  EXPECT_EQ(engine.tick(111).value(), 0) << "standing still is not going back";
  EXPECT_EQ(engine.learn(old, kGood).value(), LearnResult::kLate);
  EXPECT_EQ(engine.state().expired, 1);
  EXPECT_EQ(engine.state().billed[0], kGood.costs[0]) << "late bills count";
  EXPECT_EQ(engine.policy().state().rounds, 0) << "nothing to learn without a default outcome";
  EXPECT_TRUE(engine.learn(young, kGood));
}

TEST(Engine, TheDefaultOutcomeIsLearnedOnce) {
  Engine engine = small_engine({.expire_after = 10, .default_outcome = kBad});
  const std::uint64_t id = decided(engine);
  EXPECT_EQ(engine.tick(11).value(), 1);
  EXPECT_EQ(engine.policy().state().rounds, 1);
  EXPECT_EQ(engine.policy().state().spent[0], 0.5);
  EXPECT_EQ(engine.learn(id, kBad).value(), LearnResult::kLate);
  EXPECT_EQ(engine.tick(1000).value(), 0);
  EXPECT_EQ(engine.policy().state().rounds, 1);
}

TEST(Engine, AForgottenIdWasSettledBeforeAndAForeignOneIsUnknown) {
  Engine engine = small_engine({.remember = 2});
  std::vector<std::uint64_t> ids;
  for (std::uint64_t n = 0; n < 3; ++n) ids.push_back(decided(engine, n));
  for (std::uint64_t id : ids) engine.learn(id, kGood).check();
  EXPECT_EQ(engine.state().remembered, 2);
  const std::uint64_t before = engine.state_hash();
  EXPECT_EQ(engine.learn(ids[0], kGood).value(), LearnResult::kForgotten);
  EXPECT_EQ(engine.learn(ids[0], kBad).value(), LearnResult::kForgotten);
  EXPECT_EQ(engine.state_hash(), before);
  EXPECT_TRUE(engine.record().empty());
  EXPECT_EQ(engine.learn(ids[1], kGood).value(), LearnResult::kDuplicate);
  EXPECT_EQ(engine.learn(ids[2], kGood).value(), LearnResult::kDuplicate);
  Engine other = small_engine({.seed = 2});
  const std::uint64_t foreign = decided(other);
  expect_refused(engine, Reason::kUnknown, "ever had",
                 [&] { return engine.learn(foreign, kGood); });
  DecideRecord next;
  const std::vector<double> x = context_of(0);
  choose(engine, {.actions = 3, .context = x}, next);
  expect_refused(engine, Reason::kUnknown, "ever had",
                 [&] { return engine.learn(next.id, kGood); });
}

TEST(Engine, LooksAtWhatItWouldDecideAndChangesNothing) {
  Engine engine = small_engine();
  LookScratch memory;
  for (std::uint64_t n = 0; n < 20; ++n) {
    const std::vector<double> x = context_of(n);
    const Round round{.actions = 3, .context = x};
    const std::uint64_t before = engine.state_hash();
    const Engine::Decision seen = std::as_const(engine).look(round, memory).value();
    const std::vector<double> p(seen.probabilities.begin(), seen.probabilities.end());
    EXPECT_EQ(engine.state_hash(), before);
    expect_refused(engine, Reason::kUnknown, "ever had",
                   [&] { return engine.learn(seen.id, kGood); });
    const Engine::Decision made = engine.decide(round).value();
    EXPECT_EQ(made.id, seen.id);
    EXPECT_EQ(made.action, seen.action);
    EXPECT_THAT(made.probabilities, ::testing::ElementsAreArray(p));
    engine.learn(made.id, kGood).check();
  }
}

TEST(Engine, RemembersNothingWhereAskedTo) {
  Engine engine = small_engine({.remember = 0});
  const std::uint64_t id = decided(engine);
  engine.learn(id, kGood).check();
  EXPECT_EQ(engine.learn(id, kGood).value(), LearnResult::kForgotten);
  EXPECT_EQ(engine.state().learned, 1);
}

TEST(Engine, IdsNeedTheSecret) {
  Engine plain = small_engine({.seed = 7});
  Engine secret = small_engine({.seed = 7, .secret = {1, 2}});
  const Engine::Decision a = decide(plain).value();
  const Engine::Decision b = decide(secret).value();
  EXPECT_EQ(a.action, b.action) << "the secret changes ids only";
  EXPECT_NE(a.id, b.id);
}

TEST(Engine, ChooseChangesNothingAndFoldDoesTheRest) {
  Engine one = small_engine();
  Engine two = small_engine();
  const std::vector<double> x = context_of(0);
  const Round round{.actions = 3, .context = x};
  DecideRecord record;
  const std::uint64_t hash = one.state_hash();
  choose(one, round, record);
  EXPECT_EQ(one.state_hash(), hash);
  one.fold(record).check();
  EXPECT_EQ(record.id, two.decide(round).value().id);
  EXPECT_EQ(one.state_hash(), two.state_hash());
  EXPECT_EQ(one.record(), two.record());
  expect_refused(one, Reason::kSequence, "not the next decision", [&] { return one.fold(record); });
}

TEST(Engine, RecordsOfDecisionsThatCannotBeAreRefused) {
  Engine engine = small_engine();
  const std::vector<double> x = context_of(0);
  DecideRecord good;
  choose(engine, {.actions = 3, .context = x}, good);
  const auto refuses = [&](Reason reason, const char* words, auto change) {
    DecideRecord bad = good;
    change(bad);
    expect_refused(engine, reason, words, [&] { return engine.fold(bad); });
  };
  refuses(Reason::kSequence, "next", [](DecideRecord& r) { r.id += 1; });
  refuses(Reason::kSequence, "next", [](DecideRecord& r) { r.at = 1; });
  refuses(Reason::kInvalid, "action 3", [](DecideRecord& r) { r.decision.action = 3; });
  refuses(Reason::kInvalid, "probability", [](DecideRecord& r) { r.decision.probability = 0.5; });
  refuses(Reason::kInvalid, "sum", [](DecideRecord& r) {
    r.decision.probabilities()[0] = r.decision.probabilities()[0] / 2;
  });
  refuses(Reason::kInvalid, "finite",
          [](DecideRecord& r) { r.decision.estimates.mean(1)[2] = std::nan(""); });
  refuses(Reason::kInvalid, "finite", [](DecideRecord& r) { r.decision.log_scale = -1.0; });
  refuses(Reason::kInvalid, "finite", [](DecideRecord& r) { r.decision.prices[0] = INFINITY; });
  refuses(Reason::kInvalid, "finite", [](DecideRecord& r) { r.decision.gamma = INFINITY; });
  refuses(Reason::kInvalid, "finite", [](DecideRecord& r) { r.decision.scores()[2] = -INFINITY; });
  refuses(Reason::kInvalid, "finite",
          [](DecideRecord& r) { r.decision.estimates.width()[0] = std::nan(""); });
  refuses(Reason::kInvalid, "context[0]", [](DecideRecord& r) { r.round.context[0] = INFINITY; });
  refuses(Reason::kInvalid, "offered", [](DecideRecord& r) { r.offered = 4; });
  refuses(Reason::kInvalid, "places", [](DecideRecord& r) { r.places = {0, 1, 2}; });
  engine.fold(good).check();
}

// Forged, but valid as far as the engine can tell: its policy never returned such a scale.
TEST(Engine, ADecisionThatThePolicyDisownsStillExpires) {
  Engine engine = small_engine({.expire_after = 5, .default_outcome = kBad, .hard_budget = {2.0}});
  const std::vector<double> x = context_of(0);
  DecideRecord forged;
  choose(engine, {.actions = 3, .context = x}, forged);
  forged.decision.log_scale = 600.0;
  engine.fold(forged).check();
  expect_refused(engine, Reason::kInvalid, "log_scale 600",
                 [&] { return engine.learn(forged.id, kGood); });
  EXPECT_EQ(engine.tick(6).value(), 1);
  EXPECT_EQ(engine.policy().state().rounds, 0);
  EXPECT_EQ(engine.state().budgets[0].spent, 1'000'000);
}

TEST(Engine, AFullEngineFoldsNoDecision) {
  Engine wide = small_engine({.most_open = 3, .hard_budget = {100.0}});
  Engine narrow = small_engine({.most_open = 2, .hard_budget = {100.0}});
  for (std::uint64_t n = 0; n < 2; ++n) {
    decided(wide, n);
    narrow.fold(wide.record()).check();
  }
  decided(wide, 2);
  const std::string third(wide.record());
  expect_refused(narrow, Reason::kFull, "most_open", [&] { return narrow.fold(third); });
}

TEST(Engine, WorksWithEveryPolicyThatNeedsNoMoreThanAShape) {
  for (const char* spec : {"ccb(budget=10,rounds=100)", "ccb(setting=pacing,rate=0.1,rounds=100)",
                           "ccb(setting=expectation,tuning=auto)", "squarecb(rounds=100)", "greedy",
                           "epsilon", "uniform"}) {
    Engine engine = Engine::make(spec, small_shape()).value();
    std::vector<std::uint64_t> ids;
    for (std::uint64_t n = 0; n < 30; ++n) ids.push_back(decided(engine, n));
    for (std::uint64_t id : ids) engine.learn(id, kGood).check();
    EXPECT_EQ(engine.state().learned, 30) << spec;
    const Engine again = Engine::restore(engine.snapshot()).value();
    EXPECT_EQ(again.state_hash(), engine.state_hash()) << spec;
  }
}

TEST(Engine, BadOptionsAreRefusedByName) {
  const auto refused = [](const char* words, const EngineOptions& options) {
    auto made = Engine::make(kSmallPolicy, small_shape(), options);
    ASSERT_FALSE(made) << words;
    EXPECT_THAT(made.error(), HasSubstr(words));
  };
  refused("most_open is 0", {.most_open = 0});
  refused("most_open is", {.most_open = kMaxOpen + 1});
  refused("remember is -1", {.remember = -1});
  refused("expire_after is -5", {.expire_after = -5});
  refused("default_outcome: outcome: reward is 7", {.default_outcome = Outcome{.reward = 7}});
  refused("hard_budget has 2 numbers", {.hard_budget = {1, 2}});
  refused("hard_budget has -1", {.hard_budget = {-1}});
  refused("hard_budget has nan", {.hard_budget = {std::nan("")}});
  refused("for a hard budget", {.safe_action = 1});
  refused("for a hard budget", {.largest_costs = {{0}, {0}, {0}}});
  refused("safe_action is 3", {.hard_budget = {1}, .safe_action = 3});
  refused("safe_cost without", {.hard_budget = {1}, .safe_cost = {0.1}});
  refused("safe_cost[0] is 2", {.hard_budget = {1}, .safe_action = 0, .safe_cost = {2.0}});
  refused("largest_costs is 2", {.hard_budget = {1}, .largest_costs = {{0}, {0}}});
  refused("largest_costs[0] is 1.5", {.hard_budget = {1}, .largest_costs = {{0}, {0}, {1.5}}});
  EXPECT_FALSE(Engine::make("nonsense", small_shape()));
  EXPECT_FALSE(Engine::make("ccb(", small_shape()));
  EXPECT_FALSE(Engine::make("uniform", Shape{}));
}

}  // namespace
}  // namespace rein
