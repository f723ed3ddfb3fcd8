// tuning=auto where conditions are not as assumed: ranges declared too wide, features in other
// units, outcomes that come late, money for a few plays only.
#include <gtest/gtest.h>

#include <deque>

#include "../sanitized.h"
#include "policy/play.h"

namespace rein {
namespace {

// Three actions: one free, one that earns by the context, one that earns more and costs more. The
// range of a value may be declared wider, and the context may be in another unit.
struct Conditions {
  std::string spec = "ccb";
  double budget = 600.0;
  int rounds = 3000;
  int late = 0;
  double reward_range = 1.0;
  double cost_range = 1.0;
  double context = 1.0;
  std::uint64_t seed = 11;
};

struct Seen {
  double reward = 0.0;
  double spent = 0.0;
  double swing = 0.0;  // largest less smallest of spent - budget t / T, in the second half
  std::vector<int> actions;
  std::vector<double> probabilities;
};

Seen play(const Conditions& c) {
  Shape shape{.actions = 3, .context = 3, .costs = {{"cost", {0.0, c.cost_range}}}};
  shape.reward = {0.0, c.reward_range};
  shape.rounds = c.rounds;
  shape.budgets = {c.budget};
  auto policy = make_policy(c.spec, shape).value();
  Rng rng(c.seed), world(c.seed + 1);
  Scratch scratch(*policy);
  struct Open {
    std::vector<double> x;
    Decision decision;
    Outcome outcome;
  };
  std::deque<Open> open;
  Seen seen;
  double reserved = 0.0, most = -1e300, least = 1e300;
  for (int t = 0; t < c.rounds; ++t) {
    Open now;
    for (int j = 0; j < 3; ++j) {  // numbers of sizes between 1/2 and 1
      const double u = world.uniform() - 0.5;
      now.x.push_back(c.context * (u < 0.0 ? u - 0.5 : u + 0.5));
    }
    const Round round{.actions = 3, .context = now.x};
    policy->decide(round, {&reserved, 1}, rng, scratch, now.decision).check();
    const int a = now.decision.action;
    const double mean = a == 0 ? 0.1 : a == 1 ? 0.4 + 0.25 * now.x[0] / c.context : 0.6;
    const bool won = world.uniform() < mean;
    const double cost = a == 0 ? 0.0 : (a == 1 ? 0.25 : 0.7) * (0.75 + 0.5 * world.uniform());
    now.outcome = {.reward = won ? 1.0 : 0.0, .costs = {cost}};
    seen.reward += now.outcome.reward;
    seen.spent += cost;
    seen.actions.push_back(a);
    seen.probabilities.push_back(now.decision.probability);
    reserved += now.decision.estimates.mean(1)[a];
    open.push_back(std::move(now));
    if (2 * t > c.rounds) {
      const double ahead = seen.spent - c.budget * t / c.rounds;
      most = std::max(most, ahead);
      least = std::min(least, ahead);
    }
    if (static_cast<int>(open.size()) <= c.late) continue;
    const Open& first = open.front();
    reserved -= first.decision.estimates.mean(1)[first.decision.action];
    policy->learn({.actions = 3, .context = first.x}, first.decision, first.outcome).check();
    open.pop_front();
  }
  seen.swing = most - least;
  return seen;
}

// The mean of four seeds: the reward of one differs by 3 % with every change of what is drawn.
Seen play_four(Conditions c) {
  Seen mean;
  for (std::uint64_t seed : {11, 21, 31, 41}) {
    c.seed = seed;
    const Seen one = play(c);
    mean.reward += one.reward / 4.0;
    mean.spent = std::max(mean.spent, one.spent);
  }
  return mean;
}

TEST(Conditions, ARangeDeclaredTooWideChangesLittle) {
  const Seen exact = play_four({});
  EXPECT_LE(exact.spent, 1.005 * 600.0);
  for (double wide : {10.0, 1e3, 1e6}) {
    SCOPED_TRACE(wide);
    const Seen reward = play_four({.reward_range = wide});
    EXPECT_GE(reward.reward, 0.97 * exact.reward);
    EXPECT_LE(reward.spent, 1.005 * 600.0);
    const Seen cost = play_four({.cost_range = wide});
    EXPECT_GE(cost.reward, 0.97 * exact.reward);
    EXPECT_LE(cost.spent, 1.005 * 600.0);
  }
}

TEST(Conditions, FeaturesInOtherUnitsGiveTheSameDecisions) {
  const Seen usual = play({});
  for (double unit : {0x1p10, 0x1p-10, 0x1p40}) {
    const Seen other = play({.context = unit});
    EXPECT_EQ(other.actions, usual.actions) << unit;
    EXPECT_EQ(other.probabilities, usual.probabilities) << unit;
  }
  for (double unit : {100.0, 0.01}) {
    EXPECT_GE(play({.context = unit}).reward, 0.95 * usual.reward) << unit;
  }
}

// A debt is paid over five times the wait for an outcome; sooner, and the spend would swing.
TEST(Conditions, LateOutcomesDoNotMakeTheSpendSwing) {
  for (const char* spec : {"ccb", "ccb(horizon=0)"}) {
    SCOPED_TRACE(spec);
    const Seen late = play({.spec = spec, .budget = 2000.0, .rounds = 10'000, .late = 800});
    EXPECT_LE(late.swing, 230.0);
    EXPECT_GE(late.reward, 3600.0);
    EXPECT_LE(late.spent, 1.005 * 2000.0);
  }
}

// On average over runs: a single one may meet its last good round with too little money for it, or pass its
// budget by a part of its last play, which costs 0.875 at most. 200 runs spend 94 and 97 % on average; forty
// are within 2 % of that.
TEST(Conditions, TheLastOfTheMoneyIsSpent) {
  for (double budget : {4.0, 10.0}) {
    SCOPED_TRACE(budget);
    const std::uint64_t seeds = repeats(40);
    double spent = 0.0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const Seen few = play({.budget = budget, .rounds = 2000, .seed = 100 * seed + 11});
      EXPECT_LE(few.spent, budget + 0.875) << seed;
      spent += few.spent / static_cast<double>(seeds);
    }
    if (!sanitized()) {
      EXPECT_GE(spent, 0.91 * budget);
    }
  }
}

}  // namespace
}  // namespace rein
