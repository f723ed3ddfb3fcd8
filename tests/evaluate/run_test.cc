#include "rein/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "evaluate/bits.h"
#include "source_dir.h"
#include "square_potential.h"

namespace rein {
namespace {

using testing::HasSubstr;

Result<RunResult> try_run(const std::string& world, const std::string& policies,
                          const RunOptions& options) {
  return run(parse_spec(world).value(), parse_specs(policies).value(), options);
}

TEST(RunTest, SameBitsWhateverTheThreadsAndTwice) {
  RunOptions options{.rounds = 300, .seeds = 5};
  const auto bits = [&](int threads) {
    options.threads = threads;
    return bits_of(try_run("linear(k=4,d=3,m=2,order=adaptive)",
                           "ccb(tuning=theory),squarecb,epsilon(epsilon=0.2),uniform", options)
                       .value());
  };
  const auto one = bits(1);
  EXPECT_GT(one.size(), 1000u);
  EXPECT_EQ(one, bits(1));
  EXPECT_EQ(one, bits(2));
  EXPECT_EQ(one, bits(3));
}

TEST(RunTest, SeedsAndPoliciesAreIndependentOfTheirCompany) {
  RunOptions options{.rounds = 200, .seeds = 3, .first_seed = 7};
  const RunResult all = try_run("linear(k=3,d=3)", "ccb(tuning=theory),squarecb", options).value();
  options.seeds = 1;
  options.first_seed = 9;
  const RunResult one = try_run("linear(k=3,d=3)", "squarecb", options).value();
  EXPECT_EQ(all.policies[1].totals[2].seed, 9u);
  EXPECT_EQ(all.policies[1].totals[2].reward, one.policies[0].totals[0].reward);
  EXPECT_EQ(all.policies[1].totals[2].regret, one.policies[0].totals[0].regret);
  EXPECT_NE(all.policies[1].totals[0].reward, all.policies[1].totals[1].reward);
}

// Refused before the first round: its budget makes the setting knapsack, and its costs are signed.
TEST(RunTest, APolicyThatWouldRefuseTheWorldsCostsIsNotRun) {
  const auto refused = try_run("linear(rate=0.2)", "ccb", {.rounds = 50});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error(),
              HasSubstr("policy ccb: it takes costs from 0 to 1, and cost \"cost\" "
                        "of the world lies in [-1, 1]"));
  EXPECT_THAT(refused.error(), HasSubstr("setting=linear_constraints"));
  EXPECT_THAT(refused.error(), HasSubstr("costs=positive"));
  for (const char* policy : {"ccb(setting=linear_constraints)", "squarecb"}) {
    EXPECT_TRUE(try_run("linear(rate=0.2)", policy, {.rounds = 50}).ok()) << policy;
  }
  EXPECT_TRUE(try_run("linear(costs=positive,rate=0.2)", "ccb", {.rounds = 50}).ok());
  // A table may declare more than it gives, also inside another world.
  const std::string table =
      "table(file=\"" + source_dir() + "/examples/data/coupons.csv\",rate=0.2)";
  EXPECT_TRUE(try_run(table, "ccb", {.rounds = 50}).ok());
  EXPECT_TRUE(try_run("subset(of=" + table + ")", "ccb", {.rounds = 50}).ok());
}

TEST(RunTest, EveryPolicyMeetsTheSameWorld) {
  const RunResult result =
      try_run("linear(k=3,d=3)", "ccb,ccb(optimism=1),greedy", {.rounds = 500}).value();
  EXPECT_EQ(result.policies[0].totals[0].reward, result.policies[1].totals[0].reward);
  // reward + regret of means is the benchmark's own value, but for the noise: none in two_arm.
  const RunResult arms =
      try_run("two_arm", "uniform,ccb(oracle=truth,tuning=theory)", {.rounds = 500}).value();
  for (const PolicyRun& run : arms.policies) {
    EXPECT_DOUBLE_EQ(run.totals[0].reward + run.totals[0].regret, 500.0);
    EXPECT_DOUBLE_EQ(run.totals[0].reward + run.totals[0].regret_long_term, 500.0);
    // Reward counts plays of arm 0, CCV plays of arm 1 less plays of arm 0.
    EXPECT_DOUBLE_EQ(run.totals[0].ccv[0], 500.0 - 2.0 * run.totals[0].reward);
  }
}

// A single policy computes its own benchmark; several policies share one.
TEST(RunTest, ASharedBenchmarkHasTheBitsOfOnesOwn) {
  const RunOptions options{.rounds = 400, .seeds = 3, .threads = 2};
  for (const char* world : {"linear(k=4,d=3,m=2)", "linear(k=4,d=3,order=adaptive)",
                            "linear(k=4,d=3,costs=positive,rate=0.2)"}) {
    const RunResult all =
        try_run(world, "ccb(tuning=theory),squarecb,uniform,greedy", options).value();
    for (std::size_t p = 0; p < all.policies.size(); ++p) {
      const RunResult alone = try_run(world, all.policies[p].spec.str(), options).value();
      RunResult one = all;
      one.policies = {all.policies[p]};
      EXPECT_EQ(bits_of(one), bits_of(alone)) << world << " " << p;
    }
  }
}

TEST(RunTest, FiguresThatDoNotExistAreNan) {
  const RunResult result = try_run("linear(k=3,d=3)", "uniform,squarecb,ccb(tuning=theory)",
                                   {.rounds = 100, .curve_points = 0, .long_term = false})
                               .value();
  const Totals& uniform = result.policies[0].totals[0];
  EXPECT_TRUE(std::isnan(uniform.oracle_error));
  EXPECT_TRUE(std::isnan(uniform.u));
  EXPECT_TRUE(std::isnan(uniform.reward_at_stop));
  EXPECT_TRUE(std::isnan(uniform.regret_long_term));
  EXPECT_FALSE(uniform.bounds.regret);
  EXPECT_TRUE(result.policies[0].curves.empty());
  EXPECT_GT(result.policies[1].totals[0].oracle_error, 0.0);
  EXPECT_FALSE(result.policies[1].totals[0].bounds.regret);
  EXPECT_GT(*result.policies[2].totals[0].bounds.regret, 0.0);
}

TEST(RunTest, TruthHasNoErrorAndStaysUnderU) {
  const RunResult result =
      try_run("linear(k=4,d=4)", "ccb(oracle=truth,tuning=theory),ccb(tuning=theory)",
              {.rounds = 2000})
          .value();
  EXPECT_EQ(result.policies[0].totals[0].oracle_error, 0.0);
  const Totals& learned = result.policies[1].totals[0];
  EXPECT_GT(learned.oracle_error, 0.0);
  EXPECT_LT(learned.oracle_error, learned.u);
}

TEST(RunTest, MeasuredFiguresStayUnderTheirBounds) {
  const RunOptions options{.rounds = 3000, .seeds = 3, .margin = 0.1};
  for (const char* world :
       {"linear(k=2,d=2,margin=0.2)", "linear(k=2,d=2,margin=0.2,noise=none)"}) {
    const bool noise = std::string(world).find("noise=none") == std::string::npos;
    const RunResult result = try_run(world,
                                     "ccb(tuning=theory),ccb(setting=slater,tuning=theory),ccb("
                                     "setting=almost_sure,tuning=theory),ccb(oracle=truth,"
                                     "setting=almost_sure,tuning=theory)",
                                     options)
                                 .value();
    for (const PolicyRun& run : result.policies) {
      for (const Totals& t : run.totals) {
        // Under almost_sure no action is safe if costs have noise, and without noise max(0, cost)
        // is not linear: vaw's errors exceed U, and no bound is printed.
        const bool learns_positive = run.benchmark == Setting::kAlmostSure &&
                                     run.spec.str().find("truth") == std::string::npos;
        const bool none = learns_positive || (run.benchmark == Setting::kAlmostSure && noise);
        EXPECT_EQ(t.no_bound != NoBound::kNone, none) << run.spec.str() << why(t.no_bound);
        if (none) continue;
        EXPECT_LT(t.regret, *t.bounds.regret) << run.spec.str();
        EXPECT_LT(t.ccv[0], t.bounds.ccv[0]) << run.spec.str();
        if (!t.bounds.ccv_average.empty()) {
          EXPECT_LT(t.ccv_average[0], t.bounds.ccv_average[0]);
          EXPECT_LT(t.ccv_share[0], t.bounds.ccv_share[0]);
        }
        if (!t.bounds_with_premise.queue_rms.empty()) {
          EXPECT_LT(t.queue_rms[0], t.bounds_with_premise.queue_rms[0]);
          EXPECT_GE(t.premise, 0.0);
        }
      }
    }
    EXPECT_FALSE(result.policies[0].totals[0].bounds_with_premise.queue_rms.empty());
    EXPECT_FALSE(result.policies[1].totals[0].bounds.ccv_average.empty());
    EXPECT_EQ(result.policies[2].benchmark, Setting::kAlmostSure);
  }
}

TEST(RunTest, BudgetsComeFromTheWorldUnlessThePolicyHasItsOwn) {
  const RunResult result =
      try_run("linear(k=4,d=3,costs=positive,rate=0.2)",
              "ccb(tuning=theory),ccb(budget=10,tuning=theory),uniform", {.rounds = 1000})
          .value();
  EXPECT_EQ(result.budgets, std::vector<double>{200.0});
  for (const PolicyRun& run : result.policies) EXPECT_EQ(run.benchmark, Setting::kKnapsack);
  const Totals& own = result.policies[1].totals[0];
  EXPECT_DOUBLE_EQ(own.excess[0], std::max(0.0, own.spend[0] - 10.0));
  const Totals& uniform = result.policies[2].totals[0];
  EXPECT_DOUBLE_EQ(uniform.excess[0], std::max(0.0, uniform.spend[0] - 200.0));
  EXPECT_LE(own.reward_at_stop, own.reward);
  // If a rate can be kept in every round, that also keeps the budget.
  EXPECT_EQ(uniform.infeasible_rounds, 0);
  EXPECT_GE(uniform.regret_long_term, uniform.regret - 1e-9);
  EXPECT_GT(own.infeasible_rounds, 0);
}

TEST(RunTest, OneBenchmarkForAllWhenAskedFor) {
  RunOptions options{.rounds = 300, .benchmark = Setting::kAlmostSure};
  const RunResult result =
      try_run("linear(k=3,d=3,noise=none)", "ccb(tuning=theory),uniform", options).value();
  EXPECT_EQ(result.policies[0].benchmark, Setting::kAlmostSure);
  options.benchmark.reset();
  const RunResult own =
      try_run("linear(k=3,d=3,noise=none)", "ccb(tuning=theory),uniform", options).value();
  EXPECT_EQ(own.policies[0].benchmark, Setting::kExpectation);
  EXPECT_LT(result.policies[1].totals[0].regret, own.policies[1].totals[0].regret);
}

TEST(RunTest, BoundsAreOnlyForTheHorizonThatThePolicyWasMadeFor) {
  const RunResult result =
      try_run("linear(k=3,d=3)", "ccb(rounds=5000,tuning=theory),ccb(rounds=100,tuning=theory)",
              {.rounds = 100})
          .value();
  EXPECT_FALSE(result.policies[0].totals[0].bounds.regret);
  EXPECT_TRUE(result.policies[1].totals[0].bounds.regret);
}

TEST(RunTest, RefusesBeforeTheFirstRound) {
  int calls = 0;
  RunOptions options{.rounds = 100, .progress = [&](std::int64_t, std::int64_t) { ++calls; }};
  const auto message = [&](const char* world, const char* policies) {
    return try_run(world, policies, options).error();
  };
  EXPECT_THAT(message("lineal", "ccb(tuning=theory)"),
              HasSubstr("world spec: unknown name \"lineal\""));
  EXPECT_THAT(message("two_arm", "ccb(tuning=theory),cbc"),
              HasSubstr("policy spec: unknown name \"cbc\""));
  EXPECT_THAT(message("two_arm", "ccb(setting=knapsack,tuning=theory)"),
              HasSubstr("needs a budget"));
  options.seeds = 0;
  EXPECT_EQ(message("two_arm", "ccb(tuning=theory)"), "run: seeds is 0; accepted: 1 to 1000000");
  options.seeds = 1;
  options.rounds = 0;
  EXPECT_THAT(message("two_arm", "ccb(tuning=theory)"), HasSubstr("world: found 0 rounds"));
  options.rounds = 10;
  options.margin = NAN;
  EXPECT_THAT(message("two_arm", "ccb(tuning=theory)"), HasSubstr("run: margin is nan"));
  options.margin = 0.0;
  options.threads = -1;
  EXPECT_THAT(message("two_arm", "ccb(tuning=theory)"), HasSubstr("run: threads is -1"));
  options.threads = 1;
  EXPECT_THAT(run(Spec("two_arm"), {}, options).error(), HasSubstr("no policy is given"));
  EXPECT_EQ(calls, 0);
}

// The price is rehearsed on decisions as they would be made now: the first ones knew nothing.
TEST(RunTest, LateOutcomesLeaveMostOfTheReward) {
  const RunOptions late{.rounds = 4000, .seeds = 6, .long_term = false, .delay = 400};
  const RunResult result = try_run("heavy(k=5,d=4)", "ccb", late).value();
  double reward = 0.0;
  for (const auto& total : result.policies[0].totals) reward += total.reward;
  EXPECT_GT(reward, 12'000.0);  // 14 191 without delay; 11 056 with decisions as they were
}

// The last block may be one that cannot pay back what others lent: `ccb` keeps a reserve.
TEST(RunTest, BlocksThatSwitchEndWithinTheLimit) {
  const RunOptions options{.rounds = 20'000, .seeds = 3, .first_seed = 9, .long_term = false};
  const RunResult result = try_run("linear(d=8,k=8,order=switching)", "ccb", options).value();
  for (const auto& total : result.policies[0].totals) {
    EXPECT_LE(total.ccv[0], 40.0) << total.seed;  // 60 on seed 10 without it
  }
}

TEST(RunTest, LateOutcomesAreLearnedLateAndStillKeepTheBudget) {
  const char* world = "heavy(k=4,rate=0.05)";
  const RunResult now = try_run(world, "ccb", {.rounds = 4000, .seeds = 3}).value();
  const RunResult late = try_run(world, "ccb", {.rounds = 4000, .seeds = 3, .delay = 50}).value();
  for (int s = 0; s < 3; ++s) {
    const Totals& a = now.policies[0].totals[s];
    const Totals& b = late.policies[0].totals[s];
    EXPECT_NE(a.reward, b.reward);
    EXPECT_GT(b.reward, 0.95 * a.reward);
    EXPECT_LE(b.spend[0], 1.02 * 200.0);
  }
  // With a delay of the whole run nothing is ever learned, and two equal estimates stay equal.
  const auto reward = [](int delay) {
    return try_run("two_arm", "greedy", {.rounds = 50, .delay = delay})
        .value()
        .policies[0]
        .totals[0]
        .reward;
  };
  EXPECT_GE(reward(0), 48.0);
  EXPECT_LE(reward(50), 40.0);
  EXPECT_THAT(try_run("two_arm", "ccb", {.rounds = 9, .delay = -1}).error(),
              HasSubstr("run: delay is -1"));
}

// A null action with a cost is detected at its first cost after the stop.
TEST(RunTest, WhatAPolicyRefusesLaterNamesPolicySeedAndRound) {
  for (int threads : {1, 3}) {
    const auto result =
        try_run("linear(costs=positive,k=3,d=3)", "uniform,stop(at=2,null=0,of=uniform)",
                {.rounds = 100, .seeds = 4, .first_seed = 3, .threads = threads});
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.error(),
                testing::MatchesRegex(
                    "policy stop\\(at=2,null=0,of=uniform\\), seed 3, round [0-9]+: .*cost.*"));
  }
}

TEST(RunTest, APolicyThatIsGivenTwiceIsRefused) {
  EXPECT_EQ(try_run("two_arm", "ccb,uniform,ccb", {.rounds = 9}).error(),
            "run: policy ccb is given twice; accepted: different ones");
}

TEST(RunTest, ProgressCountsUpToTheEnd) {
  std::int64_t last = 0, all = 0;
  RunOptions options{.rounds = 3000, .seeds = 2, .threads = 2};
  options.progress = [&](std::int64_t done, std::int64_t total) {
    EXPECT_GE(done, last);
    last = done;
    all = total;
  };
  try_run("two_arm", "uniform,greedy", options).check();
  EXPECT_EQ(last, 12000);
  EXPECT_EQ(all, 12000);
}

TEST(RunTest, WhatIsThrownInAThreadIsThrownToTheCaller) {
  RunOptions options{.rounds = 3000, .seeds = 4, .threads = 3};
  options.progress = [](std::int64_t, std::int64_t) { throw std::runtime_error("stop it"); };
  EXPECT_THROW((void)try_run("two_arm", "uniform", options), std::runtime_error);
}

TEST(RunTest, APotentialOfTheCallersOwnIsForThePoliciesThatUseIt) {
  const Own own = square(10.0);
  const std::string policies =
      "ccb(pricer=own,tuning=theory),ccb(pricer=quadratic(v=10),tuning=theory),uniform";
  const RunResult result =
      try_run("linear(k=3,d=3)", policies, {.rounds = 300, .seeds = 2, .own = own}).value();
  for (std::size_t s = 0; s < 2; ++s) {
    EXPECT_EQ(result.policies[0].totals[s].reward, result.policies[1].totals[s].reward);
    EXPECT_EQ(result.policies[0].totals[s].ccv, result.policies[1].totals[s].ccv);
    EXPECT_FALSE(result.policies[0].totals[s].bounds.regret.has_value());
  }
  EXPECT_THAT(try_run("linear(k=3,d=3)", policies, {.rounds = 300}).error(),
              HasSubstr("none was brought"));
  EXPECT_THAT(try_run("linear(k=3,d=3)", "ccb,uniform", {.rounds = 300, .own = own}).error(),
              HasSubstr("no spec uses it"));
}

}  // namespace
}  // namespace rein
