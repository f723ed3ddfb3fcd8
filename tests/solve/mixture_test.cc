#include "solve/mixture.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "rein/rng.h"

namespace rein {
namespace {

struct Problem {
  int actions;
  int costs;
  std::vector<double> values, caps;

  double f(int a) const { return values[static_cast<std::size_t>(a)]; }
  double g(int i, int a) const { return values[static_cast<std::size_t>((i + 1) * actions + a)]; }
};

// Coarse values make ties and degenerate corners common.
Problem random_problem(std::uint64_t seed, int actions, int costs, double cap, bool coarse) {
  Rng rng(seed);
  Problem q{.actions = actions, .costs = costs};
  for (int j = 0; j < actions * (costs + 1); ++j) {
    const double x = 2.0 * rng.uniform() - 1.0;
    q.values.push_back(coarse ? std::round(4.0 * x) / 4.0 : x);
  }
  q.caps.assign(static_cast<std::size_t>(costs), cap);
  return q;
}

// Every corner of the feasible set mixes at most costs + 1 actions. With one and two costs they can
// all be listed. -infinity if there is none.
double best_corner(const Problem& q) {
  double best = -INFINITY;
  const auto consider = [&](const std::vector<std::pair<int, double>>& mix) {
    double value = 0.0;
    std::vector<double> cost(static_cast<std::size_t>(q.costs));
    for (auto [a, p] : mix) {
      if (!(p >= -1e-12)) return;
      value += p * q.f(a);
      for (int i = 0; i < q.costs; ++i) cost[static_cast<std::size_t>(i)] += p * q.g(i, a);
    }
    for (int i = 0; i < q.costs; ++i) {
      if (cost[static_cast<std::size_t>(i)] > q.caps[static_cast<std::size_t>(i)] + 1e-11) return;
    }
    best = std::max(best, value);
  };
  for (int a = 0; a < q.actions; ++a) {
    consider({{a, 1.0}});
    for (int b = 0; b < a; ++b) {
      for (int i = 0; i < q.costs; ++i) {  // cost i tight
        const double share =
            (q.caps[static_cast<std::size_t>(i)] - q.g(i, b)) / (q.g(i, a) - q.g(i, b));
        consider({{a, share}, {b, 1.0 - share}});
      }
      for (int c = 0; q.costs == 2 && c < b; ++c) {  // both tight
        const double a0 = q.g(0, a) - q.g(0, c), b0 = q.g(0, b) - q.g(0, c);
        const double a1 = q.g(1, a) - q.g(1, c), b1 = q.g(1, b) - q.g(1, c);
        const double r0 = q.caps[0] - q.g(0, c), r1 = q.caps[1] - q.g(1, c);
        const double det = a0 * b1 - a1 * b0;
        const double pa = (r0 * b1 - r1 * b0) / det, pb = (a0 * r1 - a1 * r0) / det;
        consider({{a, pa}, {b, pb}, {c, 1.0 - pa - pb}});
      }
    }
  }
  return best;
}

void expect_keeps_caps(const Problem& q, const MixtureAnswer& answer, std::span<const double> p) {
  double sum = 0.0, value = 0.0;
  for (int a = 0; a < q.actions; ++a) {
    const double share = p[static_cast<std::size_t>(a)];
    EXPECT_GE(share, 0.0);
    sum += share;
    value += share * q.f(a);
  }
  EXPECT_NEAR(sum, 1.0, 1e-12);
  EXPECT_NEAR(value, answer.value, 1e-12);
  for (int i = 0; i < q.costs; ++i) {
    double cost = 0.0;
    for (int a = 0; a < q.actions; ++a) cost += p[static_cast<std::size_t>(a)] * q.g(i, a);
    EXPECT_LE(cost, q.caps[static_cast<std::size_t>(i)] + answer.relaxed + 1e-9);
  }
}

TEST(MixtureTest, MixesTheTwoActionsAroundTheCap) {
  // (cost, reward): (-1, 0), (1, 1), (0, 0.25), cap 0: half and half gives 0.5, the third only
  // 0.25.
  Mixture mixture(3, 1);
  const auto answer =
      mixture.solve(std::vector<double>{0.0, 1.0, 0.25, -1.0, 1.0, 0.0}, 3, std::vector{0.0});
  EXPECT_DOUBLE_EQ(answer.value, 0.5);
  EXPECT_EQ(answer.relaxed, 0.0);
  EXPECT_DOUBLE_EQ(mixture.probabilities()[0], 0.5);
  EXPECT_DOUBLE_EQ(mixture.probabilities()[1], 0.5);
}

TEST(MixtureTest, InfeasibleRoundTakesTheBestOfTheLeastViolating) {
  Mixture one(3, 1);
  const auto answer =
      one.solve(std::vector<double>{0.1, 0.4, 1.0, 0.2, 0.2, 0.3}, 3, std::vector{0.0});
  EXPECT_DOUBLE_EQ(answer.relaxed, 0.2);
  EXPECT_DOUBLE_EQ(answer.value, 0.4);
  // Two costs, two actions: (1, 0) and (0, 1) against caps of 0: the even mix needs 0.5 of each.
  Mixture two(2, 2);
  const auto even =
      two.solve(std::vector<double>{0.2, 0.6, 1.0, 0.0, 0.0, 1.0}, 2, std::vector{0.0, 0.0});
  EXPECT_NEAR(even.relaxed, 0.5, 1e-12);
  EXPECT_NEAR(even.value, 0.4, 1e-12);
}

TEST(MixtureTest, OneActionIsTheAnswerWhateverItCosts) {
  for (int costs : {0, 1, 3}) {
    Mixture mixture(1, costs);
    std::vector<double> values(static_cast<std::size_t>(costs) + 1, 0.5);
    values[0] = -0.25;
    const auto answer =
        mixture.solve(values, 1, std::vector<double>(static_cast<std::size_t>(costs)));
    EXPECT_DOUBLE_EQ(answer.value, -0.25);
    EXPECT_NEAR(answer.relaxed, costs == 0 ? 0.0 : 0.5, 1e-12);
  }
}

RC_GTEST_PROP(MixtureProperty, FindsTheBestCorner, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const int actions = *rc::gen::inRange(1, 10);
  const int costs = *rc::gen::inRange(0, 3);
  const double cap = *rc::gen::element(-0.3, 0.0, 0.25);
  const Problem q = random_problem(seed, actions, costs, cap, *rc::gen::arbitrary<bool>());
  Mixture mixture(actions, costs);
  const MixtureAnswer answer = mixture.solve(q.values, actions, q.caps);
  const double best = best_corner(q);
  if (best == -INFINITY) {
    RC_ASSERT(answer.relaxed > 0.0);
  } else {
    RC_ASSERT(answer.relaxed == 0.0);
    RC_ASSERT(std::abs(answer.value - best) < 1e-9);
  }
  expect_keeps_caps(q, answer, mixture.probabilities());
}

RC_GTEST_PROP(MixtureProperty, AgreesWithClp, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const int actions = *rc::gen::inRange(1, 60);
  const int costs = *rc::gen::inRange(1, 9);
  const double cap = *rc::gen::element(-0.5, -0.2, 0.0, 0.25);
  const Problem q = random_problem(seed, actions, costs, cap, *rc::gen::arbitrary<bool>());
  Mixture mixture(actions, costs);
  const MixtureAnswer answer = mixture.solve(q.values, actions, q.caps);
  std::vector<double> p(static_cast<std::size_t>(actions));
  const MixtureAnswer reference = mixture_by_clp(q.values, actions, q.caps, p);
  RC_ASSERT(std::abs(answer.relaxed - reference.relaxed) < 1e-8);
  // A relaxed round may gain what CLP's tolerance on v lets it gain.
  RC_ASSERT(std::abs(answer.value - reference.value) < (answer.relaxed > 0.0 ? 1e-3 : 1e-8));
  expect_keeps_caps(q, answer, mixture.probabilities());
}

}  // namespace
}  // namespace rein
