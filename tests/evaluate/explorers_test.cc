// The price is rehearsed with the explorer that is played: whichever it is, the spend meets the budget.
#include <gtest/gtest.h>

#include <string>

#include "rein/policy.h"
#include "rein/world.h"
#include "sanitized.h"

namespace rein {
namespace {

struct Spends {
  double mean = 0.0, most = 0.0;  // in budgets
};

Spends play_with(const std::string& keys, const std::string& world_spec) {
  const int seeds = static_cast<int>(repeats(8)), rounds = 3000;
  Spends found;
  for (int seed = 1; seed <= seeds; ++seed) {
    const auto number = static_cast<std::uint64_t>(seed);
    const auto world = make_world(world_spec, number, rounds).value();
    const auto policy = make_policy("ccb(" + keys + ")", world->shape()).value();
    Rng rng(number, 1);
    Scratch scratch(*policy);
    Decision decision(*policy);
    Outcome outcome;
    double spent = 0.0;
    for (int t = 0; t < rounds; ++t) {
      const Round& round = world->next();
      policy->decide(round, rng, scratch, decision).check();
      world->outcome(decision.action, outcome);
      spent += outcome.costs[0] / world->shape().budgets[0];
      policy->learn(round, decision, outcome).check();
    }
    found.mean += spent / seeds;
    found.most = std::max(found.most, spent);
  }
  return found;
}

class Explorers : public testing::TestWithParam<const char*> {};

// Rehearsed as inverse gap weighting, epsilon=0.15 spent 1.05 budgets on average, and 1.07 at most.
TEST_P(Explorers, TheSpendMeetsTheBudget) {
  for (const char* world : {"heavy(d=4,k=6,rate=0.05)", "linear(costs=positive,d=4,k=6,rate=0.2)"}) {
    const Spends spends = play_with(GetParam(), world);
    EXPECT_LE(spends.mean, 1.005) << world;
    EXPECT_GE(spends.mean, 0.97) << world;
    EXPECT_LE(spends.most, 1.015) << world;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Explorers,
                         testing::Values("explorer=igw", "explorer=square", "explorer=greedy",
                                         "explorer=softmax", "explorer=epsilon(epsilon=0.1)",
                                         "explorer=epsilon(epsilon=0.15)",
                                         "explorer=epsilon(epsilon=0.1),least=[0,0,0.1,0,0,0]",
                                         "baseline=0,baseline_loss=0.2",
                                         "baseline=[0,0,0.5,0.5,0,0],baseline_loss=0.2"));

}  // namespace
}  // namespace rein
