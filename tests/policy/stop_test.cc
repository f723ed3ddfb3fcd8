// stop: the budget is never passed, what a stopped decision says, and what is still learned.
#include "policy/stop.h"

#include <gtest/gtest.h>

#include <deque>

#include "policy/by_hand.h"

namespace rein {
namespace {

const char* const kInner[] = {"ccb",
                              "ccb(tuning=theory)",
                              "squarecb",
                              "uniform",
                              "loe2d",
                              "lagrange(eta=1)",
                              "epsilon",
                              "squarecbwk",
                              "lagrange(dual=fixed_share)"};

Case stopped(const std::string& inner) {
  Case c{.spec = "stop(null=2,of=" + inner + ")",
         .shape = {.actions = 4, .context = 2, .rounds = 300, .budgets = {20.0, 3000.0}}};
  c.shape.costs = {{"dollars", {0.0, 1.0}}, {"grams", {0.0, 500.0}}};
  return c;
}

Outcome outcome_at(const Shape& shape, const Round& round, int action, int t) {
  Outcome outcome = outcome_of(shape, round, action, t);
  if (round.id(action) == 2) outcome.costs = Costs(outcome.costs.size());
  return outcome;
}

void play(Game& game, int t) {
  const OwnedRound round = round_of(game.policy->shape(), 3 * t);  // offers all actions
  game.policy->decide(round.view(), game.rng, game.scratch, game.decision).check();
  game.policy
      ->learn(round.view(), game.decision,
              outcome_at(game.policy->shape(), round.view(), game.decision.action, 3 * t))
      .check();
}

const Stop& stop_of(const Game& game) { return dynamic_cast<const Stop&>(*game.policy); }

template <class Claim>
void for_every_inner(Claim claim) {
  for (const char* inner : kInner) {
    SCOPED_TRACE(inner);
    claim(stopped(inner));
  }
}

TEST(Stop, TheBudgetIsNeverPassedAndMostOfItIsSpent) {
  for_every_inner([](const Case& c) {
    Game game(c);
    for (int t = 0; t < 300; ++t) {
      play(game, t);
      const Costs spent = game.policy->state().spent;
      ASSERT_LE(spent[0], 20.0 + 1e-9);
      ASSERT_LE(spent[1], 3000.0 + 1e-6);
    }
    const Costs spent = game.policy->state().spent;  // little more than one round is left of one
    EXPECT_TRUE(stop_of(game).stopped() || spent[1] > 2400.0);
    EXPECT_TRUE(spent[0] > 19.0 || spent[1] > 2400.0) << spent[0] << " " << spent[1];
    EXPECT_EQ(game.policy->state().rounds, 300);  // its clock goes on
  });
}

TEST(Stop, AStoppedDecisionIsTheNullActionForCertain) {
  for_every_inner([](const Case& c) {
    Game game(c);
    int t = 0;
    while (!stop_of(game).stopped()) play(game, t++);
    for (int more = 0; more < 6; ++more) {
      OwnedRound round = round_of(c.shape, 3 * t);
      round.ids = {3, 0, 2, 1};  // null stands in the third place
      const std::uint64_t draws = game.rng.counter();
      game.policy->decide(round.view(), game.rng, game.scratch, game.decision).check();
      const Decision& d = game.decision;
      EXPECT_EQ(d.action, 2);
      EXPECT_EQ(d.best, 2);
      EXPECT_EQ(d.probability, 1.0);
      EXPECT_EQ(copy(d.probabilities()), (std::vector<double>{0.0, 0.0, 1.0, 0.0}));
      EXPECT_EQ(game.rng.counter(), draws + 1);
      game.policy->learn(round.view(), d, {.reward = 0.5, .costs = {0.0, 0.0}}).check();
    }
  });
}

TEST(Stop, BeforeTheStopItDecidesAsThePolicyInside) {
  for (const char* inner : {"ccb", "squarecb", "loe2d"}) {
    Case plain = stopped(inner);
    plain.spec = inner;
    Game alone(plain), inside(stopped(inner));
    for (int t = 0; !stop_of(inside).stopped(); ++t) {
      const OwnedRound round = round_of(plain.shape, 3 * t);
      for (Game* game : {&alone, &inside}) {
        game->policy->decide(round.view(), game->rng, game->scratch, game->decision).check();
      }
      ASSERT_EQ(copy(std::as_const(alone.decision).probabilities()),
                copy(std::as_const(inside.decision).probabilities()));
      const Outcome outcome = outcome_at(plain.shape, round.view(), inside.decision.action, 3 * t);
      for (Game* game : {&alone, &inside}) {
        game->policy->learn(round.view(), game->decision, outcome).check();
      }
    }
  }
}

// Outcomes come twelve rounds late; what is open is reserved at its largest.
TEST(Stop, LateOutcomesThatAreReservedNeverPassTheBudget) {
  for_every_inner([](const Case& c) {
    Game game(c);
    std::deque<std::pair<int, Decision>> open;
    const auto settle = [&] {
      const auto& [t, decision] = open.front();
      const OwnedRound round = round_of(c.shape, 3 * t);
      game.policy
          ->learn(round.view(), decision, outcome_at(c.shape, round.view(), decision.action, 3 * t))
          .check();
      open.pop_front();
    };
    for (int t = 0; t < 300; ++t) {
      std::vector<double> reserved(2, 0.0);
      for (const auto& [when, decision] : open) {
        if (decision.action == 2) continue;
        reserved[0] += 1.0;
        reserved[1] += 500.0;
      }
      open.emplace_back(t, Decision(*game.policy));
      game.policy
          ->decide(round_of(c.shape, 3 * t).view(), reserved, game.rng, game.scratch,
                   open.back().second)
          .check();
      if (open.size() > 12) settle();
    }
    while (!open.empty()) settle();
    EXPECT_LE(game.policy->state().spent[0], 20.0 + 1e-9);
    EXPECT_LE(game.policy->state().spent[1], 3000.0 + 1e-6);
  });
}

TEST(Stop, AStoppedPolicyStaysStoppedWhenLoaded) {
  for_every_inner([](const Case& c) {
    Game game(c), other(c);
    int t = 0;
    while (!stop_of(game).stopped()) play(game, t++);
    const std::string bytes = game.policy->save();
    ASSERT_TRUE(other.policy->load(bytes).ok());
    EXPECT_EQ(other.policy->save(), bytes);
    EXPECT_TRUE(stop_of(other).stopped());
    EXPECT_FALSE(other.policy->load(bytes + "x").ok());
    EXPECT_FALSE(make({.spec = c.spec, .shape = stopped("uniform").shape})->load("rein stop").ok());
  });
}

TEST(Stop, ARoundWithoutTheNullActionIsRefusedOnceStopped) {
  Game game(stopped("ccb"));
  int t = 0;
  while (!stop_of(game).stopped()) play(game, t++);
  OwnedRound round = round_of(game.policy->shape(), 0);
  round.ids = {0, 1, 3};
  round.actions = 3;
  const std::string before = game.policy->save();
  const std::uint64_t draws = game.rng.counter();
  const auto decided = game.policy->decide(round.view(), game.rng, game.scratch, game.decision);
  ASSERT_FALSE(decided.ok());
  EXPECT_EQ(decided.reason(), Reason::kBudget);
  EXPECT_EQ(decided.error(),
            "hard stop: the budget may be passed, and this round does not offer the null action; "
            "accepted: rounds with action 2");
  EXPECT_EQ(game.rng.counter(), draws);
  EXPECT_EQ(game.policy->save(), before);
}

TEST(Stop, ANullActionThatCostsIsFoundOut) {
  Hand hand(two_actions("stop(at=1.5,null=0,of=uniform)", {{0.0, 1.0}}));
  hand.decide();
  hand.learn(1, {.costs = {1.0}});
  EXPECT_EQ(hand.decide().action, 0);  // half a unit is left, and an action may cost one
  const auto learned = hand.game.policy->learn(hand.round(), hand.game.decision, {.costs = {0.75}});
  ASSERT_FALSE(learned.ok());
  EXPECT_EQ(learned.error(),
            "hard stop: the null action 0 cost 0.75 of \"cost_0\", whose budget is spent; "
            "accepted: a null action that costs nothing");
  EXPECT_EQ(hand.state().spent, Costs({1.0}));
}

TEST(Stop, RefundsEndAStopAndWhatWasNotReservedIsCounted) {
  Hand hand(two_actions("stop(at=2,null=0,of=uniform)", {{-1.0, 1.0}}));
  const Stop& stop = dynamic_cast<const Stop&>(*hand.game.policy);
  hand.decide();
  for (int open = 0; open < 3; ++open) hand.learn(1, {.costs = {1.0}});  // decided at once
  EXPECT_EQ(hand.state().spent, Costs({3.0}));
  EXPECT_TRUE(stop.stopped());
  hand.learn(1, {.costs = {-1.0}});  // pays back what is over the limit first
  EXPECT_TRUE(stop.stopped());
  hand.learn(1, {.costs = {-1.0}});
  EXPECT_FALSE(stop.stopped());
}

TEST(Stop, SaysWhatItNeedsAndClaimsNoTheorem) {
  const Shape shape = two_actions("", {{0.0, 1.0}}).shape;
  const auto refusal = [&](const char* spec) { return make_policy(spec, shape).error(); };
  EXPECT_EQ(refusal("stop(null=0)"),
            "policy spec: stop needs a policy; accepted: of=SPEC, such as of=ccb");
  EXPECT_EQ(refusal("stop(of=ccb)"),
            "policy spec: stop needs an action that costs nothing; accepted: null=ACTION_ID");
  EXPECT_EQ(refusal("stop(null=0,of=ccb)"),
            "policy spec: a hard stop needs a budget; accepted: at=TOTAL, budget=TOTAL or "
            "rate=PER_ROUND");
  EXPECT_EQ(refusal("stop(at=1,null=2,of=ccb)"),
            "policy spec: key \"null\" has 2; accepted: an action, 0 to 1");
  EXPECT_EQ(refusal("stop(at=[1,2],null=0,of=ccb)"),
            "policy spec: key \"at\" has 2 numbers; accepted: one per cost (1)");
  const auto policy = make_policy("stop(null=0,of=ccb(budget=10,tuning=theory))", shape).value();
  EXPECT_FALSE(policy->state().theorem.has_value());
  EXPECT_EQ(policy->state().setting, Setting::kKnapsack);
  EXPECT_EQ(make_policy("stop(at=7,null=0,of=uniform)", shape).value()->shape().budgets,
            std::vector<double>{7.0});
}

// The peers that print a hard stop have it by their own key, and keep their own spec.
TEST(Stop, PeersStopByTheirOwnKey) {
  const Shape shape = stopped("ccb").shape;
  for (const char* spec :
       {"squarecbwk(null=2)", "lagrange(eta=stop,null=2)", "squarecbwk(null=2,stages=2)"}) {
    Game game({.spec = spec, .shape = shape});
    for (int t = 0; t < 300; ++t) play(game, t);
    EXPECT_EQ(game.policy->spec().str(), spec);
    EXPECT_TRUE(stop_of(game).stopped());
    EXPECT_LE(game.policy->state().spent[0], 20.0 + 1e-9);
    EXPECT_LE(game.policy->state().spent[1], 3000.0 + 1e-6);
  }
}

}  // namespace
}  // namespace rein
