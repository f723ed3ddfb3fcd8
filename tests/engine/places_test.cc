// Places in the policy, used again after the actions that had them were removed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "engine/life.h"
#include "engine/small.h"
#include "rein/batch.h"
#include "rein/explain.h"

namespace rein {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Engine places_engine(const char* policy = "ccb(rate=0.1)", EngineOptions options = {}) {
  return Engine::make(policy, small_shape(), options).value();
}

// A round that offers all actions that may be offered, or these.
Result<Engine::Decision> offer_some(Engine& engine, std::uint64_t n,
                                    std::vector<std::int32_t> ids = {}) {
  const std::vector<double> x = context_of(n);
  if (ids.empty()) ids.assign(engine.offered().begin(), engine.offered().end());
  return engine.decide({.actions = static_cast<int>(ids.size()), .context = x, .ids = ids});
}
void play_some(Engine& engine, std::uint64_t from, std::uint64_t to, Life* life = nullptr) {
  for (std::uint64_t n = from; n < to; ++n) {
    const Engine::Decision made = offer_some(engine, n).value();
    const std::uint64_t id = made.id;
    const int kind = made.action % 3;
    if (life != nullptr) life->note(engine);
    engine.learn(id, {.reward = 0.2 + 0.3 * kind, .costs = {0.05 + 0.1 * kind}}).check();
    if (life != nullptr) life->note(engine);
  }
}

TEST(Places, ArriveAndLeaveAThousandTimesInTheSameMemory) {
  Engine engine = places_engine();
  play_some(engine, 0, 30);
  std::int32_t before = engine.add_action().value();
  play_some(engine, 30, 60);
  const std::size_t size = engine.snapshot().size();
  for (int n = 0; n < 1000; ++n) {
    const std::int32_t next = engine.add_action().value();
    EXPECT_EQ(next, before + 1) << "ids are never used again";
    engine.remove_action(before).check();
    before = next;
  }
  EXPECT_LE(engine.policy().shape().actions, 5);
  EXPECT_LT(engine.snapshot().size(), 2 * size);
  EXPECT_EQ(engine.ids(), 1004);
  play_some(engine, 60, 90);
  EXPECT_EQ(Engine::restore(engine.snapshot()).value().state_hash(), engine.state_hash());
}

TEST(Places, AreNotUsedWhileAnOpenDecisionOffersTheirAction) {
  Engine engine = places_engine();
  const std::int32_t gone = engine.add_action().value();
  const std::uint64_t other = offer_some(engine, 0, {0, 1}).value().id;
  const std::uint64_t open = offer_some(engine, 1, {0, gone}).value().id;
  engine.remove_action(gone).check();
  const std::int32_t fifth = engine.add_action().value();
  EXPECT_EQ(engine.place_of(fifth), 4) << "a new one";
  EXPECT_EQ(engine.place_of(gone), 3);
  engine.learn(open, {.reward = 0.5, .costs = {0.1}}).check();
  const std::int32_t sixth = engine.add_action().value();
  EXPECT_EQ(engine.place_of(sixth), 3) << "though an older decision is open";
  EXPECT_EQ(engine.place_of(gone), -1);
  EXPECT_EQ(engine.learn(other, {.reward = 0.5, .costs = {0.1}}).value(), LearnResult::kApplied);
}

TEST(Places, OfTheFirstActionsAreKept) {
  Engine engine = places_engine();
  engine.remove_action(1).check();
  EXPECT_EQ(engine.place_of(engine.add_action().value()), 3);
}

TEST(Places, RoundsOutcomesAndExplanationsSpeakOfIds) {
  EngineOptions options;
  options.actions = {"a", "b", "c"};
  Engine engine = places_engine("ccb(rate=0.1)", options);
  engine.add_action("d").value();
  engine.remove_action(3).check();
  engine.add_action("e").value();
  ASSERT_EQ(engine.place_of(4), 3);
  EXPECT_EQ(engine.action_name(4), "e");
  EXPECT_EQ(engine.action_name(3), "") << "forgotten";
  EXPECT_THAT(std::vector<std::int32_t>(engine.offered().begin(), engine.offered().end()),
              ElementsAre(0, 1, 2, 4));
  const Engine::Decision made = offer_some(engine, 0, {4}).value();
  EXPECT_EQ(made.action, 4);
  EXPECT_EQ(engine.open()[0].action, 4);
  const auto explained = explain(engine, made.id).value();
  EXPECT_EQ(explained[0].action_id, 4);
  EXPECT_EQ(offer_some(engine, 0, {3}).reason(), Reason::kUnknown);
  EXPECT_THAT(offer_some(engine, 0, {3, 4}).error(), HasSubstr("action id 3, which was removed"));
  EXPECT_THAT(offer_some(engine, 0, {0, 5}).error(), HasSubstr("ids[1] is 5; accepted: 0 to 4"));
  EXPECT_THAT(offer_some(engine, 0, {4, 4}).error(), HasSubstr("different ids"));
  const std::vector<double> x = context_of(1);
  EXPECT_FALSE(engine.decide({.actions = 4, .context = x}).ok()) << "it would offer id 3";
  EXPECT_FALSE(decide_many(engine, {.rounds = 1, .actions = 4, .contexts = x}, {}).ok());
  const std::vector<std::int32_t> ids{0, 4};
  EXPECT_TRUE(decide_many(engine, {.rounds = 1, .actions = 2, .contexts = x, .ids = ids}, {}).ok());
  const LoggedRound logged{.round = {.actions = 2, .context = x, .ids = ids},
                           .action = 1,
                           .outcome = {.reward = 0.5, .costs = {0.1}}};
  EXPECT_EQ(engine.warm_start({&logged, 1}).value(), 1);
  const std::vector<std::int32_t> forgotten{0, 3};
  const LoggedRound wrong{.round = {.actions = 2, .context = x, .ids = forgotten},
                          .action = 1,
                          .outcome = {.reward = 0.5, .costs = {0.1}}};
  EXPECT_FALSE(engine.warm_start({&wrong, 1}).ok());
}

TEST(Places, ReplayAndSnapshotsGiveTheSameBits) {
  Engine engine = places_engine();
  Life life;
  Rng rng(9);
  std::vector<std::uint64_t> open;
  for (std::uint64_t n = 0; n < 600; ++n) {
    const std::uint64_t kind = rng.below(10);
    if (kind == 0) (void)engine.add_action();
    if (kind == 1 && engine.offered().size() <= 2) continue;
    if (kind == 1) {
      engine.remove_action(engine.offered()[rng.below(engine.offered().size())]).check();
    }
    if (kind > 1) {
      const auto made = offer_some(engine, n);
      open.push_back(made.value().id);
    }
    life.note(engine);
    if (kind > 4 && !open.empty()) {
      const std::size_t which = rng.below(open.size());
      (void)engine.learn(open[which], {.reward = 0.5, .costs = {0.1}});
      life.note(engine);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
    }
    if (n % 101 == 50) life.snapshot(engine);
    if (n % 67 == 0) engine = Engine::restore(engine.snapshot()).value();
  }
  EXPECT_GT(engine.ids(), engine.policy().shape().actions) << "places were used again";
  EXPECT_EQ(life.replay(places_engine()), engine.state_hash());
  for (std::size_t n = 0; n < life.snapshots(); ++n) {
    EXPECT_EQ(life.replay_from(n), engine.state_hash());
  }
}

TEST(Places, MoneyAndExpectationsOfTheNewActionCount) {
  Engine engine = places_engine(
      "uniform", {.hard_budget = {100.0}, .largest_costs = {{0.1}, {0.4}, {0.0}}});
  engine.expect(std::vector{0.1, 0.2, 0.0}).check();
  engine.add_action("", {.largest_costs = {0.7}, .expected_costs = {0.6}}).value();
  engine.remove_action(3).check();
  engine.add_action("", {.largest_costs = {0.3}, .expected_costs = {0.25}}).value();
  ASSERT_EQ(engine.place_of(4), 3);
  offer_some(engine, 1, {4}).value();
  EXPECT_EQ(engine.state().budgets[0].held, 300'000);
  EXPECT_FALSE(engine.expect(std::vector{0.1, 0.2, 0.0, 0.3}).ok()) << "a row per id";
  engine.expect(std::vector{0.1, 0.2, 0.0, 0.9, 0.3}).check();
  DecideRecord record;
  Scratch scratch;
  const std::vector<double> x = context_of(1);
  const std::vector<std::int32_t> ids{1, 4};
  engine.choose({.actions = 2, .context = x, .ids = ids}, scratch, record).check();
  EXPECT_THAT(record.round.expected_costs, ElementsAre(0.2, 0.3));
  EXPECT_EQ(record.round.ids, ids);
}

TEST(Places, LearnedLargestCostsBeginAnew) {
  Shape shape = small_shape();
  shape.costs[0].range = Range::unknown();
  Engine engine = Engine::make("ccb(rate=0.1)", shape, {}).value();
  engine.add_action().value();
  const std::uint64_t id = offer_some(engine, 0, {3}).value().id;
  engine.learn(id, {.reward = 0.5, .costs = {7.0}}).check();
  EXPECT_EQ(engine.learned_largest_costs()[3], 7.0);
  engine.remove_action(3).check();
  engine.add_action().value();
  EXPECT_TRUE(std::isnan(engine.learned_largest_costs()[3]));
}

// What a policy of this spec knows after rounds in which the last of four actions was played, or not.
struct Known {
  Engine engine;
  explicit Known(const std::string& policy)
      : engine(Engine::make(policy, small_shape(), {.seed = 5}).value()) {
    engine.add_action().value();
  }
  void play(std::uint64_t from, std::uint64_t to, bool last) {
    for (std::uint64_t n = from; n < to; ++n) {
      const std::vector<std::int32_t> all{0, 1, 2, 3};
      std::vector<std::int32_t> ids = last ? std::vector<std::int32_t>{3} : all;
      if (!last) ids.pop_back();
      const Engine::Decision made = offer_some(engine, n, ids).value();
      const std::uint64_t id = made.id;
      engine.learn(id, {.reward = 0.1 * (made.action + 1), .costs = {0.3 - 0.05 * made.action}})
          .check();
    }
  }
  std::vector<double> estimates(std::int32_t id) const {
    std::vector<double> found;
    LookScratch scratch;
    const std::vector<std::int32_t> ids{id};
    for (std::uint64_t n = 500; n < 505; ++n) {
      const std::vector<double> x = context_of(n);
      const auto made = engine.look({.actions = 1, .context = x, .ids = ids}, scratch).value();
      for (int h = 0; h < 2; ++h) found.push_back(made.estimates->mean(h)[0]);
      found.push_back(made.estimates->width()[0]);
    }
    return found;
  }
};

constexpr const char* kGrowing[] = {"vaw",
                                    "vaw(memory=100)",
                                    "vaw(memory=auto)",
                                    "vaw(features=both)",
                                    "ons",
                                    "adagrad",
                                    "kernel(size=16)",
                                    "kernel(size=8,kind=dictionary)",
                                    "stack(of=[vaw,ons])",
                                    "auto"};

// Used again, a place that was never played is what it was: to the byte.
TEST(Places, RenewingOneOfWhichNothingIsKnownChangesNothing) {
  for (const char* oracle : kGrowing) {
    Known known(std::string("ccb(rate=0.1,oracle=") + oracle + ")");
    known.play(0, 120, false);
    const std::string before = known.engine.policy().save();
    known.engine.remove_action(3).check();
    known.engine.add_action().value();
    ASSERT_EQ(known.engine.place_of(4), 3);
    EXPECT_EQ(known.engine.policy().save(), before) << oracle;
  }
}

// Used again, a place is like one that was grown: the same estimates for the new action, and for the
// others, as those of an engine whose policy got a fifth place.
TEST(Places, ARenewedOneIsLikeAGrownOne) {
  for (const char* oracle : kGrowing) {
    Known renewed(std::string("ccb(rate=0.1,oracle=") + oracle + ")");
    renewed.play(0, 80, false);
    renewed.play(80, 120, true);
    renewed.play(120, 160, false);
    Known grown(std::string("ccb(rate=0.1,oracle=") + oracle + ")");
    grown.engine.load(renewed.engine.snapshot()).check();
    renewed.engine.remove_action(3).check();
    renewed.engine.add_action().value();
    grown.engine.add_action().value();
    ASSERT_EQ(renewed.engine.place_of(4), 3);
    ASSERT_EQ(grown.engine.place_of(4), 4);
    for (std::int32_t id : {0, 1, 2, 4}) {
      EXPECT_EQ(renewed.estimates(id), grown.estimates(id)) << oracle << ", action " << id;
    }
    EXPECT_NE(grown.estimates(3), grown.estimates(4)) << oracle << ": the old one was known";
    // Renewing it again changes nothing more.
    const std::string once = renewed.engine.policy().save();
    renewed.engine.remove_action(4).check();
    renewed.engine.add_action().value();
    EXPECT_EQ(renewed.engine.policy().save(), once) << oracle;
  }
}

TEST(Places, EveryPartOfThePolicyIsRenewed) {
  for (const char* policy :
       {"ccb(rate=0.1,least=[0.1,0,0.1],most=[1,0.5,1],floor=0.02)", "ccb(rate=0.1,alarm=true)",
        "stop(of=greedy,budget=50)", "epsilon", "uniform", "squarecb(tuning=auto)"}) {
    auto made = Engine::make(policy, small_shape(), {});
    if (!made) continue;  // not every policy has every option
    Engine engine = std::move(made).value();
    if (!engine.add_action()) continue;
    play_some(engine, 0, 60);
    engine.remove_action(3).check();
    const auto added = engine.add_action();
    ASSERT_TRUE(added.ok()) << policy << ": " << added.error();
    EXPECT_EQ(engine.place_of(4), 3) << policy;
    play_some(engine, 60, 120);
    EXPECT_EQ(Engine::restore(engine.snapshot()).value().state_hash(), engine.state_hash());
  }
}

TEST(Places, RecordsNameThePlaceAndForgedOnesAreRefused) {
  Engine engine = places_engine(), twin = places_engine();
  engine.add_action().value();
  twin.fold(engine.record()).check();
  const std::uint64_t open = offer_some(engine, 1, {3}).value().id;
  twin.fold(engine.record()).check();
  engine.remove_action(3).check();
  twin.fold(engine.record()).check();
  const std::uint64_t before = twin.state_hash();
  for (std::int32_t place : {0, 3, 4, 1000}) {
    EXPECT_EQ(twin.fold(ActionRecord{.id = 4, .place = place}).reason(), Reason::kSequence) << place;
  }
  EXPECT_EQ(twin.state_hash(), before);
  engine.learn(open, {.reward = 0.5, .costs = {0.1}}).check();
  twin.fold(engine.record()).check();
  engine.add_action().value();
  const auto record = std::get<ActionRecord>(decode(engine.record()).value());
  EXPECT_EQ(record.place, 3);
  twin.fold(engine.record()).check();
  EXPECT_EQ(twin.state_hash(), engine.state_hash());
}

}  // namespace
}  // namespace rein
