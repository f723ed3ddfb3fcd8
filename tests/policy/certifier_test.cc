// The bound on regret from the run itself: that it holds, what it leaves out, and that it is saved.
#include "policy/certifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "allocations.h"
#include "policy/play.h"
#include "rein/bytes.h"

namespace rein {
namespace {

using testing::HasSubstr;

constexpr int kOffered = 4;
constexpr int kNumbers = 3;

Shape linear_shape(int costs) {
  return {.actions = kOffered,
          .features = kNumbers,
          .costs = std::vector<CostShape>(static_cast<std::size_t>(costs))};
}

// A linear problem with exact means, and rounds of it.
struct LinearGame {
  explicit LinearGame(int costs, std::uint64_t seed = 1) : heads(costs + 1), rng(seed, 3) {
    for (int j = 0; j < heads * kNumbers; ++j) theta.push_back(rng.uniform() - 0.5);
  }
  Round next() {
    features.clear();
    for (int j = 0; j < kOffered * kNumbers; ++j) features.push_back(2.0 * rng.uniform() - 1.0);
    return {.actions = kOffered, .features = features};
  }
  double mean(int head, int action) const {
    double sum = 0.0;
    for (int j = 0; j < kNumbers; ++j) {
      sum += theta[static_cast<std::size_t>(head * kNumbers + j)] *
             features[static_cast<std::size_t>(action * kNumbers + j)] / 1.5;
    }
    return sum;
  }
  Outcome outcome(int action, double noise) {
    Outcome out{.reward = mean(0, action) + noise * rng.rademacher(), .costs = Costs(heads - 1)};
    for (int i = 1; i < heads; ++i) out.costs[i - 1] = mean(i, action) + noise * rng.rademacher();
    return out;
  }
  // The best mix of at most three actions that keeps every cost at most `cap`, on a grid: at most
  // what the linear program gives, and near it. -infinity if there is none.
  double best_on_grid(double cap) const {
    constexpr int kSteps = 40;
    double best = -INFINITY;
    for (int a = 0; a < kOffered; ++a) {
      for (int b = 0; b < kOffered; ++b) {
        for (int c = 0; c < kOffered; ++c) {
          for (int i = 0; i <= kSteps; ++i) {
            for (int j = 0; i + j <= kSteps; ++j) {
              const double p = i / double{kSteps}, q = j / double{kSteps}, rest = 1.0 - p - q;
              bool fits = true;
              for (int h = 1; h < heads; ++h) {
                fits = fits && p * mean(h, a) + q * mean(h, b) + rest * mean(h, c) <= cap;
              }
              if (fits) best = std::max(best, p * mean(0, a) + q * mean(0, b) + rest * mean(0, c));
            }
          }
        }
      }
    }
    return best;
  }
  int heads;
  Rng rng;
  std::vector<double> theta, features;
};

// Without noise the bounds come to the means, and what a round adds to the certificate comes to the
// value of its linear program less the reward.
TEST(Certifier, ARoundAddsTheValueOfItsLinearProgram) {
  for (int costs : {0, 1, 2}) {
    LinearGame game(costs);
    Certifier certifier(linear_shape(costs), Costs(costs, 0.05));
    for (int t = 0; t < 40'000; ++t) {
      const Round round = game.next();
      const int action = static_cast<int>(game.rng.below(kOffered));
      certifier.add(round, action, game.outcome(action, 0.0));
    }
    for (int t = 0; t < 5; ++t) {
      const Round round = game.next();
      const double best = game.best_on_grid(0.05);
      const double before = certifier.now().regret;
      const Outcome outcome = game.outcome(0, 0.0);
      certifier.add(round, 0, outcome);
      if (best == -INFINITY) continue;
      const double added = certifier.now().regret - before + outcome.reward;
      EXPECT_GE(added, best - 1e-6) << costs << " costs";
      EXPECT_LE(added, best + 0.08) << costs << " costs";
    }
  }
}

// Whatever is played, with noise: regret in every round and over all rounds stays below, at all
// times.
TEST(Certifier, BoundsTheRegretOfWhateverIsPlayed) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    LinearGame game(1, seed);
    Certifier certifier(linear_shape(1), Costs(1, 0.1));
    double regret = 0.0;
    for (int t = 0; t < 4000; ++t) {
      const Round round = game.next();
      const int action = seed % 2 == 0 ? 0 : static_cast<int>(game.rng.below(kOffered));
      double best = -1.0;
      for (int a = 0; a < kOffered; ++a) {
        if (game.mean(1, a) <= 0.1) best = std::max(best, game.mean(0, a));
      }
      if (best > -1.0) regret += best - game.mean(0, action);
      certifier.add(round, action, game.outcome(action, 0.3));
      ASSERT_GE(certifier.now().regret, regret) << "round " << t << ", seed " << seed;
      ASSERT_GE(certifier.now().regret_long_term, regret);
    }
    EXPECT_EQ(certifier.now().none, NoCertificate::kNone);
    EXPECT_LT(certifier.now().regret, regret + 2000.0) << "half of what can be lost";
  }
}

