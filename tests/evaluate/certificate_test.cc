// The U that tuning=auto certifies covers the error of the estimates it uses: with bonuses,
// corrections and late outcomes.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/small.h"
#include "rein/run.h"

namespace rein {
namespace {

std::vector<Totals> play(const char* world, const char* policy, int delay) {
  RunOptions options;
  options.rounds = 2000;
  options.seeds = 4;
  options.curve_points = 0;
  options.long_term = false;
  options.delay = delay;
  const Spec spec = parse_spec(policy).value();
  return run(parse_spec(world).value(), {spec}, options).value().policies[0].totals;
}

// The own certificate of the oracle is 39 here; the error of what it says with its bonus is 64 to 66.
TEST(CertifiedU, CoversTheBonus) {
  for (const Totals& totals :
       play("misspecified(strength=0,noise=none)", "ccb(oracle=optimistic)", 0)) {
    EXPECT_GT(totals.oracle_error, 60.0);
    EXPECT_LE(totals.oracle_error, totals.u);
    EXPECT_LE(totals.u, 6.0 * totals.oracle_error) << "and is not empty words";
  }
}

TEST(CertifiedU, CoversWhatIsPlayedElsewhere) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  int certified = 0, plays = 0;
  for (const char* world :
       {"misspecified(strength=0,noise=none)", "linear(d=4,k=4)",
        "linear(costs=positive,noise=low,rate=0.2)", "heavy(d=4,k=6,rate=0.05)"}) {
    for (int delay : {0, 100}) {
      for (const char* policy : {"ccb", "ccb(cost_oracle=kernel(size=16))"}) {
        for (const Totals& totals : play(world, policy, delay)) {
          ++plays;
          if (std::isnan(totals.u)) continue;  // a change was noticed: nothing is certified
          ++certified;
          EXPECT_LE(totals.oracle_error, totals.u) << world << " " << policy << " " << delay;
        }
      }
    }
  }
  EXPECT_GE(certified, plays - 2) << "changes are noticed where nothing changed";
}

}  // namespace
}  // namespace rein
