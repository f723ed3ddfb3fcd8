// SquareCBwK on its own experiment, small: docs/policy/squarecbwk.md has the whole of it.
#include <gtest/gtest.h>

#include <algorithm>

#include "rein/evaluate.h"

namespace rein {
namespace {

// The median of 10 runs.
double median_regret(const PolicyRun& run) {
  std::vector<double> regrets;
  for (const Totals& totals : run.totals) regrets.push_back(totals.regret);
  std::sort(regrets.begin(), regrets.end());
  return 0.5 * (regrets[4] + regrets[5]);
}

PolicyRun run_on_it(const char* policy, std::int64_t rounds) {
  const auto result = run(parse_spec("fixed_context(d=5)").value(), {parse_spec(policy).value()},
                          {.rounds = rounds, .seeds = 10, .curve_points = 0, .long_term = false});
  return result.value().policies.at(0);
}

// Four times the rounds, at 10 seeds: measured 94 and 201 with gamma x 32, 216 and 849 as printed.
TEST(FixedContextRun, RegretOfSquareCbwkGrowsSlowerThanT) {
  const char* sharp = "squarecbwk(gamma_scale=32,null=0)";
  EXPECT_LT(median_regret(run_on_it(sharp, 4000)), 3.0 * median_regret(run_on_it(sharp, 1000)));
  const char* printed = "squarecbwk(null=0)";
  EXPECT_LT(median_regret(run_on_it(printed, 4000)), 4.0 * median_regret(run_on_it(printed, 1000)));
}

TEST(FixedContextRun, NoBudgetIsPassedAndRegretIsOfTheKnapsack) {
  for (const char* policy : {"squarecbwk(null=0)", "lagrange(eta=stop,null=0)",
                             "squarecbwk(null=0,stages=2)", "stop(null=0,of=squarecb)"}) {
    const PolicyRun run = run_on_it(policy, 500);
    EXPECT_EQ(run.benchmark, Setting::kKnapsack) << policy;
    for (const Totals& totals : run.totals) EXPECT_EQ(totals.excess, Costs(4)) << policy;
  }
}

}  // namespace
}  // namespace rein
