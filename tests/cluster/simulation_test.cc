// Worlds that are simulated from their seeds. REIN_SEEDS says how many, REIN_FIRST_SEED which is the first: a
// seed that fails is looked at alone with REIN_SEEDS=1 REIN_FIRST_SEED=N (make simulate SEEDS=1 FIRST=N).
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

#include "cluster/world_model.h"

namespace rein::cluster {
namespace {

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): no other thread
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(SimulationTest, NothingIsLostOrDoneTwiceInAnyWorld) {
  const std::uint64_t first = number_of("REIN_FIRST_SEED", 1), count = number_of("REIN_SEEDS", 200);
  Verdict all;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Verdict verdict = simulate(seed);
    for (const std::string& what : verdict.wrong) ADD_FAILURE() << "seed " << seed << ": " << what;
    if (HasFailure()) return;  // that seed is enough to look at
    all.decisions += verdict.decisions;
    all.outcomes += verdict.outcomes;
    all.refused_budget += verdict.refused_budget;
    all.entries += verdict.entries;
    all.epochs += verdict.epochs;
    all.kills += verdict.kills;
    all.arrived_late += verdict.arrived_late;
    all.archived += verdict.archived;
  }
  std::cout << count << " worlds: " << all.decisions << " decisions, " << all.outcomes
            << " outcomes, " << all.refused_budget << " refused by the budget, " << all.entries
            << " entries, " << all.epochs << " claims, " << all.kills << " kills, "
            << all.arrived_late << " groups just before a claim, " << all.archived << " entries archived\n";
  if (count >= 100) {  // otherwise bugs of takeovers and of retention would not be found
    EXPECT_GT(all.arrived_late, 0);
    EXPECT_GT(all.archived, 0);
  }
}

TEST(SimulationTest, ASeedGivesTheSameWorldAgain) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Verdict once = simulate(seed), again = simulate(seed);
    EXPECT_EQ(once.chain, again.chain);
    EXPECT_EQ(once.entries, again.entries);
    EXPECT_EQ(once.epochs, again.epochs);
  }
}

// A bug of the store is found within some worlds.
class PlantedBug : public testing::TestWithParam<Planted> {};

TEST_P(PlantedBug, IsFound) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    if (!simulate(seed, GetParam()).wrong.empty()) return;
  }
  ADD_FAILURE() << "60 worlds did not find it";
}

INSTANTIATE_TEST_SUITE_P(Store, PlantedBug,
                         testing::Values(Planted::kNoEndCheck, Planted::kEqualPlaceIsTheGroup,
                                         Planted::kLostGroup, Planted::kTornGroup));

}  // namespace
}  // namespace rein::cluster
