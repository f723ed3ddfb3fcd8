// nonlinear and misspecified: what a linear function can represent of them.
#include <gtest/gtest.h>

#include <cmath>

#include "world/worlds.h"

namespace rein {
namespace {

// Over the rounds of a world: the mean and the mean square of every mean (what means_of gives), and
// its correlation with every number of the context.
struct Seen {
  std::vector<double> mean, square;
  std::vector<std::vector<double>> with;  // [mean][number of the context]
};

Seen look(const std::string& spec, int rounds) {
  const auto world = world_of(spec, 3, rounds);
  const auto count = static_cast<std::size_t>(world->shape().actions * world->shape().heads());
  const auto d = static_cast<std::size_t>(world->shape().context);
  Seen seen{std::vector<double>(count), std::vector<double>(count),
            std::vector<std::vector<double>>(count, std::vector<double>(d))};
  for (int t = 0; t < rounds; ++t) {
    const Round& round = world->next();
    const std::vector<double> means = means_of(*world, round.actions);
    for (std::size_t i = 0; i < count; ++i) {
      seen.mean[i] += means[i] / rounds;
      seen.square[i] += means[i] * means[i] / rounds;
      for (std::size_t j = 0; j < d; ++j) {
        // A number of the context has mean square 1 / (3 d).
        seen.with[i][j] +=
            means[i] * round.context[j] * std::sqrt(3.0 * static_cast<double>(d)) / rounds;
      }
    }
  }
  return seen;
}

// 4 standard errors at 20 000 rounds: a mean is at most 1 in size, a scaled number has mean square
// 1, so each average has a standard error below 1 / sqrt(20 000).
TEST(Nonlinear, NothingInItsMeansIsLinear) {
  const double margin = 4.0 / std::sqrt(20'000.0);
  for (const char* spec : {"nonlinear(tension=0)", "nonlinear(tension=0,kind=steps,d=5)"}) {
    const Seen seen = look(spec, 20'000);
    for (std::size_t i = 0; i < seen.mean.size(); ++i) {
      if (i == 4) continue;  // the cost of the safe action
      EXPECT_NEAR(seen.mean[i], 0.0, margin) << spec << " mean " << i;
      for (double with : seen.with[i]) EXPECT_NEAR(with, 0.0, margin) << spec << " mean " << i;
      // smooth: (1/2 + 1/4) / 4; steps: (1 + 1) / 4.
      const bool steps = std::string_view(spec).find("steps") != std::string_view::npos;
      EXPECT_NEAR(seen.square[i], steps ? 0.5 : 0.1875, margin) << spec << " mean " << i;
    }
  }
}

TEST(Nonlinear, ActionsAndHeadsHaveCurvesOfTheirOwn) {
  const auto world = world_of("nonlinear(k=6,d=6,m=2,tension=0)");
  world->next();
  std::vector<double> means = means_of(*world, 6);
  std::sort(means.begin(), means.end());
  EXPECT_GT(std::unique(means.begin(), means.end()) - means.begin(), 15);
}

TEST(Nonlinear, TheSafeActionKeepsItsMarginAndTheBudget) {
  const auto signed_costs = world_of("nonlinear(margin=0.3,m=2)");
  const auto positive = world_of("nonlinear(costs=positive,rate=0.1,m=2)", 1, 200);
  for (int t = 0; t < 200; ++t) {
    signed_costs->next();
    positive->next();
    const auto debt = means_of(*signed_costs, 4);
    const auto spend = means_of(*positive, 4);
    for (int i = 1; i <= 2; ++i) {
      EXPECT_LE(debt[4 * i], -0.3);
      EXPECT_GE(debt[4 * i], -0.5 - 1e-12);
      EXPECT_LE(spend[4 * i], 0.05);
    }
  }
}

// The parameters found from d rounds give the means of all others, and their norm is at most 1.
TEST(Misspecified, AtStrengthZeroEveryMeanIsLinearInTheContext) {
  for (const char* spec : {"misspecified(strength=0,d=3,margin=0.5)",
                           "misspecified(strength=0,d=3,costs=positive,kind=steps)"}) {
    const auto world = world_of(spec);
    double x[3][3];
    double y[3][8];
    for (int t = 0; t < 3; ++t) {
      const Round& round = world->next();
      std::copy_n(round.context.begin(), 3, x[t]);
      const auto means = means_of(*world, 4);
      std::copy_n(means.begin(), 8, y[t]);
    }
    const auto det = [](const double* a, const double* b, const double* c) {
      return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
             a[2] * (b[0] * c[1] - b[1] * c[0]);
    };
    for (int t = 0; t < 50; ++t) {
      const Round& round = world->next();
      const double* now = round.context.data();
      const double whole = det(x[0], x[1], x[2]);
      const double share[3] = {det(now, x[1], x[2]) / whole, det(x[0], now, x[2]) / whole,
                               det(x[0], x[1], now) / whole};
      const auto means = means_of(*world, 4);
      for (int i = 0; i < 8; ++i) {
        EXPECT_NEAR(means[i], share[0] * y[0][i] + share[1] * y[1][i] + share[2] * y[2][i], 1e-9)
            << spec;
      }
    }
  }
}

TEST(Misspecified, StrengthScalesWhatIsNotLinearAndLeavesTheRest) {
  const auto none = world_of("misspecified(strength=0)");
  const auto half = world_of("misspecified(strength=0.5)");
  const auto full = world_of("misspecified(strength=1)");
  double largest = 0.0;
  for (int t = 0; t < 100; ++t) {
    none->next();
    half->next();
    full->next();
    const auto a = means_of(*none, 4);
    const auto b = means_of(*half, 4);
    const auto c = means_of(*full, 4);
    for (int i = 0; i < 8; ++i) {
      EXPECT_NEAR(b[i] - a[i], 0.5 * (c[i] - a[i]), 1e-12);
      largest = std::max(largest, std::abs(c[i] - a[i]));
    }
  }
  EXPECT_GT(largest, 0.4);
}

}  // namespace
}  // namespace rein
