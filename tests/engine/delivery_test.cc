// Outcomes from an unreliable network: late, in any order, and more than once.
#include <gtest/gtest.h>

#include "engine/small.h"

namespace rein {
namespace {

// Every outcome is sent one to five times. All copies of the latest decisions, and those left over
// from before, are in one pool, from which they are sent at random.
TEST(Delivery, EveryOutcomeIsAppliedOnceHoweverOftenItIsSent) {
  const std::int64_t outcomes = sanitized() ? 50'000 : 1'000'000;
  const std::int64_t window = sanitized() ? 5'000 : 100'000;
  Engine engine = Engine::make("ccb(setting=expectation,rounds=1000000)", small_shape(),
                               {.most_open = window, .remember = outcomes})
                      .value();
  struct Letter {
    std::uint64_t id;
    double reward;
  };
  std::vector<Letter> heap;
  Rng rng(17);
  std::int64_t decided_so_far = 0;
  std::int64_t sent = 0;
  std::int64_t applied = 0;
  std::int64_t duplicates = 0;
  double reward = 0.0;
  while (decided_so_far < outcomes || !heap.empty()) {
    if (decided_so_far < outcomes && engine.state().open < window) {
      // Multiples of 1/1024: the sum is exact, so one outcome too many is detected.
      const Letter letter{decided(engine, static_cast<std::uint64_t>(decided_so_far) % 1024),
                          static_cast<double>(1 + rng.below(1024)) / 1024.0};
      const std::int64_t copies = 1 + rng.below(5);
      for (std::int64_t copy = 0; copy < copies; ++copy) heap.push_back(letter);
      reward += letter.reward;
      ++decided_so_far;
      if (static_cast<std::int64_t>(heap.size()) < window) continue;
    }
    const auto which = static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(heap.size())));
    const Letter letter = heap[which];
    heap[which] = heap.back();
    heap.pop_back();
    const Outcome outcome{.reward = letter.reward, .costs = {letter.reward / 2}};
    const LearnResult result = engine.learn(letter.id, outcome).value();
    ++sent;
    ++(result == LearnResult::kApplied ? applied : duplicates);
  }
  EXPECT_EQ(applied, outcomes);
  EXPECT_EQ(duplicates, sent - outcomes);
  EXPECT_GT(sent, 2 * outcomes);
  EXPECT_EQ(engine.state().open, 0);
  EXPECT_EQ(engine.policy().state().rounds, outcomes);
  EXPECT_EQ(engine.policy().state().reward, reward);
  EXPECT_EQ(engine.state().reserved[0], 0.0);
}

}  // namespace
}  // namespace rein
