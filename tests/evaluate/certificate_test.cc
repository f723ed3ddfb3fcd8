// The U that tuning=auto certifies covers the error of the estimates it uses: with bonuses,
// corrections and late outcomes.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/small.h"
#include "rein/engine.h"
#include "rein/rng.h"
#include "rein/run.h"

namespace rein {
namespace {

std::vector<Totals> play(const char* world, const char* policy, int delay) {
  RunOptions options;
  options.rounds = 2000;
  options.seeds = 4;
  options.curve_points = 0;
  options.long_term = false;
  options.delay = delay;
  const Spec spec = parse_spec(policy).value();
  return run(parse_spec(world).value(), {spec}, options).value().policies[0].totals;
}

// The own certificate of the oracle is 39 here; the error of what it says with its bonus is 64 to 66.
TEST(CertifiedU, CoversTheBonus) {
  for (const Totals& totals :
       play("misspecified(strength=0,noise=none)", "ccb(oracle=optimistic)", 0)) {
    EXPECT_GT(totals.oracle_error, 60.0);
    EXPECT_LE(totals.oracle_error, totals.u);
    EXPECT_LE(totals.u, 6.0 * totals.oracle_error) << "and is not empty words";
  }
}

TEST(CertifiedU, CoversWhatIsPlayedElsewhere) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  int certified = 0, plays = 0;
  for (const char* world :
       {"misspecified(strength=0,noise=none)", "linear(d=4,k=4)",
        "linear(costs=positive,noise=low,rate=0.2)", "heavy(d=4,k=6,rate=0.05)"}) {
    for (int delay : {0, 100}) {
      for (const char* policy : {"ccb", "ccb(cost_oracle=kernel(size=16))"}) {
        for (const Totals& totals : play(world, policy, delay)) {
          ++plays;
          if (std::isnan(totals.u)) continue;  // a change was noticed: nothing is certified
          ++certified;
          EXPECT_LE(totals.oracle_error, totals.u) << world << " " << policy << " " << delay;
        }
      }
    }
  }
  EXPECT_GE(certified, plays - 2) << "changes are noticed where nothing changed";
}

// A linear function of a feature that lies in [0.98, 1.02] has a large parameter on it, and a larger one
// on the constant, unless features are centred and scaled first.
TEST(CertifiedU, CoversFeaturesThatHardlyVary) {
  const Shape shape{.actions = 2, .context = 2, .reward = {0.0, 1.0}, .costs = {{"dollars", {0.0, 1.0}}}};
  for (const char* policy : {"ccb(oracle=vaw,rate=0.25,rounds=20000)",
                             "ccb(oracle=vaw,optimism=0,rate=0.25,rounds=20000)"}) {
    for (const double spread : {0.02, 0.001}) {
      Engine engine = Engine::make(policy, shape, {.seed = 5}).value();
      Rng rng(11, 3);
      double missed = 0.0;
      for (int t = 0; t < 20'000; ++t) {
        const double v = 2.0 * rng.uniform() - 1.0;
        const double context[] = {1.0, 1.0 + spread * v};
        const auto decided = engine.decide({.actions = 2, .context = context}).value();
        const double sign = decided.action == 0 ? 1.0 : -1.0;
        const double reward = 0.5 + 0.4 * sign * v;
        const double cost = decided.action == 0 ? 0.1 : 0.3 + 0.2 * v;
        const auto place = static_cast<std::size_t>(decided.place);
        missed += std::pow(decided.estimates->mean(0)[place] - reward, 2.0);
        Outcome outcome{.reward = rng.uniform() < reward ? 1.0 : 0.0, .costs = Costs(1)};
        outcome.costs[0] = rng.uniform() < cost ? 1.0 : 0.0;
        engine.learn(decided.id, outcome).check();
      }
      const PolicyState state = engine.policy_state();
      EXPECT_LE(missed, state.u) << policy << " " << spread;
      EXPECT_FALSE(state.alarm && state.alarm->ringing) << policy << " " << spread;
    }
  }
}

// Two features that hardly differ: what decides is their difference, whose parameter is 0.4 / spread.
TEST(CertifiedU, CoversFeaturesThatHardlyDiffer) {
  const Shape shape{
      .actions = 2, .context = 2, .reward = {0.0, 1.0}, .costs = {{"dollars", {0.0, 1.0}}}};
  for (const char* policy :
       {"ccb(oracle=vaw,optimism=0,rate=0.25,rounds=20000)", "ccb(rate=0.25,rounds=20000)"}) {
    for (const double spread : {0.1, 0.005, 0.001}) {
      Engine engine = Engine::make(policy, shape, {.seed = 5}).value();
      Rng rng(11, 3);
      double missed = 0.0;
      for (int t = 0; t < 20'000; ++t) {
        const double w = 2.0 * rng.uniform() - 1.0;
        const double v = 2.0 * rng.uniform() - 1.0;
        const double context[] = {w, w + spread * v};
        const auto decided = engine.decide({.actions = 2, .context = context}).value();
        const double reward = 0.5 + (decided.action == 0 ? 0.4 : -0.4) * v;
        const double cost = decided.action == 0 ? 0.1 : 0.3 + 0.2 * v;
        const auto place = static_cast<std::size_t>(decided.place);
        missed += std::pow(decided.estimates->mean(0)[place] - reward, 2.0);
        Outcome outcome{.reward = rng.uniform() < reward ? 1.0 : 0.0, .costs = Costs(1)};
        outcome.costs[0] = rng.uniform() < cost ? 1.0 : 0.0;
        engine.learn(decided.id, outcome).check();
        if (t % 1000 == 999) {
          EXPECT_LE(missed, engine.policy_state().u) << policy << " " << spread << " " << t;
        }
      }
      const PolicyState state = engine.policy_state();
      EXPECT_LE(state.u, 10.0 * missed + 1000.0) << policy << " " << spread;  // it says something
      EXPECT_FALSE(state.alarm && state.alarm->ringing) << policy << " " << spread;
      EXPECT_TRUE(std::isnan(engine.brief_state().u));
    }
  }
}

}  // namespace
}  // namespace rein
