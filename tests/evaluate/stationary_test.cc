#include "evaluate/stationary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "evaluate/bits.h"
#include "rein/run.h"

namespace rein {
namespace {

RunResult played(const std::string& world, const std::string& policies, std::int64_t rounds,
                 int seeds = 1) {
  return run(parse_spec(world, "world spec").value(), parse_specs(policies, "policy spec").value(),
             {.rounds = rounds,
              .seeds = seeds,
              .curve_points = 0,
              .benchmark = Setting::kLinearConstraints})
      .value();
}

// One context: the distribution is known exactly, and the best policy mixes action 1 and nothing.
TEST(StationaryTest, OneContextIsExact) {
  const RunResult result = played("fixed_context(noise=none,rate=0.25)", "uniform", 1000, 3);
  for (const Totals& t : result.policies[0].totals) {
    EXPECT_NEAR(t.reward + t.regret_stationary, 500.0, 1e-6);
  }
}

// Three equally likely contexts: the LP over one round of each is the exact problem.
TEST(StationaryTest, FewContextsComeToTheLpOfTheLaw) {
  const std::string keys = "contexts=3,k=4,n=2,noise=none,rate=0.05";
  const std::int64_t rounds = 100'000;
  auto law = make_world("finite(" + keys + ",order=cyclic)", 7, rounds).value();
  LongTerm lp(4, 1);
  std::vector<double> means(8);
  for (int c = 0; c < 3; ++c) {
    law->next();
    law->means(means);
    lp.add(means, 4);
  }
  const std::vector<double> budget = {3 * 0.05};
  const double best = lp.solve(budget).value / 3.0;
  const RunOptions options{.rounds = rounds,
                           .seeds = 1,
                           .first_seed = 7,
                           .curve_points = 0,
                           .benchmark = Setting::kLinearConstraints};
  const RunResult result =
      run(parse_spec("finite(" + keys + ")", "world spec").value(), {Spec("uniform")}, options)
          .value();
  const Totals& t = result.policies[0].totals[0];
  const auto n = static_cast<double>(rounds);
  // A round's value is within 1 of its mean: four standard errors of 100 000 rounds.
  EXPECT_NEAR((t.reward + t.regret_stationary) / n, best, 4.0 / std::sqrt(n));
  // The price is the exact one, so the best in hindsight is at most this, and close to it.
  EXPECT_GE(t.regret_stationary, t.regret_long_term - 1e-6);
}

TEST(StationaryTest, IsAtLeastTheBestOverAllRounds) {
  for (const char* world :
       {"linear(d=3,k=4,rate=0.02,tension=0.5)", "linear(d=3,k=4,m=3,rate=0.02,tension=0.5)",
        "heavy(m=2)", "subset(always=0,of=heavy,share=0.5)",
        "scaled(cost=100,of=nonlinear(rate=0.01),reward=7)"}) {
    const RunResult result = played(world, "uniform", 500, 4);
    for (const Totals& t : result.policies[0].totals) {
      ASSERT_TRUE(std::isfinite(t.regret_stationary)) << world;
      EXPECT_GE(t.regret_stationary, t.regret_long_term - 1e-6) << world;
    }
  }
}

TEST(StationaryTest, ThereIsNoneWithoutALaw) {
  for (const char* world : {"linear(order=cyclic,rate=0.1)", "linear(order=adaptive,rate=0.1)",
                            "finite(order=cyclic,rate=0.1)", "spend_or_save"}) {
    EXPECT_TRUE(std::isnan(played(world, "uniform", 100).policies[0].totals[0].regret_stationary))
        << world;
  }
  // None if no policy keeps the budget, or if no part of the theorem covers it.
  EXPECT_TRUE(std::isnan(
      played("heavy(rate=0.001)", "uniform", 100).policies[0].totals[0].regret_stationary));
  const RunResult knapsack = run(Spec("heavy"), {Spec("uniform")}, {.rounds = 100}).value();
  EXPECT_TRUE(std::isnan(knapsack.policies[0].totals[0].regret_stationary));
}

// A benchmark that several policies share has the same bits as a separate one.
TEST(StationaryTest, SharingChangesNothing) {
  const std::string world = "linear(d=2,k=3,rate=0.05)";
  const double alone = played(world, "uniform", 300).policies[0].totals[0].regret_stationary;
  const RunResult all = played(world, "greedy,uniform,squarecb", 300);
  EXPECT_EQ(all.policies[1].totals[0].regret_stationary, alone);
}

}  // namespace
}  // namespace rein
