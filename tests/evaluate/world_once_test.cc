// How often a run makes its world: once to ask it everything that does not depend on the seed, then
// once per play, and once per seed for what all policies share.
#include <gtest/gtest.h>

#include <atomic>

#include "evaluate/altered_world.h"
#include "evaluate/temp_path.h"
#include "rein/compare.h"

namespace rein {
namespace {

class WorldOnceTest : public testing::Test {
 protected:
  int made_by(const std::string& policies, bool references = false,
              const std::string& resume = "") {
    std::atomic<int> made = 0;
    RunOptions options{.rounds = 20, .seeds = 3, .threads = 1, .references = references};
    options.own.worlds["counted"] = [&](std::uint64_t seed, std::int64_t rounds) {
      ++made;
      return altered("linear", {.world = "linear(k=3,d=3)"}).worlds["linear"](seed, rounds);
    };
    compare(parse_spec("own(name=counted)").value(), parse_specs(policies).value(),
            {.run = options, .resume = resume})
        .value();
    return made;
  }
};

TEST_F(WorldOnceTest, AComparisonWithAFileAsksOnceAndThenPlays) {
  const TempPath path("once.jsonl");
  EXPECT_EQ(made_by("uniform", false, path.str()), 1 + 3);
  EXPECT_EQ(made_by("uniform", false, path.str()), 1);
}

TEST_F(WorldOnceTest, PoliciesOfOneSeedShareABenchmark) {
  EXPECT_EQ(made_by("uniform,squarecb"), 1 + 2 * 3 + 3);
}

TEST_F(WorldOnceTest, ReferencesTakeOnePassPerSeed) {
  EXPECT_EQ(made_by("uniform", true), 1 + 3 + 3);
}

}  // namespace
}  // namespace rein
