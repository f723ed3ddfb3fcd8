// ons against its definition with plain solves, and its regret against the best theta there is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "estimate/dense.h"
#include "estimate/play.h"

namespace rein {
namespace {

constexpr int kD = 5;

Vector row_of(const OwnedRound& round, int action) {
  const auto at = round.features.begin() + action * kD;
  return Vector(at, at + kD);
}

// The update of the header, word for word, in long double.
struct PlainOns {
  Matrix a;
  Vector theta = Vector(kD);
  double low, high;
  double certificate;

  PlainOns(double reg, Range range)
      : a(kD, reg), low(range.low), high(range.high), certificate(0.5 * reg) {}
  double predict(const Vector& phi) const {
    return std::clamp(static_cast<double>(dot(theta, phi)), low, high);
  }
  void learn(const Vector& phi, double y) {
    const double p = predict(phi);
    const Vector v = solve(a, phi);
    const long double excess = dot(theta, phi) - p;
    if (excess != 0.0L) {
      for (int i = 0; i < kD; ++i) theta[i] -= excess * v[i] / dot(phi, v);
    }
    Vector g = phi;
    for (long double& x : g) x *= 2.0L * (p - y);
    a.add_square(g, 0.125L);
    const Vector step = solve(a, g);
    for (int i = 0; i < kD; ++i) theta[i] -= step[i];
    certificate += 0.5 * static_cast<double>(dot(g, step));
  }
};

TEST(Ons, FollowsItsDefinition) {
  int clipped = 0;
  for (Range range : {Range{-1.0, 1.0}, Range{0.0, 1.0}}) {
    for (double reg : {0.05, 8.0}) {  // small: long steps, so that many predictions are clipped
      Shape shape{.actions = 2, .features = kD, .reward = range};
      auto oracle = oracle_of(fmt::format("ons(reg={})", reg), shape);
      PlainOns plain(reg, range);
      Rounds rounds(shape, false, 31);
      for (int t = 0; t < 400; ++t) {
        const OwnedRound round = rounds.next();
        const Estimates e = predict(*oracle, shape, round.view());
        for (int a = 0; a < 2; ++a) {
          ASSERT_NEAR(e.mean(0)[a], plain.predict(row_of(round, a)), 1e-9) << "round " << t;
        }
        const double y = t % 5 == 0 ? e.mean(0)[t % 2] : rounds.outcomes()[0];
        const double score = static_cast<double>(dot(plain.theta, row_of(round, t % 2)));
        clipped += score < range.low || score > range.high;
        plain.learn(row_of(round, t % 2), y);
        oracle->learn(round.view(), t % 2, {&y, 1});
      }
      EXPECT_LE(oracle->regret(), plain.certificate + 1e-9);
    }
  }
  EXPECT_GT(clipped, 100);
}

// No assumption on the outcomes: the loss stays within the bound of the best theta in the unit
// ball, and regret() lies between the two.
TEST(Ons, RegretStaysUnderTheBoundOnAdversarialOutcomes) {
  for (double reg : {0.5, 8.0}) {
    const Shape shape{.actions = 1, .features = kD};
    auto oracle = oracle_of(fmt::format("ons(reg={})", reg), shape);
    Rounds rounds(shape, false, 77);
    LeastSquares sums(kD);
    double loss = 0.0;
    for (int t = 0; t < 3000; ++t) {
      const OwnedRound round = rounds.next();
      const double p = predict(*oracle, shape, round.view()).mean(0)[0];
      const double y = t % 3000 < 1000   ? (p > 0.0 ? -1.0 : 1.0)
                       : t % 3000 < 2000 ? (round.features[1] > 0.0 ? 1.0 : -1.0)
                                         : (t / 100 % 2 == 0 ? 1.0 : -1.0);
      oracle->learn(round.view(), 0, {&y, 1});
      sums.add(row_of(round, 0), y);
      loss += (p - y) * (p - y);
      if (t % 250 != 249) continue;
      const auto regret = static_cast<double>(loss - sums.loss(sums.best_in_ball()));
      ASSERT_LE(regret, oracle->regret() + 1e-6) << "round " << t;
      ASSERT_LE(oracle->regret(), oracle->bound(t + 1));
    }
  }
}

TEST(Ons, AHeadLearnsAsIfItWereAlone) {
  Shape one{.actions = 2, .features = kD};
  Shape three = one;
  three.costs.resize(2);
  auto alone = oracle_of("ons", one), among = oracle_of("ons", three);
  Rounds rounds(three, false, 13);
  for (int t = 0; t < 100; ++t) {
    const OwnedRound round = rounds.next();
    ASSERT_EQ(predict(*alone, one, round.view()).mean(0)[1],
              predict(*among, three, round.view()).mean(0)[1]);
    const std::vector<double> y = rounds.outcomes();
    alone->learn(round.view(), t % 2, {y.data(), 1});
    among->learn(round.view(), t % 2, y);
  }
}

TEST(Ons, HostileScalesLeaveNothingThatIsNotANumber) {
  const Shape shape{.actions = 1, .features = kD};
  auto oracle = oracle_of("ons(reg=1e-8)", shape);
  Rng rng(4);
  std::vector<double> features(kD);
  for (int t = 0; t < 20'000; ++t) {
    const double scale = t % 7 == 0 ? 1e-4 : t % 3 == 0 ? 1.0 : 1e4;
    for (double& x : features) x = scale * (2.0 * rng.uniform() - 1.0);
    features[3] = features[2] * (1.0 + 1e-9 * rng.uniform());
    const Round round{.actions = 1, .features = features};
    const double p = predict(*oracle, shape, round).mean(0)[0];
    ASSERT_TRUE(std::abs(p) <= 1.0) << p << " in round " << t;
    const double y = p > 0.0 ? -1.0 : 1.0;
    oracle->learn(round, 0, {&y, 1});
    ASSERT_TRUE(std::isfinite(oracle->regret())) << "round " << t;
  }
}

}  // namespace
}  // namespace rein
