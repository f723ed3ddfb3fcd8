#include "rein/bounds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rein/policy.h"
#include "rein/world.h"

namespace rein {
namespace {

// The formulas of the theorem itself: means over runs, errors that never exceed U.
Bounds mean_bounds(const Terms& terms, double margin = 0.0, double premise = -1.0) {
  return bounds(terms, {.margin = margin, .premise = premise, .delta = 0.0});
}

// U of vaw with shared parameters, |phi| <= 1 and reg 1.
double vaw_u(int d, double rounds) { return 1.0 + d * std::log(1.0 + rounds / d); }

Terms linear_terms(Setting setting, int k, int d, double rounds) {
  return {.setting = setting,
          .actions = k,
          .rounds = static_cast<std::int64_t>(rounds),
          .u = vaw_u(d, rounds)};
}

// The smallest T, in steps of 1 %, from which the regret bound is below T.
double first_useful(Setting setting, int k, int d) {
  for (double t = 100.0; t < 1e10; t *= 1.01) {
    if (*mean_bounds(linear_terms(setting, k, d, t)).regret < t) return t;
  }
  return INFINITY;
}

TEST(BoundsTest, PartFWithALargeBudget) {
  const Terms terms{.setting = Setting::kLinearConstraints,
                    .actions = 2,
                    .rounds = 1'000'000,
                    .u = 1.0,
                    .budgets = {1e5}};
  EXPECT_NEAR(*mean_bounds(terms).regret, 1.11e6, 0.005e6);
}

TEST(BoundsTest, BecomeUsefulAtTheKnownHorizons) {
  EXPECT_NEAR(first_useful(Setting::kAlmostSure, 8, 8), 7000.0, 200.0);
  EXPECT_NEAR(first_useful(Setting::kExpectation, 8, 8), 3e7, 0.3e7);
  const double t = std::exp2(20);
  EXPECT_NEAR(*mean_bounds(linear_terms(Setting::kExpectation, 2, 2, t)).regret / t, 1.2, 0.05);
}

// The formulas as the page prints them for one resource, term by term.
TEST(BoundsTest, QuadraticAtOneResourceIsAsPrinted) {
  const double k = 5, t = 4000, u = 12, root = std::sqrt(k * t * u), ku = std::sqrt(k * u);
  const Terms terms{.actions = 5, .rounds = 4000, .u = 12.0, .v_scale = 0.5};
  const double v = 0.5 * root;
  const double r =
      std::sqrt(v * t * (t + 1) + 2 * t * t + 4 * v * std::pow(t, 1.5) * ku) + 8 * t * ku;
  const Bounds found = mean_bounds(terms);
  EXPECT_NEAR(*found.regret, 4 * root + (2 * t + 8 * ku * r) / v, 1e-6);
  EXPECT_NEAR(found.ccv[0], std::sqrt(2 * v * t + 4 * v * root + 2 * t + 8 * ku * r), 1e-6);
  EXPECT_TRUE(found.ccv_average.empty());
  EXPECT_TRUE(found.queue_rms.empty());
}

TEST(BoundsTest, PartEUsesItsPremise) {
  const double k = 3, t = 5000, u = 7, root = std::sqrt(k * t * u), ku = std::sqrt(k * u);
  const Terms terms{.actions = 3, .rounds = 5000, .u = 7.0};
  const double v = root, c = 0.25;
  const double r = std::sqrt((4 + c) * v * t * root + 2 * t * t) + 8 * t * ku;
  const Bounds found = mean_bounds(terms, 0.0, c);
  EXPECT_NEAR(found.queue_rms[0], r / std::sqrt(t), 1e-6);
  EXPECT_NEAR(*found.regret, 4 * root + (2 * t + 8 * ku * r) / v, 1e-6);
  EXPECT_NEAR(found.ccv[0], std::sqrt((4 + c) * v * root + 2 * t + 8 * ku * r), 1e-6);
  EXPECT_LT(*found.regret, *mean_bounds(terms).regret);
  // A premise too weak to help leaves the bound of part (a).
  EXPECT_EQ(*mean_bounds(terms, 0.0, 1e9).regret, *mean_bounds(terms).regret);
}

TEST(BoundsTest, SlaterNeedsItsMargin) {
  const double k = 3, t = 5000, u = 7, root = std::sqrt(k * t * u), ku = std::sqrt(k * u), v = root;
  Terms terms{.setting = Setting::kSlater, .actions = 3, .rounds = 5000, .u = 7.0};
  const double r =
      std::sqrt(v * t * (t + 1) + 2 * t * t + 4 * v * std::pow(t, 1.5) * ku) + 8 * t * ku;
  const Bounds found = mean_bounds(terms, 0.2);
  const double average = (2 * v * t + 2 * t + 4 * v * root + 8 * ku * r) / (2 * 0.2 * t);
  EXPECT_NEAR(found.ccv_average[0], std::min(average, found.ccv_max[0]), 1e-6);
  // At a long horizon the average of this part is the smaller of the two.
  const Bounds longer = bounds({.setting = Setting::kSlater, .actions = 3, .rounds = 100'000'000},
                               {.margin = 0.2});
  EXPECT_LT(longer.ccv_average[0], 0.7 * longer.ccv_max[0]);
  EXPECT_TRUE(mean_bounds(terms).ccv_average.empty());
}

TEST(BoundsTest, ExponentialHoldsOnlyAtScalesOfOne) {
  const double k = 10, t = 1e6, u = 60, root = std::sqrt(k * t * u);
  Terms terms{.setting = Setting::kKnapsack,
              .actions = 10,
              .rounds = 1'000'000,
              .u = 60.0,
              .budgets = {1000.0}};
  const Bounds found = mean_bounds(terms);
  EXPECT_NEAR(*found.regret, 4 * root + 2.0 / 3.0, 1e-6);
  EXPECT_NEAR(found.ccv[0], (8 * root + 2000) * std::log(3 * (1 + 2 * t + 4 * root)), 1e-6);
  terms.v_scale = 3.0;  // no part of the exponential price
  EXPECT_TRUE(mean_bounds(terms).regret);
  terms.gamma_scale = 2.0;
  EXPECT_FALSE(mean_bounds(terms).regret);
  EXPECT_TRUE(mean_bounds(terms).ccv.empty());
  terms.gamma_scale = 1.0;
  terms.lambda_scale = 2.0;
  EXPECT_FALSE(mean_bounds(terms).regret);
}

TEST(BoundsTest, SeveralResourcesAndAGammaScale) {
  const double k = 4, t = 3000, u = 9, m = 3, root = std::sqrt(k * t * u), ku = std::sqrt(k * u);
  const Terms terms{.setting = Setting::kLinearConstraints,
                    .actions = 4,
                    .costs = 3,
                    .rounds = 3000,
                    .u = 9.0,
                    .budgets = {30.0, 40.0, 120.0},
                    .gamma_scale = 4.0};
  const double b = 130.0, v = root + b, four = (m + 1) * (4.0 + 0.25), eight = 2 * four;
  const double r = std::sqrt(v * t * (t + 1) + 2 * m * t * t + four * v * std::pow(t, 1.5) * ku) +
                   eight * t * ku + 2 * b * std::sqrt(t);
  const double rest = 2 * m * t + eight * ku * r + 2 * b / std::sqrt(t) * r;
  EXPECT_NEAR(*mean_bounds(terms).regret, four * root + rest / v, 1e-5);
  EXPECT_NEAR(mean_bounds(terms).ccv[2], std::sqrt(2 * v * t + four * v * root + rest), 1e-5);

  const Terms two{.setting = Setting::kKnapsack,
                  .actions = 4,
                  .costs = 2,
                  .rounds = 3000,
                  .u = 9.0,
                  .budgets = {50.0, 500.0}};
  const double log_m = std::log(3 * (2 + 2 * t + 6 * root));
  EXPECT_NEAR(*mean_bounds(two).regret, 6 * root + 4.0 / 3.0, 1e-6);
  EXPECT_NEAR(mean_bounds(two).ccv[0], (12 * root + 100) * log_m, 1e-5);
  EXPECT_NEAR(mean_bounds(two).ccv[1], (12 * root + 1000) * log_m, 1e-5);
}

TEST(BoundsTest, PacingBoundsConsumptionByBudgetPlusExcess) {
  Terms terms{
      .setting = Setting::kPacing, .actions = 4, .rounds = 3000, .u = 9.0, .budgets = {50.0}};
  const double k = 4, t = 3000, u = 9, root = std::sqrt(k * t * u), ku = std::sqrt(k * u), v = root;
  const double r =
      std::sqrt(v * t * (t + 1) + 4 * t * t + 4 * v * std::pow(t, 1.5) * ku) + 8 * t * ku;
  const double excess = std::sqrt(2 * v * t + 4 * v * root + 4 * t + 8 * ku * r);
  EXPECT_NEAR(mean_bounds(terms).ccv[0], 50.0 + excess, 1e-6);
  EXPECT_NEAR(*mean_bounds(terms).regret, 4 * root + (4 * t + 8 * ku * r) / v, 1e-6);
}

TEST(BoundsTest, WithoutCostsOnlyExplorationIsPaidFor) {
  const Terms terms{.actions = 4, .costs = 0, .rounds = 100, .u = 9.0};
  EXPECT_DOUBLE_EQ(*mean_bounds(terms).regret, 2.0 * terms.root());
  EXPECT_TRUE(mean_bounds(terms).ccv.empty());
}

// The bounds use the V of the price.
TEST(BoundsTest, KnowTheParameterThatThePolicyUses) {
  const Shape shape{.actions = 3, .context = 2, .costs = {{}, {}}};
  for (const char* spec :
       {"ccb(rounds=500,setting=expectation,v_scale=0.3,tuning=theory)",
        "ccb(budget=[30,40],rounds=500,setting=linear_constraints,tuning=theory)",
        "ccb(budget=[30,40],rounds=500,setting=pacing,v_scale=2,tuning=theory)"}) {
    const auto policy = make_policy(spec, shape).value();
    const Terms terms = *policy->state().theorem;
    const double budget = terms.setting == Setting::kLinearConstraints ? 50.0 : 0.0;
    EXPECT_DOUBLE_EQ(policy->state().parameters[0], terms.v_scale * (terms.root() + budget))
        << spec;
  }
}

TEST(BoundsTest, OfAPolicyAreInTheUnitsOfItsShape) {
  const Shape shape{.actions = 3,
                    .context = 2,
                    .reward = {0.0, 10.0},
                    .costs = {{.name = "c", .range = {0.0, 4.0}}}};
  const auto policy = make_policy("ccb(rounds=500,budget=30,tuning=theory)", shape).value();
  const Bounds units = bounds(*policy->state().theorem);
  EXPECT_DOUBLE_EQ(*bounds(*policy).regret, 10.0 * *units.regret);
  EXPECT_DOUBLE_EQ(bounds(*policy).ccv[0], 4.0 * units.ccv[0]);
  EXPECT_FALSE(bounds(*make_policy("ccb(rate=1)", shape).value()).regret);
}

// Bounds of one run: every term that chance adds.
TEST(BoundsTest, OfOneRunAddTheLuckOfTheDraw) {
  const double k = 5, t = 4000, u = 12, root = std::sqrt(k * t * u), ku = std::sqrt(k * u);
  const double v = root, l = std::log(8.0 / 0.05);
  const Terms terms{.actions = 5, .rounds = 4000, .u = 12.0};
  double r = INFINITY;
  for (double kappa = 0.5; kappa > 1e-9; kappa /= 2) {
    const double a = v * t * (t + 1) + 2 * t * t + 4 * v * t * root + 2 * t * t * l / kappa;
    r = std::min(r, std::sqrt(a / (1 - kappa)) + 8 * t * ku / (1 - kappa));
  }
  const double rest = 2 * t + 8 * ku * r + std::sqrt(8 * l) * r;
  const Bounds found = bounds(terms);
  EXPECT_NEAR(*found.regret, 4 * root + rest / v + std::sqrt(2 * t * l), 1e-6);
  EXPECT_NEAR(found.ccv[0], std::sqrt(2 * v * t + 4 * v * root + rest), 1e-6);
  EXPECT_GT(*found.regret, *mean_bounds(terms).regret);
}

// R of part (e) is made of a premise that is measured in the run itself, so the free numbers of the
// proof are chosen from the run too: each has its share of the chance.
TEST(BoundsTest, WhatIsMeasuredInTheRunCostsTheChoiceOfEveryConstant) {
  const double k = 5, t = 4000, u = 12, root = std::sqrt(k * t * u), ku = std::sqrt(k * u);
  const double v = root, l = std::log(8.0 / 0.05), c = 0.25, drawn = std::sqrt(2 * t * l);
  const Terms terms{.actions = 5, .rounds = 4000, .u = 12.0};
  double r = INFINITY;
  for (int j = 1; j <= 29; ++j) {
    const double kappa = std::pow(0.5, j), chance = l + std::log(j * (j + 1.0));
    const double a = (4 + c) * v * t * root + v * t * drawn + 2 * t * t;
    r = std::min(
        r, std::sqrt((a + 2 * t * t * chance / kappa) / (1 - kappa)) + 8 * t * ku / (1 - kappa));
  }
  // N_T <= 2 h R^2 + L / h for h = sqrt(L / 2) / 2^j.
  const double j = std::round(std::log2(r)), h_l = l + std::log(j * (j + 1.0));
  const double h = std::sqrt(h_l / 2) / std::pow(2.0, j);
  const double rest = 2 * t + 8 * ku * r + 2 * h * r * r + h_l / h;
  const Bounds found = bounds(terms, {.premise = c});
  EXPECT_NEAR(found.queue_rms[0], r / std::sqrt(t), 1e-6);
  EXPECT_NEAR(*found.regret, 4 * root + rest / v + drawn, 1e-6);
  EXPECT_NEAR(found.ccv[0], std::sqrt((4 + c) * v * root + v * drawn + rest), 1e-6);
  // The same of a distance to the class, which is measured too.
  const Terms far{.actions = 5, .rounds = 4000, .u = error_bound(terms, {.misspecified = 3.0})};
  EXPECT_GT(bounds(terms, {.misspecified = 3.0}).ccv[0], 0.0);
  EXPECT_GT(*bounds(far, {.premise = 1e9}).regret, *bounds(far).regret);
}

TEST(BoundsTest, ErrorsThatPassUCountInFull) {
  Terms terms{.actions = 5, .rounds = 4000, .u = 12.0};
  const double paper = *mean_bounds({.actions = 5, .costs = 0, .rounds = 4000, .u = 12.0}).regret;
  terms.errors = 36.0;  // rho = 3: c = 2 (3 + 1) at m = 1
  const double k = 5, t = 4000, root = std::sqrt(k * t * 12.0), ku = std::sqrt(k * 12.0);
  const double r = std::sqrt(root * t * (t + 1) + 2 * t * t + 8 * root * t * root) + 16 * t * ku;
  EXPECT_NEAR(*mean_bounds(terms).regret, 8 * root + (2 * t + 16 * ku * r) / root, 1e-5);
  terms.costs = 0;
  EXPECT_NEAR(*mean_bounds(terms).regret, 2.0 * paper, 1e-9);
}

// The bound on the errors of every head: 2 Reg + 11 ln(4 (m+1) / delta), and 4 eps + 4 ln for a
// misspecified class.
TEST(BoundsTest, ErrorsOfAnOracleAreItsRegretTwiceAndWhatNoiseAdds) {
  const Shape shape{.actions = 3, .context = 2, .costs = {{}, {}}};
  const auto learned = make_policy("ccb(rounds=5000,tuning=theory)", shape).value();
  const Terms terms = *learned->state().theorem;
  EXPECT_NEAR(terms.errors, 2.0 * terms.u + 11.0 * std::log(12.0 / 0.05), 1e-9);
  EXPECT_EQ(error_bound(terms), terms.errors);
  EXPECT_NEAR(error_bound(terms, {.misspecified = 7.0}),
              terms.errors + 28.0 + 4.0 * std::log(12.0 / 0.05), 1e-9);
  EXPECT_NEAR(error_bound(terms, {.misspecified = 7.0, .delta = 0.0}), terms.errors + 7.0, 1e-9);
  EXPECT_GT(*bounds(terms, {.misspecified = 7.0}).regret, *bounds(terms).regret);
  // The true means have no error, as one oracle or as two.
  for (const char* truth : {"truth", "pair(cost=truth,reward=truth)"}) {
    Shape known = shape;
    known.truth = make_world("linear(d=2,k=3,m=2)", 1, 10).value()->shape().truth;
    const auto told =
        make_policy(std::string("ccb(rounds=5000,tuning=theory,oracle=") + truth + ")", known);
    EXPECT_EQ(error_bound(*told.value()->state().theorem), 1.0) << truth;
  }
  const auto given = make_policy("ccb(rounds=5000,tuning=theory,u=30)", shape).value();
  EXPECT_EQ(error_bound(*given->state().theorem), 30.0);
}

// The corollary to (b): by Markov's inequality, from the average over time.
TEST(BoundsTest, AnyShareOfRoundsFollowsFromTheAverage) {
  const Terms terms{.setting = Setting::kSlater, .actions = 2, .rounds = 1'000'000'000, .u = 5.0};
  const Bounds found = bounds(terms, {.margin = 0.5, .share = 0.9});
  EXPECT_DOUBLE_EQ(found.ccv_share[0], std::min(found.ccv_average[0] / 0.1, found.ccv_max[0]));
  EXPECT_LT(found.ccv_share[0], found.ccv[0]);
  EXPECT_EQ(bounds(terms, {.margin = 0.5, .share = 0.999999}).ccv_share[0], found.ccv_max[0]);
  EXPECT_TRUE(bounds(terms).ccv_share.empty());
}

// The proof of the exponential settings needs lambda (c root + B) <= 1/2, for any errors.
TEST(BoundsTest, LambdaIsMadeForTheErrorsThatTheBoundAssumes) {
  const Shape shape{.actions = 3, .context = 2, .costs = {{.name = "c", .range = {0.0, 1.0}}}};
  for (const char* spec : {"ccb(budget=30,rounds=5000,tuning=theory)",
                           "ccb(budget=30,rounds=5000,tuning=theory,u=40)"}) {
    const auto policy = make_policy(spec, shape).value();
    const Terms terms = *policy->state().theorem;
    const double c = 2.0 * (1.0 + terms.error_ratio());
    EXPECT_LE(policy->state().parameters[0] * (c * terms.root() + 30.0), 0.5 + 1e-12) << spec;
    EXPECT_TRUE(bounds(*policy).regret) << spec;
  }
  // At a horizon with a large lambda no bound exists, and none is given.
  EXPECT_FALSE(
      bounds(*make_policy("ccb(budget=0,rounds=2,tuning=theory,u=1)", shape).value()).regret);
}

}  // namespace
}  // namespace rein
