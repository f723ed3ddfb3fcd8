// Ids that are left out: no decision gets them, and outcomes for them are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "engine/life.h"
#include "engine/small.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

TEST(SkipIds, ADecisionThatWasLostSharesItsIdWithNone) {
  Engine engine = small_engine();
  const std::uint64_t kept = decided(engine);
  const std::string saved = engine.snapshot();
  std::set<std::uint64_t> lost;
  for (std::uint64_t n = 0; n < 20; ++n) lost.insert(decided(engine, n));

  Engine old = Engine::restore(saved).value();
  EXPECT_TRUE(lost.contains(decided(old))) << "this is what skip_ids() is for";
  Engine again = Engine::restore(saved).value();
  again.skip_ids(1000).check();
  for (std::uint64_t n = 0; n < 1100; ++n) {
    const std::uint64_t id = decided(again, n);
    EXPECT_FALSE(lost.contains(id));
    EXPECT_EQ(again.learn(id, {.reward = 1, .costs = {0.5}}).value(), LearnResult::kApplied);
  }
  for (const std::uint64_t id : lost) {
    const auto refused = again.learn(id, {.reward = 1, .costs = {0.5}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.reason(), Reason::kUnknown);
    EXPECT_THAT(refused.error(), HasSubstr("it was lost"));
    EXPECT_EQ(again.cancel(id).reason(), Reason::kUnknown);
    EXPECT_EQ(again.open_record(id).reason(), Reason::kUnknown);
  }
  EXPECT_EQ(again.state().decided, 1101) << "they are not counted";
  EXPECT_EQ(again.learn(kept, {.reward = 1, .costs = {0.5}}).value(), LearnResult::kApplied);
}

TEST(SkipIds, IsARecordAndAPartOfTheState) {
  Engine engine = small_engine({.most_open = 50, .remember = 20});
  Life life;
  life.snapshot(engine);
  for (std::uint64_t n = 0; n < 60; ++n) {
    if (n % 20 == 7) {
      engine.skip_ids(3).check();
      life.note(engine);
      engine.skip_ids(n).check();  // two that follow each other are one
      life.note(engine);
      life.snapshot(engine);
    }
    const std::uint64_t id = decided(engine, n);
    life.note(engine);
    if (n % 3 == 0) engine.learn(id, {.reward = 1, .costs = {0.5}}).check();
    if (n % 3 == 0) life.note(engine);
  }
  life.snapshot(engine);
  EXPECT_EQ(life.replay(small_engine({.most_open = 50, .remember = 20})), engine.state_hash());
  for (std::size_t n = 0; n < life.snapshots(); ++n) {
    EXPECT_EQ(life.replay_from(n), engine.state_hash()) << "from snapshot " << n;
  }
}

TEST(SkipIds, TakesOnlyWhatItCanCount) {
  Engine engine = small_engine();
  const std::uint64_t before = engine.state_hash();
  EXPECT_FALSE(engine.skip_ids(0).ok());
  EXPECT_THAT(engine.skip_ids(kMostSkippedIds + 1).error(), HasSubstr("accepted: 1 to"));
  EXPECT_EQ(engine.state_hash(), before);
  EXPECT_TRUE(engine.record().empty());
  engine.skip_ids(kMostSkippedIds).check();
  EXPECT_NE(engine.state_hash(), before);
}

TEST(SkipIds, RemovedActionsGiveUpTheirPlacesAfterIt) {
  Engine engine = Engine::make("ccb(rate=0.1)", small_shape()).value();
  engine.add_action("").value();
  const std::vector<double> x = context_of(1);
  const std::uint64_t offers = engine.decide({.actions = 4, .context = x}).value().id;
  engine.skip_ids(1000).check();
  engine.remove_action(3).check();
  decided(engine);
  engine.learn(offers, {.reward = 1, .costs = {0.5}}).check();
  EXPECT_EQ(engine.add_action("").value(), 4);
  EXPECT_EQ(engine.policy().shape().actions, 4) << "it has the place of the removed one";
  const Engine again = Engine::restore(engine.snapshot()).value();
  EXPECT_EQ(again.state_hash(), engine.state_hash());
}

}  // namespace
}  // namespace rein
