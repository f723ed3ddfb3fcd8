// The bounds of docs/theory/anytime.md: numbers, the sums they are made of, and that they are true.
#include "evaluate/anytime_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "evaluate/falsify_case.h"
#include "rein/bounds.h"
#include "rein/falsify.h"
#include "rein/run.h"

namespace rein {
namespace {

Terms anytime_terms(Setting setting, double rounds, double u = 1.0) {
  return {.setting = setting,
          .actions = 2,
          .costs = 1,
          .rounds = static_cast<std::int64_t>(rounds),
          .u = u,
          .errors = u,
          .anytime = true};
}

TEST(AnytimeBounds, HaveTheNumbersOfThePage) {
  const Bounds quadratic = bounds(anytime_terms(Setting::kExpectation, 1e6));
  EXPECT_NEAR(*quadratic.regret, 822620.0, 1.0);
  EXPECT_NEAR(quadratic.ccv[0], 63145.0, 1.0);
  const Bounds exponential = bounds(anytime_terms(Setting::kAlmostSure, 1e6));
  EXPECT_NEAR(*exponential.regret, 23485.0, 1.0);
}

// The sums of the page, term by term.
TEST(AnytimeBounds, AreAtLeastTheSumsOverRounds) {
  for (double t : {1.0, 2.0, 3.0, 100.0, 4095.0, 4096.0}) {
    for (double u : {1.0, 7.0}) {
      const Terms terms = anytime_terms(Setting::kExpectation, t, u);
      const double w = 4.0 * std::sqrt(2.0 * u);
      double inverse = 0.0, halves = 0.0, roots = 0.0;
      for (double i = 1.0; i <= t; ++i) {
        const double v = std::sqrt(2.0 * i * u);
        inverse += 1.0 / v;
        halves += std::sqrt(i) / v;
        roots += i / v;
      }
      const double half = 2.0 * w * inverse;
      const double p = half + std::sqrt(half * half + 8.0 * roots + 4.0 * w * halves +
                                        4.0 * inverse * inverse);
      const double least = w * std::sqrt(t) + w * p + inverse;
      const Bounds found = bounds(terms, {.delta = 0.0});
      EXPECT_GE(*found.regret, least * (1.0 - 1e-12));
      // Integrals in the place of sums: a large share of few rounds only.
      EXPECT_LE(*found.regret, (t > 4000.0 ? 1.02 : 2.0) * least);
      EXPECT_GE(found.ccv[0], std::sqrt(terms.root() * (2.0 * t + least)) * (1.0 - 1e-12));
    }
  }
}

// The same rates as with a horizon, with constants that stay below a few times theirs.
TEST(AnytimeBounds, HaveTheRatesOfThoseWithAHorizon) {
  for (double t = 1e3; t <= 1e12; t *= 10.0) {
    Terms terms = anytime_terms(Setting::kExpectation, t);
    const Bounds any = bounds(terms);
    terms.anytime = false;
    const Bounds known = bounds(terms);
    EXPECT_LE(*any.regret, 2.0 * *known.regret);
    EXPECT_LE(any.ccv[0], 1.5 * known.ccv[0]);
    EXPECT_GE(*any.regret, *known.regret);
    Terms sure = anytime_terms(Setting::kAlmostSure, t);
    const Bounds blocks = bounds(sure);
    sure.anytime = false;
    const Bounds whole = bounds(sure);
    if (whole.regret) {
      EXPECT_LE(*blocks.regret, 4.0 * *whole.regret);
    }
  }
}

TEST(AnytimeBounds, HoldInRunsAndArePrinted) {
  const char* policies[] = {"ccb(horizon=0,setting=expectation,tuning=theory)",
                            "ccb(horizon=0,oracle=truth,setting=slater,tuning=theory)",
                            "ccb(horizon=0,oracle=truth,setting=almost_sure,tuning=theory)"};
  std::vector<Spec> specs;
  for (const char* policy : policies) specs.push_back(parse_spec(policy, "policy").value());
  const auto world = parse_spec("slack_then_trap(slack=0)", "world").value();
  const auto result = run(world, specs, {.rounds = 3000, .seeds = 3, .threads = 1, .margin = 0.5});
  ASSERT_TRUE(result.ok()) << result.error();
  for (const auto& policy : result.value().policies) {
    for (const Totals& totals : policy.totals) {
      EXPECT_EQ(totals.no_bound, NoBound::kNone) << policy.spec.str();
      ASSERT_TRUE(totals.bounds.regret);
      EXPECT_LE(totals.regret, *totals.bounds.regret);
      EXPECT_FALSE(totals.bounds.regret_margin);  // not proved without a horizon
      const bool positive = policy.spec.str().find("almost_sure") != std::string::npos;
      EXPECT_LE(positive ? totals.ccv_positive[0] : totals.ccv[0], totals.bounds.ccv[0]);
    }
  }
}

// The search for a false bound plays policies without a horizon, and would find one.
TEST(AnytimeBounds, AreHunted) {
  Genes genes{};
  genes.fill(0.3);
  genes[kHorizonGene] = 0.1;
  EXPECT_NE(make_case(genes).policy.find("horizon=0"), std::string::npos);
  genes[kHorizonGene] = 0.9;
  EXPECT_EQ(make_case(genes).policy.find("horizon=0"), std::string::npos);
  genes[kHorizonGene] = 0.1;
  genes[kSettingGene] = gene_of(Setting::kLinearConstraints);
  EXPECT_EQ(make_case(genes).policy.find("horizon=0"), std::string::npos);
  const auto found = falsify({.cases = 96, .seed = 3, .threads = 1, .setting = "expectation", .tighten = 64.0});
  ASSERT_TRUE(found.ok());
  const auto& offenders = found.value().offenders;
  EXPECT_TRUE(std::ranges::any_of(offenders, [](const Call& call) {
    return call.command.find("horizon=0") != std::string::npos;
  }));
}

// A policy without a horizon has a bound after whatever it has learned, and none before.
TEST(AnytimeBounds, OfAPolicyAreThoseOfItsRounds) {
  Shape shape{.actions = 2, .context = 2};
  shape.costs.resize(1);
  const auto policy = make_policy("ccb(tuning=theory)", shape).value();
  EXPECT_FALSE(bounds(*policy).regret);
  const Bounds late = bounds(*policy, {.rounds = 1000});
  ASSERT_TRUE(late.regret);
  EXPECT_EQ(*late.regret, *bounds(policy->state().theorem->after(1000)).regret);
}

}  // namespace
}  // namespace rein
