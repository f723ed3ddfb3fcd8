// A refused round, outcome, reservation or state changes nothing: not the policy, not the Rng, not
// the decision.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "policy/play.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Calls spoil(round) on a copy and expects the policy to refuse the result, everywhere.
void expect_round_refused(Game& game, int t, const std::function<bool(OwnedRound&)>& spoil) {
  const Shape& shape = game.policy->shape();
  OwnedRound round = round_of(shape, t);
  const Outcome fine = outcome_of(shape, round.view(), 0, t);
  if (!spoil(round)) return;  // nothing to spoil in this shape
  const std::string before = game.policy->save();
  const std::uint64_t draws = game.rng.counter();
  const int action = game.decision.action;
  EXPECT_FALSE(game.policy->decide(round.view(), game.rng, game.scratch, game.decision).ok());
  EXPECT_FALSE(game.policy->learn(round.view(), game.decision, fine).ok());
  EXPECT_EQ(game.policy->save(), before);
  EXPECT_EQ(game.rng.counter(), draws);
  EXPECT_EQ(game.decision.action, action);
}

TEST(Refusals, BadRoundsChangeNothing) {
  for_every_case([](const Case& c) {
    Game game(c);
    game.play(0, 6);
    const std::vector<std::function<bool(OwnedRound&)>> spoils = {
        [](OwnedRound& r) { return r.actions = 0, true; },
        [](OwnedRound& r) { return r.actions = -1, true; },
        [&](OwnedRound& r) {  // K over the limit, all else in order
          r.actions = c.shape.actions + 1;
          r.features.resize(static_cast<std::size_t>(r.actions * c.shape.features));
          r.ids.clear();
          return true;
        },
        [](OwnedRound& r) { return r.context.push_back(0.0), true; },
        [](OwnedRound& r) { return r.features.push_back(0.0), true; },
        [](OwnedRound& r) { return r.context.empty() ? false : (r.context[0] = kNan, true); },
        [](OwnedRound& r) { return r.context.empty() ? false : (r.context[0] = kInfinity, true); },
        [](OwnedRound& r) { return r.context.empty() ? false : (r.context.back() = 1e60, true); },
        [](OwnedRound& r) { return r.features.empty() ? false : (r.features[0] = kNan, true); },
        [](OwnedRound& r) { return r.features.empty() ? false : (r.features.pop_back(), true); },
        [](OwnedRound& r) { return r.ids = {-1}, true; },
        [&](OwnedRound& r) {
          r.ids.assign(static_cast<std::size_t>(r.actions), 0);
          r.ids.back() = c.shape.actions;
          return true;
        },
        [](OwnedRound& r) {
          r.ids.assign(static_cast<std::size_t>(r.actions) + 1, 0);
          return true;
        },
    };
    for (const auto& spoil : spoils) expect_round_refused(game, 6, spoil);
    game.play(6, 8);  // and it goes on
  });
}

TEST(Refusals, BadOutcomesChangeNothing) {
  for_every_case([](const Case& c) {
    Game game(c);
    game.play(0, 6);
    const OwnedRound round = round_of(c.shape, 6);
    game.policy->decide(round.view(), game.rng, game.scratch, game.decision).check();
    const Shape& shape = game.policy->shape();
    const Outcome fine = outcome_of(shape, round.view(), game.decision.action, 6);
    const std::string before = game.policy->save();
    std::vector<Outcome> bad;
    for (double reward :
         {kNan, kInfinity, -kInfinity, shape.reward.high + 0.1, shape.reward.low - 0.1}) {
      bad.push_back(fine);
      bad.back().reward = reward;
    }
    for (int i = 0; i < fine.costs.size(); ++i) {
      const Range& range = shape.costs[i].range;
      for (double cost : {kNan, kInfinity, -kInfinity, range.high + 0.1, range.low - 0.1}) {
        bad.push_back(fine);
        bad.back().costs[i] = cost;
      }
    }
    bad.push_back({.reward = fine.reward, .costs = Costs(fine.costs.size() + 1)});
    if (!fine.costs.empty() && !game.policy->state().learns_parts) {
      bad.push_back({.reward = fine.reward});
    }
    bad.push_back({});  // no part at all
    for (const Outcome& outcome : bad) {
      EXPECT_FALSE(game.policy->learn(round.view(), game.decision, outcome).ok());
      ASSERT_EQ(game.policy->save(), before);
    }
    EXPECT_TRUE(game.policy->learn(round.view(), game.decision, fine).ok());
  });
}

TEST(Refusals, ADecisionThatNobodyMadeChangesNothing) {
  for_every_case([](const Case& c) {
    Game game(c);
    game.play(0, 3);
    const OwnedRound round = round_of(c.shape, 3);
    const Outcome fine = outcome_of(game.policy->shape(), round.view(), 0, 3);
    const std::string before = game.policy->save();
    const auto refusal = [&](const Decision& decision) {
      const auto learned = game.policy->learn(round.view(), decision, fine);
      EXPECT_EQ(game.policy->save(), before);
      return learned.ok() ? "learned" : learned.error();
    };
    Decision decision(*game.policy);  // empty: no action yet
    const std::string last = std::to_string(round.actions - 1);
    EXPECT_EQ(refusal(decision), "decision: found action -1; accepted: 0 to " + last);
    decision.action = round.actions;
    EXPECT_EQ(refusal(decision), "decision: found action " + std::to_string(round.actions) +
                                     "; accepted: 0 to " + last);
    decision.action = 0;
    for (double log_scale : {kNan, kInfinity, -1.0, 501.0}) {
      decision.log_scale = log_scale;
      EXPECT_NE(refusal(decision).find("accepted: what decide() wrote, 0 to 500"),
                std::string::npos);
    }
    decision.log_scale = 0.0;
    for (double probability : {kNan, 0.0, -0.5, 1.5}) {
      decision.probability = probability;
      EXPECT_NE(refusal(decision).find("accepted: what decide() wrote, above 0 to 1"),
                std::string::npos);
    }
  });
}

