// References, which see more than a policy may.
#include "evaluate/reference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rein/report.h"

namespace rein {
namespace {

std::vector<Reference> references_of(const char* world, const RunOptions& options) {
  const auto run = Run::prepare(parse_spec(world).value(), {Spec("uniform")}, options);
  return references(run.value()).value();
}

double mean(const std::vector<double>& values) { return figure(values).mean; }

TEST(References, InOrderOfWhatTheyAreShown) {
  const auto found = references_of("linear(costs=positive,d=4,k=5,noise=none,rate=0.42)",
                                   {.rounds = 3000, .seeds = 3});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].name, "full information");
  EXPECT_EQ(found[1].name, "best fixed mix");
  EXPECT_EQ(found[2].name, "best in hindsight");
  for (std::size_t s = 0; s < 3; ++s) {
    // The mix ignores the context. The learner sees no future, and a linear world is learned
    // quickly.
    EXPECT_GT(found[0].reward[s], 1.1 * found[1].reward[s]);
    EXPECT_GT(found[0].reward[s], 0.97 * found[2].reward[s]);
    EXPECT_NEAR(found[0].spend[s][0], 1260.0, 12.0);
    EXPECT_LE(found[1].spend[s][0], 1260.0 + 1e-6);
    EXPECT_LE(found[1].reward[s], found[2].reward[s]);
  }
  EXPECT_TRUE(found[2].spend.empty());
}

TEST(References, AMixThatNothingKeepsIsNone) {
  const auto found = references_of("linear(costs=positive,d=4,k=5,rate=0.01)", {.rounds = 300});
  EXPECT_TRUE(std::isnan(found[1].reward[0]));
  EXPECT_TRUE(found[1].spend.empty());
}

TEST(References, TwoBudgetsAreKeptAtOnce) {
  const auto found =
      references_of("linear(budget=[300,500],costs=positive,d=5,k=6,m=2)", {.rounds = 4000});
  EXPECT_LE(found[0].spend[0][0], 1.01 * 300.0);
  EXPECT_LE(found[0].spend[0][1], 1.01 * 500.0);
}

TEST(References, WithoutABudgetSignedCostsStayAtZero) {
  const auto found = references_of("linear(d=4,k=5)", {.rounds = 4000, .seeds = 3});
  for (const Costs& spend : found[0].spend) EXPECT_LT(spend[0], 40.0);
  EXPECT_GT(mean(found[0].reward), mean(found[1].reward));
}

TEST(References, AWorldThatAdaptsHasOnlyTheLearner) {
  const auto found = references_of("linear(d=3,k=3,order=adaptive)", {.rounds = 300});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "full information");
}

TEST(References, ThreadsDoNotMatterAndSeedsDo) {
  RunOptions options{.rounds = 500, .seeds = 4, .threads = 1};
  const auto one = references_of("linear(costs=positive,rate=0.45)", options);
  options.threads = 3;
  const auto three = references_of("linear(costs=positive,rate=0.45)", options);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].reward, three[i].reward);
  EXPECT_NE(one[0].reward[0], one[0].reward[1]);
}

TEST(References, ARunCarriesThemWhereAsked) {
  RunOptions options{.rounds = 100, .seeds = 2};
  EXPECT_TRUE(run(Spec("linear"), {Spec("uniform")}, options).value().references.empty());
  options.references = true;
  const RunResult result = run(Spec("linear"), {Spec("uniform")}, options).value();
  ASSERT_EQ(result.references.size(), 3u);
  EXPECT_NE(to_json(result).find("\"name\":\"best fixed mix\""), std::string::npos);
}

TEST(References, TheLearnerTakesAnotherOracle) {
  RunOptions options{.rounds = 300, .references = true};
  const auto learner = [&](const char* spec) {
    options.learner = spec;
    return run(Spec("linear"), {Spec("uniform")}, options);
  };
  const Reference usual = learner("vaw").value().references[0];
  const Reference same = learner("vaw(memory=auto)").value().references[0];
  EXPECT_EQ(same.reward, usual.reward) << "nothing changes here";
  EXPECT_EQ(same.about, "vaw(memory=auto) and price, shown every outcome");
  EXPECT_NE(learner("vaw(memory=5)").value().references[0].reward, usual.reward);
  EXPECT_FALSE(learner("nonsense").ok());
}

}  // namespace
}  // namespace rein
