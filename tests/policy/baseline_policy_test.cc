// A baseline that is a policy: a fixed mix, or probabilities that come with each round.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "../sanitized.h"
#include "policy/baseline.h"
#include "policy/play.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

const Shape kBaselinePolicyShape{.actions = 4, .context = 2, .reward = {-1.0, 1.0}, .rounds = 4000};
using Chances = std::array<double, 4>;

// Mean rewards in [0, 1], by action; the reward is 1 or -1.
struct World {
  Chances means = {0.7, 0.5, 0.05, 0.05};
  // What the baseline of round t plays; `kind` says which policy it is.
  enum Kind { kFixed, kByContext, kMoving } kind = kFixed;
  Chances baseline(int t, double x) const {
    if (kind == kFixed) return {0.6, 0.4, 0.0, 0.0};
    if (kind == kByContext)
      return x > 0.5 ? Chances{1.0, 0.0, 0.0, 0.0} : Chances{0.1, 0.9, 0.0, 0.0};
    const double share = 0.5 + 0.5 * std::sin(0.05 * t);
    return {share, 1.0 - share, 0.0, 0.0};
  }
};

struct Played {
  double worst = 1e9;  // the smallest Z over time
  double earned = 0.0, base = 0.0;
  double least = 1.0;  // the smallest p(a) / pi(a)
};

// Plays against the baseline of the world; `tells`: with every round.
Played play(const std::string& spec, const World& world, bool tells, int rounds, std::uint64_t seed,
            double keep = 0.9) {
  Game game({.spec = spec, .shape = kBaselinePolicyShape}, seed);
  Rng rng(100 + seed);
  Played out;
  double z = 0.0;
  for (int t = 0; t < rounds; ++t) {
    const std::array<double, 2> x = {rng.uniform(), 1.0};
    const Chances pi = world.baseline(t, x[0]);
    Round round{.actions = 4, .context = x};
    if (tells) round.baseline = pi;
    game.policy->decide(round, game.rng, game.scratch, game.decision).check();
    const auto p = std::as_const(game.decision).probabilities();
    double mean = 0.0, base = 0.0;
    for (std::size_t a = 0; a < 4; ++a) {
      mean += p[a] * world.means[a];
      base += pi[a] * world.means[a];
      if (pi[a] > 0.0) out.least = std::min(out.least, p[a] / pi[a]);
    }
    z += mean - keep * base;
    out.worst = std::min(out.worst, z);
    out.earned += mean;
    out.base += base;
    const double chance = world.means[static_cast<std::size_t>(game.decision.action)];
    const double got = rng.uniform() < chance ? 1.0 : -1.0;
    game.policy->learn(round, game.decision, {.reward = got, .costs = {}}).check();
  }
  return out;
}

// The guarantee over seeds: it fails in at most 5 % of them, and without the baseline in all.
TEST(BaselinePolicy, AFixedMixIsNeverFallenBelow) {
  int broken = 0, broken_without = 0;
  const std::uint64_t seeds = repeats(40);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Played got =
        play("ccb(baseline=[0.6,0.4,0,0],baseline_share=0.4)", {}, false, 1500, seed);
    broken += got.worst < -1e-9;
    EXPECT_GE(got.least, 0.4 - 1e-12) << "the least share";
    broken_without += play("ccb", {}, false, 600, seed).worst < -1e-9;
  }
  EXPECT_LE(broken, 2) << "0.05 of 40";
  EXPECT_GE(broken_without + 2, static_cast<int>(seeds))
      << "exploring costs more than a tenth at first";
}

TEST(BaselinePolicy, ProbabilitiesOfTheRoundAreNeverFallenBelow) {
  for (const auto kind : {World::kByContext, World::kMoving}) {
    const World world{.kind = kind};
    int broken = 0, broken_without = 0;
    const std::uint64_t seeds = repeats(40);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const Played got = play("ccb(baseline=round,baseline_share=0.4)", world, true, 1500, seed);
      broken += got.worst < -1e-9;
      EXPECT_GE(got.least, 0.4 - 1e-12);
      broken_without += play("ccb(baseline=round)", world, false, 600, seed).worst < -1e-9;
    }
    EXPECT_LE(broken, 2);
    EXPECT_GE(broken_without + 2, static_cast<int>(seeds))
        << "the same policy that is not told the baseline";
  }
}

