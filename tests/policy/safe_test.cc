// safe and oplb: every round keeps its limit in expectation, with the probability that is promised.
#include "policy/safe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "allocations.h"
#include "policy/play.h"
#include "rein/engine.h"
#include "rein/rng.h"
#include "rein/run.h"

namespace rein {
namespace {

constexpr int kStageRuns = 20;

// In how many runs some round passed its limit, by the true means.
int unsafe_runs(const std::string& world, const std::string& policy, int delay, int rounds = 1500) {
  const auto result =
      run(parse_spec(world, "world").value(), {parse_spec(policy, "policy").value()},
          {.rounds = rounds, .seeds = kStageRuns, .threads = 1, .curve_points = 0, .delay = delay});
  EXPECT_TRUE(result.ok()) << result.error();
  int unsafe = 0;
  for (const Totals& totals : result.value().policies[0].totals) {
    EXPECT_GE(totals.unsafe_rounds, 0.0);
    if (totals.unsafe_rounds > 0.0) ++unsafe;
  }
  return unsafe;
}

// One run in twenty may fail; none of these does.
TEST(Safe, EveryRoundKeepsItsLimit) {
  for (const char* k : {"2", "4", "9"}) {
    const std::string world =
        std::string("misspecified(d=3,k=") + k + ",margin=0.3,noise=rademacher,strength=0)";
    for (const char* policy : {"safe(action=0,cost=-0.3)", "safe(action=0,cost=-0.3,of=squarecb)",
                               "oplb(action=0,cost=-0.3)",
                               "safe(action=0,cost=-0.3,of=uniform,oracle=ridge,radius_scale=0.5)",
                               "safe(action=0,cost=-0.3,of=uniform)"}) {
      EXPECT_LE(unsafe_runs(world, policy, 0), 1) << policy << " K = " << k;
    }
  }
}

TEST(Safe, SeveralCostsAndLateOutcomesChangeNothing) {
  const std::string world = "misspecified(d=3,k=4,m=3,margin=0.3,noise=rademacher,strength=0)";
  EXPECT_LE(unsafe_runs(world, "safe(action=0,cost=[-0.3,-0.3,-0.3])", 0), 1);
  EXPECT_LE(unsafe_runs(world, "safe(action=0,cost=[-0.3,-0.3,-0.3],of=squarecb)", 200), 1);
  EXPECT_LE(unsafe_runs(world, "oplb(action=0,cost=[-0.3,-0.3,-0.3])", 0), 1);
  EXPECT_LE(unsafe_runs("misspecified(d=3,k=4,margin=0.3,noise=rademacher,strength=0)",
                        "oplb(action=0,cost=-0.3)", 200),
            1);
}

// The test can fail: what is inside passes limits in every run, and so do radii that are too small.
TEST(Safe, WithoutTheBoundsLimitsArePassed) {
  const std::string world = "misspecified(d=3,k=4,margin=0.3,noise=rademacher,strength=0)";
  EXPECT_EQ(unsafe_runs(world, "squarecb", 0), kStageRuns);
  EXPECT_EQ(unsafe_runs(world, "ccb", 0), kStageRuns);
  EXPECT_EQ(unsafe_runs(world, "safe(action=0,cost=-0.3,of=squarecb,radius_scale=0)", 0), kStageRuns);
  EXPECT_EQ(unsafe_runs(world, "oplb(action=0,cost=-0.3,radius_scale=0)", 0), kStageRuns);
}

// Contexts whose numbers hardly vary or differ have parameters of hundreds in the units that the caller
// chose. In how many of 5 runs some round passed its limit of 0.3.
int unsafe_in_units(const std::string& policy, double spread, bool varies) {
  const Shape shape{
      .actions = 2, .context = 2, .reward = {0.0, 1.0}, .costs = {{"harm", {0.0, 1.0}}}};
  int unsafe = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Engine engine = Engine::make(policy, shape, {.seed = seed}).value();
    Rng rng(seed, 3);
    bool passed = false;
    for (int t = 0; t < 5000; ++t) {
      const double w = varies ? 2.0 * rng.uniform() - 1.0 : 1.0;
      const double v = 2.0 * rng.uniform() - 1.0;
      const double context[] = {w, w + spread * v};
      const auto decided = engine.decide({.actions = 2, .context = context}).value();
      const double harm = 0.3 + 0.25 * v;  // of action 1
      const auto p = decided.probabilities;
      passed = passed || 0.05 * p[0] + harm * p[1] > 0.3 + 1e-12;
      Outcome outcome{.reward = decided.action == 0 ? 0.3 : 0.7, .costs = Costs(1)};
      outcome.costs[0] = rng.uniform() < (decided.action == 0 ? 0.05 : harm) ? 1.0 : 0.0;
      engine.learn(decided.id, outcome).check();
    }
    unsafe += passed ? 1 : 0;
  }
  return unsafe;
}

TEST(Safe, TheUnitsOfFeaturesDoNotMatter) {
  for (const bool varies : {false, true}) {
    for (const double spread : {1.0, 0.02, 0.002}) {
      EXPECT_EQ(unsafe_in_units("safe(action=0,cost=0.05,limit=0.3,of=squarecb)", spread, varies),
                0)
          << spread << varies;
    }
  }
  // The published bound asks for |theta| of 1 at most.
  EXPECT_GE(
      unsafe_in_units("safe(action=0,cost=0.05,limit=0.3,of=squarecb,oracle=ridge)", 0.002, true),
      4);
}

Shape stage_shape(int costs) {
  Shape shape{.actions = 3, .context = 2, .rounds = 100};
  shape.costs.resize(static_cast<std::size_t>(costs));
  return shape;
}

// Before anything is known every other action may cost its largest value: with a cost of -0.5, a
// limit of 0 and a largest cost of 1 a third of the probability may go to the others.
TEST(Safe, TheFirstRoundByHand) {
  Game game({.spec = "safe(action=2,cost=-0.5,of=uniform)", .shape = stage_shape(1)});
  OwnedRound round{.actions = 3, .context = {0.6, 0.8}};
  game.policy->decide(round.view(), game.rng, game.scratch, game.decision).check();
  // Uniform gives them 2/3; beta 2/3 (1) + (1/3 + (1 - beta) 2/3) (-0.5) <= 0 at beta = 1/2.
  EXPECT_NEAR(game.decision.probabilities()[0], 1.0 / 6.0, 1e-12);
  EXPECT_NEAR(game.decision.probabilities()[1], 1.0 / 6.0, 1e-12);
  EXPECT_NEAR(game.decision.probabilities()[2], 4.0 / 6.0, 1e-12);
  EXPECT_EQ(game.decision.probability, game.decision.probabilities()[game.decision.action]);
  EXPECT_FALSE(game.policy->state().theorem);
}

// Actions are drawn as the probabilities say.
TEST(Safe, ActionsAreDrawnByTheMixture) {
  Game game({.spec = "safe(action=2,cost=-0.5,of=uniform)", .shape = stage_shape(1)});
  OwnedRound round{.actions = 3, .context = {0.6, 0.8}};
  std::vector<double> count(3);
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    game.policy->decide(round.view(), game.rng, game.scratch, game.decision).check();
    count[static_cast<std::size_t>(game.decision.action)] += 1.0 / kDraws;
  }
  EXPECT_NEAR(count[0], 1.0 / 6.0, 0.015);
  EXPECT_NEAR(count[2], 4.0 / 6.0, 0.015);
}

