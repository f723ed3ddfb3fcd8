// Oracles that forget, and the detector of changes.
#include <gtest/gtest.h>

#include <cmath>

#include "../sanitized.h"
#include "estimate/dense.h"
#include "estimate/play.h"
#include "estimate/vaw.h"

namespace rein {
namespace {

const Shape kShape{.actions = 3, .context = 4, .costs = {{"dollars", {0.0, 1.0}}}};

std::unique_ptr<Oracle> oracle_of(const std::string& spec) {
  return make_oracle(parse_spec(spec).value(), kShape).value();
}

// Linear means with noise; the weights of the reward change at one round.
struct Changing {
  Changing(const std::string& spec, std::uint64_t seed, int when, bool binary = false)
      : oracle(oracle_of(spec)), rounds(kShape, false, seed), change(when), coins(binary) {}

  double mean(const Round& round, int action, int head) const {
    double sum = 0.5 - 0.1 * action * head;
    for (int j = 0; j < 4; ++j) {
      const bool flipped = head == 0 && t >= change;
      sum += 0.4 * std::cos(1.0 + 3.0 * j + 7.0 * action + 2.0 * head) * (flipped ? -1.0 : 1.0) *
             round.context[static_cast<std::size_t>(j)];
    }
    return sum;
  }
  void play(int n) {
    for (; n > 0; --n, ++t) {
      const OwnedRound owned = rounds.next();
      const Round round = owned.view();
      const auto action = static_cast<int>(rounds.rng().below(3));
      double y[2];
      for (int h = 0; h < 2; ++h) {
        const double m = mean(round, action, h);
        const double u = rounds.rng().uniform();
        y[h] = coins && h == 0 ? (u < m ? 1.0 : 0.0) : m + 0.1 * (u - 0.5);
      }
      oracle->learn(round, action, y);
    }
  }
  // Root mean square error of the reward over fresh rounds.
  double error() {
    double sum = 0.0;
    for (int i = 0; i < 200; ++i) {
      const OwnedRound round = rounds.next();
      const Estimates e = predict(*oracle, kShape, round.view());
      for (int a = 0; a < 3; ++a) {
        sum += std::pow(e.mean(0)[static_cast<std::size_t>(a)] - mean(round.view(), a, 0), 2.0);
      }
    }
    return std::sqrt(sum / 600.0);
  }
  Changes seen() const {
    return oracle->abilities().change().value_or(Changes{});
  }

