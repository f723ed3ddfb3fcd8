// What every policy promises, over all entries of the table, several specs and problems of every
// shape. Refusals and allocations have files of their own.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "catalog_keys.h"
#include "policy/play.h"

namespace rein {
namespace {

void expect_valid(const Decision& d, const Round& round, const Shape& shape) {
  ASSERT_EQ(d.probabilities().size(), static_cast<std::size_t>(round.actions));
  long double sum = 0.0L;
  for (double p : d.probabilities()) {
    ASSERT_GE(p, 0.0);
    ASSERT_LE(p, 1.0);
    sum += p;
  }
  ASSERT_NEAR(static_cast<double>(sum), 1.0, 1e-12);
  ASSERT_GE(d.action, 0);
  ASSERT_LT(d.action, round.actions);
  ASSERT_EQ(d.probability, d.probabilities()[d.action]);
  ASSERT_GT(d.probability, 0.0);
  const auto top = std::max_element(d.scores().begin(), d.scores().end()) - d.scores().begin();
  ASSERT_EQ(d.best, top);
  ASSERT_TRUE(std::isfinite(d.gamma));
  ASSERT_GE(d.gamma, 0.0);
  ASSERT_TRUE(std::isfinite(d.log_scale));
  for (double price : d.prices) ASSERT_TRUE(std::isfinite(price));
  for (int h = 0; h < d.estimates.heads(); ++h) {
    const Range range = h == 0 ? shape.reward : shape.costs[h - 1].range;
    for (double mean : d.estimates.mean(h)) {
      ASSERT_GE(mean, range.low);
      ASSERT_LE(mean, range.high);
    }
  }
}

TEST(Policies, DecisionsAreValid) {
  for_every_case([](const Case& c) {
    Game game(c);
    for (int t = 0; t < 60; ++t) {
      game.play(t);
      ASSERT_NO_FATAL_FAILURE(expect_valid(game.decision, round_of(c.shape, t).view(), c.shape));
    }
    EXPECT_EQ(game.policy->state().rounds, 60);
  });
}

TEST(Policies, DecideChangesNothingButTheRng) {
  for_every_case([](const Case& c) {
    Game game(c);
    game.play(0, 20);
    const std::string before = game.policy->save();
    const OwnedRound round = round_of(c.shape, 20);
    for (std::uint64_t draws = 20; draws < 25; ++draws) {
      EXPECT_EQ(game.rng.counter(), draws);  // one draw a decision
      game.policy->decide(round.view(), game.rng, game.scratch, game.decision).check();
    }
    EXPECT_EQ(game.policy->save(), before);
  });
}

TEST(Policies, EqualRngEqualDecision) {
  for_every_case([](const Case& c) {
    Game game(c);
    game.play(0, 20);
    for (int t = 20; t < 30; ++t) {
      const OwnedRound round = round_of(c.shape, t);
      Rng again = game.rng;
      Scratch grown;  // a scratch and a decision that grow on first use do as well
      Decision other;
      game.policy->decide(round.view(), game.rng, game.scratch, game.decision).check();
      game.policy->decide(round.view(), again, grown, other).check();
      EXPECT_EQ(game.decision.action, other.action);
      EXPECT_EQ(copy(std::as_const(game.decision).probabilities()),
                copy(std::as_const(other).probabilities()));
      EXPECT_EQ(game.rng.counter(), again.counter());
    }
  });
}

TEST(Policies, TheSpecAPolicyPrintsMakesTheSamePolicy) {
  for_every_case([](const Case& c) {
    Game game(c);
    Case printed = c;
    printed.spec = game.policy->spec().str();
    Game again(printed);
    EXPECT_EQ(again.policy->spec().str(), printed.spec);
    game.play(0, 30);
    again.play(0, 30);
    EXPECT_EQ(again.policy->save(), game.policy->save());
  });
}

TEST(Policies, LoadGoesOnBitForBit) {
  for_every_case([](const Case& c) {
    Game game(c), other(c, /*seed=*/1234);
    game.play(0, 25);
    other.play(0, 3);  // what it knew before is replaced
    const std::string bytes = game.policy->save();
    ASSERT_TRUE(other.policy->load(bytes).ok());
    EXPECT_EQ(other.policy->save(), bytes);
    other.rng = game.rng;
    for (int t = 25; t < 50; ++t) {
      game.play(t);
      other.play(t);
      ASSERT_EQ(other.decision.action, game.decision.action);
      ASSERT_EQ(copy(std::as_const(other.decision).probabilities()),
                copy(std::as_const(game.decision).probabilities()));
    }
    EXPECT_EQ(other.policy->save(), game.policy->save());
  });
}

TEST(Policies, OneActionIsAlwaysTaken) {
  for_every_case([](const Case& c) {
    Case single = c;
    single.shape.actions = 1;
    Game game(single);
    for (int t = 0; t < 20; ++t) {
      game.play(t);
      EXPECT_EQ(game.decision.action, 0);
      EXPECT_EQ(game.decision.probability, 1.0);
    }
  });
}

// Parameters kept per action go by the ids, not by the place in the round.
TEST(Policies, ActionsAreKnownByTheirIds) {
  const Case c{.spec = "greedy(oracle=vaw(features=per_action))",
               .shape = {.actions = 4, .context = 1, .rounds = 100}};
  Game game(c);
  const std::vector<double> x = {1.0};
  for (std::int32_t id = 0; id < 4; ++id) {
    const std::vector<std::int32_t> ids = {id};
    const Round round{.actions = 1, .context = x, .ids = ids};
    game.policy->decide(round, game.rng, game.scratch, game.decision).check();
    game.policy->learn(round, game.decision, {.reward = id == 2 ? 1.0 : 0.1 * id}).check();
  }
  for (const auto& [ids, best] : std::vector<std::pair<std::vector<std::int32_t>, int>>{
           {{0, 1, 2, 3}, 2}, {{2, 0}, 0}, {{3, 1, 2}, 2}, {{1, 3}, 1}, {{1, 0}, 0}}) {
    const Round round{.actions = static_cast<int>(ids.size()), .context = x, .ids = ids};
    game.policy->decide(round, game.rng, game.scratch, game.decision).check();
    EXPECT_EQ(game.decision.action, best);
  }
}

// Outcomes of forty open decisions come back, in order and shuffled. Books and S are sums, and the
// oracle's matrices are too: what the policy then decides may differ by rounding and no more.
TEST(Policies, LateOutcomesMayComeInAnyOrder) {
  for_every_case([](const Case& c) {
    if (order_matters(c.spec)) return;
    Game in_order(c), shuffled(c);
    in_order.play(0, 10);
    shuffled.play(0, 10);
    std::vector<Decision> open;
    for (int t = 10; t < 50; ++t) {
      open.emplace_back(*in_order.policy);
      in_order.policy
          ->decide(round_of(c.shape, t).view(), in_order.rng, in_order.scratch, open.back())
          .check();
    }
    std::vector<int> order(open.size());
    std::iota(order.begin(), order.end(), 0);
    Rng rng(3);
    for (int i = static_cast<int>(order.size()) - 1; i > 0; --i) {
      std::swap(order[i], order[rng.below(i + 1)]);
    }
    const auto learn = [&](Policy& policy, int i) {
      const OwnedRound round = round_of(c.shape, 10 + i);
      policy
          .learn(round.view(), open[i],
                 outcome_of(policy.shape(), round.view(), open[i].action, 10 + i))
          .check();
    };
    for (int i = 0; i < static_cast<int>(order.size()); ++i) {
      learn(*in_order.policy, i);
      learn(*shuffled.policy, order[i]);
    }
    const PolicyState a = in_order.policy->state(), b = shuffled.policy->state();
    EXPECT_EQ(a.rounds, b.rounds);
    EXPECT_NEAR(a.reward, b.reward, 1e-10);
    for (int i = 0; i < a.spent.size(); ++i) EXPECT_NEAR(a.spent[i], b.spent[i], 1e-8);
    for (int i = 0; i < a.queues.size(); ++i) EXPECT_NEAR(a.queues[i], b.queues[i], 1e-10);
    // tuning=auto forgets old plays and re-solves its price as outcomes come: order is part of it.
    const bool is_ccb = c.spec.starts_with("ccb") || c.spec.find("of=ccb") != std::string::npos;
    if (is_ccb && c.spec.find("tuning=theory") == std::string::npos) return;
    in_order.play(51);
    shuffled.rng = in_order.rng;
    shuffled.rng.set_counter(in_order.rng.counter() - 1);
    shuffled.play(51);
    EXPECT_NEAR(shuffled.decision.gamma, in_order.decision.gamma, 1e-9 * in_order.decision.gamma);
    for (int k = 0; k < static_cast<int>(in_order.decision.probabilities().size()); ++k) {
      EXPECT_NEAR(shuffled.decision.probabilities()[k], in_order.decision.probabilities()[k], 1e-7);
    }
  });
}

// One cost at a time: prices that share a whole fall where another's rises more.
TEST(Policies, ReservedCountsAsIfItWereSpent) {
  for_every_case([](const Case& c) {
    const int m = c.shape.heads() - 1;
    Game game(c);
    game.play(0, 10);
    const OwnedRound round = round_of(c.shape, 10);
    game.policy->decide(round.view(), game.rng, game.scratch, game.decision).check();
    const Costs before = game.decision.prices;
    for (int i = 0; i < m; ++i) {
      std::vector<double> reserved(static_cast<std::size_t>(m), 0.0);
      reserved[i] = 50.0;
      game.policy->decide(round.view(), reserved, game.rng, game.scratch, game.decision).check();
      EXPECT_EQ(game.decision.prices.size(), before.size());
      if (!before.empty()) {
        EXPECT_GE(game.decision.prices[i], before[i]);
      }
    }
  });
}

TEST(Policies, TheCatalogListsExactlyTheKeysThatAreTaken) {
  const Shape shape{.actions = 3, .context = 2, .costs = {{}}, .rounds = 100};
  for (const Entry& entry : policies()) {
    const auto made = make_policy(std::string(entry.name) + "(zzz=1)", shape);
    ASSERT_FALSE(made.ok()) << entry.name;
    EXPECT_EQ(listed_keys(entry), taken_keys(made.error())) << entry.name;
    EXPECT_FALSE(entry.line.empty());
  }
}

TEST(Policies, AnUnknownKeyOrNameIsToldWithItsPlace) {
  const Shape shape{.actions = 3, .context = 2};
  EXPECT_EQ(make_policy("squarecb(gama=5)", shape).error(),
            "policy spec: unknown key \"gama\" at 9; squarecb takes delta, explorer, gain, "
            "gamma_scale, oracle, rounds, u");
  EXPECT_EQ(make_policy("ccb(oracle=vaw(rge=1),rounds=9)", shape).error(),
            "oracle spec: unknown key \"rge\" at 15; vaw takes bias, features, forward, level, "
            "memory, norm, reg");
  EXPECT_EQ(make_policy("ccb(explorer=igw(mu=1),rounds=9)", shape).error(),
            "explorer spec: unknown key \"mu\" at 17; igw takes no keys");
  EXPECT_EQ(make_policy("cbb", shape).error(),
            "policy spec: unknown name \"cbb\" at 0; accepted: " + listed_names(policies()));
  EXPECT_EQ(make_policy("ccb(", shape).error(),
            "policy spec: expected a key at 4, found end of text");
  EXPECT_EQ(make_policy("ccb", Shape{}).error(), "shape: found 0 actions; accepted: 1 to 1000000");
}

}  // namespace
}  // namespace rein
