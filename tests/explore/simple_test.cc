// square, greedy, epsilon, softmax and uniform, by their formulas.
#include <gtest/gtest.h>

#include "explore/scores.h"
#include "property.h"

namespace rein {
namespace {

TEST(Square, IsTheFormulaOfSquareCb) {
  EXPECT_TRUE(rc::check([] {
    const int actions = *rc::gen::inRange(1, 40);
    const double gamma = std::exp(0.1 * *rc::gen::inRange(-60, 100));
    const double mu = *rc::gen::element(0, 1, 5, 100);
    std::vector<double> scores;
    for (int a = 0; a < actions; ++a) scores.push_back(0.01 * *rc::gen::inRange(-100, 100));
    const auto p =
        explore(mu > 0.0 ? "square(mu=" + std::to_string(mu) + ")" : "square", scores, gamma);
    const auto best =
        static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    double rest = 1.0;
    for (std::size_t a = 0; a < p.size(); ++a) {
      if (a == best) continue;
      // With mu below K the best action would get a negative probability, so mu is K.
      const double wanted =
          1.0 / (std::max(mu, static_cast<double>(actions)) + gamma * (scores[best] - scores[a]));
      RC_ASSERT(std::abs(p[a] - wanted) <= 1e-15);
      rest -= wanted;
    }
    RC_ASSERT(std::abs(p[best] - rest) <= 1e-14);
  }));
}

// SquareCB's own inequality, at random v, v^ and every comparator.
TEST(Square, RegretIsAtMostWhatItsLemmaSays) {
  EXPECT_TRUE(rc::check([] {
    const int actions = *rc::gen::inRange(1, 30);
    const double gamma = std::exp(0.1 * *rc::gen::inRange(-60, 120));
    std::vector<double> guess, v;
    for (int a = 0; a < actions; ++a) {
      guess.push_back(0.001 * *rc::gen::inRange(-1000, 1001));
      v.push_back(0.001 * *rc::gen::inRange(-1000, 1001));
    }
    const auto p = explore("square", guess, gamma);
    double earned = 0.0, error = 0.0;
    for (std::size_t a = 0; a < p.size(); ++a) {
      earned += p[a] * v[a];
      error += p[a] * (guess[a] - v[a]) * (guess[a] - v[a]);
    }
    const double best = *std::max_element(v.begin(), v.end());
    RC_ASSERT(best - earned <= 2.0 * actions / gamma + gamma / 4.0 * error + 1e-12);
  }));
}

TEST(Square, ThreeActionsByHand) {
  const auto p = explore("square", {0.0, 0.5, 0.1}, 10.0);
  EXPECT_DOUBLE_EQ(p[0], 1.0 / (3.0 + 5.0));
  EXPECT_DOUBLE_EQ(p[2], 1.0 / (3.0 + 4.0));
  EXPECT_DOUBLE_EQ(p[1], 1.0 - 1.0 / 8.0 - 1.0 / 7.0);
}

TEST(Greedy, PutsAllOnTheBestAndSharesTies) {
  EXPECT_EQ(explore("greedy", {0.1, 0.3, 0.2}, 1.0), (std::vector<double>{0.0, 1.0, 0.0}));
  EXPECT_EQ(explore("greedy", {0.3, 0.3, 0.2}, 1.0), (std::vector<double>{0.5, 0.5, 0.0}));
}

TEST(Epsilon, LeavesEpsilonToAll) {
  const auto p = explore("epsilon(epsilon=0.2)", {0.1, 0.3, 0.2, 0.0}, 1.0);
  EXPECT_DOUBLE_EQ(p[0], 0.05);
  EXPECT_DOUBLE_EQ(p[1], 0.85);
  EXPECT_DOUBLE_EQ(explore("epsilon", {0.1, 0.3}, 1.0)[0], 0.05);  // 0.1 by default
  EXPECT_EQ(explore("epsilon(epsilon=0)", {0.1, 0.3}, 1.0), (std::vector<double>{0.0, 1.0}));
  EXPECT_EQ(explore("epsilon(epsilon=1)", {0.1, 0.3}, 1.0), (std::vector<double>{0.5, 0.5}));
}

TEST(Softmax, IsProportionalToExpOfGammaScore) {
  const auto p = explore("softmax", {0.1, 0.3, -0.5}, 2.0);
  EXPECT_NEAR(p[0] / p[1], std::exp(-0.4), 1e-14);
  EXPECT_NEAR(p[2] / p[1], std::exp(-1.6), 1e-14);
}

TEST(Uniform, SharesAlike) {
  for (double p : explore("uniform", {5.0, -3.0, 0.0}, 1e6)) EXPECT_DOUBLE_EQ(p, 1.0 / 3.0);
}

}  // namespace
}  // namespace rein
