// Outcomes in parts, in every policy: the round counts once, each part counts when it comes.
#include <gtest/gtest.h>

#include <cmath>

#include "policy/play.h"

namespace rein {
namespace {

// The part `which` of an outcome: 0 the reward, i cost i.
Outcome part_of(const Outcome& outcome, int which) {
  Outcome part{.costs = Costs(outcome.costs.size(), kMissing)};
  if (which == 0) part.reward = outcome.reward;
  if (which > 0) part.costs[which - 1] = outcome.costs[which - 1];
  return part;
}

// Plays round t and learns its outcome part by part, in an order that changes. Every fifth reward
// and every seventh last cost never comes. Returns whether anything came.
bool play_parts(Game& game, int t) {
  const Shape& shape = game.policy->shape();
  const OwnedRound round = round_of(shape, t);
  game.policy->decide(round.view(), game.rng, game.scratch, game.decision).check();
  const Outcome outcome = outcome_of(shape, round.view(), game.decision.action, t);
  bool first = true;
  for (int i = 0; i < shape.heads(); ++i) {
    const int which = (t + i) % shape.heads();
    if ((which == 0 && t % 5 == 4) || (which > 0 && which + 1 == shape.heads() && t % 7 == 3))
      continue;
    game.policy
        ->learn(round.view(), game.decision, part_of(outcome, which),
                first ? Part::kFirst : Part::kLater)
        .check();
    first = false;
  }
  return !first;
}

TEST(PolicyParts, EveryPolicyLearnsThemOrSaysThatItDoesNot) {
  int learned = 0, refused = 0;
  for_every_case([&](const Case& c) {
    if (c.shape.costs.empty()) return;
    Game game(c);
    game.play(0, 6);
    if (!game.policy->state().learns_parts) {
      ++refused;
      const OwnedRound round = round_of(c.shape, 6);
      game.policy->decide(round.view(), game.rng, game.scratch, game.decision).check();
      const std::string before = game.policy->save();
      const auto done = game.policy->learn(round.view(), game.decision, {.reward = 0.0});
      EXPECT_FALSE(done.ok());
      EXPECT_EQ(game.policy->save(), before);
      return;
    }
    ++learned;
    int rounds = 6;
    for (int t = 6; t < 30; ++t) rounds += play_parts(game, t) ? 1 : 0;
    const PolicyState state = game.policy->state();
    EXPECT_EQ(state.rounds, rounds);
    for (double q : state.queues) EXPECT_TRUE(std::isfinite(q));
    // A policy that loads what was saved continues with the same bits.
    Game again(c);
    again.policy->load(game.policy->save()).check();
    again.rng = game.rng;
    for (int t = 30; t < 40; ++t) {
      play_parts(game, t);
      play_parts(again, t);
    }
    game.play(40, 44);
    again.play(40, 44);
    EXPECT_EQ(again.policy->save(), game.policy->save());
    EXPECT_EQ(again.decision.probability, game.decision.probability);
  });
  EXPECT_GT(learned, 100);
  EXPECT_GT(refused, 5);
}

// A bill that nobody waits for joins what was spent and the queues, and nothing else.
TEST(PolicyParts, ABillOnlyMovesMoney) {
  for_every_case([](const Case& c) {
    if (c.shape.costs.empty()) return;
    Game game(c);
    game.play(0, 6);
    const PolicyState before = game.policy->state();
    const int m = static_cast<int>(c.shape.costs.size());
    Outcome bill{.costs = Costs(m, kMissing)};
    bill.costs[0] = 0.25;
    ASSERT_TRUE(game.policy->learn({}, {}, bill, Part::kBill).ok());
    const PolicyState after = game.policy->state();
    EXPECT_EQ(after.rounds, before.rounds);
    EXPECT_EQ(after.reward, before.reward);
    EXPECT_NEAR(after.spent[0], before.spent[0] + 0.25, 1e-12);
    for (int i = 1; i < m; ++i) EXPECT_EQ(after.spent[i], before.spent[i]);
    for (double wrong : {std::nan(""), HUGE_VAL}) {
      bill.costs[0] = wrong;
      const std::string bytes = game.policy->save();
      EXPECT_FALSE(game.policy->learn({}, {}, bill, Part::kBill).ok());
      EXPECT_EQ(game.policy->save(), bytes);
    }
    game.play(6, 8);
  });
}

// A problem with noise: action a earns 0.2 + 0.3 a (and a part of x) and costs 0.1 + 0.3 a.
struct Noisy {
  Shape shape{.actions = 3, .context = 2, .reward = {0.0, 1.0}, .costs = {{"dollars", {0.0, 1.0}}}};
  std::unique_ptr<Policy> policy;
  Rng rng{3}, noise{4};
  std::unique_ptr<Scratch> scratch;
  std::unique_ptr<Decision> decision;
  std::vector<std::pair<std::vector<double>, Decision>> waiting = {};
  double billed = 0.0;

