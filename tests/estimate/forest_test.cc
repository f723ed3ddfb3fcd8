// forest: what its trees learn, its bounded loss against its base, and bounded memory. Damaged
// bytes do no harm.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "estimate/play.h"

namespace rein {
namespace {

// A point, uniform in [-1, 1]^d.
std::vector<double> point(Rng& rng, int d) {
  std::vector<double> x(static_cast<std::size_t>(d));
  for (double& v : x) v = 2.0 * rng.uniform() - 1.0;
  return x;
}

// Mean squared error over the last quarter of `rounds` rounds, outcomes -1 or 1.
template <class Mean>
double late_error(const std::string& spec, int d, int rounds, Mean mean) {
  const Shape shape{.actions = 1, .features = d};
  auto oracle = oracle_of(spec, shape);
  Rng rng(3);
  double squared = 0.0;
  for (int t = 0; t < rounds; ++t) {
    const std::vector<double> x = point(rng, d);
    const double y = rng.rademacher(mean(x));
    const Round round{.actions = 1, .features = x};
    const double miss = predict(*oracle, shape, round).mean(0)[0] - mean(x);
    if (t >= rounds - rounds / 4) squared += miss * miss;
    oracle->learn(round, 0, {&y, 1});
  }
  return squared / (rounds / 4);
}

TEST(Forest, IsARunningMeanUntilItSplits) {
  const Shape shape{.actions = 1, .features = 2};
  auto oracle = oracle_of("forest(base=none,trees=3,wait=1000)", shape);
  Rng rng(5);
  double sum = 0.0;
  for (int t = 0; t < 200; ++t) {
    const std::vector<double> x = point(rng, 2);
    const Round round{.actions = 1, .features = x};
    const Estimates e = predict(*oracle, shape, round);
    ASSERT_NEAR(e.mean(0)[0], sum / (t + 1), 1e-12);
    ASSERT_NEAR(e.width()[0], 1.0 / (t + 2), 1e-12);
    const double y = rng.rademacher(0.3);
    sum += y;
    oracle->learn(round, 0, {&y, 1});
  }
}

TEST(Forest, LearnsStepsAndProductsThatALinearOracleCannot) {
  const auto steps = [](const std::vector<double>& x) {
    return x[1] > 0.3 ? (x[0] < -0.2 ? 0.8 : -0.6) : (x[2] > 0.0 ? 0.4 : -0.8);
  };
  const auto product = [](const std::vector<double>& x) { return x[0] * x[1] > 0.0 ? 0.7 : -0.7; };
  for (const char* spec : {"forest", "forest(base=none)", "forest(eta=1)"}) {
    SCOPED_TRACE(spec);
    EXPECT_LT(late_error(spec, 3, 6000, steps), 0.08);
    EXPECT_LT(late_error(spec, 2, 6000, product), 0.08);
  }
  EXPECT_GT(late_error("vaw(bias=1)", 3, 6000, steps), 0.2);
  EXPECT_GT(late_error("vaw(bias=1)", 2, 6000, product), 0.45);
}

TEST(Forest, LosesLittleToItsBaseWhereTheBaseIsRight) {
  const auto linear = [](const std::vector<double>& x) { return 0.4 * x[0] - 0.5 * x[3]; };
  EXPECT_LT(late_error("forest", 5, 6000, linear), 0.002);
  EXPECT_GT(late_error("forest(base=none)", 5, 6000, linear), 0.01);
}

// At most 2 W^2 ln 2 per set, for any outcomes. Here each outcome is the worst one.
TEST(Forest, NeverLosesMoreThanTwoPartsToItsBase) {
  for (std::uint64_t seed : {1, 2, 3}) {
    const Shape shape{.actions = 1, .features = 3};
    auto forest = oracle_of(fmt::format("forest(seed={},wait=8,evidence=2)", seed), shape);
    auto base = oracle_of("vaw(bias=0,features=joint)", shape);
    Rng rng(seed);
    double more = 0.0;
    for (int t = 0; t < 4000; ++t) {
      const std::vector<double> x = point(rng, 3);
      const Round round{.actions = 1, .features = x};
      const double p = predict(*forest, shape, round).mean(0)[0];
      const double b = predict(*base, shape, round).mean(0)[0];
      const double y = t % 1000 < 500 ? (p > b ? -1.0 : 1.0) : (p > 0.0 ? -1.0 : 1.0);
      more += (p - y) * (p - y) - (b - y) * (b - y);
      ASSERT_LE(more, 8.0 * std::log(2.0) + 1e-6) << "round " << t;
      forest->learn(round, 0, {&y, 1});
      base->learn(round, 0, {&y, 1});
      ASSERT_GE(forest->regret(), base->regret() + more - 1e-6);
    }
    EXPECT_EQ(forest->bound(4000), base->bound(4000) + 8.0 * std::log(2.0));
  }
}

// The root alone is a pruning: with eta = 1 the trees cannot lose much to the best constant.
TEST(Forest, TreesAloneLoseLittleToTheBestConstantOnAnySequence) {
  const Shape shape{.actions = 1, .features = 3};
  auto oracle = oracle_of("forest(base=none,eta=1,evidence=1,wait=8)", shape);
  Rng rng(8);
  double loss = 0.0, sum = 0.0;
  for (int t = 0; t < 4000; ++t) {
    const std::vector<double> x = point(rng, 3);
    const Round round{.actions = 1, .features = x};
    const double p = predict(*oracle, shape, round).mean(0)[0];
    const double y = p > 0.0 ? -1.0 : 1.0;
    loss += (p - y) * (p - y);
    sum += y;
    oracle->learn(round, 0, {&y, 1});
    const double n = t + 1.0, best = n - sum * sum / n;
    ASSERT_LE(loss - best, 4.0 * (2.0 * std::log(2.0) + 1.0 + std::log(1.0 + n)));
    ASSERT_LE(oracle->regret(), oracle->bound(t + 1));
  }
}

TEST(Forest, TheScaleOfAFeatureDoesNotMatter) {
  const Shape shape{.actions = 1, .features = 4};
  auto plain = oracle_of("forest(base=none)", shape), large = oracle_of("forest(base=none)", shape);
  Rng rng(12);
  for (int t = 0; t < 1500; ++t) {
    const std::vector<double> x = point(rng, 4);
    std::vector<double> scaled = x;
    for (int j = 0; j < 4; ++j) scaled[j] = std::ldexp(x[j], 40 * j - 60);
    const Round a{.actions = 1, .features = x}, b{.actions = 1, .features = scaled};
    ASSERT_EQ(predict(*plain, shape, a).mean(0)[0], predict(*large, shape, b).mean(0)[0]);
    const double y = x[2] > 0.1 ? 0.9 : -0.4;
    plain->learn(a, 0, {&y, 1});
    large->learn(b, 0, {&y, 1});
  }
}

TEST(Forest, FeaturesOfZeroAndOneAreTold) {
  const Shape shape{.actions = 1, .features = 6};
  auto oracle = oracle_of("forest(base=none)", shape);
  Rng rng(4);
  double late = 0.0;
  for (int t = 0; t < 3000; ++t) {
    std::vector<double> x(6);
    for (double& v : x) v = rng.uniform() < 0.5 ? 1.0 : 0.0;
    const double y = x[1] == 1.0 ? (x[4] == 1.0 ? 0.9 : 0.2) : -0.6;
    const Round round{.actions = 1, .features = x};
    const double miss = predict(*oracle, shape, round).mean(0)[0] - y;
    if (t >= 2000) late += miss * miss;
    oracle->learn(round, 0, {&y, 1});
  }
  EXPECT_LT(late / 1000, 0.01);
}

// Rounds in an adversarial order, extreme numbers, changing action sets: memory stays fixed.
TEST(Forest, MemoryIsBoundedWhateverComes) {
  Shape shape{.actions = 3, .context = 2};
  shape.costs.resize(1);
  auto oracle = oracle_of("forest(nodes=31,depth=4,trees=2,tests=3,wait=8,evidence=2)", shape);
  Rng rng(6);
  std::size_t largest = 0;
  for (int t = 0; t < 100'000; ++t) {
    const double wild = t % 97 == 0 ? 1e50 : t % 89 == 0 ? -1e-50 : 2.0 * rng.uniform() - 1.0;
    const std::vector<double> x{t < 50'000 ? wild : 1.0 + wild, std::floor(t / 1000.0)};
    const std::vector<std::int32_t> ids{static_cast<std::int32_t>(t % 3), (t + 1) % 3};
    const Round round{.actions = 2, .context = x, .ids = ids};
    const std::vector<double> y{t % 2 ? 1.0 : -1.0, wild > 0.0 ? 1.0 : 0.0};
    oracle->learn(round, 0, y);
    if (t % 5000 != 4999) continue;
    const std::string bytes = saved(*oracle);
    largest = std::max(largest, bytes.size());
    const Estimates e = predict(*oracle, shape, round);
    for (int h = 0; h < 2; ++h) {
      for (double mean : e.mean(h)) ASSERT_TRUE(mean >= -1.0 && mean <= 1.0) << mean;
    }
  }
  // A node is 6 numbers plus 5 per head. A leaf is 1 number plus 3 tests of 4 numbers and 2 per
  // head. There are 3 sets of 2 trees.
  EXPECT_LE(largest, 8u * 6 * (31 * 16 + 16 * (1 + 3 * 8) + 2) + 2000);
  EXPECT_GT(largest, 8u * 6 * 7 * 16);  // the trees did grow
}

TEST(Forest, TheSeedIsAllTheChanceThereIs) {
  const Shape shape{.actions = 4, .features = 5};
  auto one = oracle_of("forest(seed=3)", shape), same = oracle_of("forest(seed=3)", shape),
       other = oracle_of("forest(seed=4)", shape);
  Rounds rounds(shape, false, 2);
  for (int t = 0; t < 400; ++t) {
    const OwnedRound round = rounds.next();
    const std::vector<double> y = rounds.outcomes();
    for (Oracle* oracle : {one.get(), same.get(), other.get()}) oracle->learn(round.view(), 1, y);
  }
  EXPECT_EQ(saved(*one), saved(*same));
  EXPECT_NE(saved(*one), saved(*other));
}

// Bytes with something changed are refused, or make a forest that can be used: never a crash.
TEST(Forest, DamagedBytesDoNoHarm) {
  const Shape shape{.actions = 2, .features = 3};
  const std::string spec = "forest(base=none,nodes=15,trees=2,tests=2,wait=8,evidence=2)";
  auto oracle = oracle_of(spec, shape);
  Rng rng(9);
  for (int t = 0; t < 500; ++t) {
    const std::vector<double> x = point(rng, 6);
    const double y = x[0] > 0.0 ? 1.0 : -1.0;
    oracle->learn({.actions = 2, .features = x}, 0, {&y, 1});
  }
  const std::string good = saved(*oracle);
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string bad = good;
    const auto at = static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(bad.size())));
    bad[at] = static_cast<char>(rng.below(256));
    auto copy = oracle_of(spec, shape);
    ByteReader in(bad);
    if (!copy->load(in).ok()) {
      ++refused;
      continue;
    }
    const std::vector<double> x = point(rng, 6);
    const double y = 0.5;
    predict(*copy, shape, {.actions = 2, .features = x});
    for (int t = 0; t < 20; ++t) copy->learn({.actions = 2, .features = x}, 1, {&y, 1});
  }
  EXPECT_GT(refused, 100);
}

TEST(Forest, RefusesWhatDoesNotFit) {
  const Shape shape{.actions = 1'000'000, .context = 3};
  EXPECT_NE(make_oracle(parse_spec("forest").value(), shape).error().find("accepted: fewer trees"),
            std::string::npos);
  const Shape small{.actions = 2, .features = 3};
  for (const char* spec : {"forest(trees=0)", "forest(depth=65)", "forest(eta=0)", "forest(wait=7)",
                           "forest(base=nothing)", "forest(nodes=2.5)"}) {
    EXPECT_FALSE(make_oracle(parse_spec(spec).value(), small).ok()) << spec;
  }
  EXPECT_TRUE(make_oracle(parse_spec("forest(base=adagrad(rate=0.2))").value(), small).ok());
}

}  // namespace
}  // namespace rein
