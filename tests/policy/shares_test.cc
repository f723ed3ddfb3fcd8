// Least and most shares, and the random control group: what is promised in every round.
#include "policy/shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "engine/small.h"
#include "explore/gains.h"
#include "explore/igw.h"
#include "policy/play.h"
#include "policy/window.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

const Shape kSharesShape{
    .actions = 4, .context = 3, .costs = {{"dollars", {0.0, 1.0}}}, .rounds = 2000};

// Actions cost 0.1, 0.2, 0.4 and 0.8, and earn as much.
Outcome priced_action(const Round& round, int action) {
  const double cost = 0.1 * static_cast<double>(1 << round.id(action));
  return {.reward = cost, .costs = {cost}};
}

// Plays rounds of play.h: one in three offers all actions, the others only some.
template <class Look>
PolicyState play_shares(const std::string& spec, int rounds, Look look, int step = 1,
                        std::uint64_t seed = 9) {
  Game game({.spec = spec, .shape = kSharesShape}, seed);
  for (int t = 0; t < rounds; ++t) {
    const OwnedRound round = round_of(kSharesShape, step * t);
    game.policy->decide(round.view(), game.rng, game.scratch, game.decision).check();
    look(round.view(), std::as_const(game.decision));
    game.policy
        ->learn(round.view(), game.decision, priced_action(round.view(), game.decision.action))
        .check();
  }
  return game.policy->state();
}

double sum(std::span<const double> p) { return std::accumulate(p.begin(), p.end(), 0.0); }

TEST(Shares, LeastSharesHoldInEveryRoundAndForEveryOfferedSet) {
  const double least[] = {0.0, 0.05, 0.0, 0.2};
  int lifted = 0;
  play_shares("ccb(least=[0,0.05,0,0.2],rate=0.3)", 1500,
              [&](const Round& round, const Decision& d) {
                for (int a = 0; a < round.actions; ++a) {
                  EXPECT_GE(d.probabilities()[a], least[round.id(a)]);
                  lifted += round.id(a) == 3 && d.probabilities()[a] < 0.21;
                }
                EXPECT_NEAR(sum(d.probabilities()), 1.0, 1e-12);
                EXPECT_EQ(d.probability, d.probabilities()[d.action]);
                EXPECT_EQ(d.holdout, Holdout::kNone);
              });
  EXPECT_GT(lifted, 100) << "the policy itself would hardly play the dearest action";
}

TEST(Shares, MostSharesHoldWhereTheOthersCanTakeTheRest) {
  const double most[] = {1.0, 1.0, 0.3, 0.1};
  int full = 0;
  play_shares("ccb(most=[1,1,0.3,0.1],rate=0.7)", 1500, [&](const Round& round, const Decision& d) {
    double can = 0.0;
    for (int a = 0; a < round.actions; ++a) can += most[round.id(a)];
    EXPECT_NEAR(sum(d.probabilities()), 1.0, 1e-12);
    for (int a = 0; a < round.actions; ++a) {
      const double share = most[round.id(a)];
      // If the actions on offer cannot take it all, their shares grow in proportion.
      const double limit = can >= 1.0 ? share : share / can;
      EXPECT_LE(d.probabilities()[a], limit + 1e-12);
      if (can < 1.0) {
        EXPECT_NEAR(d.probabilities()[a], limit, 1e-12);
      }
      full += can >= 1.0 && d.probabilities()[a] == share;
    }
  });
  EXPECT_GT(full, 300) << "the limits were what kept some of them down";
}

// Scores 1, 0.9, 0 and 0: with at most half on the best, the next best gets nearly all the rest.
TEST(Shares, WhatIsCutGoesWhereThePolicyWouldChooseNext) {
  const std::vector<double> scores = {1.0, 0.9, 0.0, 0.0}, rooms = {0.5, 1.0, 1.0, 1.0};
  std::vector<double> p(4), work(8);
  const Igw igw;
  igw.explore(scores, 1000.0, p);
  fill_rooms(igw, scores, 1000.0, 1.0, rooms, work, p);
  EXPECT_EQ(p[0], 0.5);
  EXPECT_GT(p[1], 0.49);
  EXPECT_NEAR(sum(p), 1.0, 1e-12);
}

TEST(Shares, ExplorersThatTryEverythingStayWithinTheMostShares) {
  for (const char* explorer : {"uniform", "epsilon", "softmax", "greedy", "square"}) {
    const std::string spec = std::string("ccb(explorer=") + explorer +
                             ",least=[0.1,0,0,0],most=[0.2,0.9,0.1,0.1],rate=0.3)";
    play_shares(
        spec, 60,
        [&](const Round&, const Decision& d) {
          EXPECT_NEAR(sum(d.probabilities()), 1.0, 1e-12) << spec;
          EXPECT_LE(d.probabilities()[0], 0.2 + 1e-12) << spec;
          EXPECT_LE(d.probabilities()[3], 0.1 + 1e-12) << spec;
          EXPECT_GE(d.probabilities()[0], 0.1) << spec;
        },
        3);
  }
}

