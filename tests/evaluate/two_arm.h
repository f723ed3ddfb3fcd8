// An experiment that separates a price that may be negative from one that may not: world two_arm,
// oracle truth, U = 1, no noise, 20 seeds. Regret counts the plays of the second arm.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "rein/run.h"

namespace rein {

inline double mean_regret(const char* policy, std::int64_t rounds) {
  const RunResult result = run(Spec("two_arm"), parse_specs(policy).value(),
                               {.rounds = rounds, .seeds = 20, .curve_points = 0})
                               .value();
  std::vector<double> regrets;
  for (const Totals& totals : result.policies[0].totals) regrets.push_back(totals.regret);
  return figure(regrets).mean;
}

struct KnownRegret {
  std::int64_t rounds;
  double mean;
  double sd;
};
inline void PrintTo(const KnownRegret& known, std::ostream* out) { *out << known.rounds << " rounds"; }

class TwoArm : public testing::TestWithParam<KnownRegret> {};

TEST_P(TwoArm, PositivePartHasTheKnownRegret) {
  const KnownRegret known = GetParam();
  EXPECT_NEAR(mean_regret("ccb(oracle=truth,tuning=theory)", known.rounds), known.mean,
              4.0 * known.sd / std::sqrt(20.0));
}

TEST_P(TwoArm, ReflectedQueueHasTheSame) {
  const KnownRegret known = GetParam();
  EXPECT_NEAR(
      mean_regret("ccb(oracle=truth,pricer=quadratic(queue=reflect),tuning=theory)", known.rounds),
      known.mean, 4.0 * known.sd / std::sqrt(20.0));
}

TEST_P(TwoArm, LiteralPotentialPlaysTheWorstArmHalfOfTheTime) {
  const KnownRegret known = GetParam();
  EXPECT_GT(
      mean_regret("ccb(oracle=truth,pricer=quadratic(queue=literal),tuning=theory)", known.rounds),
      0.49 * static_cast<double>(known.rounds));
}

}  // namespace rein