  explicit Noisy(const char* spec) {
    shape.rounds = 4000;
    shape.budgets = {1000.0};
    policy = make_policy(spec, shape).value();
    scratch = std::make_unique<Scratch>(*policy);
    decision = std::make_unique<Decision>(*policy);
  }
  // The bill comes at once, the reward in this share of the rounds, after ten other rounds.
  void play(int t, double share) {
    const std::vector<double> x = {noise.uniform(), 1.0};
    const Round round{.actions = 3, .context = x};
    policy->decide(round, rng, *scratch, *decision).check();
    const double cost = std::min(1.0, (0.1 + 0.3 * decision->action) * 2.0 * noise.uniform());
    billed += cost;
    policy->learn(round, *decision, {.costs = {cost}}, Part::kFirst).check();
    waiting.emplace_back(x, *decision);
    if (t < 10) return;
    const auto& [seen, made] = waiting[waiting.size() - 10];
    const double mean = 0.2 + 0.3 * made.action * seen[0];
    const double reward = noise.uniform() < mean ? 1.0 : 0.0;
    if (noise.uniform() >= share) return;
    policy->learn({.actions = 3, .context = seen}, made, {.reward = reward}, Part::kLater).check();
  }
};

// With 40 % of the rewards missing, and all of them later than the bill: the budget is spent by
// plan, the estimates are right, U stays certified, and the alarm is quiet.
TEST(PolicyParts, AutoKeepsItsBudgetAndItsEstimates) {
  Noisy game("ccb(alarm=1)");
  for (int t = 0; t < 4000; ++t) game.play(t, 0.6);
  EXPECT_NEAR(game.billed, 1000.0, 15.0);
  EXPECT_NEAR(game.policy->state().spent[0], game.billed, 1e-6);
  const PolicyState state = game.policy->state();
  EXPECT_EQ(state.rounds, 4000);
  EXPECT_TRUE(std::isfinite(state.u));
  ASSERT_TRUE(state.alarm);
  EXPECT_FALSE(state.alarm->ringing) << state.alarm->why;
  const std::vector<double> x = {0.5, 1.0};
  game.policy->decide({.actions = 3, .context = x}, game.rng, *game.scratch, *game.decision)
      .check();
  ASSERT_TRUE(game.decision->estimates.apart());
  for (int a = 0; a < 3; ++a) {
    const auto at = static_cast<std::size_t>(a);
    const Estimates& said = game.decision->estimates;
    const double far = 0.03 + 1.5 * std::sqrt(said.width(0)[at]);  // three standard errors
    EXPECT_NEAR(said.mean(0)[at], 0.2 + 0.15 * a, far) << a;
    EXPECT_NEAR(said.mean(1)[at], a == 2 ? 0.62 : 0.1 + 0.3 * a, 0.08) << a;
    // The reward was seen in 60 % of the rounds in which the cost was.
    const double ratio = said.width(1)[at] / said.width(0)[at];
    EXPECT_NEAR(ratio, 0.6, 0.1);
  }
}

}  // namespace
}  // namespace rein
