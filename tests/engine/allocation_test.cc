// An engine allocates nothing once every slot has held a round of the largest size. This program
// counts every operator new.
#include <gtest/gtest.h>

#include "allocations.h"
#include "engine/small.h"

namespace rein {
namespace {

// Opens `open` decisions and learns them, `times` times. Returns the number of allocations.
long allocations_of(Engine& engine, int open, int times, const Round& round) {
  std::vector<std::uint64_t> ids(static_cast<std::size_t>(open));
  const Outcome outcome{.reward = 0.25, .costs = {0.0}};
  const std::int64_t now = engine.state().now;
  const long before = allocations;
  for (int time = 0; time < times; ++time) {
    for (std::uint64_t& id : ids) id = engine.decide(round).value().id;
    for (std::uint64_t id : ids) engine.learn(id, outcome).check();
    for (std::uint64_t id : ids) engine.learn(id, outcome).check();  // duplicates
    engine.tick(now + time).check();
  }
  return allocations - before;
}

TEST(Allocation, ASteadyEngineAllocatesNothing) {
  const std::vector<double> x = context_of(0);
  const Round round{.actions = 3, .context = x};
  Engine plain = small_engine();
  EXPECT_GT(allocations_of(plain, 50, 1, round), 0) << "slots are made when they are first used";
  EXPECT_EQ(allocations_of(plain, 50, 100, round), 0);
}

TEST(Allocation, NorUnderAHardBudgetThatTakesActionsOut) {
  const std::vector<double> x = context_of(0);
  const Round round{.actions = 3, .context = x};
  EngineOptions options;
  options.hard_budget = {0.5};
  options.safe_action = 0;
  Engine engine = small_engine(options);
  EXPECT_EQ(engine.decide(round).value().fitting, 1);
  allocations_of(engine, 50, 2, round);
  EXPECT_EQ(allocations_of(engine, 50, 100, round), 0);
}

TEST(Allocation, SmallerRoundsFitIntoUsedSlots) {
  const std::vector<double> x = context_of(0);
  Engine engine = small_engine();
  allocations_of(engine, 20, 2, {.actions = 3, .context = x});
  EXPECT_EQ(allocations_of(engine, 20, 10, {.actions = 2, .context = x}), 0);
}

}  // namespace
}  // namespace rein
