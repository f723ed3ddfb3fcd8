// Runs of 1 to 20 rounds: what they may spend where prices are unknown, and where they were declared.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "rein/policy.h"
#include "rein/world.h"
#include "sanitized.h"
#include "source_dir.h"

namespace rein {
namespace {

// Of all seeds: the mean spend in budgets, the most that was spent beyond the budget and the largest
// play, and how often something was paid although the money was out and a free action was known.
struct ShortRuns {
  double spend = 0.0;
  double beyond = -1e300;
  int paid_for_nothing = 0;
};

ShortRuns play_short(const std::string& world_spec, const std::string& policy_spec, int rounds) {
  const int seeds = static_cast<int>(repeats(40));
  ShortRuns found;
  for (int seed = 1; seed <= seeds; ++seed) {
    const auto number = static_cast<std::uint64_t>(seed);
    const auto world = make_world(world_spec, number, rounds).value();
    const auto policy = make_policy(policy_spec, world->shape()).value();
    Rng rng(number, 1);
    Scratch scratch(*policy);
    Decision decision(*policy);
    Outcome outcome;
    double spent = 0.0, largest = 0.0;
    bool knows_free = false;
    const double budget = world->shape().budgets[0];
    for (int t = 0; t < rounds; ++t) {
      const Round& round = world->next();
      policy->decide(round, rng, scratch, decision).check();
      world->outcome(decision.action, outcome);
      const double cost = outcome.costs[0];
      found.paid_for_nothing += spent > budget && knows_free && cost > 0.0;
      knows_free = knows_free || cost == 0.0;
      spent += cost;
      largest = std::max(largest, cost);
      policy->learn(round, decision, outcome).check();
    }
    found.spend += spent / budget / seeds;
    found.beyond = std::max(found.beyond, spent - budget - largest);
  }
  return found;
}

const std::string kHeavyShort = "heavy(d=4,k=6,rate=0.05)";
const std::string kHeavyPrices = "ccb(expected_costs=[0.0015,0.0052,0.018,0.0624,0.216,0.75])";

std::string coupons() {
  return "table(file=\"" + source_dir() + "/examples/data/coupons.csv\",rate=0.2)";
}

// Features that are new cost what others do. Where they were taken to be free, five runs of two rounds
// in 40 spent more than this, and runs of five rounds spent 1.4 budgets on average.
TEST(ShortRuns, FeaturesThatAreNewAreNotFree) {
  for (int rounds : {1, 2, 5, 10, 20}) {
    const ShortRuns exact = play_short("linear(costs=positive,rate=0.15,noise=none)", "ccb", rounds);
    EXPECT_LE(exact.beyond, 1e-9) << rounds;
  }
  EXPECT_LE(play_short("linear(costs=positive,rate=0.15,noise=none)", "ccb", 5).spend, 1.2);
  EXPECT_LE(play_short("linear(costs=positive,rate=0.15)", "ccb", 20).spend, 1.2);
  EXPECT_LE(play_short("linear(d=4,k=4,costs=positive,rate=0.3)", "ccb", 5).spend, 1.15);
}

// Up to ten rounds may go by until an action is found that the budget can pay: two plays. Later one.
TEST(ShortRuns, WithoutPricesOnePlayMayBeTooMuchAndTheSearchForACheapActionAnother) {
  for (const std::string& world : {kHeavyShort, coupons()}) {
    for (int rounds : {1, 2, 5, 10}) EXPECT_LE(play_short(world, "ccb", rounds).beyond, 1.0) << world;
    for (int rounds : {20, 50}) EXPECT_LE(play_short(world, "ccb", rounds).beyond, 0.0) << world;
  }
}

TEST(ShortRuns, ExpectedCostsKeepEveryRunWithinTheBudgetAndOnePlay) {
  for (int rounds : {1, 2, 5, 10, 20}) {
    const ShortRuns heavy = play_short(kHeavyShort, kHeavyPrices, rounds);
    EXPECT_LE(heavy.beyond, 0.0) << rounds;
    EXPECT_LE(heavy.spend, 1.0) << rounds;
  }
}

TEST(ShortRuns, AFreeActionIsPlayedOnceTheMoneyIsOut) {
  for (int rounds : {5, 10, 20, 50}) {
    EXPECT_EQ(play_short(coupons(), "ccb", rounds).paid_for_nothing, 0) << rounds;
  }
}

// Declared costs say so before the first round.
TEST(ShortRuns, InfeasibleIsSaidBeforeTheFirstRoundWhereCostsAreDeclared) {
  for (int rounds : {1, 5, 20}) {
    const auto world = make_world("heavy(d=4,k=6,rate=0.001)", 1, rounds).value();
    const auto status = [&](const std::string& spec) {
      return make_policy(spec, world->shape()).value()->state().status;
    };
    EXPECT_EQ(status(kHeavyPrices), Status::kInfeasible) << rounds;
    EXPECT_EQ(status("ccb"), Status::kOk) << rounds;
    const auto richer = make_world(kHeavyShort, 1, rounds).value();
    EXPECT_EQ(make_policy(kHeavyPrices, richer->shape()).value()->state().status, Status::kOk);
  }
}

}  // namespace
}  // namespace rein
