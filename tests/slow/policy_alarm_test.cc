// The alarm as ccb carries it, over ten seeds of 20 000 rounds: it rings on every one where the
// class of functions is wrong, and on none where it is right.
#include <gtest/gtest.h>

#include "rein/run.h"

namespace rein {
namespace {

int rang(const char* world) {
  const RunOptions options{.rounds = 20'000, .seeds = 10, .curve_points = 0, .long_term = false};
  const RunResult result = run(parse_spec(world).value(), {Spec("ccb")}, options).value();
  int count = 0;
  for (const Totals& totals : result.policies[0].totals) count += totals.alarm_round >= 0 ? 1 : 0;
  return count;
}

TEST(PolicyAlarmSlow, RingsWhereTheClassIsWrong) {
  for (const char* world : {"misspecified", "nonlinear", "nonlinear(costs=positive,rate=0.2)"}) {
    EXPECT_GE(rang(world), 9) << world;  // where a change was noticed before, it begins again
  }
}

TEST(PolicyAlarmSlow, IsQuietWhereTheClassIsRight) {
  for (const char* world :
       {"misspecified(strength=0)", "linear", "linear(order=adaptive)", "linear(order=switching)",
        "heavy", "linear(costs=positive,m=2,rate=0.3)"}) {
    EXPECT_EQ(rang(world), 0) << world;
  }
}

}  // namespace
}  // namespace rein
