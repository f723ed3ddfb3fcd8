// adagrad against its definition, its regret against the best theta of the box, and the numbers
// that a sparse round changes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "estimate/dense.h"
#include "estimate/play.h"

namespace rein {
namespace {

TEST(Adagrad, FollowsItsDefinition) {
  constexpr int kD = 11;
  const double radius = 0.3, rate = 0.7;
  const Shape shape{.actions = 2, .features = kD};
  auto oracle = oracle_of(fmt::format("adagrad(radius={},rate={})", radius, rate), shape);
  Rounds rounds(shape, false, 5);
  double theta[kD] = {}, squares[kD] = {};
  int at_the_edge = 0;
  for (int t = 0; t < 200; ++t) {
    const OwnedRound round = rounds.next();
    const Estimates e = predict(*oracle, shape, round.view());
    const double* phi = round.features.data() + t % 2 * kD;
    double p = 0.0;
    for (int i = 0; i < kD; ++i) p += theta[i] * phi[i];
    p = std::clamp(p, -1.0, 1.0);
    ASSERT_NEAR(e.mean(0)[t % 2], p, 1e-10);
    const double y = rounds.outcomes()[0];
    for (int i = 0; i < kD; ++i) {
      const double g = 2.0 * (p - y) * phi[i];
      squares[i] += g * g;
      if (g != 0.0) theta[i] -= rate * g / std::sqrt(squares[i]);
      theta[i] = std::clamp(theta[i], -radius, radius);
      at_the_edge += std::abs(theta[i]) == radius;
    }
    oracle->learn(round.view(), t % 2, {&y, 1});
  }
  EXPECT_GT(at_the_edge, 0);
}

// Without products there is nothing to fold: a scratch that never had memory is enough, and no
// offset is added to its null pointer (the sanitizers would say so).
TEST(Adagrad, NeedsNoScratchWithoutProducts) {
  const Shape shape{.actions = 2, .features = 3, .costs = {{}, {}}};
  auto oracle = oracle_of("adagrad", shape);
  ASSERT_EQ(oracle->scratch(), 0U);
  Rounds rounds(shape, false, 5);
  const OwnedRound round = rounds.next();
  Scratch scratch;
  Estimates estimates;
  estimates.prepare(3, 2);
  oracle->predict(round.view(), scratch, estimates);
  for (int h = 0; h < 3; ++h) EXPECT_EQ(estimates.mean(h)[0], 0.0);
}

TEST(Adagrad, RegretStaysUnderTheBoundOnAdversarialOutcomes) {
  constexpr int kD = 6;
  for (double rate : {0.1, 1.414}) {
    const Shape shape{.actions = 1, .features = kD};
    auto oracle = oracle_of(fmt::format("adagrad(rate={})", rate), shape);
    Rounds rounds(shape, false, 9);
    LeastSquares sums(kD);
    double loss = 0.0;
    for (int t = 0; t < 3000; ++t) {
      const OwnedRound round = rounds.next();
      const double p = predict(*oracle, shape, round.view()).mean(0)[0];
      const double y = t < 1000   ? (p > 0.0 ? -1.0 : 1.0)
                       : t < 2000 ? (round.features[1] > 0.0 ? 1.0 : -1.0)
                                  : (round.features[1] > 0.0 ? -1.0 : 1.0);
      oracle->learn(round.view(), 0, {&y, 1});
      sums.add(Vector(round.features.begin(), round.features.end()), y);
      loss += (p - y) * (p - y);
      if (t % 500 != 499) continue;
      const auto regret = static_cast<double>(loss - sums.loss(sums.best_in_box(1.0L)));
      ASSERT_LE(regret, oracle->regret() + 1e-6) << "round " << t;
      ASSERT_LE(oracle->regret(), oracle->bound(t + 1));
    }
  }
}

// A shape of a million features: learning changes two numbers per nonzero and head, and one sum.
TEST(Adagrad, ASparseRoundTouchesItsNonzerosAlone) {
  Shape shape{.actions = 3, .features = 1 << 20};
  shape.costs.resize(1);
  auto oracle = oracle_of("adagrad(bias=1)", shape);
  OwnedRound round{.actions = 3};
  round.begin = {0, 3, 5, 8};
  round.index = {5, 1000, (1 << 20) - 1, 5, 6, 0, 77, 1000};
  round.value = {0.5, -0.25, 1.0, 0.125, 2.0, 1.0, 1.0, -1.0};
  for (int t = 0; t < 3; ++t) {
    const std::string before = saved(*oracle);
    const std::vector<double> y{0.5, -0.25};
    oracle->learn(round.view(), 0, y);
    const std::string after = saved(*oracle);
    ASSERT_EQ(before.size(), after.size());
    int changed = 0;
    for (std::size_t i = before.size() % 8; i < before.size(); i += 8) {
      changed += std::memcmp(before.data() + i, after.data() + i, 8) != 0;
    }
    EXPECT_EQ(changed, 2 * 2 * (3 + 1) + 2);
  }
  // The other actions share the features 5 and 1000, and nothing else.
  const Estimates e = predict(*oracle, shape, round.view());
  EXPECT_NE(e.mean(0)[1], 0.0);
  EXPECT_NE(e.mean(0)[0], e.mean(0)[2]);
}

TEST(Adagrad, SixteenMillionFeaturesAreAccepted) {
  const Shape shape{.actions = 1, .features = kMaxFeatures};
  auto oracle = oracle_of("adagrad", shape);
  OwnedRound round{.actions = 1};
  round.begin = {0, 2};
  round.index = {0, kMaxFeatures - 1};
  round.value = {1.0, 1.0};
  const double y = 1.0;
  for (int t = 0; t < 100; ++t) oracle->learn(round.view(), 0, {&y, 1});
  EXPECT_NEAR(predict(*oracle, shape, round.view()).mean(0)[0], 1.0, 0.05);
  EXPECT_FALSE(make_oracle(parse_spec("adagrad(bias=1)").value(), shape).ok());
}

}  // namespace
}  // namespace rein