TEST(Shares, FrequenciesAreTheProbabilities) {
  Game game({.spec = "ccb(control=1,holdout=0.2,least=[0.1,0,0,0.1],most=[1,0.5,1,1],rate=0.3)",
             .shape = kSharesShape});
  game.play(0, 50);
  const OwnedRound round = round_of(kSharesShape, 60);
  const int draws = static_cast<int>(repeats(200'000));
  std::vector<double> seen(4);
  double inside = 0.0;
  for (int n = 0; n < draws; ++n) {
    game.policy->decide(round.view(), game.rng, game.scratch, game.decision).check();
    seen[static_cast<std::size_t>(game.decision.action)] += 1.0;
    inside += game.decision.holdout == Holdout::kInside;
  }
  for (std::size_t a = 0; a < 4; ++a) {
    const double p = game.decision.probabilities()[a];
    EXPECT_NEAR(seen[a] / draws, p, 5.0 * std::sqrt(p * (1.0 - p) / draws)) << a;
  }
  EXPECT_NEAR(inside / draws, 0.2, 5.0 * std::sqrt(0.16 / draws));
}

TEST(Holdout, InsideItTheControlIsPlayedAndOutsideThePolicyChooses) {
  int inside = 0, controls = 0, barred = 0, all = 0;
  play_shares("ccb(control=2,holdout=0.1,rate=0.3)", 2000,
              [&](const Round& round, const Decision& d) {
                bool offered = false;
                for (int a = 0; a < round.actions; ++a) {
                  if (round.id(a) != 2) continue;
                  offered = true;
                  EXPECT_GE(d.probabilities()[a], 0.1);
                }
                EXPECT_NEAR(sum(d.probabilities()), 1.0, 1e-12);
                EXPECT_EQ(d.holdout == Holdout::kBarred, !offered);
                EXPECT_NE(d.holdout, Holdout::kNone);
                all += offered;
                barred += !offered;
                inside += d.holdout == Holdout::kInside;
                if (d.holdout == Holdout::kInside) {
                  EXPECT_EQ(round.id(d.action), 2);
                }
                controls += offered && d.holdout == Holdout::kOutside && round.id(d.action) == 2;
              });
  EXPECT_GT(barred, 100);
  EXPECT_GT(controls, 0) << "the policy may choose the control too";
  EXPECT_NEAR(inside, 0.1 * all, 4.0 * std::sqrt(0.09 * all));
}

// Eight classes of contexts, by the signs of their numbers, against the holdout: chi-square with
// seven degrees of freedom is below 24.3 with probability 0.999. The policy learns that each class
// has its own best action, so what is played does depend on the class.
TEST(Holdout, DoesNotDependOnTheContext) {
  double inside[8] = {}, all[8] = {}, best[8] = {};
  Game game({.spec = "ccb(control=0,holdout=0.15,rate=0.5)", .shape = kSharesShape});
  for (int t = 0; t < 8000; ++t) {
    const OwnedRound round = round_of(kSharesShape, 3 * t);
    game.policy->decide(round.view(), game.rng, game.scratch, game.decision).check();
    int group = 0;
    for (int i = 0; i < 3; ++i)
      group = 2 * group + (round.context[static_cast<std::size_t>(i)] > 0.0);
    const int action = game.decision.action;
    all[group] += 1.0;
    inside[group] += game.decision.holdout == Holdout::kInside;
    best[group] += action == 1;
    const double reward = action == 1 ? round.context[0] : -round.context[0];
    game.policy->learn(round.view(), game.decision, {.reward = reward, .costs = {0.2}}).check();
  }
  double chi = 0.0, share = 0.0, total = 0.0;
  for (int g = 0; g < 8; ++g) share += inside[g], total += all[g];
  share /= total;
  for (int g = 0; g < 8; ++g) {
    const double off = inside[g] - share * all[g];
    chi += off * off / (share * (1.0 - share) * all[g]);
  }
  EXPECT_LT(chi, 24.3);
  EXPECT_NEAR(share, 0.15, 4.0 * std::sqrt(0.15 * 0.85 / total));
  EXPECT_GT(best[7], 3.0 * best[0]) << "the policy itself follows the context";
}

TEST(Shares, TheBudgetIsKeptWithThem) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  for (const char* spec :
       {"ccb(least=[0,0,0,0.1],rate=0.25)", "ccb(control=3,holdout=0.15,rate=0.25)",
        "ccb(most=[1,1,0.2,1],rate=0.3)",
        "ccb(control=2,holdout=0.1,least=0.05,most=0.6,rate=0.3)"}) {
    const bool dear = std::string(spec).find("0.3)") != std::string::npos;
    const double budget = (dear ? 0.3 : 0.25) * 2000;
    double mean = 0.0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const PolicyState state =
          play_shares(spec, 2000, [](const Round&, const Decision&) {}, 3, seed);
      EXPECT_LE(state.spent[0], 1.03 * budget) << spec;
      mean += state.spent[0] / 8.0;
    }
    EXPECT_LE(mean, 1.01 * budget) << spec;
    EXPECT_GE(mean, 0.97 * budget) << spec;
  }
}

