// The bounds of docs/theory/slater.md: numbers, the inequalities they come from, and their growth.
#include "evaluate/margin_bounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "rein/bounds.h"
#include "rein/run.h"

namespace rein {
namespace {

Terms slater_terms(double rounds, double u = 1.0, int actions = 2, int costs = 1) {
  return {.setting = Setting::kSlater,
          .actions = actions,
          .costs = costs,
          .rounds = static_cast<std::int64_t>(rounds),
          .u = u};
}

TEST(MarginBoundsTest, HaveTheNumbersOfThePage) {
  const Bounds found = bounds(slater_terms(1e6), {.margin = 0.5});
  EXPECT_NEAR(found.ccv_max[0], 7049.0, 1.0);
  EXPECT_NEAR(*found.regret_margin, 44196.0, 1.0);
  EXPECT_LT(10.0 * *found.regret_margin, *found.regret);
  EXPECT_LT(5.0 * found.ccv_max[0], found.ccv[0]);
  EXPECT_LE(found.ccv_share[0], found.ccv_max[0]);
  EXPECT_LT(found.ccv_average[0], found.ccv_max[0]);
}

TEST(MarginBoundsTest, NeedAMarginAndItsSetting) {
  EXPECT_FALSE(bounds(slater_terms(1e6)).regret_margin);
  EXPECT_TRUE(bounds(slater_terms(1e6)).ccv_max.empty());
  Terms other = slater_terms(1e6);
  other.setting = Setting::kExpectation;
  EXPECT_FALSE(bounds(other, {.margin = 0.5}).regret_margin);
}

// The corollary in closed form: with h at half of what the drift leaves (or a quarter, for powers of
// two), and no more known of S than that prices stay below 2q / V.
double closed_form(const MarginProblem& p) {
  const double root = p.weight * std::sqrt(p.rounds);
  const double theta = (p.costs + 2.0 * p.v) / p.margin;
  const double b = root + 2.0 * p.costs * std::log(3.0 * p.rounds / p.delta) / p.margin;
  const double rest = std::max(theta * theta, p.costs + 2.0 * p.v) + p.v * root;
  return b + std::sqrt(b * b + rest);
}

TEST(MarginBoundsTest, AreAtMostTheCorollary) {
  for (double margin : {1.0, 0.3, 0.05, 1e-3}) {
    for (double costs : {1.0, 2.0, 7.0}) {
      for (double rounds : {10.0, 1e4, 1e7, 1e12}) {
        for (double v_scale : {1e-3, 1.0, 1e3}) {
          for (double ku : {2.0, 500.0}) {
            const MarginProblem p{.rounds = rounds,
                                  .costs = costs,
                                  .v = v_scale * std::sqrt(ku * rounds),
                                  .weight = 2.0 * (costs + 1.0) * std::sqrt(ku),
                                  .margin = margin,
                                  .delta = 0.05 / 8.0};
            const auto found = margin_bounds(p);
            ASSERT_TRUE(found);
            EXPECT_LE(found->largest, closed_form(p) * (1.0 + 1e-6));
            EXPECT_LE(found->average, found->largest * (1.0 + 1e-6));
          }
        }
      }
    }
  }
}

// Both grow like sqrt T and like 1 / eps, whatever m is.
TEST(MarginBoundsTest, GrowLikeTheRootOfTAndTheInverseOfTheMargin) {
  const auto slope = [](double before, double after, double by) {
    return std::log(after / before) / std::log(by);
  };
  for (int costs : {1, 2, 4}) {
    const Bounds one = bounds(slater_terms(1e12, 1.0, 2, costs), {.margin = 0.01});
    const Bounds more = bounds(slater_terms(1e14, 1.0, 2, costs), {.margin = 0.01});
    const Bounds wide = bounds(slater_terms(1e14, 1.0, 2, costs), {.margin = 0.001});
    EXPECT_NEAR(slope(one.ccv_max[0], more.ccv_max[0], 100.0), 0.5, 0.03);
    EXPECT_NEAR(slope(*one.regret_margin, *more.regret_margin, 100.0), 0.5, 0.03);
    EXPECT_NEAR(slope(wide.ccv_max[0], more.ccv_max[0], 10.0), -1.0, 0.1);
    EXPECT_NEAR(slope(*wide.regret_margin, *more.regret_margin, 10.0), -1.0, 0.1);
  }
}

// For large T the constants are those of the page: CCV sqrt(1 + 8 eps) root / eps, regret
// 4 sqrt(1 + 4 / eps^2) root plus the chance.
TEST(MarginBoundsTest, HaveTheLeadingConstantsOfThePage) {
  const double eps = 0.25, t = 1e14, u = 1e4;
  const Terms terms = slater_terms(t, u);
  const Bounds found = bounds(terms, {.margin = eps});
  const double root = std::sqrt(2.0 * t * u);
  EXPECT_NEAR(found.ccv_max[0] / root,
              std::sqrt(1.0 / (eps * eps) + 4.0 * std::sqrt(1.0 + 4.0 / (eps * eps))), 0.1);
  EXPECT_NEAR(*found.regret_margin / root, 4.0 * std::sqrt(1.0 + 4.0 / (eps * eps)), 0.7);
}

// Numbers that were measured in the run cost a little more, and so does a chance of 1 / T.
TEST(MarginBoundsTest, MeasuredNumbersAndMeansCostMore) {
  const Bounds known = bounds(slater_terms(1e6), {.margin = 0.5});
  const Bounds measured = bounds(slater_terms(1e6), {.margin = 0.5, .margin_is_measured = true});
  const Bounds mean = bounds(slater_terms(1e6), {.margin = 0.5, .delta = 0.0});
  EXPECT_GT(measured.ccv_max[0], known.ccv_max[0]);
  EXPECT_LT(measured.ccv_max[0], 1.2 * known.ccv_max[0]);
  EXPECT_LT(*measured.regret_margin, 1.3 * *known.regret_margin);
  EXPECT_GT(mean.ccv_max[0], known.ccv_max[0]);
  EXPECT_LT(mean.ccv_max[0], 1.2 * known.ccv_max[0]);
}

// A smaller V lowers the CCV and hardly moves the regret.
TEST(MarginBoundsTest, ASmallerPotentialHasASmallerViolation) {
  Terms terms = slater_terms(1e9);
  const Bounds as_is = bounds(terms, {.margin = 0.5});
  terms.v_scale = 0.1;
  const Bounds smaller = bounds(terms, {.margin = 0.5});
  EXPECT_LT(3.0 * smaller.ccv_max[0], as_is.ccv_max[0]);
  EXPECT_LT(*smaller.regret_margin, 1.2 * *as_is.regret_margin);
}

RunResult margin_run(const char* world, const RunOptions& options, const char* more = "") {
  const std::string policy = std::string("ccb(oracle=truth,setting=slater,tuning=theory,u=1") +
                             more + ")";
  return run(parse_spec(world).value(), {parse_spec(policy).value()}, options).value();
}

// Where no margin is given, the run measures it: the least over rounds of what some choice keeps.
TEST(MarginBoundsTest, ARunMeasuresItsMargin) {
  const Totals trap = margin_run("slack_then_trap", {.rounds = 500}).policies[0].totals[0];
  EXPECT_EQ(trap.margin, 1.0);
  const char* world = "linear(d=2,k=3,m=2,margin=0.3,noise=none)";
  const Totals two = margin_run(world, {.rounds = 500}).policies[0].totals[0];
  EXPECT_GE(two.margin, 0.3 - 1e-9);
  EXPECT_LT(two.margin, 0.8);
  ASSERT_EQ(two.bounds.ccv_max.size(), 2);
  const Totals given = margin_run(world, {.rounds = 500, .margin = two.margin}).policies[0].totals[0];
  EXPECT_EQ(given.infeasible_rounds, 0);
  EXPECT_LT(given.bounds.ccv_max[0], two.bounds.ccv_max[0]);
  const Totals too_much =
      margin_run(world, {.rounds = 500, .margin = two.margin + 0.01}).policies[0].totals[0];
  EXPECT_EQ(too_much.no_bound, NoBound::kInfeasible);
  EXPECT_FALSE(too_much.bounds.regret_margin);
  EXPECT_TRUE(std::isnan(run(parse_spec("two_arm").value(), {parse_spec("uniform").value()},
                             {.rounds = 50})
                             .value()
                             .policies[0]
                             .totals[0]
                             .margin));
}

// A world in which the queue climbs to V / 2, half of what the bound allows at a large V.
TEST(MarginBoundsTest, AreReachedWithinAFactorOfThree) {
  const char* world = "linear(d=1,k=8,margin=1,noise=none,tension=1)";
  const RunResult result = margin_run(world, {.rounds = 30'000, .margin = 0.99}, ",v_scale=60");
  const Totals& totals = result.policies[0].totals[0];
  ASSERT_FALSE(totals.bounds.ccv_max.empty());
  EXPECT_LT(totals.ccv_max[0], totals.bounds.ccv_max[0]);
  EXPECT_GT(3.0 * totals.ccv_max[0], totals.bounds.ccv_max[0]);
}

}  // namespace
}  // namespace rein
