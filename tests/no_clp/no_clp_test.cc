// The library as REIN_CLP=OFF builds it: this program links src/solve/lp_none.cc before the library.
#include <gtest/gtest.h>

#include "rein/policy.h"
#include "rein/run.h"
#include "solve/long_term.h"
#include "solve/lp.h"
#include "solve/mixture.h"

namespace rein {
namespace {

Result<RunResult> run_on(const char* world, const char* policy, bool long_term) {
  RunOptions options;
  options.rounds = 50;
  options.seeds = 1;
  options.threads = 1;
  options.long_term = long_term;
  return run(parse_spec(world).value(), {parse_spec(policy).value()}, options);
}

TEST(NoClp, OneCostNeedsNoLinearProgram) {
  ASSERT_FALSE(has_lp());
  LongTerm long_term(2, 1);
  for (int t = 0; t < 4; ++t) long_term.add(std::vector{0.0, 1.0, 0.0, 0.5}, 2);
  EXPECT_DOUBLE_EQ(long_term.solve(std::vector{1.0}).value, 2.0);
  EXPECT_TRUE(run_on("linear(k=3,d=4)", "ccb", true).ok());
  EXPECT_TRUE(run_on("linear(k=3,d=4,costs=positive,rate=0.2)", "lincbwk", true).ok());
}

TEST(NoClp, WhatNeedsOneIsRefused) {
  const char* world = "linear(k=3,d=4,m=2,costs=positive,rate=[0.2,0.3])";
  const auto refused = run_on(world, "ccb", true);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().find("built without CLP"), std::string::npos) << refused.error();
  EXPECT_EQ(refused.failure().reason, Reason::kFailed);
  for (const char* policy : {"lincbwk", "squarecbwk(stages=2)"}) {
    const auto staged = run_on(world, policy, false);
    ASSERT_FALSE(staged.ok()) << policy;
    EXPECT_NE(staged.error().find("built without CLP"), std::string::npos) << staged.error();
  }
}

TEST(NoClp, SeveralCostsRunWithoutTheLongTermComparator) {
  const char* world = "linear(k=3,d=4,m=2,costs=positive,rate=[0.2,0.3])";
  for (const char* policy : {"ccb", "lincbwk(z=2)", "squarecbwk"}) {
    const auto done = run_on(world, policy, false);
    EXPECT_TRUE(done.ok()) << policy << ": " << (done.ok() ? "" : done.error());
  }
}

TEST(NoClp, AnLpThrows) { EXPECT_THROW(Lp(), Bug); }

}  // namespace
}  // namespace rein