std::string stage_refusal(const std::string& spec, int costs) {
  const auto made = make_policy(spec, stage_shape(costs));
  return made.ok() ? "made" : made.error();
}

TEST(Safe, WhatIsMissingOrWrongIsTold) {
  EXPECT_EQ(stage_refusal("safe(cost=0)", 1),
            "policy spec: a safe action is needed; accepted: action=ACTION_ID");
  EXPECT_EQ(stage_refusal("safe(action=0)", 1),
            "policy spec: the mean cost of the safe action is needed; accepted: cost=NUMBER, one "
            "per cost");
  EXPECT_EQ(stage_refusal("safe(action=3,cost=0)", 1),
            "policy spec: key \"action\" has 3; accepted: an action, 0 to 2");
  EXPECT_EQ(stage_refusal("safe(action=0,cost=0)", 2),
            "policy spec: key \"cost\" has 1 numbers; accepted: one per cost (2)");
  EXPECT_EQ(stage_refusal("safe(action=0,cost=0.5,limit=0.2)", 1),
            "policy spec: the safe action costs 0.5 of \"cost\" per round, where 0.2 is the limit; "
            "accepted: -1 to the limit");
  EXPECT_EQ(stage_refusal("safe(action=0,cost=0,oracle=mlp)", 1),
            "policy spec: confidence bounds need an oracle with widths, and mlp has none; accepted: "
            "ridge, vaw");
  EXPECT_EQ(stage_refusal("oplb(action=0,cost=0)", 1),
            "policy spec: oplb needs a safe action that costs less than the limit; accepted: cost "
            "below limit");
}

