// optimistic: its bound covers the oracle inside and the bonuses, and it claims no regret.
#include "estimate/optimistic.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "estimate/play.h"

namespace rein {
namespace {

// The sums of a run of T rounds with one action: w, w / (1 + w), and the squared bonuses, each at
// most 4.
struct Sums {
  double w = 0.0, width = 0.0, bonuses = 0.0;
};

Sums sums_of(Oracle& oracle, const Shape& shape, double alpha, int rounds) {
  Sums sums;
  Rounds from(shape, false, 5);
  for (int t = 0; t < rounds; ++t) {
    const OwnedRound round = from.next();
    const double width = predict(oracle, shape, round.view()).width()[0];
    const double w = width / (1.0 - width);
    sums.w += w;
    sums.width += width;
    sums.bonuses += std::min(alpha * alpha * w, 4.0);
    oracle.learn(round.view(), 0, from.outcomes());
  }
  return sums;
}

TEST(Optimistic, BoundCoversTheOracleInsideAndTheBonuses) {
  const Shape shape{.actions = 1, .features = 2};
  for (const char* of :
       {"vaw(reg=1)", "vaw(reg=0.1)", "vaw(reg=0.001)", "kernel(size=8)",
        "forest(nodes=31,trees=3,wait=8)", "stack(of=[vaw(reg=0.1),kernel(size=8)])"}) {
    for (double alpha : {0.0, 0.3, 1.0, 3.0}) {
      for (int rounds : {1, 2, 30, 500}) {
        SCOPED_TRACE(fmt::format("{} alpha {} rounds {}", of, alpha, rounds));
        const auto oracle = oracle_of(fmt::format("optimistic(alpha={},of={})", alpha, of), shape);
        const double u = plain(*oracle).bound(rounds);
        const Sums sums = sums_of(*oracle, shape, alpha, rounds);
        const double least = std::pow(std::sqrt(u) + std::sqrt(sums.bonuses), 2.0);
        EXPECT_GE(oracle->bound(rounds) * (1.0 + 1e-12), least);
      }
    }
  }
}

// The elliptical potential lemma is about w / (1 + w). The sum of w itself exceeds it.
TEST(Optimistic, TheSumOfWNeedsAFactor) {
  const Shape shape{.actions = 1, .features = 2};
  const auto oracle = oracle_of("vaw(reg=0.01)", shape);
  const WidthSum widths = width_sum(*oracle, 200);
  const Sums sums = sums_of(*oracle, shape, 1.0, 200);
  EXPECT_LE(sums.width, widths.sum);
  EXPECT_GT(sums.w, widths.sum);
  EXPECT_GT(sums.w, oracle->bound(200));
  EXPECT_LE(sums.w, (1.0 + widths.largest) * widths.sum);
}

TEST(Optimistic, ClaimsNoRegretOfItsOwn) {
  const Shape shape{.actions = 2, .features = 2};
  const auto oracle = oracle_of("optimistic", shape);
  EXPECT_TRUE(std::isnan(oracle->regret()));
  EXPECT_EQ(plain(*oracle).regret(), oracle_of("vaw", shape)->regret());
  EXPECT_TRUE(std::isnan(oracle_of("stack(of=[optimistic])", shape)->regret()));
  EXPECT_TRUE(std::isnan(oracle_of("forest(base=optimistic)", shape)->regret()));
}

}  // namespace
}  // namespace rein
