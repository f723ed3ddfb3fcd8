// Regret against linear functions of any size, against a plain solve.
#include "estimate/free_regret.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "estimate/dense.h"
#include "estimate/play.h"
#include "estimate/variants.h"
#include "rein/rng.h"

namespace rein {
namespace {

// The least of sum (theta . phi - y)^2 + tiny |theta|^2.
long double least_loss(const std::vector<Vector>& phis, const std::vector<double>& ys,
                       long double tiny) {
  const std::size_t d = phis[0].size();
  Matrix a(static_cast<int>(d), tiny);
  Vector b(d);
  long double loss = 0.0L;
  for (std::size_t t = 0; t < phis.size(); ++t) {
    a.add_square(phis[t]);
    for (std::size_t i = 0; i < d; ++i) b[i] += phis[t][i] * static_cast<long double>(ys[t]);
    loss += static_cast<long double>(ys[t]) * static_cast<long double>(ys[t]);
  }
  const Vector theta = solve(a, b);
  for (std::size_t i = 0; i < d; ++i) loss -= b[i] * theta[i];
  return loss;
}

TEST(FreeRegret, IsThatOfAPlainSolve) {
  const Shape shape{.actions = 1, .features = 3};
  for (const char* spec : {"vaw", "ridge(reg=0.3)", "vaw(forward=0.5,reg=2)"}) {
    auto oracle = oracle_of(spec, shape);
    Rng rng(4, 1);
    std::vector<Vector> phis;
    std::vector<double> ys;
    double loss = 0.0;
    for (int t = 0; t < 2000; ++t) {
      const double x = 2.0 * rng.uniform() - 1.0;
      const std::vector<double> phi = {x, x + 0.01 * (2.0 * rng.uniform() - 1.0), rng.uniform()};
      const double y = std::clamp(50.0 * (phi[1] - phi[0]) + 0.1 * rng.normal(), -1.0, 1.0);
      const Round round{.actions = 1, .features = phi};
      const double miss = predict(*oracle, shape, round).mean(0)[0] - y;
      loss += miss * miss;
      oracle->learn(round, 0, {&y, 1});
      phis.emplace_back(phi.begin(), phi.end());
      ys.push_back(y);
    }
    const auto best = static_cast<double>(least_loss(phis, ys, 1e-9L));
    EXPECT_NEAR(free_regret(*oracle), loss - best, 0.02) << spec;  // tiny |theta|^2 is below that
    EXPECT_GT(free_regret(*oracle), oracle->regret() + 10.0) << spec;
  }
}

TEST(FreeRegret, OfTheMembersIsThatOfTheWhole) {
  const Shape shape{.actions = 2, .context = 2, .costs = {{"c", {0.0, 1.0}}}};
  const auto learn = [&](Oracle& oracle) {
    Rng rng(7, 2);
    for (int t = 0; t < 200; ++t) {
      const double context[] = {rng.uniform(), rng.uniform()};
      const double outcomes[] = {rng.uniform(), rng.uniform()};
      oracle.learn({.actions = 2, .context = context}, t % 2, outcomes);
    }
  };
  auto alone = oracle_of("vaw(memory=auto)", shape);
  auto raced = oracle_of("auto", shape);  // no member has moved
  learn(*alone);
  learn(*raced);
  EXPECT_EQ(free_regret(*raced), free_regret(*alone));
  auto paired = oracle_of("pair(reward=vaw,cost=vaw)", shape);
  learn(*paired);
  EXPECT_NEAR(free_regret(*paired), free_regret(*alone), 1e-9);
  auto other = oracle_of("adagrad", shape);
  learn(*other);
  EXPECT_EQ(free_regret(*other), other->regret());
}

TEST(FreeRegret, IsUnknownOnceSomethingWasForgotten) {
  const Shape shape{.actions = 1, .features = 1};
  auto oracle = oracle_of("vaw(memory=50)", shape);
  const double one = 1.0;
  const double y = 0.5;
  for (int t = 0; t < 5; ++t) oracle->learn({.actions = 1, .features = {&one, 1}}, 0, {&y, 1});
  EXPECT_TRUE(std::isnan(free_regret(*oracle)));
}

}  // namespace
}  // namespace rein
