// No allocation per round: this program counts every call of operator new. The counter is on only
// inside the rounds.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "policy/play.h"

namespace {

bool counting = false;
long allocations = 0;

void* counted(std::size_t size) {
  if (counting) ++allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace rein {
namespace {

// A round of any number of actions up to the shape's.
OwnedRound round_with(const Shape& shape, int actions, Rng& rng) {
  OwnedRound round{.actions = actions};
  for (int i = 0; i < shape.context; ++i) round.context.push_back(2.0 * rng.uniform() - 1.0);
  for (int i = 0; i < actions * shape.features; ++i) round.features.push_back(rng.uniform());
  if (actions % 2 == 0) {
    for (int a = actions; a-- > 0;) round.ids.push_back(a);
  }
  return round;
}

TEST(Allocations, TheCounterCounts) {
  allocations = 0;
  counting = true;
  auto* made = new std::vector<double>(100);
  counting = false;
  delete made;
  EXPECT_EQ(allocations, 2);
}

TEST(Allocations, ARoundOfAnySizeAllocatesNothing) {
  for_every_case([](const Case& c) {
    Game game(c);
    Rng rng(4);
    const std::vector<double> reserved(c.shape.costs.size(), 0.25);
    for (int step = 0; step < 2 * c.shape.actions; ++step) {
      const OwnedRound owned = round_with(c.shape, 1 + step % c.shape.actions, rng);
      const Round round = owned.view();
      const Outcome outcome = outcome_of(game.policy->shape(), round, 0, step);
      allocations = 0;
      counting = true;
      game.policy->decide(round, reserved, game.rng, game.scratch, game.decision).check();
      game.policy->learn(round, game.decision, outcome).check();
      counting = false;
      ASSERT_EQ(allocations, 0) << "at " << round.actions << " actions";
    }
  });
}

TEST(Allocations, NotEvenTheFirstRoundOfAThousandActions) {
  for (const Entry& entry : policies()) {
    const Case c{.spec = std::string(entry.name),
                 .shape = {.actions = 1000, .features = 20, .costs = {{}, {}}, .rounds = 100}};
    Game game(c);
    Rng rng(5);
    const OwnedRound owned = round_with(c.shape, 1000, rng);
    allocations = 0;
    counting = true;
    game.policy->decide(owned.view(), game.rng, game.scratch, game.decision).check();
    game.policy->learn(owned.view(), game.decision, {.reward = 1.0, .costs = {0.5, -0.5}}).check();
    counting = false;
    EXPECT_EQ(allocations, 0) << entry.name;
  }
}

}  // namespace
}  // namespace rein
