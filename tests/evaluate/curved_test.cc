// Nonlinear worlds: the oracles for them earn more than a linear one, with the same policy and
// noise. The mean of eight seeds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/small.h"
#include "rein/run.h"

namespace rein {
namespace {

TEST(Curved, ForestAndMlpBeatTheLinearOracleUnderAuto) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  for (const char* world : {"nonlinear", "nonlinear(kind=steps)"}) {
    SCOPED_TRACE(world);
    std::vector<Spec> policies;
    for (const char* oracle : {"vaw", "forest", "mlp"}) {
      policies.push_back(
          parse_spec(fmt::format("ccb(oracle={},setting=expectation,tuning=auto)", oracle))
              .value());
    }
    RunOptions options;
    options.rounds = 5000;
    options.seeds = 8;
    options.curve_points = 0;
    options.long_term = false;
    const RunResult result = run(parse_spec(world).value(), policies, options).value();
    const auto mean = [&](int policy, double Totals::*figure) {
      double sum = 0.0;
      for (const Totals& totals : result.policies[policy].totals) sum += totals.*figure;
      return sum / options.seeds;
    };
    for (int i : {1, 2}) {
      EXPECT_LT(mean(i, &Totals::regret), mean(0, &Totals::regret) - 30.0) << i;
      EXPECT_LT(mean(i, &Totals::oracle_error), mean(0, &Totals::oracle_error)) << i;
      for (const Totals& totals : result.policies[i].totals) {
        EXPECT_TRUE(std::isfinite(totals.u) && totals.u >= 1.0) << totals.u;
        EXPECT_LT(totals.ccv[0], 50.0);
      }
    }
  }
}

// The default earns more where means are curves, and is linear to the bit where they are lines.
TEST(Curved, TheDefaultFindsCurves) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  const std::vector<Spec> policies = {parse_spec("ccb").value(),
                                      parse_spec("ccb(oracle=vaw(memory=auto))").value()};
  RunOptions options;
  options.rounds = 4000;
  options.seeds = 4;
  options.long_term = false;
  const auto reward = [&](const char* world, int policy) {
    const RunResult result = run(parse_spec(world).value(), policies, options).value();
    double sum = 0.0;
    for (const Totals& totals : result.policies[policy].totals) sum += totals.reward;
    return sum;
  };
  for (const char* world : {"nonlinear", "nonlinear(kind=steps)", "misspecified"}) {
    EXPECT_GT(reward(world, 0), 1.1 * reward(world, 1)) << world;
  }
  for (const char* world : {"linear(d=4,k=4)", "heavy"}) {
    EXPECT_EQ(reward(world, 0), reward(world, 1)) << world;
  }
}

}  // namespace
}  // namespace rein
