// Numbers of any size that is accepted, up to kMaxNumber: no policy with any oracle ever answers
// with something that is not finite or does not sum to 1, and what it learned can be saved and
// loaded. Settings at the ends of what is accepted: what decide() writes, learn() takes.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "estimate/listed_functions.h"
#include "policy/play.h"

namespace rein {
namespace {

// Mostly ordinary; now and then as large or as small as it may be, or anything between.
double wild(Rng& rng) {
  const double u = rng.uniform();
  const double sign = rng.rademacher();
  if (u < 0.5) return 2.0 * rng.uniform() - 1.0;
  if (u < 0.6) return sign * kMaxNumber;
  if (u < 0.65) return sign * 1e-50;
  if (u < 0.7) return 0.0;
  return sign * std::ldexp(1.0, static_cast<int>(rng.below(166)));  // up to 4.7e49
}

OwnedRound wild_round(const Shape& shape, int t) {
  Rng rng(17, static_cast<std::uint64_t>(t));
  OwnedRound round = round_of(shape, t);
  for (double& x : round.context) x = wild(rng);
  for (double& x : round.features) x = wild(rng);
  return round;
}

Shape both(int context, int features, int costs) {
  Shape shape{.actions = 4, .context = context, .features = features, .rounds = 200};
  const CostShape kinds[] = {{"dollars", {0.0, 1.0}}, {"risk", {-2.0, 0.5}}};
  shape.costs.assign(kinds, kinds + costs);
  ListedFunctions::Weights weights(3);
  Rng rng(5);
  for (auto& function : weights) {
    for (int h = 0; h < shape.heads(); ++h) {
      std::vector<double> w;
      for (int j = 0; j < features + context; ++j) w.push_back(rng.uniform() - 0.5);
      function.push_back(w);
    }
  }
  shape.functions = std::make_shared<ListedFunctions>(features, weights);
  weights.resize(1);
  shape.truth = std::make_shared<ListedFunctions>(features, weights);
  return shape;
}

void expect_sound(const Decision& d) {
  long double sum = 0.0L;
  for (double p : d.probabilities()) {
    ASSERT_GE(p, 0.0);
    sum += p;
  }
  ASSERT_NEAR(static_cast<double>(sum), 1.0, 1e-12);
  ASSERT_TRUE(std::isfinite(d.gamma) && std::isfinite(d.log_scale));
  for (double score : d.scores()) ASSERT_TRUE(std::isfinite(score));
  for (double price : d.prices) ASSERT_TRUE(std::isfinite(price));
  for (double width : d.estimates.width()) ASSERT_TRUE(width >= 0.0 && width <= 1.0) << width;
  for (int h = 0; h < d.estimates.heads(); ++h) {
    for (double mean : d.estimates.mean(h)) ASSERT_TRUE(std::isfinite(mean));
  }
}

void play_wild(const Case& c, int rounds) {
  Game game(c);
  for (int t = 0; t < rounds; ++t) {
    const OwnedRound round = wild_round(c.shape, t);
    const auto decided = game.policy->decide(round.view(), game.rng, game.scratch, game.decision);
    ASSERT_TRUE(decided.ok()) << t << ": " << decided.error();
    ASSERT_NO_FATAL_FAILURE(expect_sound(game.decision)) << t;
    const Outcome outcome = outcome_of(game.policy->shape(), round.view(), game.decision.action, t);
    const auto learned = game.policy->learn(round.view(), game.decision, outcome);
    ASSERT_TRUE(learned.ok()) << t << ": " << learned.error();
  }
  const std::string bytes = game.policy->save();
  Game again(c);
  ASSERT_TRUE(again.policy->load(bytes).ok());
  EXPECT_EQ(again.policy->save(), bytes);
}

std::vector<std::string> oracle_specs() {
  std::vector<std::string> specs;
  for (const Entry& entry : oracles()) {
    const std::string name(entry.name);
    if (name == "forest") {
      specs.push_back("forest(nodes=31,trees=3,wait=8)");
    } else if (name == "mlp") {
      specs.push_back("mlp(hidden=[8,5])");
    } else if (name == "kernel") {
      specs.push_back("kernel(size=16)");
      specs.push_back("kernel(kind=dictionary,size=9)");
    } else {
      specs.push_back(name);
    }
    if (find_option(entry, "features") == nullptr) continue;
    if (name == "forest" || name == "mlp" || name == "kernel") continue;
    specs.push_back(name + "(features=joint)");
    specs.push_back(name + "(features=per_action)");
  }
  specs.push_back("vaw(reg=1e-12)");
  specs.push_back("ons(reg=1e-12)");
  specs.push_back("optimistic(alpha=0)");
  return specs;
}

TEST(Magnitudes, EveryPolicyWithEveryOracleStaysSound) {
  int played = 0;
  for (const Entry& entry : policies()) {
    if (find_option(entry, "oracle") == nullptr) continue;
    for (const std::string& oracle : oracle_specs()) {
      const Case c{.spec = std::string(entry.name) + "(oracle=" + oracle + ")",
                   .shape = both(3, 3, played % 3)};
      if (!make_policy(c.spec, c.shape)) continue;  // confidence bounds need widths
      SCOPED_TRACE(c.spec);
      ASSERT_NO_FATAL_FAILURE(play_wild(c, 200));
      ++played;
    }
  }
  EXPECT_GE(played, 120);
}

TEST(Magnitudes, EveryPolicyAsItComesStaysSound) {
  for (const Entry& entry : policies()) {
    if (needs_safe_action(entry.name)) continue;
    const Case c{.spec = least_spec(entry.name, 1), .shape = both(7, 8, 1)};
    SCOPED_TRACE(c.spec);
    ASSERT_NO_FATAL_FAILURE(play_wild(c, 150));
  }
}

// What is small goes on being learned between rounds that are not.
TEST(Magnitudes, WhatIsSmallIsStillLearned) {
  for (const char* oracle :
       {"vaw(features=joint)", "ridge(features=joint)", "ons(features=joint)"}) {
    const Case c{.spec = std::string("greedy(oracle=") + oracle + ")",
                 .shape = {.actions = 2, .features = 5, .rounds = 4000}};
    Game game(c);
    Rng rng(3);
    double off = 0.0;
    for (int t = 0; t < 2000; ++t) {
      // Two numbers are huge in one round of five and 0 in the others; the rest is ordinary.
      OwnedRound round{.actions = 2, .features = std::vector<double>(10)};
      for (int a = 0; a < 2; ++a) {
        double* x = round.features.data() + 5 * a;
        for (int j = 0; j < 3; ++j) x[j] = 2.0 * rng.uniform() - 1.0;
        for (int j = 3; j < 5 && t % 5 == 0; ++j) x[j] = rng.rademacher() * (1e40 + 1e39 * j);
      }
      game.policy->decide(round.view(), game.rng, game.scratch, game.decision).check();
      const double* x = round.features.data() + 5 * game.decision.action;
      const double truth = 0.3 * x[0] - 0.4 * x[1] + 0.2 * x[2];
      if (t >= 1900 && t % 5 != 0) {
        off =
            std::max(off, std::abs(game.decision.estimates.mean(0)[game.decision.action] - truth));
      }
      game.policy->learn(round.view(), game.decision, {.reward = t % 5 == 0 ? 0.0 : truth}).check();
    }
    EXPECT_LT(off, 0.05) << oracle;
  }
}

// Every number that a key takes, at its ends and far beyond: refused when made, or playable.
TEST(Settings, WhatIsAcceptedCanBePlayed) {
  const char* const sizes[] = {"1e-300", "1e-215", "1e-60", "1e-12", "0",    "1",
                               "1e12",   "1e30",   "1e99",  "1e101", "1e250"};
  int played = 0;
  for (const Entry& entry : policies()) {
    for (const char* key : {"budget", "rate", "u", "v_scale", "lambda_scale", "gamma_scale",
                            "eta_scale", "z_scale", "radius_scale", "alpha", "z", "cap", "lr"}) {
      if (find_option(entry, key) == nullptr) continue;
      for (const char* size : sizes) {
        for (const char* sign : {"", "-"}) {
          for (const char* more : {"", ",rounds=50", ",budget=5,rounds=50"}) {
            const Case c{
                .spec = std::string(entry.name) + "(" + key + "=" + sign + size + more + ")",
                .shape = {.actions = 3, .context = 2, .costs = {{"dollars", {0.0, 1.0}}}}};
            if (!make_policy(c.spec, c.shape)) continue;
            SCOPED_TRACE(c.spec);
            ASSERT_NO_FATAL_FAILURE(play_wild(c, 12));
            ++played;
          }
        }
      }
    }
  }
  EXPECT_GE(played, 300);
}

std::string magnitude_refusal(const std::string& spec, const Shape& shape) {
  const auto made = make_policy(spec, shape);
  return made ? "accepted" : made.error();
}

TEST(Settings, APriceMadeOfTheHorizonNeedsOne) {
  const Shape shape{.actions = 3, .context = 2, .costs = {{}}};
  EXPECT_EQ(magnitude_refusal("ccb(pricer=quadratic)", shape),
            "pricer spec: quadratic needs the number of rounds, or V; accepted: rounds=N, or "
            "quadratic(v=V)");
  EXPECT_EQ(magnitude_refusal("ccb(pricer=exponential)", shape),
            "pricer spec: exponential needs the number of rounds, or lambda and cap; accepted: "
            "rounds=N, or exponential(cap=C,lambda=L)");
  for (const char* spec :
       {"ccb(pricer=quadratic(v=3))", "ccb(pricer=quadratic,rounds=100)",
        "ccb(pricer=exponential(cap=1e6,lambda=0.1))", "ccb(pricer=exponential,rounds=100)"}) {
    Game game({.spec = spec, .shape = shape});
    game.play(0, 20);
    for (double price : game.decision.prices) EXPECT_TRUE(std::isfinite(price)) << spec;
  }
}

TEST(Settings, BudgetsPerRoundHaveTheirEnds) {
  const Shape shape{.actions = 3, .context = 2, .costs = {{"dollars", {0.0, 1.0}}}};
  EXPECT_EQ(magnitude_refusal("aupd(budget=1e-215,rounds=100)", shape),
            "policy spec: the budget of cost 0 is 1e-217 of its largest value per round; accepted: "
            "at least 1e-50");
  EXPECT_EQ(magnitude_refusal("ccb(rate=-1e250)", shape),
            "policy spec: the budget of cost \"dollars\" is -1e+250 per round; accepted: -1e+100 "
            "to 1e+100");
}

// A budget that nothing can reach is as good as none; its size is no matter.
TEST(Settings, ABudgetBeyondReachIsNone) {
  Shape shape{.actions = 3, .context = 2, .costs = {{"a", {0.0, 1.0}}, {"b", {0.0, 1.0}}}};
  for (const char* spec : {"lincbwk(budget=[10,1e30],rounds=60)",
                           "squarecbwk(budget=[10,1e30],explore=20,rounds=60,stages=2)",
                           "lagrange(budget=[10,1e99],rounds=60)"}) {
    SCOPED_TRACE(spec);
    Game game({.spec = spec, .shape = shape});
    ASSERT_NO_THROW(game.play(0, 60));
    EXPECT_EQ(game.policy->state().rounds, 60);
  }
}

}  // namespace
}  // namespace rein
