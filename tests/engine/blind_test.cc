// An engine without its policy folds all but what the policy learns; and another policy can take over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rein/meaning.h"
#include "small.h"
#include "unknown_policy.h"

namespace rein {
namespace {

using testing::HasSubstr;

EngineOptions hard_options() { return {.hard_budget = {50.0}}; }

// Decisions of which some are settled, some partly, some open, and some given up.
struct Lived {
  explicit Lived(const char* policy) : engine(Engine::make(policy, small_shape(), hard_options()).value()) {
    for (std::uint64_t n = 0; n < 40; ++n) {
      const std::uint64_t id = decided(engine, n);
      note();
      if (n % 4 == 0) waiting.push_back(id);
      if (n % 4 == 1) engine.learn(id, {.reward = 0.5, .costs = {0.25}}).check();
      if (n % 4 == 2) engine.learn(id, {.reward = kMissing, .costs = {0.125}}).check();
      if (n % 4 == 3) engine.cancel(id).check();
      if (n % 4 != 0) note();
    }
  }
  void note() { records.emplace_back(engine.record()); }

  Engine engine;
  std::vector<std::string> records;
  std::vector<std::uint64_t> waiting;
};

void expect_same_books(const Engine& a, const Engine& b) {
  const EngineState x = a.state(), y = b.state();
  EXPECT_EQ(x.decided, y.decided);
  EXPECT_EQ(x.open, y.open);
  EXPECT_EQ(x.learned, y.learned);
  EXPECT_EQ(x.cancelled, y.cancelled);
  EXPECT_EQ(x.partly, y.partly);
  ASSERT_EQ(x.budgets.size(), y.budgets.size());
  for (std::size_t i = 0; i < x.budgets.size(); ++i) {
    EXPECT_EQ(x.budgets[i].spent, y.budgets[i].spent);
    EXPECT_EQ(x.budgets[i].held, y.budgets[i].held);
    EXPECT_EQ(x.budgets[i].limit, y.budgets[i].limit);
  }
}

constexpr const char* kBlindPolicy = "ccb(budget=100,rounds=1000)";

TEST(Blind, FoldsAllButThePolicy) {
  Lived lived(kBlindPolicy);
  const Engine fresh = Engine::make(kBlindPolicy, small_shape(), hard_options()).value();
  Engine blind = Engine::restore_blind(fresh.snapshot()).value();
  for (const std::string& record : lived.records) blind.fold(record).check();
  expect_same_books(blind, lived.engine);
  EXPECT_TRUE(blind.blind());
  const auto refused = decide(blind, 99);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.reason(), Reason::kMeaning);
}

TEST(WithPolicy, KeepsTheBooksToTheMicroUnit) {
  Lived lived(kBlindPolicy);
  const Engine blind = Engine::restore_blind(lived.engine.snapshot()).value();
  auto other = blind.with_policy("ccb(budget=100,rounds=1000,oracle=forest)");
  ASSERT_TRUE(other) << other.error();
  Engine& now = other.value();
  expect_same_books(now, lived.engine);
  EXPECT_FALSE(now.blind());
  EXPECT_EQ(now.policy_state().rounds, 0);
  // Late outcomes of what the old policy decided, with the money that they held.
  const std::int64_t spent = now.state().budgets[0].spent, held = now.state().budgets[0].held;
  now.learn(lived.waiting[0], {.reward = 1.0, .costs = {0.75}}).check();
  EXPECT_EQ(now.state().budgets[0].spent, spent + 750'000);
  EXPECT_EQ(now.state().budgets[0].held, held - 1'000'000);
  EXPECT_EQ(now.learn(lived.waiting[0], {.reward = 1.0, .costs = {0.75}}).value(),
            LearnResult::kDuplicate);
  const auto again = Engine::restore(now.snapshot());
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again.value().state_hash(), now.state_hash());
}

TEST(WithPolicy, ActionsThatWereAddedAreThere) {
  Engine engine = Engine::make("ccb", Shape{.actions = 2, .context = 2}, {}).value();
  engine.add_action().value();
  const Engine blind = Engine::restore_blind(engine.snapshot()).value();
  auto other = blind.with_policy("ccb(oracle=vaw)");
  ASSERT_TRUE(other) << other.error();
  EXPECT_EQ(other.value().offered().size(), 3U);
  EXPECT_EQ(other.value().policy().shape().actions, 3);
}

void expect_unknown(const std::string& snapshot, const char* said) {
  const auto refused = Engine::restore(snapshot);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.reason(), Reason::kMeaning) << refused.error();
  EXPECT_THAT(refused.error(), HasSubstr(said));
  EXPECT_THAT(refused.error(), HasSubstr("rein migrate"));
  const auto blind = Engine::restore_blind(snapshot);
  ASSERT_TRUE(blind) << blind.error();
  EXPECT_EQ(blind.value().state().open, 1);
  EXPECT_EQ(blind.value().with_policy("ccb").value().state().open, 1);
}

TEST(Blind, APolicyThatIsNotKnownIsNotCalledDamage) {
  Engine engine = Engine::make("ccb(oracle=ons)", Shape{.actions = 3, .context = 2}, {}).value();
  decided(engine);
  expect_unknown(with_unknown_oracle(engine, "ons", "onz"), "unknown name \"onz\"");
  expect_unknown(with_meaning(engine, 99), "found meaning 99 (a newer program made it)");
}

TEST(Meaning, OfTheDefaultIsSavedAndFolded) {
  const Shape shape{.actions = 3, .context = 2};
  // Made when the default oracle was linear: as today's program makes that oracle, but asked as "ccb".
  Engine today = Engine::make("ccb", shape, {}).value();
  EXPECT_EQ(today.policy_origin().asked, "ccb");
  EXPECT_EQ(today.policy_origin().meaning, kMeaning);
  EXPECT_THAT(today.policy_origin().resolved, HasSubstr("oracle=auto("));
  const Engine again = Engine::restore(today.snapshot()).value();
  EXPECT_EQ(again.policy_origin().resolved, today.policy_origin().resolved);
}

}  // namespace
}  // namespace rein
