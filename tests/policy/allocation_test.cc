// No allocation per round: this program counts every call of operator new.
#include <gtest/gtest.h>

#include "allocations.h"
#include "policy/play.h"

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

TEST(Allocations, ARoundOfAnySizeAllocatesNothing) {
  for_every_case([](const Case& c) {
    Game game(c);
    Rng rng(4);
    const std::vector<double> reserved(c.shape.costs.size(), 0.25);
    for (int step = 0; step < 2 * c.shape.actions; ++step) {
      const OwnedRound owned = round_with(c.shape, 1 + step % c.shape.actions, rng);
      const Round round = owned.view();
      const Outcome outcome = outcome_of(game.policy->shape(), round, 0, step);
      const long before = allocations;
      game.policy->decide(round, reserved, game.rng, game.scratch, game.decision).check();
      game.policy->learn(round, game.decision, outcome).check();
      ASSERT_EQ(allocations, before) << "at " << round.actions << " actions";
    }
  });
}

TEST(Allocations, NotEvenTheFirstRoundOfAThousandActions) {
  for (const Entry& entry : policies()) {
    if (needs_safe_action(entry.name)) continue;
    const Case c{.spec = least_spec(entry.name, 2),
                 .shape = {.actions = 1000, .features = 20, .costs = {{}, {}}, .rounds = 100}};
    Game game(c);
    Rng rng(5);
    const OwnedRound owned = round_with(c.shape, 1000, rng);
    const long before = allocations;
    game.policy->decide(owned.view(), game.rng, game.scratch, game.decision).check();
    game.policy->learn(owned.view(), game.decision, {.reward = 1.0, .costs = {0.5, -0.5}}).check();
    EXPECT_EQ(allocations, before) << entry.name;
  }
}

}  // namespace
}  // namespace rein
