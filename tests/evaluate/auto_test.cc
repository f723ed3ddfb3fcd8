// tuning=auto keeps a budget that the theorem's constants miss at this horizon, and earns more.
#include <gtest/gtest.h>

#include "engine/small.h"
#include "rein/run.h"

namespace rein {
namespace {

RunResult compare(const std::string& world, const std::vector<std::string>& policies,
                  std::int64_t rounds, int seeds) {
  std::vector<Spec> specs;
  for (const std::string& policy : policies) specs.push_back(parse_spec(policy).value());
  RunOptions options;
  options.rounds = rounds;
  options.seeds = seeds;
  options.long_term = false;
  return run(parse_spec(world).value(), specs, options).value();
}

double mean_of(const PolicyRun& run, const std::function<double(const Totals&)>& get) {
  std::vector<double> values;
  for (const Totals& totals : run.totals) values.push_back(get(totals));
  return figure(values).mean;
}

double largest_of(const PolicyRun& run, const std::function<double(const Totals&)>& get) {
  double largest = -1e300;
  for (const Totals& totals : run.totals) largest = std::max(largest, get(totals));
  return largest;
}

TEST(Auto, KeepsABudgetWithAndWithoutAHorizon) {
  const std::string world = "heavy(d=4,k=6,rate=0.05)";
  const RunResult result = compare(
      world, {"ccb(tuning=auto)", "ccb(horizon=0,tuning=auto)", "ccb(tuning=theory)"}, 4000, 5);
  const double budget = 0.05 * 4000;
  const auto spend = [](const Totals& t) { return t.spend[0]; };
  EXPECT_LE(largest_of(result.policies[0], spend), 1.02 * budget);
  EXPECT_LE(largest_of(result.policies[1], spend), 1.05 * budget);
  EXPECT_GT(mean_of(result.policies[2], spend),
            1.5 * budget);  // the theorem's constants, this early
}

TEST(Auto, KeepsTwoBudgetsAtOnce) {
  const RunResult result =
      compare("linear(budget=[300,500],costs=positive,d=5,k=6,m=2)", {"ccb(tuning=auto)"}, 4000, 5);
  EXPECT_LE(largest_of(result.policies[0], [](const Totals& t) { return t.spend[0]; }), 1.03 * 300);
  EXPECT_LE(largest_of(result.policies[0], [](const Totals& t) { return t.spend[1]; }), 1.03 * 500);
}

TEST(Auto, HoldsSignedCostsBelowTheTheoremsOnTheSameNoise) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  for (const char* order : {"iid", "switching", "cyclic"}) {
    SCOPED_TRACE(order);
    const RunResult result =
        compare(std::string("linear(d=8,k=8,order=") + order + ")",
                {"ccb(setting=expectation,tuning=auto)", "ccb(setting=expectation,tuning=theory)"},
                10000, 4);
    const auto ccv = [](const Totals& t) { return t.ccv[0]; };
    EXPECT_LT(mean_of(result.policies[0], ccv), mean_of(result.policies[1], ccv));
  }
}

}  // namespace
}  // namespace rein