TEST(Safe, ARoundWithoutTheSafeActionIsRefused) {
  for (const char* spec : {"safe(action=2,cost=-0.5)", "oplb(action=2,cost=-0.5)"}) {
    Game game({.spec = spec, .shape = stage_shape(1)});
    OwnedRound round{.actions = 2, .context = {0.6, 0.8}, .ids = {0, 1}};
    const auto decided = game.policy->decide(round.view(), game.rng, game.scratch, game.decision);
    ASSERT_FALSE(decided.ok());
    EXPECT_EQ(decided.error(),
              "round: it does not offer the safe action 2; accepted: rounds that do");
  }
}

// Saved after some rounds and loaded, they go on with the same bits; and no round allocates.
TEST(Safe, SavedAndLoadedTheyGoOn) {
  for (const char* spec :
       {"safe(action=0,cost=[-0.5,-0.4],of=ccb(setting=expectation,tuning=theory))",
        "safe(action=0,cost=[-0.5,-0.4],of=squarecb)",
        "safe(action=0,cost=[-0.5,-0.4],of=squarecb,oracle=ridge)",
        "oplb(action=0,cost=[-0.5,-0.4])"}) {
    const Case c{.spec = spec, .shape = stage_shape(2)};
    Game one(c), other(c);
    for (int t = 0; t < 40; ++t) one.play(3 * t);
    other.policy->load(one.policy->save()).check();
    EXPECT_EQ(other.policy->save(), one.policy->save());
    other.rng = one.rng;
    for (int t = 40; t < 80; ++t) {
      const OwnedRound round = round_of(one.policy->shape(), 3 * t);
      const Outcome outcome = outcome_of(one.policy->shape(), round.view(), 0, t);
      const long made = allocations;
      one.policy->decide(round.view(), one.rng, one.scratch, one.decision).check();
      one.policy->learn(round.view(), one.decision, outcome).check();
      EXPECT_EQ(allocations, made);
      other.policy->decide(round.view(), other.rng, other.scratch, other.decision).check();
      other.policy->learn(round.view(), other.decision, outcome).check();
    }
    EXPECT_EQ(other.policy->save(), one.policy->save());
    EXPECT_FALSE(other.policy->load("nonsense").ok());
  }
}

// The best mix of oplb is that of the small linear program: never worse than any mix of two.
TEST(Oplb, PlaysTheBestMixUnderItsBounds) {
  Game game({.spec = "oplb(action=0,cost=-0.5,radius_scale=0.05)",
             .shape = {.actions = 6, .context = 2, .costs = {CostShape()}}});
  for (int t = 0; t < 300; ++t) {
    OwnedRound round = round_of(game.policy->shape(), 3 * t);  // all actions
    game.policy->decide(round.view(), game.rng, game.scratch, game.decision).check();
    const std::span<const double> p = game.decision.probabilities();
    EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1.0, 1e-12);
    EXPECT_LE(std::count_if(p.begin(), p.end(), [](double x) { return x > 0.0; }), 2);
    const Outcome outcome = outcome_of(game.policy->shape(), round.view(), game.decision.action, t);
    game.policy->learn(round.view(), game.decision, outcome).check();
  }
}

}  // namespace
}  // namespace rein
