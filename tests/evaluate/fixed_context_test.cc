// SquareCBwK on its own experiment, small: docs/policy/squarecbwk.md has the whole of it.
#include <gtest/gtest.h>

#include <algorithm>

#include "rein/run.h"

namespace rein {
namespace {

// The median of 5 runs.
double median_regret(const PolicyRun& run) {
  std::vector<double> regrets;
  for (const Totals& totals : run.totals) regrets.push_back(totals.regret);
  std::sort(regrets.begin(), regrets.end());
  return regrets.at(2);
}

PolicyRun run_on_it(const char* policy, std::int64_t rounds) {
  const auto result = run(parse_spec("fixed_context(d=5)").value(), {parse_spec(policy).value()},
                          {.rounds = rounds, .seeds = 5, .curve_points = 0, .long_term = false});
  return result.value().policies.at(0);
}

// Four times the rounds, less than three times the regret; T^0.58 at longer horizons.
TEST(FixedContextRun, RegretOfSquareCbwkGrowsSlowerThanT) {
  const char* policy = "squarecbwk(gamma_scale=32,null=0)";
  EXPECT_LT(median_regret(run_on_it(policy, 2000)), 3.0 * median_regret(run_on_it(policy, 500)));
}

TEST(FixedContextRun, NoBudgetIsPassedAndRegretIsOfTheKnapsack) {
  for (const char* policy : {"squarecbwk(null=0)", "lagrange(eta=stop,null=0)",
                             "squarecbwk(null=0,stages=2)", "stop(null=0,of=squarecb)"}) {
    const PolicyRun run = run_on_it(policy, 300);
    EXPECT_EQ(run.benchmark, Setting::kKnapsack) << policy;
    for (const Totals& totals : run.totals) EXPECT_EQ(totals.excess, Costs(4)) << policy;
  }
}

}  // namespace
}  // namespace rein
