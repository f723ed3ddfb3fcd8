// How often the realizability alarm rings where the class of functions is right: 2 000 runs of ccb,
// ten worlds with 200 seeds each. The proof says at most 1 in 100 (docs/alarm.md).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rein/run.h"

namespace rein {
namespace {

TEST(FalseAlarm, RingsInAtMostOneOfAHundredRuns) {
  int runs = 0, rang = 0;
  for (const char* world :
       {"linear(d=3,k=3)", "linear(d=3,k=3,order=adaptive)", "linear(d=2,k=2,order=switching)",
        "linear(d=3,k=3,noise=low)", "linear(d=3,k=3,noise=gaussian,order=cyclic)",
        "linear(costs=positive,d=3,k=3,m=2,rate=0.3)", "heavy(d=3,k=4)",
        "heavy(d=3,k=4,noise=rademacher)", "misspecified(d=3,k=3,strength=0)",
        "misspecified(d=3,k=3,noise=rademacher,strength=0)"}) {
    const RunOptions options{.rounds = 1500, .seeds = 200, .curve_points = 0, .long_term = false};
    const auto result = run(parse_spec(world).value(), {Spec("ccb")}, options);
    ASSERT_TRUE(result.ok()) << result.error();
    int here = 0;
    for (const Totals& totals : result.value().policies[0].totals) {
      ++runs;
      here += totals.alarm_round >= 0 ? 1 : 0;
    }
    fmt::print("{:50} rang in {} of 200 runs\n", world, here);
    rang += here;
  }
  EXPECT_EQ(runs, 2000);
  EXPECT_LE(rang, 20);
}

}  // namespace
}  // namespace rein
