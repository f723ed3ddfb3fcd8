// ridge against a plain solve, and its certificate.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "estimate/dense.h"
#include "estimate/play.h"
#include "estimate/variants.h"

namespace rein {
namespace {

TEST(Ridge, TwoRoundsByHand) {
  // reg 1, one feature: A = 1, then 1 + 4 = 5; b = 2 * 0.5 = 1.
  const Shape shape{.actions = 1, .features = 1};
  auto oracle = oracle_of("ridge", shape);
  const std::vector<double> two = {2.0}, one = {1.0};
  const double y = 0.5;
  oracle->learn({.actions = 1, .features = two}, 0, {&y, 1});
  const Estimates e = predict(*oracle, shape, {.actions = 1, .features = one});
  EXPECT_DOUBLE_EQ(e.mean(0)[0], 1.0 / 5.0);
  EXPECT_DOUBLE_EQ(e.width()[0], 0.2 / 1.2);  // w / (1 + w), w = 1 / 5
  // vaw counts the feature it is asked about: 1 / (5 + 1).
  auto vaw = oracle_of("vaw", shape);
  vaw->learn({.actions = 1, .features = two}, 0, {&y, 1});
  EXPECT_DOUBLE_EQ(predict(*vaw, shape, {.actions = 1, .features = one}).mean(0)[0], 1.0 / 6.0);
}

// forward=f divides by 1 + f w: ridge at 0, vaw at 1.
TEST(Ridge, TheShareOfTheDivisorLeadsFromRidgeToVaw) {
  const Shape shape{.actions = 1, .features = 1};
  const std::vector<double> two = {2.0}, one = {1.0};
  const double y = 0.5;
  const auto said = [&](const char* spec) {
    auto oracle = oracle_of(spec, shape);
    oracle->learn({.actions = 1, .features = two}, 0, {&y, 1});
    return predict(*oracle, shape, {.actions = 1, .features = one}).mean(0)[0];
  };
  EXPECT_EQ(said("vaw(forward=0)"), said("ridge"));
  EXPECT_EQ(said("vaw(forward=1)"), said("vaw"));
  EXPECT_DOUBLE_EQ(said("vaw(forward=0.5)"), 0.2 / 1.1);  // w = 1 / 5
  EXPECT_FALSE(make_oracle(parse_spec("vaw(forward=2)").value(), shape).ok());
  EXPECT_FALSE(make_oracle(parse_spec("ridge(forward=1)").value(), shape).ok());
}

TEST(Ridge, EveryEstimateIsThatOfAPlainSolve) {
  constexpr int kD = 5;
  const Shape shape{.actions = 7, .features = kD};
  auto oracle = oracle_of("ridge(reg=0.3)", shape);
  Rounds rounds(shape, false, 3);
  Matrix a(kD, 0.3L);
  Vector b(kD);
  for (int t = 0; t < 60; ++t) {
    const OwnedRound round = rounds.next(t % 2 == 0);
    const Estimates e = predict(*oracle, shape, round.view());
    for (int i = 0; i < round.actions; ++i) {
      const auto row = round.features.begin() + i * kD;
      const Vector phi(row, row + kD);
      const Vector v = solve(a, phi);
      const double w = static_cast<double>(dot(phi, v));
      ASSERT_NEAR(e.width()[i] / (1.0 - e.width()[i]), w, 1e-10 * std::max(1.0, w));
      ASSERT_NEAR(e.mean(0)[i], std::clamp(static_cast<double>(dot(v, b)), -1.0, 1.0), 1e-12);
    }
    const double y = rounds.outcomes()[0];
    const auto row = round.features.begin();
    const Vector phi(row, row + kD);
    a.add_square(phi);
    for (int j = 0; j < kD; ++j) b[j] += phi[j] * y;
    oracle->learn(round.view(), 0, {&y, 1});
  }
}

// sum (prediction - y)^2 - min over theta of (loss + reg |theta|^2) <= 4 ln det(A / reg) for any
// outcomes in [-1, 1]; regret() is the left side plus reg, and bound() the right side's bound.
TEST(Ridge, RegretStaysUnderFourTimesTheLogOfTheDeterminant) {
  constexpr int kD = 4;
  for (double reg : {0.01, 1.0, 30.0}) {
    SCOPED_TRACE(reg);
    const Shape shape{.actions = 1, .features = kD};
    auto oracle = oracle_of(fmt::format("ridge(reg={})", reg), shape);
    Rounds rounds(shape, false, 8);
    LeastSquares sums(kD);
    double loss = 0.0;
    for (int t = 0; t < 800; ++t) {
      const OwnedRound round = rounds.next();
      const double p = predict(*oracle, shape, round.view()).mean(0)[0];
      const double y = t % 600 < 300 ? (p > 0.0 ? -1.0 : 1.0) : (t % 2 == 0 ? 1.0 : -1.0);
      oracle->learn(round.view(), 0, {&y, 1});
      const Vector phi(round.features.begin(), round.features.end());
      sums.add(phi, y);
      loss += (p - y) * (p - y);
      if (t % 100 != 99) continue;
      Matrix a = sums.squares();
      for (int i = 0; i < kD; ++i) a(i, i) += reg;
      long double log_det;
      solve(a, Vector(kD), &log_det);
      log_det -= kD * std::log(static_cast<long double>(reg));
      const auto excess = static_cast<double>(loss - sums.ridge_loss(reg));
      ASSERT_LE(excess, 4.0 * static_cast<double>(log_det) + 1e-9);
      ASSERT_NEAR(oracle->regret(), std::max(excess, 0.0) + reg, 1e-8 * loss);
    }
    const double bound = reg + 4.0 * kD * std::log(1.0 + 800.0 / (reg * kD));
    EXPECT_NEAR(oracle->bound(800), bound, 1e-9 * bound);
  }
}

}  // namespace
}  // namespace rein