// Whatever the share and the confidence are: a policy that always plays at random loses no more.
TEST(BaselinePolicy, TheLossNeverExceedsTheShare) {
  Rng rng(5);
  for (std::uint64_t seed = 1; seed <= repeats(24); ++seed) {
    const double loss = 0.02 + 0.5 * rng.uniform(), share = 0.05 + 0.4 * rng.uniform();
    const auto kind = static_cast<World::Kind>(seed % 3);
    const World world{
        .means = {rng.uniform(), rng.uniform(), 0.2 * rng.uniform(), 0.2 * rng.uniform()},
        .kind = kind};
    const std::string spec =
        "ccb(baseline=round,baseline_delta=0.001,explorer=uniform,baseline_loss=" +
        std::to_string(loss) + ",baseline_share=" + std::to_string(share) + ")";
    const Played got = play(spec, world, true, 2000, seed, 1.0 - loss);
    EXPECT_GE(got.worst, -1e-6) << spec;  // the keys have six digits
    EXPECT_GE(got.least, share - 1e-5) << spec;
  }
}

// It does not rely on the oracle: at first all actions are poor, then that of the baseline is good,
// and an oracle that never forgets is long wrong about it.
TEST(BaselinePolicy, HoldsWithAnOracleThatIsWrong) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Game game({.spec = "ccb(baseline=[1,0,0,0],baseline_loss=0.3,baseline_share=0.3,"
                       "explorer=uniform,oracle=vaw)",
               .shape = kBaselinePolicyShape},
              seed);
    Rng rng(100 + seed);
    double z = 0.0, worst = 0.0;
    for (int t = 0; t < 4000; ++t) {
      const std::array<double, 2> x = {0.5, 1.0};
      const double good = t < 1000 ? 0.2 : 0.9;
      const Round round{.actions = 4, .context = x};
      game.policy->decide(round, game.rng, game.scratch, game.decision).check();
      const double p = std::as_const(game.decision).probabilities()[0];
      z += p * good + (1.0 - p) * 0.2 - 0.7 * good;
      worst = std::min(worst, z);
      const double got = rng.uniform() < (game.decision.action == 0 ? good : 0.2) ? 1.0 : -1.0;
      game.policy->learn(round, game.decision, {.reward = got, .costs = {}}).check();
    }
    EXPECT_GE(worst, 0.0) << seed;
  }
}

// What may be lost is used: the policy is held at the promise, not at the baseline.
TEST(BaselinePolicy, WhatMayBeLostIsUsed) {
  const Played got = play("ccb(baseline=[0.6,0.4,0,0],explorer=uniform)", {}, false, 6000, 3);
  EXPECT_GE(got.worst, 0.0);
  EXPECT_LT(got.earned, 0.97 * got.base);
}

