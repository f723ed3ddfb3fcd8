// The baseline: never much worse than a given action or policy, with confidence.
#include "policy/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "../sanitized.h"
#include "policy/play.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

const Shape kBaselineShape{.actions = 4, .context = 2, .reward = {0.0, 1.0}, .rounds = 4000};

// Action 0 is the baseline: 0.6. The others earn `other`, and action 3 earns `best` where the first
// number of the context is above a half.
struct BaselineWorld {
  double other = 0.05, best = 0.05;
  double mean(int action, double x) const {
    if (action == 0) return 0.6;
    return action == 3 && x > 0.5 ? best : other;
  }
};

struct BaselinePlayed {
  double worst = 1e9;  // the smallest Z over time
  double earned = 0.0, base = 0.0;
  double last_share = 0.0;  // the mean probability of the baseline in the last 500 rounds
};

BaselinePlayed play_baseline(const std::string& spec, const BaselineWorld& world, int rounds,
                             std::uint64_t seed) {
  Game game({.spec = spec, .shape = kBaselineShape}, seed);
  Rng rng(100 + seed);
  BaselinePlayed out;
  double z = 0.0;
  for (int t = 0; t < rounds; ++t) {
    const std::array<double, 2> x = {rng.uniform(), 1.0};
    const Round round{.actions = 4, .context = x};
    game.policy->decide(round, game.rng, game.scratch, game.decision).check();
    const auto p = std::as_const(game.decision).probabilities();
    double mean = 0.0;
    for (int a = 0; a < 4; ++a) mean += p[a] * world.mean(a, x[0]);
    z += mean - 0.9 * 0.6;
    out.worst = std::min(out.worst, z);
    out.earned += mean;
    out.base += 0.6;
    if (t >= rounds - 500) out.last_share += p[0] / 500;
    const double got = rng.uniform() < world.mean(game.decision.action, x[0]) ? 1.0 : 0.0;
    game.policy->learn(round, game.decision, {.reward = got, .costs = {}}).check();
  }
  return out;
}

TEST(Baseline, IsNeverFallenBelowAtAnyTime) {
  int broken = 0, broken_without = 0;
  const std::uint64_t seeds = repeats(40);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    broken += play_baseline("ccb(baseline=0)", {}, 600, seed).worst < -1e-9;
    broken_without += play_baseline("ccb", {}, 600, seed).worst < -1e-9;
  }
  EXPECT_LE(broken, 2) << "0.05 of 40";
  EXPECT_EQ(broken_without, static_cast<int>(seeds))
      << "exploring costs more than a tenth at first";
}

// A policy that always plays the worst actions is held at the promise, not at the baseline.
TEST(Baseline, HoldsEvenIfThePolicyIsWrong) {
  for (std::uint64_t seed = 1; seed <= repeats(10); ++seed) {
    const BaselinePlayed got = play_baseline("ccb(baseline=0,explorer=uniform)", {}, 4000, seed);
    EXPECT_GE(got.worst, 0.0);
    EXPECT_LT(got.earned, 0.97 * got.base) << "what may be lost is used to explore";
  }
}

TEST(Baseline, ABetterActionIsStillFound) {
  const BaselineWorld world{.other = 0.3, .best = 0.95};
  const BaselinePlayed got = play_baseline("ccb(baseline=0)", world, 20'000, 3);
  EXPECT_GE(got.worst, 0.0);
  EXPECT_GT(got.earned, 1.1 * got.base);  // knowing all earns 1.29 of it
  EXPECT_LT(got.last_share, 0.65);        // half of the rounds are the baseline's by right
}

TEST(Baseline, ARoundWithoutItCountsOnNeitherSide) {
  Game game({.spec = "ccb(baseline=0)", .shape = kBaselineShape});
  const std::array<double, 2> x = {0.5, 1.0};
  const std::array<std::int32_t, 2> ids = {1, 2};
  const Round round{.actions = 2, .context = x, .ids = ids};
  game.policy->decide(round, game.rng, game.scratch, game.decision).check();
  EXPECT_NEAR(game.decision.probabilities()[0] + game.decision.probabilities()[1], 1.0, 1e-12);
  game.policy->learn(round, game.decision, {.reward = 0.0, .costs = {}}).check();
  const Round all{.actions = 4, .context = x};
  game.policy->decide(all, game.rng, game.scratch, game.decision).check();
  EXPECT_EQ(game.decision.probabilities()[0], 1.0) << "at first only the baseline is safe";
}

TEST(Baseline, SavedAndLoadedItGoesOnWithTheSameBits) {
  const Case c{.spec = "ccb(baseline=1,baseline_loss=0.5)", .shape = kBaselineShape};
  Game one(c), other(c);
  one.play(0, 200);
  other.policy->load(one.policy->save()).check();
  other.rng = one.rng;
  one.play(200, 260);
  other.play(200, 260);
  EXPECT_EQ(other.policy->save(), one.policy->save());
}

TEST(Baseline, WhatMakesNoSenseIsRefused) {
  const auto error = [](const char* spec) {
    auto made = make_policy(spec, kBaselineShape);
    return made ? std::string("accepted") : made.error();
  };
  EXPECT_THAT(error("ccb(baseline=4)"), HasSubstr("from 0 to 3"));
  EXPECT_THAT(error("ccb(baseline=1.5)"), HasSubstr("a whole number from 0 to 3"));
  EXPECT_THAT(error("ccb(baseline=best)"), HasSubstr("or round"));
  EXPECT_THAT(error("ccb(baseline=[0.5,0.5])"),
              HasSubstr("has 2 probabilities; accepted: one per"));
  EXPECT_THAT(error("ccb(baseline=[0.5,0.5,0.5,0])"),
              HasSubstr("sum to 1.5; accepted: a sum of 1"));
  EXPECT_THAT(error("ccb(baseline=[1.5,-0.5,0,0])"), HasSubstr("baseline"));
  EXPECT_THAT(error("ccb(baseline=0,baseline_loss=0)"), HasSubstr("baseline_loss"));
  EXPECT_THAT(error("ccb(baseline=0,least=0.1)"), HasSubstr("a baseline and shares"));
  EXPECT_FALSE(
      make_policy("ccb(baseline=0,tuning=theory)", kBaselineShape).value()->state().theorem);
}

}  // namespace
}  // namespace rein