TEST(Certifier, SaysWhyThereIsNone) {
  Shape unknown = linear_shape(1);
  unknown.costs[0].range = Range::unknown();
  EXPECT_EQ(Certifier(unknown, Costs(1)).now().none, NoCertificate::kRange);
  Shape wide = linear_shape(1);
  wide.features = 500;
  EXPECT_EQ(Certifier(wide, Costs(1)).now().none, NoCertificate::kSize);
  EXPECT_EQ(Certifier(linear_shape(1), Costs(1), true).now().none, NoCertificate::kPaces);
  EXPECT_TRUE(std::isnan(Certifier(wide, Costs(1)).now().regret));

  LinearGame game(1);
  Certifier parts(linear_shape(1), Costs(1));
  parts.add(game.next(), 0, {.reward = 0.5});
  EXPECT_EQ(parts.now().none, NoCertificate::kParts);
  for (int reason = 1; reason <= static_cast<int>(NoCertificate::kLive); ++reason) {
    EXPECT_FALSE(why(static_cast<NoCertificate>(reason)).empty()) << reason;
  }
}

// A reward that is the square of a feature is in no linear class.
TEST(Certifier, SaysThatTheClassIsWrong) {
  LinearGame game(0);
  Certifier certifier(linear_shape(0), Costs());
  for (int t = 0; t < 4000; ++t) {
    const Round round = game.next();
    const double x = game.features[0];
    certifier.add(round, 0, {.reward = 2.0 * x * x - 1.0, .costs = Costs()});
  }
  EXPECT_EQ(certifier.now().none, NoCertificate::kAlarm);
  EXPECT_TRUE(std::isnan(certifier.now().regret));
}

Case certified(const char* spec) {
  return {spec, "certified", {.actions = 3, .context = 2, .costs = {{}}, .rounds = 500}};
}

// Rounds whose outcome has not come are not counted, and the certificate is that of the others.
TEST(Certifier, LeavesOutWhatHasNotCome) {
  const Case c = certified("ccb(certify=1)");
  Game punctual(c), late(c);
  Rng rng(2);
  std::vector<Decision> open;
  std::vector<OwnedRound> rounds;
  for (int t = 0; t < 100; ++t) {
    rounds.push_back(round_of(c.shape, t));
    late.policy->decide(rounds.back().view(), late.rng, late.scratch, late.decision).check();
    open.push_back(late.decision);
  }
  EXPECT_EQ(late.policy->state().certified->rounds, 0);
  EXPECT_EQ(late.policy->state().certified->regret, 0.0);
  for (std::size_t t = 0; t < 60; ++t) {
    const Round round = rounds[t].view();
    late.policy
        ->learn(round, open[t], outcome_of(c.shape, round, open[t].action, static_cast<int>(t)))
        .check();
  }
  const Certified found = late.policy->state().certified.value();
  EXPECT_EQ(found.rounds, 60);
  EXPECT_EQ(found.none, NoCertificate::kNone);
  EXPECT_LE(found.regret, 2.0 * 60 + 60);  // of 60 rounds, and the noise
  EXPECT_FALSE(Game(certified("ccb")).policy->state().certified.has_value());
}

TEST(Certifier, APolicyContinuesWithTheSameBits) {
  const Case c = certified("ccb(certify=1)");
  Game one(c);
  const auto play = [&](Game& game, int from, int to) {
    for (int t = from; t < to; ++t) {
      const OwnedRound owned = round_of(c.shape, t);
      const Round round = owned.view();
      game.policy->decide(round, game.rng, game.scratch, game.decision).check();
      game.policy->learn(round, game.decision, outcome_of(c.shape, round, game.decision.action, t))
          .check();
    }
  };
  play(one, 0, 200);
  Game two(c);
  two.policy->load(one.policy->save()).check();
  two.rng = one.rng;
  EXPECT_EQ(two.policy->state().certified->regret, one.policy->state().certified->regret);
  play(one, 200, 300);
  play(two, 200, 300);
  EXPECT_EQ(two.policy->state().certified->regret, one.policy->state().certified->regret);
  EXPECT_EQ(one.policy->save(), two.policy->save());
  // Without certify=1 it is another spec.
  EXPECT_THAT(Game(certified("ccb")).policy->load(one.policy->save()).error(),
              HasSubstr("certify"));
}

// It changes no decision.
TEST(Certifier, ThePolicyDecidesAsWithoutIt) {
  const Case with = certified("ccb(certify=1)"), without = certified("ccb");
  Game one(with), two(without);
  for (int t = 0; t < 200; ++t) {
    const OwnedRound owned = round_of(with.shape, t);
    const Round round = owned.view();
    for (Game* game : {&one, &two}) {
      game->policy->decide(round, game->rng, game->scratch, game->decision).check();
      game->policy
          ->learn(round, game->decision, outcome_of(with.shape, round, game->decision.action, t))
          .check();
    }
    ASSERT_EQ(one.decision.action, two.decision.action);
    ASSERT_EQ(one.decision.probability, two.decision.probability);
  }
}

TEST(Certifier, AllocatesNothing) {
  for (int costs : {0, 1, 2}) {
    LinearGame game(costs);
    Certifier certifier(linear_shape(costs), Costs(costs));
    for (int t = 0; t < 300; ++t) {
      const Round round = game.next();
      const Outcome outcome = game.outcome(1, 0.2);
      const long before = allocations;
      certifier.add(round, 1, outcome);
      ASSERT_EQ(allocations, before) << "round " << t;
    }
  }
}

}  // namespace
}  // namespace rein