TEST(BaselinePolicy, ABetterActionIsStillFound) {
  const World world{.means = {0.5, 0.3, 0.95, 0.1}};
  const Played got = play("ccb(baseline=[0.6,0.4,0,0])", world, false, 20'000, 3);
  EXPECT_GE(got.worst, 0.0);
  EXPECT_GT(got.earned, 1.6 * got.base);  // knowing all earns 2.26 of it
}

// The whole mass on one action is that action, to the bit.
TEST(BaselinePolicy, AMixOfOneActionIsTheAction) {
  const Shape shape{.actions = 4, .context = 2, .reward = {0.0, 1.0}, .rounds = 4000};
  Game one({.spec = "ccb(baseline=1)", .shape = shape});
  Game mix({.spec = "ccb(baseline=[0,1,0,0])", .shape = shape});
  Game told({.spec = "ccb(baseline=round)", .shape = shape});
  const Chances pi = {0.0, 1.0, 0.0, 0.0};
  Rng rng(8);
  for (int t = 0; t < 1500; ++t) {
    const std::array<double, 2> x = {rng.uniform(), 1.0};
    const double luck = rng.uniform();
    for (Game* game : {&one, &mix, &told}) {
      Round round{.actions = 4, .context = x};
      if (game == &told) round.baseline = pi;
      game->policy->decide(round, game->rng, game->scratch, game->decision).check();
      const double got = luck < (game->decision.action == 1 ? 0.8 : 0.4) ? 1.0 : 0.0;
      game->policy->learn(round, game->decision, {.reward = got, .costs = {}}).check();
    }
    ASSERT_EQ(one.decision.probability, mix.decision.probability) << t;
    ASSERT_EQ(one.decision.probability, told.decision.probability) << t;
  }
  EXPECT_LT(one.decision.probabilities()[1], 1.0) << "it explores by now";
}

TEST(BaselinePolicy, AFixedMixIsRenormalisedOverWhatIsOffered) {
  Game game({.spec = "ccb(baseline=[0.2,0.3,0.5,0])", .shape = kBaselinePolicyShape});
  const std::array<double, 2> x = {0.5, 1.0};
  const std::array<std::int32_t, 3> ids = {3, 1, 0};
  game.policy
      ->decide({.actions = 3, .context = x, .ids = ids}, game.rng, game.scratch, game.decision)
      .check();
  const auto p = std::as_const(game.decision).probabilities();
  EXPECT_EQ(p[0], 0.0) << "at first only the baseline is safe";
  EXPECT_NEAR(p[1], 0.6, 1e-12);
  EXPECT_NEAR(p[2], 0.4, 1e-12);
}

// All 0, or no action of the mix: on neither side. The round's own goes before that of the spec.
TEST(BaselinePolicy, ARoundWithoutItCountsOnNeitherSide) {
  Game game({.spec = "ccb(baseline=[1,0,0,0])", .shape = kBaselinePolicyShape});
  const std::array<double, 2> x = {0.5, 1.0};
  const Chances none{}, last = {0.0, 0.0, 0.0, 1.0};
  Round round{.actions = 4, .context = x, .baseline = none};
  for (int t = 0; t < 20; ++t) {
    game.policy->decide(round, game.rng, game.scratch, game.decision).check();
    EXPECT_LT(game.decision.probabilities()[0], 1.0);
    game.policy->learn(round, game.decision, {.reward = -1.0, .costs = {}}).check();
  }
  round.baseline = last;
  game.policy->decide(round, game.rng, game.scratch, game.decision).check();
  EXPECT_EQ(game.decision.probabilities()[3], 1.0);
  round.baseline = {};
  game.policy->decide(round, game.rng, game.scratch, game.decision).check();
  EXPECT_EQ(game.decision.probabilities()[0], 1.0);
}

// A decision that this policy cannot have made is counted as the worst that it can be.
TEST(BaselinePolicy, AStrangeDecisionLowersTheBound) {
  const Spec spec = parse_spec("ccb(baseline=[0.5,0.5,0,0])").value();
  SpecReader read(spec, "policy spec");
  Baseline baseline(read, kBaselinePolicyShape);
  const double before = baseline.lower();
  const std::array<double, 2> x = {0.5, 1.0};
  const Round round{.actions = 4, .context = x};
  Decision strange;
  strange.prepare(1, 4);
  std::ranges::fill(strange.estimates.mean(0), 0.0);
  std::ranges::copy(Chances{0.0, 0.5, 0.5, 0.0}, strange.probabilities().begin());
  strange.action = 2;
  const Outcome outcome{.reward = 1.0, .costs = {}};
  const double heads[] = {1.0};
  baseline.learn({.round = round,
                  .decision = strange,
                  .outcome = outcome,
                  .heads = heads,
                  .queued = Costs(0),
                  .fresh = true,
                  .came = 1,
                  .first = true});
  EXPECT_NEAR(baseline.lower(), before - 0.9, 1e-12);
}

TEST(BaselinePolicy, WhatIsNoDistributionIsRefused) {
  Game game({.spec = "ccb(baseline=round)", .shape = kBaselinePolicyShape});
  const std::array<double, 2> x = {0.5, 1.0};
  const auto error = [&](Game& of, std::vector<double> pi) {
    const auto done = of.policy->decide({.actions = 4, .context = x, .baseline = pi}, of.rng,
                                        of.scratch, of.decision);
    return done ? std::string("accepted") : done.error();
  };
  EXPECT_THAT(error(game, {0.5, 0.5}), HasSubstr("found 2 baseline probabilities; accepted: 4"));
  EXPECT_THAT(error(game, {0.5, 0.7, 0.0, 0.0}), HasSubstr("sums to 1.2; accepted"));
  EXPECT_THAT(error(game, {1.5, -0.5, 0.0, 0.0}), HasSubstr("baseline[0] is 1.5"));
  EXPECT_THAT(error(game, {std::nan(""), 0.5, 0.5, 0.0}), HasSubstr("baseline[0] is"));
  EXPECT_EQ(error(game, {0.333, 0.333, 0.333, 0.0}), "accepted");
  Game other({.spec = "ccb", .shape = kBaselinePolicyShape});
  EXPECT_THAT(error(other, {0.5, 0.5, 0.0, 0.0}), HasSubstr("the policy takes none"));
}

}  // namespace
}  // namespace rein
