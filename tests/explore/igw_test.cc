// igw: the normaliser, the lemma behind the theorem, and the number of steps.
#include "explore/igw.h"

#include <gtest/gtest.h>

#include "explore/scores.h"
#include "property.h"

namespace rein {
namespace {

std::vector<double> some_numbers(int count, double scale) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i) out.push_back(scale * 0.001 * *rc::gen::inRange(-1000, 1001));
  return out;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// gamma sum_a p(a) (v^(a) - v(a))^2
double squared_error(const std::vector<double>& p, const std::vector<double>& guess,
                     const std::vector<double>& v, double gamma) {
  double sum = 0.0;
  for (std::size_t a = 0; a < p.size(); ++a) sum += p[a] * (guess[a] - v[a]) * (guess[a] - v[a]);
  return gamma * sum;
}

TEST(Igw, TwoActionsByHand) {
  // 1/l + 1/(l + c) = 1 with c = 2 gamma gap = 1.5: l^2 + (c - 2) l - c = 0.
  const double c = 1.5, l = (2.0 - c + std::sqrt((c - 2.0) * (c - 2.0) + 4.0 * c)) / 2.0;
  const auto p = explore("igw", {0.5, 0.25}, 3.0);
  EXPECT_NEAR(p[0], 1.0 / l, 1e-15);
  EXPECT_NEAR(p[1], 1.0 / (l + c), 1e-15);
}

TEST(Igw, GammaZeroIsUniformAndGammaHugeIsGreedy) {
  const std::vector<double> scores = {0.1, 0.7, 0.7, -0.3};
  for (double p : explore("igw", scores, 0.0)) EXPECT_DOUBLE_EQ(p, 0.25);
  const auto p = explore("igw", scores, 1e15);
  EXPECT_NEAR(p[1], 0.5, 1e-14);
  EXPECT_NEAR(p[2], 0.5, 1e-14);
  EXPECT_LT(p[0], 1e-14);
}

TEST(Igw, TheNormaliserLiesBetweenTiesAndActions) {
  EXPECT_TRUE(rc::check([] {
    const int actions = *rc::gen::inRange(1, 40);
    std::vector<double> c;
    for (int a = 0; a < actions; ++a) c.push_back(0.5 * *rc::gen::inRange(0, 50));
    c[0] = 0.0;
    const double lambda = igw_normaliser(c);
    const auto ties = static_cast<double>(std::count(c.begin(), c.end(), 0.0));
    RC_ASSERT(lambda >= ties * (1.0 - 1e-12));
    RC_ASSERT(lambda <= actions * (1.0 + 1e-12));
    double h = 0.0;
    for (double x : c) h += 1.0 / (lambda + x);
    RC_ASSERT(std::abs(h - 1.0) <= 1e-12);
  }));
}

// The inequality that turns the oracle's error into regret, at random v, v^ and every vertex mu.
TEST(Igw, RegretIsAtMostWhatTheLemmaSays) {
  EXPECT_TRUE(rc::check([] {
    const int actions = *rc::gen::inRange(1, 30);
    const double gamma = std::exp(0.1 * *rc::gen::inRange(-60, 120));
    const auto guess = some_numbers(actions, 2.0), v = some_numbers(actions, 2.0);
    const auto p = explore("igw", guess, gamma);
    const double bound = actions / (2.0 * gamma) + squared_error(p, guess, v, gamma);
    for (double best : v) RC_ASSERT(best - dot(v, p) <= bound * (1.0 + 1e-9));
  }));
}

// The worst v against vertex a is v^ + (e_a - p) / (2 gamma p). Then the first term is (2 K -
// lambda - 1) / (4 gamma), minus half the gap of a. So the supremum is at a best action.
TEST(Igw, TheSupremumOfTheFirstTermIsExact) {
  EXPECT_TRUE(rc::check([] {
    const int actions = *rc::gen::inRange(1, 30);
    const double gamma = std::exp(0.1 * *rc::gen::inRange(-60, 80));
    const auto guess = some_numbers(actions, 1.0);
    const auto p = explore("igw", guess, gamma);
    const double best = *std::max_element(guess.begin(), guess.end());
    std::vector<double> c;
    for (double x : guess) c.push_back(2.0 * gamma * (best - x));
    const double lambda = igw_normaliser(c);
    const double supremum = (2.0 * actions - lambda - 1.0) / (4.0 * gamma);
    RC_ASSERT(supremum <= actions / (2.0 * gamma));
    for (std::size_t a = 0; a < p.size(); ++a) {
      std::vector<double> worst = guess;
      for (std::size_t b = 0; b < p.size(); ++b) {
        worst[b] += ((a == b ? 1.0 : 0.0) - p[b]) / (2.0 * gamma * p[b]);
      }
      const double left = worst[a] - dot(worst, p) - squared_error(p, guess, worst, gamma) +
                          (best - guess[a]) / 2.0;
      RC_ASSERT(std::abs(left - supremum) <= 1e-9 * (1.0 + supremum));
    }
  }));
}

// The number of steps, after checking the result.
int steps_for(const std::vector<double>& c) {
  int steps = 0;
  const double lambda = igw_normaliser(c, &steps);
  long double h = 0.0L;
  for (double x : c) h += 1.0L / (static_cast<long double>(lambda) + x);
  EXPECT_NEAR(static_cast<double>(h), 1.0, 1e-11);
  return steps;
}

// One best action and all others at one distance is the slowest case that a search over millions
// of two to six-level cases found; it takes exactly this many steps.
TEST(Igw, StepsAreFew) {
  std::vector<double> slow(10'000, 9840.5915697474175);
  slow[0] = 0.0;
  EXPECT_EQ(steps_for(slow), 10);
  slow.assign(1'000'000, 998862.68843718478);
  slow[0] = 0.0;
  EXPECT_EQ(steps_for(slow), 13);
  EXPECT_LE(steps_for(std::vector<double>(1'000'000, 0.0)), 2);  // ties: one step is exact

  Rng rng(6);
  for (int trial = 0; trial < 200; ++trial) {
    const double scale = 30.0 * rng.uniform(), shift = 20.0 * rng.uniform() - 5.0;
    std::vector<double> c(10'000);
    for (double& x : c) x = std::exp(scale * rng.uniform() - shift);
    c[0] = 0.0;
    EXPECT_LE(steps_for(c), 10);
  }
}

}  // namespace
}  // namespace rein