TEST(Refusals, StateOfEarlierVersionsNamesBoth) {
  const Shape shape = problems()[4].shape;
  auto policy = make_policy("banditq", shape).value();
  const std::string before = policy->save();
  const auto refusal = [&](const char* kind, std::int64_t version) {
    ByteWriter out;
    out.tag(kind);
    out.i64(version);
    return policy->load(out.bytes()).error();
  };
  EXPECT_EQ(refusal("rein policy", 2), "saved state has version = 2, expected 8");
  EXPECT_EQ(refusal("rein own policy", 1), "saved state has version = 1, expected 8");
  EXPECT_EQ(refusal("rein two stages", 8), "saved state has version = 1, expected 8");
  EXPECT_EQ(refusal("rein engine", 1),
            "saved state is of \"rein engine\", expected \"rein policy\"");
  EXPECT_EQ(policy->save(), before);
}

TEST(Refusals, BadReservationsChangeNothing) {
  for_every_case([](const Case& c) {
    Game game(c);
    game.play(0, 3);
    const auto m = static_cast<std::size_t>(c.shape.heads() - 1);
    const OwnedRound round = round_of(c.shape, 3);
    const std::string before = game.policy->save();
    std::vector<std::vector<double>> bad = {std::vector<double>(m + 1, 0.0)};
    for (double x : {kNan, kInfinity, -kInfinity, 1e200, 1e308}) {
      if (m == 0) break;
      bad.emplace_back(m, 0.0);
      bad.back().back() = x;
    }
    const std::uint64_t draws = game.rng.counter();
    for (const auto& reserved : bad) {
      const auto decided =
          game.policy->decide(round.view(), reserved, game.rng, game.scratch, game.decision);
      ASSERT_FALSE(decided.ok());
      EXPECT_EQ(decided.error().find("reserved: "), 0U) << decided.error();
    }
    EXPECT_EQ(game.rng.counter(), draws);
    EXPECT_EQ(game.policy->save(), before);
    const std::vector<double> large(m, 1e99);  // within the limit, and still a distribution
    game.policy->decide(round.view(), large, game.rng, game.scratch, game.decision).check();
    double sum = 0.0;
    for (double p : game.decision.probabilities()) sum += p;
    EXPECT_NEAR(sum, 1.0, 1e-12);
  });
}

TEST(Refusals, BadStateChangesNothing) {
  for_every_case([](const Case& c) {
    Game game(c), other(c);
    game.play(0, 12);
    other.play(0, 7);
    const std::string good = game.policy->save(), mine = other.policy->save();
    std::vector<std::string> bad = {"", "x", good + "x", "not a saved policy, but long enough"};
    for (std::size_t size = 0; size < good.size(); size += 1 + good.size() / 40) {
      bad.push_back(good.substr(0, size));
    }
    for (const std::string& bytes : bad) {
      EXPECT_FALSE(other.policy->load(bytes).ok());
      ASSERT_EQ(other.policy->save(), mine);
    }
    EXPECT_TRUE(other.policy->load(good).ok());
  });
}

TEST(Refusals, StateOfAnotherSpecOrShapeIsRefused) {
  const Case base{.spec = "ccb(setting=expectation,tuning=theory)",
                  .shape = {.actions = 3,
                            .context = 2,
                            .costs = {{.name = "dollars", .range = {0.0, 1.0}}},
                            .rounds = 100,
                            .budgets = {10.0}}};
  const std::string bytes = make(base)->save();
  const std::vector<std::function<void(Case&)>> changes = {
      [](Case& c) { c.spec = "ccb(setting=slater,tuning=theory)"; },
      [](Case& c) { c.spec = "uniform"; },
      [](Case& c) { c.shape.actions = 4; },
      [](Case& c) { c.shape.context = 3; },
      [](Case& c) { c.shape.context = 0, c.shape.features = 2; },
      [](Case& c) {
        c.shape.reward = {0.0, 1.0};
      },
      [](Case& c) { c.shape.costs[0].range.high = 2.0; },
      [](Case& c) { c.shape.costs[0].name = "euros"; },
      [](Case& c) { c.shape.costs.emplace_back(), c.shape.budgets.push_back(1.0); },
      [](Case& c) { c.shape.rounds = 200; },
      [](Case& c) { c.shape.budgets = {11.0}; },
  };
  EXPECT_TRUE(make(base)->load(bytes).ok());
  for (const auto& change : changes) {
    Case other = base;
    change(other);
    const auto policy = make(other);
    const std::string before = policy->save();
    const auto loaded = policy->load(bytes);
    ASSERT_FALSE(loaded.ok()) << other.spec;
    EXPECT_NE(loaded.error().find("saved state is of \""), std::string::npos) << loaded.error();
    EXPECT_EQ(policy->save(), before);
  }
}

}  // namespace
}  // namespace rein
