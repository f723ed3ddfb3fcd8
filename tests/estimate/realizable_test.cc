// U: if a world is as the oracle assumes, the squared error of every head stays under bound(), and
// so does regret(). Seeded; the margin is the slack of the bound.
#include <gtest/gtest.h>

#include "engine/small.h"
#include "estimate/feature_map.h"
#include "estimate/optimistic.h"
#include "estimate/play.h"
#include "estimate/variants.h"

namespace rein {
namespace {

// True parameters, one vector per set and head, short enough for every mean to lie in [-1, 1].
struct World {
  FeatureMap map;
  std::vector<std::vector<double>> theta;

  World(const FeatureMap& features, int heads, Rng& rng) : map(features) {
    const double length = 1.0 / std::sqrt(std::max(1.0, map.norm_squared()));
    for (int i = 0; i < map.parameter_sets() * heads; ++i) {
      std::vector<double> w(static_cast<std::size_t>(map.size()));
      double square = 0.0;
      for (double& x : w) {
        x = rng.normal();
        square += x * x;
      }
      for (double& x : w) x *= length / std::sqrt(square);
      theta.push_back(w);
    }
  }
  double mean(const Round& round, int action, int head, int heads) const {
    std::vector<double> phi(static_cast<std::size_t>(map.size()));
    map.row(round, action, phi);
    const auto& w = theta[static_cast<std::size_t>(map.set_of(round, action) * heads + head)];
    double sum = 0.0;
    for (std::size_t j = 0; j < phi.size(); ++j) sum += w[j] * phi[j];
    return sum;
  }
};

// Runs 2000 rounds, or 400 under a sanitizer; `noisy` outcomes are -1 or 1. The oracle learns the action
// it is least sure of and a random action in turn, as with an adversary's contexts or a policy.
void expect_under_bound(const Variant& variant, bool noisy) {
  Shape shape = variant.shape;
  shape.reward = {};
  for (CostShape& cost : shape.costs) cost.range = {};
  const Spec spec = parse_spec(variant.spec).value();
  SpecReader read(spec, "oracle spec");
  Rounds rounds(shape, variant.sparse, 41);
  const World world(FeatureMap(read, shape), shape.heads(), rounds.rng());
  auto oracle = make_oracle(spec, shape).value();
  const int count = sanitized() ? 400 : 2000;
  std::vector<double> squared(static_cast<std::size_t>(shape.heads()));
  for (int t = 0; t < count; ++t) {
    const OwnedRound round = rounds.next(t % 3 == 0);
    const Estimates e = predict(*oracle, shape, round.view());
    int action = static_cast<int>(rounds.rng().below(round.actions));
    if (t % 2 == 0) {
      for (int a = 0; a < round.actions; ++a) {
        if (e.width()[a] > e.width()[action]) action = a;
      }
    }
    std::vector<double> y;
    for (int h = 0; h < shape.heads(); ++h) {
      const double mean = world.mean(round.view(), action, h, shape.heads());
      const double miss = e.mean(h)[action] - mean;
      squared[h] += miss * miss;
      y.push_back(noisy ? rounds.rng().rademacher(mean) : mean);
    }
    oracle->learn(round.view(), action, y);
  }
  for (double error : squared) EXPECT_LE(error, oracle->bound(count));
  // The bound of a stack is that of one member's class; its regret is against any member's class.
  if (variant.spec.starts_with("stack") || variant.spec.starts_with("auto")) return;
  const double regret = plain(*oracle).regret();
  EXPECT_LE(regret, plain(*oracle).bound(count));
}

TEST(Realizable, SquaredErrorStaysUnderU) {
  for (const Variant& variant : variants()) {
    if (variant.spec == "finite" || variant.spec == "truth") continue;  // finite_test.cc
    if (variant.spec.starts_with("mlp")) continue;                      // no certificate, no class
    if (forgets(variant)) continue;                                     // no certificate
    SCOPED_TRACE(variant.name);
    expect_under_bound(variant, /*noisy=*/false);
    if (!sanitized()) expect_under_bound(variant, /*noisy=*/true);
  }
}

}  // namespace
}  // namespace rein
