// How often a run makes its world: once to ask it everything that does not depend on the seed, then
// once per play, and once per seed for what all policies share.
#include <gtest/gtest.h>

#include <atomic>

#include "evaluate/temp_path.h"
#include "rein/compare.h"
#include "rein/own_world.h"

namespace rein {
namespace {

class WorldOnceTest : public testing::Test {
 protected:
  int made_by(const std::string& policies, RunOptions options, const std::string& resume = "") {
    made_ = 0;
    options.threads = 1;
    compare(world_, parse_specs(policies).value(), {.run = options, .resume = resume}).value();
    return made_;
  }
  Spec world_ = parse_spec("own(name=counted)").value();
  std::atomic<int> made_ = 0;
  Loan loan_ = lend_world("counted", [this](std::uint64_t seed, std::int64_t rounds) {
                 ++made_;
                 return make_world("linear(k=3,d=3)", seed, rounds);
               }).value();
};

TEST_F(WorldOnceTest, OnceForARunAndOncePerPlay) {
  made_ = 0;
  run(world_, {Spec("uniform")}, {.rounds = 20, .seeds = 3}).value();
  EXPECT_EQ(made_, 1 + 3);
}

TEST_F(WorldOnceTest, AComparisonWithAFileAsksNoMore) {
  const TempPath path("once.jsonl");
  EXPECT_EQ(made_by("uniform", {.rounds = 20, .seeds = 3}, path.str()), 1 + 3);
  EXPECT_EQ(made_by("uniform", {.rounds = 20, .seeds = 3}, path.str()), 1);
}

TEST_F(WorldOnceTest, PoliciesOfOneSeedShareABenchmark) {
  EXPECT_EQ(made_by("uniform,squarecb", {.rounds = 20, .seeds = 3}), 1 + 2 * 3 + 3);
}

TEST_F(WorldOnceTest, ReferencesTakeOnePassPerSeed) {
  EXPECT_EQ(made_by("uniform", {.rounds = 20, .seeds = 3, .references = true}), 1 + 3 + 3);
}

}  // namespace
}  // namespace rein
