// One linear function for all actions, with a variance for every feature.
#include "tuning/shared_regression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "estimate/dense.h"
#include "rein/bytes.h"
#include "rein/rng.h"

namespace rein {
namespace {

struct SharedPlay {
  int action;
  std::vector<double> x;
  double y;
};

// Outcomes by the first two features and the action. Three features in four are 0.
std::vector<SharedPlay> shared_plays(int n, int features, int actions, double noise = 0.1) {
  Rng rng(7);
  std::vector<SharedPlay> plays;
  for (int t = 0; t < n; ++t) {
    SharedPlay play{.action = static_cast<int>(rng.below(actions)), .x = {}, .y = 0.0};
    for (int j = 0; j < features; ++j) {
      play.x.push_back(j < 2 || rng.uniform() < 0.25 ? 2.0 * rng.uniform() - 1.0 : 0.0);
    }
    play.y =
        0.4 + 0.1 * play.action + 0.5 * play.x[0] - 0.3 * play.x[1] + noise * (rng.uniform() - 0.5);
    plays.push_back(std::move(play));
  }
  return plays;
}

SharedRegression fitted(const std::vector<SharedPlay>& plays, int features, int actions) {
  SharedRegression shared(actions, features);
  for (const SharedPlay& play : plays) shared.add(play.action, play.x, play.y);
  shared.fit();
  return shared;
}

// The same model as a Gaussian process over plays: nothing is eliminated, nothing is inverted twice.
double by_plays(const std::vector<SharedPlay>& plays, int actions, int action,
                const std::vector<double>& x) {
  const int n = static_cast<int>(plays.size());
  const std::size_t features = x.size();
  std::vector<long double> sums(static_cast<std::size_t>(actions)), counts(sums.size());
  std::vector<long double> squares(features), variance(features);
  for (const SharedPlay& play : plays) {
    sums[play.action] += play.y;
    counts[play.action] += 1.0L;
    for (std::size_t j = 0; j < features; ++j) squares[j] += play.x[j] * play.x[j];
  }
  long double pooled = 0.0L, played = 0.0L;
  for (std::size_t a = 0; a < sums.size(); ++a) {
    if (counts[a] == 0.0L) continue;
    pooled += sums[a] / counts[a];
    played += 1.0L;
  }
  pooled /= played;
  std::vector<long double> sorted = squares;  // all are within a factor of 256 of each other
  std::ranges::sort(sorted);
  std::ranges::fill(variance,
                    2.0L * n / (static_cast<long double>(features) * sorted[features / 2]));
  long double own = 0.1L;
  const auto kernel = [&](const SharedPlay& p, int a, const std::vector<double>& z) {
    long double sum = 1.0L + (p.action == a ? own : 0.0L);
    for (std::size_t j = 0; j < features; ++j) sum += variance[j] * p.x[j] * z[j];
    return sum;
  };
  for (int step = 0;; ++step) {
    Matrix k(n, 1.0L);
    Vector y;
    for (int i = 0; i < n; ++i) {
      y.push_back(plays[i].y - pooled);
      for (int j = 0; j < n; ++j) k(i, j) += kernel(plays[i], plays[j].action, plays[j].x);
    }
    const Vector alpha = solve(k, y);
    if (step == 2) {
      long double sum = pooled;
      for (int i = 0; i < n; ++i) sum += alpha[i] * kernel(plays[i], action, x);
      return static_cast<double>(sum);
    }
    const long double noise = dot(y, alpha) / n;
    const auto next = [&](long double before, const Vector& column) {
      const long double mean = before * dot(column, alpha);
      return mean * mean / noise + before - before * before * dot(column, solve(k, column));
    };
    std::vector<long double> after(features);
    for (std::size_t j = 0; j < features; ++j) {
      Vector column;
      for (const SharedPlay& play : plays) column.push_back(play.x[j]);
      after[j] = next(variance[j], column);
    }
    long double owns = 0.0L;
    for (int a = 0; a < actions; ++a) {
      if (counts[a] == 0.0L) continue;
      Vector column;
      for (const SharedPlay& play : plays) column.push_back(play.action == a ? 1.0L : 0.0L);
      owns += next(own, column);
    }
    own = owns / played;
    variance = after;
  }
}

TEST(SharedRegression, IsTheModelOfItsHeader) {
  const std::vector<SharedPlay> plays = shared_plays(14, 9, 5);
  const SharedRegression shared = fitted(plays, 9, 6);  // the last action was never played
  const std::vector<double> x{0.3, -0.2, 0.0, 0.9, 0.0, -0.4, 0.0, 0.1, 0.6};
  for (int a = 0; a < 6; ++a) EXPECT_NEAR(shared.predict(a, x), by_plays(plays, 6, a, x), 1e-9);
}

TEST(SharedRegression, FindsTheFeaturesThatMatter) {
  const SharedRegression shared = fitted(shared_plays(30, 60, 4), 60, 4);
  double others = 0.0;
  for (int j = 2; j < 60; ++j) others = std::max(others, std::abs(shared.theta()[j]));
  EXPECT_NEAR(shared.theta()[0], 0.5, 0.15);
  EXPECT_NEAR(shared.theta()[1], -0.3, 0.15);
  EXPECT_LT(others, 0.1);
}

TEST(SharedRegression, UnitsChangeNothing) {
  std::vector<SharedPlay> plays = shared_plays(20, 12, 3);
  const SharedRegression one = fitted(plays, 12, 3);
  std::vector<double> x = plays[3].x;
  const double before = one.predict(1, x);
  for (SharedPlay& play : plays) {
    play.y *= 0x1p-20;
    for (double& number : play.x) number *= 0x1p12;
  }
  for (double& number : x) number *= 0x1p12;
  EXPECT_EQ(fitted(plays, 12, 3).predict(1, x), before * 0x1p-20);
}

// Numbers of other sizes start by their own.
TEST(SharedRegression, OneLargeFeatureDoesNotHideTheOthers) {
  std::vector<SharedPlay> plays = shared_plays(30, 12, 3);
  for (SharedPlay& play : plays) play.x[5] *= 1e5;
  const SharedRegression shared = fitted(plays, 12, 3);
  EXPECT_NEAR(shared.theta()[0], 0.5, 0.1);
}

TEST(SharedRegression, OutcomesThatAreAllAlikeArePredictedExactly) {
  std::vector<SharedPlay> plays = shared_plays(10, 4, 2);
  for (SharedPlay& play : plays) play.y = 0.25;
  EXPECT_EQ(fitted(plays, 4, 2).predict(0, plays[0].x), 0.25);
  for (SharedPlay& play : plays) play.y = 0.0;
  EXPECT_EQ(fitted(plays, 4, 2).predict(1, plays[1].x), 0.0);
}

TEST(SharedRegression, GoesOnFromWhatWasSaved) {
  const std::vector<SharedPlay> plays = shared_plays(20, 6, 3);
  SharedRegression first = fitted(plays, 6, 3);
  first.add(1, plays[2].x, 0.9);  // since the last fit
  ByteWriter out;
  first.save(out);
  SharedRegression second(3, 6);
  ByteReader in(out.bytes());
  second.load(in);
  ASSERT_TRUE(in.finish());
  EXPECT_EQ(second.predict(2, plays[0].x), first.predict(2, plays[0].x));
  first.fit();
  second.fit();
  EXPECT_EQ(second.predict(2, plays[0].x), first.predict(2, plays[0].x));
}

}  // namespace
}  // namespace rein
