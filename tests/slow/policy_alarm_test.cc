// The alarm as ccb carries it, over ten seeds of 20 000 rounds: with the linear oracle it rings where the
// class of functions is wrong, and never where it is right. A wrong class can look like a change: then
// the alarm begins again, and the status says `changed`.
#include <gtest/gtest.h>

#include "rein/run.h"

namespace rein {
namespace {

struct Told {
  int rang = 0;
  int at_all = 0;  // rang, or noticed a change
};

Told told(const char* world, const char* policy = "ccb") {
  const RunOptions options{.rounds = 20'000, .seeds = 10, .curve_points = 0, .long_term = false};
  const RunResult result = run(parse_spec(world).value(), {parse_spec(policy).value()}, options).value();
  Told found;
  for (const Totals& totals : result.policies[0].totals) {
    const bool rang = totals.alarm_round >= 0;
    found.rang += rang ? 1 : 0;
    found.at_all += rang || totals.status == Status::kChanged ? 1 : 0;
  }
  return found;
}

TEST(PolicyAlarmSlow, RingsWhereTheClassIsWrong) {
  for (const char* world : {"misspecified", "nonlinear", "nonlinear(costs=positive,rate=0.2)"}) {
    const Told found = told(world, "ccb(oracle=vaw(memory=auto))");
    EXPECT_GE(found.at_all, 9) << world;
    EXPECT_GE(found.rang, 5) << world;
  }
}

TEST(PolicyAlarmSlow, IsQuietWhereTheClassIsRight) {
  for (const char* world :
       {"misspecified(strength=0)", "linear", "linear(order=adaptive)", "linear(order=switching)",
        "heavy", "linear(costs=positive,m=2,rate=0.3)"}) {
    EXPECT_EQ(told(world).at_all, 0) << world;
  }
}

}  // namespace
}  // namespace rein