// What the window says the policy would spend, against its decisions at the same price.
TEST(Shares, TheRehearsalCountsWhatTheySpend) {
  for (const char* keys : {"x(least=[0.1,0,0,0.2])", "x(control=3,holdout=0.3)",
                           "x(least=[0.1,0,0,0.1],most=[1,0.3,0.4,0.2])"}) {
    const Spec spec = parse_spec(keys).value();
    SpecReader read(spec, "shares");
    const Shares shares(read, kSharesShape);
    read.finish().check();
    const ConstantGain gain(9.0);
    const Igw igw;
    DecisionWindow window(4, 1, 16, gain, igw, {}, shares);
    const std::vector<double> units = {1.0, 1.0};
    const Costs prices = {0.7};
    Rng rng(3);
    double paid = 0.0, least = 0.0;
    for (int t = 0; t < 16; ++t) {
      Decision d;
      d.prepare(2, 4);
      for (int h = 0; h < 2; ++h)
        for (double& x : d.estimates.mean(h)) x = rng.uniform();
      const Round round{.actions = 4};
      window.add(d.estimates, units, nullptr, &round);
      const std::span<const double> cost = d.estimates.mean(1);
      for (int a = 0; a < 4; ++a) d.scores()[a] = d.estimates.mean(0)[a] - prices[0] * cost[a];
      igw.explore(d.scores(), 9.0, d.probabilities());
      std::vector<double> work(shares.work(4));
      shares.mix(round, igw, 9.0, work, d);
      for (int a = 0; a < 4; ++a) paid += d.probabilities()[a] * cost[a] / 16.0;
      for (int a = 0; a < 4; ++a) least += shares.forced(round, a) * cost[a] / 16.0;
    }
    window.fix_gamma({}, {.scaled = {0.0}});
    Costs spend;
    std::array<double, kMaxCosts * kMaxCosts> slopes{};
    window.spend(prices, spend, slopes);
    EXPECT_NEAR(spend[0], paid, 2e-4) << keys;
    EXPECT_GE(window.least()[0], least) << keys;
    EXPECT_LE(window.least()[0], spend[0]) << keys;
  }
}

TEST(Shares, WhatCannotHoldIsRefused) {
  const auto error = [](const char* spec) {
    auto made = make_policy(spec, kSharesShape);
    return made ? std::string("accepted") : made.error();
  };
  EXPECT_THAT(error("ccb(control=0,holdout=0.3,least=0.2,rate=0.3)"),
              HasSubstr("the least shares and the holdout sum to 1.1; accepted: at most 1"));
  EXPECT_THAT(error("ccb(holdout=0.3,rate=0.3)"), HasSubstr("a holdout needs its control"));
  EXPECT_THAT(error("ccb(control=1,rate=0.3)"), HasSubstr("a holdout needs its control"));
  EXPECT_THAT(error("ccb(control=4,holdout=0.3,rate=0.3)"), HasSubstr("from 0 to 3"));
  EXPECT_THAT(error("ccb(most=0.2,rate=0.3)"), HasSubstr("most shares sum to 0.8"));
  EXPECT_THAT(error("ccb(least=[0.1,0.2],rate=0.3)"), HasSubstr("one per action (4)"));
  EXPECT_THAT(error("ccb(least=[0.5,0,0,0],most=[0.4,1,1,1],rate=0.3)"),
              HasSubstr("action 0 has the most share 0.4"));
  EXPECT_THAT(error("ccb(least=1.5,rate=0.3)"), HasSubstr("least"));
  EXPECT_EQ(error("ccb(least=0.25,rate=0.3)"), "accepted");
}

TEST(Shares, TheTheoremDoesNotCoverThem) {
  const auto theory = [](const char* spec) {
    return make_policy(spec, kSharesShape).value()->state().theorem.has_value();
  };
  EXPECT_TRUE(theory("ccb(budget=100,tuning=theory)"));
  EXPECT_FALSE(theory("ccb(budget=100,least=0.1,tuning=theory)"));
  EXPECT_FALSE(theory("ccb(budget=100,control=0,holdout=0.1,tuning=theory)"));
}

TEST(Shares, SavedAndLoadedTheyGoOnWithTheSameBits) {
  const Case c{.spec = "ccb(control=1,holdout=0.1,least=0.05,most=0.7,rate=0.3)",
               .shape = kSharesShape};
  Game one(c), other(c);
  one.play(0, 90);
  other.policy->load(one.policy->save()).check();
  other.rng = one.rng;
  one.play(90, 150);
  other.play(90, 150);
  EXPECT_EQ(other.policy->save(), one.policy->save());
}

}  // namespace
}  // namespace rein