  std::unique_ptr<Oracle> oracle;
  Rounds rounds;
  int change;
  bool coins;
  int t = 0;
};

TEST(Forgetting, FollowsAChange) {
  Changing plain("vaw", 1, 2000), forgets("vaw(memory=300)", 1, 2000),
      sees("vaw(memory=auto)", 1, 2000);
  for (Changing* each : {&plain, &forgets, &sees}) each->play(3000);
  const double error = plain.error();
  EXPECT_LT(forgets.error(), 0.5 * error);
  EXPECT_LT(sees.error(), 0.3 * error);
}

// A stack over memories is near the best of them before and after a change.
TEST(Forgetting, AStackOverMemoriesFollowsToo) {
  const std::string spec = "stack(eta=auto,memory=200,of=[vaw,vaw(memory=100)])";
  Changing stack(spec, 1, 2000), plain("vaw", 1, 2000), forgets("vaw(memory=100)", 1, 2000);
  for (Changing* each : {&stack, &plain, &forgets}) each->play(1999);
  const double before = plain.error();
  EXPECT_LT(stack.error(), 1.2 * before);
  EXPECT_GT(forgets.error(), 1.5 * before);
  for (Changing* each : {&stack, &plain, &forgets}) each->play(501);
  EXPECT_LT(stack.error(), 0.7 * plain.error());
}

// Against a plain solve of the discounted sums, with all of reg I.
TEST(Forgetting, IsDiscountedRidgeRegression) {
  auto oracle = oracle_of("ridge(bias=0,features=per_action,memory=20)");
  Rounds rounds(kShape, false, 3);
  Matrix a(4, 1.0L);
  Vector b(4);
  const long double beta = 1.0L - 1.0L / 20.0L;
  for (int t = 0; t < 400; ++t) {
    const OwnedRound owned = rounds.next();
    const std::vector<double>& x = owned.context;
    const double y = 0.3 * x[0] - 0.5 * x[2];
    const double outcomes[2] = {y, 0.0};
    oracle->learn(owned.view(), 1, outcomes);
    for (int i = 0; i < 4; ++i) {
      b[i] = beta * b[i] + static_cast<long double>(x[i]) * y;
      for (int j = 0; j < 4; ++j) {
        a(i, j) =
            beta * a(i, j) + static_cast<long double>(x[i]) * x[j] + (i == j ? 1.0L - beta : 0.0L);
      }
    }
    const Vector theta = solve(a, b);
    const OwnedRound fresh = rounds.next();
    long double mean = 0.0L;
    for (int i = 0; i < 4; ++i) mean += theta[i] * static_cast<long double>(fresh.context[i]);
    const Estimates e = predict(*oracle, kShape, fresh.view());
    // What was taken of reg I is put back in one number until s is small: not exact, but close.
    EXPECT_NEAR(e.mean(0)[1], static_cast<double>(mean), 0.1) << t;
  }
}

TEST(Forgetting, AnActionThatIsNotTriedBecomesUnknown) {
  auto oracle = oracle_of("vaw(memory=50)");
  Rounds rounds(kShape, false, 5);
  const OwnedRound probe = rounds.next();
  const Estimates first = predict(*oracle, kShape, probe.view());
  const double y[2] = {0.9, 0.9};
  for (int t = 0; t < 100; ++t) oracle->learn(rounds.next().view(), 2, y);
  const Estimates known = predict(*oracle, kShape, probe.view());
  EXPECT_LT(known.width()[2], 0.3 * first.width()[2]);
  double last = known.width()[2];
  for (int t = 0; t < 1000; ++t) {
    oracle->learn(rounds.next().view(), 0, y);
    const double width = predict(*oracle, kShape, probe.view()).width()[2];
    ASSERT_GE(width, last - 1e-12);
    last = width;
  }
  EXPECT_NEAR(last, first.width()[2], 1e-6);
  EXPECT_NEAR(predict(*oracle, kShape, probe.view()).mean(0)[2], 0.0, 1e-6);
}

TEST(Forgetting, CertifiesNothing) {
  Changing forgets("vaw(memory=300)", 1, 1 << 20);
  forgets.play(1);
  EXPECT_TRUE(std::isnan(forgets.oracle->regret()));
  Changing sees("vaw(memory=auto)", 1, 2000);
  sees.play(2000);
  EXPECT_FALSE(std::isnan(sees.oracle->regret())) << "nothing was forgotten yet";
  sees.play(1000);
  EXPECT_TRUE(std::isnan(sees.oracle->regret()));
}

// Until a change is noticed it is vaw to the bit.
TEST(Forgetting, AutoIsVawUntilSomethingChanges) {
  Changing plain("vaw", 8, 1 << 20), sees("vaw(memory=auto)", 8, 1 << 20);
  plain.play(1500);
  sees.play(1500);
  EXPECT_EQ(plain.error(), sees.error());
  EXPECT_EQ(plain.oracle->regret(), sees.oracle->regret());
}

TEST(Change, IsNoticedSoonAndSaidOnce) {
  for (const bool coins : {false, true}) {
    int worst = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      Changing sees("vaw(memory=auto)", seed, 3000, coins);
      sees.play(4500);
      ASSERT_EQ(sees.seen().times, 1) << seed;
      EXPECT_EQ(sees.seen().head, 0);
      worst = std::max(worst, static_cast<int>(sees.seen().round) - 3000);
    }
    EXPECT_LT(worst, coins ? 600 : 60);
  }
}

// The level of one action falls. It is noticed soon, and the others stay as they were.
TEST(Change, OfALevelIsNoticedInItsAction) {
  int worst = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    auto oracle = oracle_of("vaw(memory=auto)");
    const OracleAbilities& sees = oracle->abilities();
    Rounds rounds(kShape, false, seed);
    const OwnedRound probe = rounds.next();
    int plays = 0;  // of the action, since it fell
    for (int t = 0; sees.change()->times == 0 && t < 10'000; ++t) {
      const auto action = static_cast<int>(rounds.rng().below(3));
      const bool fell = action == 1 && t >= 2000;
      plays += fell ? 1 : 0;
      const double y[2] = {rounds.rng().uniform() < (fell ? 0.4 : 0.7) ? 1.0 : 0.0, 0.2};
      const Estimates before = predict(*oracle, kShape, probe.view());
      oracle->learn(rounds.next().view(), action, y);
      if (sees.change()->times == 0) continue;
      const Estimates after = predict(*oracle, kShape, probe.view());
      EXPECT_EQ(action, 1);
      EXPECT_GT(after.width()[1], 2.0 * before.width()[1]);
      EXPECT_NEAR(after.mean(0)[1], 0.4, 0.25);
      EXPECT_NEAR(after.mean(1)[1], 0.2, 0.06) << "this cost did not change";
      for (std::size_t other : {0U, 2U}) {
        EXPECT_EQ(after.mean(0)[other], before.mean(0)[other]);
        EXPECT_EQ(after.width()[other], before.width()[other]);
      }
    }
    worst = std::max(worst, plays);
  }
  EXPECT_LT(worst, 160);
}

// What came since the change is known when it is noticed.
TEST(Change, LeavesWhatCameSince) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Changing sees("vaw(memory=auto)", seed, 3000, true);
    while (sees.seen().times == 0 && sees.t < 6000) {
      sees.play(1);
    }
    const double noticed = sees.error();
    Changing plain("vaw", seed, 3000, true);
    plain.play(sees.t);
    EXPECT_LT(noticed, 0.7 * plain.error());
  }
}

TEST(Change, StaysQuietWhereNothingChanges) {
  int rang = 0;
  for (std::uint64_t seed = 1; seed <= repeats(40); ++seed) {
    Changing sees("vaw(memory=auto)", seed, 1 << 20, seed % 2 == 0);
    sees.play(10'000);
    rang += sees.seen().times > 0;
  }
  EXPECT_EQ(rang, 0);
}

TEST(Change, TheMemoryIsChecked) {
  for (const char* spec : {"vaw(memory=1)", "vaw(memory=-3)", "vaw(memory=often)"}) {
    const auto made = make_oracle(parse_spec(spec).value(), kShape);
    ASSERT_FALSE(made.ok()) << spec;
    EXPECT_NE(made.error().find("accepted: 0 (nothing is forgotten)"), std::string::npos);
  }
}

}  // namespace
}  // namespace rein
