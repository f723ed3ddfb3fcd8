// The certificate of a run: beside the bounds, in every form of output, and its premises.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "evaluate/report.h"
#include "rein/falsify.h"
#include "rein/report.h"
#include "sanitized.h"

namespace rein {
namespace {

using testing::HasSubstr;

Totals certified_totals(const char* world, const char* policy, RunOptions options) {
  options.seeds = options.threads = 1;
  options.curve_points = 0;
  options.certify = true;
  return run(parse_spec(world).value(), {parse_spec(policy).value()}, options)
      .value()
      .policies[0]
      .totals[0];
}

TEST(Certify, HoldsAndHalfOfItIsPassed) {
  const char* const kPassed = "linear(k=4,d=3,noise=low)";
  for (const char* world : {kPassed, "linear(k=4,d=3,m=2,noise=low)",
                            "linear(k=4,d=3,costs=positive,rate=0.3,noise=low)"}) {
    const Totals t = certified_totals(world, "uniform", {.rounds = 4000});
    ASSERT_EQ(t.no_certificate, NoCertificate::kNone) << world << ": " << why(t.no_certificate);
    EXPECT_LE(t.regret, t.certified_regret) << world;
    EXPECT_LE(t.regret_long_term, t.certified_long_term) << world;
    if (world == kPassed) {
      EXPECT_GT(t.regret, t.certified_regret / 2.0);
    }
    EXPECT_LT(t.certified_regret, 4000.0) << "it says something";
    EXPECT_LE(t.certified_means, 1.0);
    EXPECT_LE(t.certified_noise, 1.0);
    EXPECT_GT(t.certified_means, 0.0);
  }
}

// A context of numbers that hardly vary around a constant says the same as one that varies.
TEST(Certify, DoesNotAssumeANorm) {
  const Totals plain =
      certified_totals("misspecified(strength=0,k=2,d=3)", "uniform", {.rounds = 2000});
  const Totals narrow =
      certified_totals("misspecified(strength=0,k=2,d=3,spread=0.02)", "uniform", {.rounds = 2000});
  ASSERT_EQ(narrow.no_certificate, NoCertificate::kNone) << why(narrow.no_certificate);
  EXPECT_LE(narrow.certified_means, 1.0);
  EXPECT_NEAR(narrow.certified_regret, plain.certified_regret, 0.02 * plain.certified_regret);
  EXPECT_LT(narrow.certified_regret, 1800.0);
}

TEST(Certify, NoneWhereItsPremisesAreSeenToFail) {
  EXPECT_EQ(certified_totals("nonlinear", "ccb", {.rounds = 6000}).no_certificate,
            NoCertificate::kAlarm);
  EXPECT_EQ(certified_totals("linear(costs=positive,rate=0.001,safe=0.9)", "ccb", {.rounds = 300})
                .no_certificate,
            NoCertificate::kInfeasible);
  RunOptions live{.rounds = 300};
  live.live.missing = {{"reward", 0.5}};
  const Totals parts = certified_totals("linear", "ccb", live);
  EXPECT_EQ(parts.no_certificate, NoCertificate::kLive);
  EXPECT_TRUE(std::isnan(parts.certified_regret));
  RunOptions options{.rounds = 300, .seeds = 1, .threads = 1};
  const auto unasked = run(parse_spec("linear").value(), {Spec("ccb")}, options).value();
  EXPECT_EQ(unasked.policies[0].totals[0].no_certificate, NoCertificate::kNotAsked);
}

// The run has every outcome in the end, however late the policy got it.
TEST(Certify, LateOutcomesAreCountedOnceTheyCame) {
  const Totals late = certified_totals("linear(k=4,d=3)", "ccb", {.rounds = 2000, .delay = 50});
  EXPECT_EQ(late.no_certificate, NoCertificate::kNone);
  EXPECT_LE(late.regret, late.certified_regret);
}

TEST(Certify, IsInTheResult) {
  RunOptions options{.rounds = 500, .seeds = 2, .threads = 1};
  options.certify = true;
  const auto result = run(parse_spec("linear(k=3,d=2)").value(), {Spec("ccb")}, options).value();
  const std::string json = to_json(result, {});
  EXPECT_THAT(json, HasSubstr("\"no_certificate\":\"\""));
  EXPECT_THAT(json, HasSubstr("\"certified_regret\":{\"mean\":"));
  EXPECT_THAT(to_csv(result), HasSubstr(",certified_regret,certified_long_term,"));
}

// A search finds no false certificate, and finds one whose radius is halved: a mean that is missed
// by more than half of its radius, and regret above half of the bound.
TEST(Certify, ASearchFindsNoneAndFindsAHalvedOne) {
  if (sanitized()) GTEST_SKIP() << "a long search, which the plain build has";
  FalsifyOptions options{.cases = 48, .seed = 3, .threads = 1, .setting = "certificate"};
  const Falsification found = falsify(options).value();
  EXPECT_EQ(found.offences, 0);
  for (const Call& call : found.offenders) ADD_FAILURE() << call.quantity << ": " << call.command;
  EXPECT_EQ(found.refused, 0) << found.refusal;
  EXPECT_GT(found.runs, 30);
  options.tighten = 2.0;
  EXPECT_GT(falsify(options).value().offences, 0);
}

}  // namespace
}  // namespace rein
