// A bound is printed only if it holds, in the units of the shape.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "evaluate/altered_world.h"
#include "rein/policy.h"
#include "rein/run.h"

namespace rein {
namespace {

Totals run_one(const std::string& world, const std::string& policy, const RunOptions& options) {
  return run(parse_spec(world).value(), {parse_spec(policy).value()}, options)
      .value()
      .policies[0]
      .totals[0];
}

TEST(PremisesTest, LateOutcomesHaveNoBound) {
  const std::string policy = "ccb(oracle=truth,setting=almost_sure,tuning=theory)";
  const Totals late = run_one("two_arm", policy, {.rounds = 10'000, .delay = 1500});
  EXPECT_GT(late.regret, 566.0);  // a bound that was printed once
  EXPECT_FALSE(late.bounds.regret);
  EXPECT_TRUE(late.bounds.ccv.empty());
  EXPECT_EQ(late.no_bound, NoBound::kDelay);
  const Totals punctual = run_one("two_arm", policy, {.rounds = 10'000});
  EXPECT_EQ(punctual.no_bound, NoBound::kNone);
  EXPECT_LT(punctual.regret, *punctual.bounds.regret);
}

TEST(PremisesTest, WorldsWithoutMeansHaveNoBound) {
  const Own own = altered("table", {.world = "linear(k=2,d=2)", .known = false});
  const Totals found =
      run_one("own(name=table)", "ccb(tuning=theory)", {.rounds = 300, .own = own});
  EXPECT_EQ(found.no_bound, NoBound::kMeans);
  EXPECT_FALSE(found.bounds.regret);
  EXPECT_TRUE(found.bounds.ccv.empty());
}

TEST(PremisesTest, FeaturesOverTheNormAreCountedAndHaveNoBound) {
  const Own own = altered("long", {.world = "misspecified(strength=0)", .context = 3.0});
  const Totals found = run_one("own(name=long)", "ccb(tuning=theory)", {.rounds = 300, .own = own});
  EXPECT_EQ(found.no_bound, NoBound::kNorm);
  EXPECT_EQ(found.over_norm, 300.0);
  const Totals wide = run_one("own(name=long)", "ccb(oracle=vaw(norm=3),tuning=theory)",
                              {.rounds = 300, .own = own});
  EXPECT_EQ(wide.over_norm, 0.0);
  EXPECT_NE(wide.no_bound, NoBound::kNorm);
  EXPECT_FALSE(found.bounds.regret);
  // Every oracle that another is made of counts, and those that nobody named.
  for (const char* oracle :
       {"oracle=pair", "oracle=pair(cost=vaw(norm=3))", "oracle=stack(of=[vaw(norm=3),ons])",
        "oracle=optimistic(of=vaw)", "reward_oracle=vaw(norm=3)", "cost_oracle=vaw(norm=3)"}) {
    const std::string policy = std::string("ccb(tuning=theory,") + oracle + ")";
    EXPECT_EQ(run_one("own(name=long)", policy, {.rounds = 50, .own = own}).over_norm, 50.0)
        << oracle;
  }
  for (const char* oracle : {"oracle=pair(cost=vaw(norm=3),reward=vaw(norm=3))",
                             "reward_oracle=vaw(norm=3),cost_oracle=vaw(norm=3)"}) {
    const std::string policy = std::string("ccb(tuning=theory,") + oracle + ")";
    EXPECT_EQ(run_one("own(name=long)", policy, {.rounds = 50, .own = own}).over_norm, 0.0)
        << oracle;
  }
}

TEST(PremisesTest, ErrorsOverTheGivenUHaveNoBound) {
  const RunOptions options{.rounds = 2000};
  const Totals wrong = run_one("linear(k=4,d=8)", "ccb(tuning=theory,u=1)", options);
  EXPECT_EQ(wrong.no_bound, NoBound::kErrors);
  EXPECT_FALSE(wrong.bounds.regret);
  const Totals right = run_one("linear(k=4,d=8)", "ccb(tuning=theory)", options);
  EXPECT_EQ(right.no_bound, NoBound::kNone);
  EXPECT_GT(right.u_bound, 2.0 * right.u);
  EXPECT_LT(right.oracle_error, right.u_bound);
}

TEST(PremisesTest, TruthIsNotTheTheoremWhereCostsHaveNoise) {
  const char* policy = "ccb(oracle=truth,setting=almost_sure,tuning=theory)";
  for (const char* noise : {"gaussian", "rademacher"}) {
    const std::string world = std::string("linear(k=3,d=3,margin=0.3,noise=") + noise + ")";
    const Totals found = run_one(world, policy, {.rounds = 500});
    EXPECT_FALSE(found.bounds.regret) << noise;
    EXPECT_TRUE(found.bounds.ccv.empty()) << noise;
    EXPECT_NE(found.no_bound, NoBound::kNone) << noise;
  }
  const Totals exact = run_one("linear(k=3,d=3,margin=0.3,noise=none)", policy, {.rounds = 500});
  EXPECT_TRUE(exact.bounds.regret) << why(exact.no_bound);
}

// Everything that is printed is in the units of the shape: multiply costs, ranges and budgets by
// 1000, and every figure is multiplied by 1000 or stays.
struct Rescaled {
  const char* world;
  const char* policy;
  // A price of tuning=auto is where a few steps of Newton's ended: they enlarge what dividing by
  // 1000 rounds off, until a draw comes out otherwise. There the factor is a power of two, so that
  // nothing is rounded and only a dependence on the unit could show.
  double factor = 1000.0;
};
class RescaledTest : public testing::TestWithParam<Rescaled> {};

TEST_P(RescaledTest, EveryFigureScalesOrStays) {
  const Rescaled& given = GetParam();
  const double factor = given.factor;
  const Own small = altered("small", {.world = given.world});
  const Own large = altered("large", {.world = given.world, .costs = factor});
  const auto result = [&](const char* name, const Own& own) {
    const RunOptions options{.rounds = 1500, .margin = 0.1, .own = own};
    return run(parse_spec(name).value(), {parse_spec(given.policy).value()}, options).value();
  };
  const RunResult one = result("own(name=small)", small);
  const RunResult thousand = result("own(name=large)", large);
  const Totals &a = one.policies[0].totals[0], &b = thousand.policies[0].totals[0];
  const auto near = [](double x, double y, const char* what) {
    if (std::isnan(x) && std::isnan(y)) return;
    EXPECT_NEAR(x, y, 1e-9 * std::max(1.0, std::abs(x))) << what;
  };
  const auto stays = [&](double x, double y, const char* what) { near(x, y, what); };
  const auto scales = [&](const Costs& x, const Costs& y, const char* what) {
    ASSERT_EQ(x.size(), y.size()) << what;
    for (int i = 0; i < x.size(); ++i) near(x[i], y[i] / factor, what);
  };
  EXPECT_EQ(a.no_bound, b.no_bound);
  stays(a.reward, b.reward, "reward");
  stays(a.regret, b.regret, "regret");
  stays(a.regret_average, b.regret_average, "regret_average");
  stays(a.regret_long_term, b.regret_long_term, "regret_long_term");
  stays(a.reward_at_stop, b.reward_at_stop, "reward_at_stop");
  stays(a.explored, b.explored, "explored");
  stays(a.oracle_error, b.oracle_error, "oracle_error");
  stays(a.u, b.u, "u");
  stays(a.u_bound, b.u_bound, "u_bound");
  stays(a.misspecified, b.misspecified, "misspecified");
  stays(a.premise, b.premise, "premise");
  stays(a.bounds.regret.value_or(0.0), b.bounds.regret.value_or(0.0), "bound_regret");
  EXPECT_EQ(a.infeasible_rounds, b.infeasible_rounds);
  scales(a.ccv, b.ccv, "ccv");
  scales(a.ccv_max, b.ccv_max, "ccv_max");
  scales(a.ccv_average, b.ccv_average, "ccv_average");
  scales(a.ccv_positive, b.ccv_positive, "ccv_positive");
  scales(a.ccv_share, b.ccv_share, "ccv_share");
  scales(a.queue_rms, b.queue_rms, "queue_rms");
  scales(a.spend, b.spend, "spend");
  scales(a.excess, b.excess, "excess");
  scales(a.bounds.ccv, b.bounds.ccv, "bound_ccv");
  scales(a.bounds.ccv_average, b.bounds.ccv_average, "bound_ccv_average");
  scales(a.bounds.ccv_share, b.bounds.ccv_share, "bound_ccv_share");
  scales(a.bounds.ccv_max, b.bounds.ccv_max, "bound_ccv_max");
  stays(a.bounds.regret_margin.value_or(0.0), b.bounds.regret_margin.value_or(0.0),
        "bound_regret_margin");
  stays(a.margin, b.margin, "margin");
  scales(a.bounds_with_premise.queue_rms, b.bounds_with_premise.queue_rms, "bound_queue_rms");
  for (std::size_t i = 1; i < one.most.size(); ++i)
    near(one.most[i], thousand.most[i] / factor, "");
  const Curve &c = one.policies[0].curves[0], &d = thousand.policies[0].curves[0];
  for (std::size_t i = 0; i < c.price.size(); ++i) {
    for (std::size_t t = 0; t < c.price[i].size(); ++t) {
      near(c.price[i][t], d.price[i][t] * factor, "price: reward per unit of cost");
      near(c.ccv[i][t], d.ccv[i][t] / factor, "curve of ccv");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, RescaledTest,
    testing::Values(
        Rescaled{"linear(k=3,d=3,m=2)", "ccb(tuning=theory)"},
        Rescaled{"linear(k=3,d=3,margin=0.3)", "ccb(setting=slater,tuning=theory)"},
        Rescaled{"linear(k=3,d=3,noise=none)", "ccb(setting=almost_sure,tuning=theory)"},
        Rescaled{"linear(k=3,d=3,noise=none)",
                 "ccb(oracle=truth,setting=almost_sure,tuning=theory)"},
        Rescaled{"linear(k=3,d=3)", "ccb", 1024.0}, Rescaled{"linear(k=3,d=3,m=2)", "ccb", 1024.0},
        Rescaled{"linear(k=3,d=3,costs=positive,rate=0.2)", "ccb", 1024.0},
        Rescaled{"linear(k=3,d=3,rate=0.1)", "ccb(setting=pacing)", 1024.0},
        Rescaled{"linear(k=3,d=3)", "squarecb"},
        Rescaled{"linear(k=3,d=3,costs=positive,rate=0.2)", "ccb(tuning=theory)"},
        Rescaled{"linear(k=3,d=3,rate=0.1)", "ccb(setting=linear_constraints,tuning=theory)"},
        Rescaled{"linear(k=3,d=3,rate=0.1)", "ccb(setting=pacing,tuning=theory)"},
        Rescaled{"misspecified(strength=0.5)", "ccb(tuning=theory)"},
        Rescaled{"linear(k=3,d=3,costs=positive,rate=0.2)", "uniform"}));

// The average over time is printed in the units that it is measured in.
TEST(PremisesTest, TheAverageOverTimeIsInTheUnitsOfTheShape) {
  const Own own = altered("dear", {.world = "linear(k=3,d=3,margin=0.3)", .costs = 1000.0});
  const Totals found = run_one("own(name=dear)", "ccb(setting=slater,tuning=theory)",
                               {.rounds = 2000, .margin = 0.1, .own = own});
  ASSERT_EQ(found.bounds.ccv_average.size(), 1);
  const double root = std::sqrt(3.0 * 2000.0 * found.u);
  EXPECT_GT(found.bounds.ccv_average[0], 1000.0 * root / 0.1);
  EXPECT_GT(found.bounds.ccv_average[0], found.ccv_average[0]);
}

// The unit of a positive part is its largest value, however far below 0 the cost may be.
TEST(PremisesTest, AlmostSureMeasuresPositivePartsByTheHighEnd) {
  const char* world = "slack_then_trap(slack=0)";
  const char* policy = "ccb(setting=almost_sure,tuning=theory,u=3)";
  const Own plain = altered("plain", {.world = world});
  const Own deep = altered("deep", {.world = world, .lowest = -100.0});
  const Totals a = run_one("own(name=plain)", policy, {.rounds = 20'000, .own = plain});
  const Totals b = run_one("own(name=deep)", policy, {.rounds = 20'000, .own = deep});
  EXPECT_EQ(a.ccv_positive[0], b.ccv_positive[0]);
  ASSERT_EQ(a.bounds.ccv.size(), b.bounds.ccv.size());
  ASSERT_EQ(a.bounds.ccv.size(), 1);
  EXPECT_EQ(a.bounds.ccv[0], b.bounds.ccv[0]);
}

// The parameters of world finite exceed 1. Its shape says so, and U includes them.
TEST(PremisesTest, FiniteWorldsSayHowLargeTheirParametersAre) {
  const auto world = make_world("finite(contexts=5,k=4,m=1)", 1, 100).value();
  Shape shape = world->shape();
  double largest = 0.0;
  std::vector<double> x(5), out(2);
  for (int f = 0; f < shape.functions->size(); ++f) {
    for (int a = 0; a < shape.actions; ++a) {
      double squares[2] = {0.0, 0.0};
      for (std::size_t c = 0; c < 5; ++c) {
        std::fill(x.begin(), x.end(), 0.0);
        x[c] = 1.0;
        shape.functions->evaluate(f, {.actions = 4, .context = x}, a, out);
        for (std::size_t h = 0; h < 2; ++h) squares[h] += out[h] * out[h];
      }
      largest = std::max({largest, squares[0], squares[1]});
    }
  }
  EXPECT_GT(largest, 1.0);
  EXPECT_NEAR(shape.theta, std::sqrt(largest), 1e-12);
  const double said = make_oracle(Spec("vaw"), shape).value()->bound(1000);
  shape.theta = 1.0;
  const double usual = make_oracle(Spec("vaw"), shape).value()->bound(1000);
  EXPECT_NEAR(said - usual, 4.0 * (largest - 1.0), 1e-9);  // reg |theta|^2 for each of 4 actions
}

TEST(PremisesTest, MisspecifiedWorldsKnowHowFarOffTheyAre) {
  const RunOptions options{.rounds = 3000};
  const std::string policy = "ccb(tuning=theory)";
  const Totals straight = run_one("misspecified(strength=0)", policy, options);
  EXPECT_TRUE(std::isnan(straight.misspecified));
  EXPECT_LT(straight.oracle_error, straight.u_bound);
  const Totals bent = run_one("misspecified(strength=1,kind=steps)", policy, options);
  // Costs miss by 1/2 in half of the rounds of most actions: a mean square of 1/8.
  EXPECT_NEAR(bent.misspecified / 3000.0, 0.125, 0.06);
  EXPECT_GT(bent.u_bound, straight.u_bound + 3.9 * bent.misspecified);
  EXPECT_EQ(bent.no_bound, NoBound::kNone);
  EXPECT_LT(bent.oracle_error, bent.u_bound);
}

}  // namespace
}  // namespace rein
