// The best fixed mix, against every corner of the feasible set.
#include "evaluate/fixed_mix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "evaluate/reference.h"
#include "property.h"
#include "rein/world.h"
#include "source_dir.h"

namespace rein {
namespace {

struct Problem {
  int actions = 0;
  std::vector<double> means, rates;

  int costs() const { return static_cast<int>(rates.size()); }
  double mean(int head, int a) const { return means[head * actions + a]; }
};

// Solves A x = b of size n by elimination with pivots; nothing where A is singular.
std::optional<std::vector<double>> solve(std::vector<std::vector<double>> a,
                                         std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < n; ++r) {
      if (std::abs(a[r][c]) > std::abs(a[pivot][c])) pivot = r;
    }
    if (std::abs(a[pivot][c]) < 1e-9) return std::nullopt;
    std::swap(a[c], a[pivot]);
    std::swap(b[c], b[pivot]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == c) continue;
      const double share = a[r][c] / a[c][c];
      for (std::size_t j = c; j < n; ++j) a[r][j] -= share * a[c][j];
      b[r] -= share * b[c];
    }
  }
  for (std::size_t c = 0; c < n; ++c) b[c] /= a[c][c];
  return b;
}

// The best corner: some actions have a share, as many as there are tight rates, and one more. Every
// choice of both is tried. -infinity where none is feasible.
double best_corner(const Problem& q) {
  double best = -INFINITY;
  for (int tight = 0; tight < 1 << q.costs(); ++tight) {
    for (int used = 1; used < 1 << q.actions; ++used) {
      const int n = __builtin_popcount(static_cast<unsigned>(used));
      if (n != 1 + __builtin_popcount(static_cast<unsigned>(tight))) continue;
      std::vector<int> support;
      for (int a = 0; a < q.actions; ++a) {
        if (used >> a & 1) support.push_back(a);
      }
      std::vector<std::vector<double>> rows = {std::vector<double>(support.size(), 1.0)};
      std::vector<double> right = {1.0};
      for (int i = 0; i < q.costs(); ++i) {
        if (!(tight >> i & 1)) continue;
        std::vector<double>& row = rows.emplace_back();
        for (const int a : support) row.push_back(q.mean(i + 1, a));
        right.push_back(q.rates[i]);
      }
      const auto p = solve(rows, right);
      if (!p || *std::min_element(p->begin(), p->end()) < -1e-9) continue;
      double reward = 0.0;
      bool feasible = true;
      for (std::size_t s = 0; s < support.size(); ++s) reward += (*p)[s] * q.mean(0, support[s]);
      for (int i = 0; i < q.costs(); ++i) {
        double cost = 0.0;
        for (std::size_t s = 0; s < support.size(); ++s)
          cost += (*p)[s] * q.mean(i + 1, support[s]);
        feasible = feasible && cost <= q.rates[i] + 1e-9;
      }
      if (feasible) best = std::max(best, reward);
    }
  }
  return best;
}

Problem random_problem() {
  Problem q{.actions = *rc::gen::inRange(1, 6)};
  const int costs = *rc::gen::inRange(0, 4);
  const double scale = *rc::gen::element(1.0, 0.001, 500.0);  // costs come in any unit
  for (int j = 0; j < q.actions * (1 + costs); ++j) {
    const double value = 0.01 * *rc::gen::inRange(-100, 101);
    q.means.push_back(j < q.actions ? value : value * scale);
  }
  for (int i = 0; i < costs; ++i) q.rates.push_back(0.01 * *rc::gen::inRange(-20, 60) * scale);
  return q;
}

TEST(FixedMix, IsTheBestCorner) {
  EXPECT_TRUE(rc::check("against all corners", [] {
    const Problem q = random_problem();
    const FixedMix mix = best_fixed_mix(q.means, q.actions, q.rates);
    const double best = best_corner(q);
    RC_ASSERT(mix.feasible == std::isfinite(best));
    const auto& p = mix.probabilities;
    RC_ASSERT(*std::min_element(p.begin(), p.end()) >= 0.0);
    RC_ASSERT(std::abs(std::accumulate(p.begin(), p.end(), 0.0) - 1.0) <= 1e-12);
    if (!mix.feasible) return;
    RC_ASSERT(std::abs(mix.reward - best) <= 1e-7);
    for (int i = 0; i < q.costs(); ++i) {
      RC_ASSERT(mix.costs[i] <= q.rates[i] + 1e-9 * std::max(1.0, std::abs(q.rates[i])));
    }
  }));
}

TEST(FixedMix, MixesWhatFreeAndDearActionsGive) {
  // Half of the rate of the dear action: half of the time.
  const std::vector<double> means = {0.0, 1.0, 0.3, /*costs*/ 0.0, 0.4, 0.3};
  const std::vector<double> rate = {0.2};
  const FixedMix mix = best_fixed_mix(means, 3, rate);
  EXPECT_TRUE(mix.feasible);
  EXPECT_NEAR(mix.reward, 0.5, 1e-12);
  EXPECT_NEAR(mix.probabilities[1], 0.5, 1e-12);
  EXPECT_NEAR(mix.costs[0], 0.2, 1e-12);
}

TEST(FixedMix, WhereNoMixKeepsTheRatesItSaysSoAndComesNear) {
  const std::vector<double> means = {1.0, 0.5, /*costs*/ 0.4, 0.3};
  const FixedMix mix = best_fixed_mix(means, 2, std::vector<double>{0.2});
  EXPECT_FALSE(mix.feasible);
  EXPECT_NEAR(mix.costs[0], 0.3, 1e-9);
  EXPECT_NEAR(mix.reward, 0.5, 1e-9);
}

TEST(FixedMix, WithoutCostsItIsTheBestAction) {
  const FixedMix mix = best_fixed_mix(std::vector<double>{0.1, 0.7, 0.2}, 3, {});
  EXPECT_EQ(mix.reward, 0.7);
  EXPECT_TRUE(mix.feasible);
}

// examples/data/coupons.csv: the means by hand (awk over the file), and the mix that follows: all
// of it between the second and the last coupon.
TEST(FixedMix, OfATableComesFromItsColumns) {
  const std::string spec =
      "table(file=\"" + source_dir() + "/examples/data/coupons.csv\",rate=0.2)";
  const auto run =
      Run::prepare(parse_spec(spec).value(), {Spec("uniform")}, {.rounds = 0, .first_seed = 4});
  const auto found = references(run.value()).value();
  const auto world = make_world(std::string_view(spec), 4, 0).value();
  const auto rounds = static_cast<double>(world->shape().rounds);
  const double dear = (0.2 - 0.124294) / (0.402570 - 0.124294);
  EXPECT_NEAR(found[1].reward[0] / rounds, 0.310770 + dear * (0.402570 - 0.310770), 1e-5);
  EXPECT_NEAR(found[1].spend[0][0] / rounds, 0.2, 1e-9);
}

}  // namespace
}  // namespace rein
