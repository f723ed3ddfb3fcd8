// vaw against a plain solve, its certificate, its state, and its accuracy under hostile scales.
#include "estimate/vaw.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/kernels.h"
#include "estimate/dense.h"
#include "estimate/play.h"
#include "estimate/variants.h"

namespace rein {
namespace {

Vector phi_of(const FeatureMap& map, const Round& round, int action) {
  std::vector<double> phi(static_cast<std::size_t>(map.size()));
  map.row(round, action, phi);
  return Vector(phi.begin(), phi.end());
}

FeatureMap map_from(const std::string& spec, const Shape& shape) {
  const Spec parsed = parse_spec(spec).value();
  SpecReader read(parsed, "oracle spec");
  return FeatureMap(read, shape);
}

// The factor and the rows of heads, as they are saved.
struct State {
  std::vector<double> factor, rows;

  State(const Oracle& oracle, int d, int heads)
      : factor(packed_size(d)), rows(static_cast<std::size_t>(d * heads)) {
    const std::string bytes = saved(oracle);
    ByteReader in(bytes);
    in.tag("vaw");
    for (int i = 0; i < 3; ++i) in.i64();
    in.f64s(factor);
    in.f64s(rows);
    EXPECT_TRUE(in.ok());
  }
};

TEST(Vaw, EveryEstimateIsThatOfAPlainSolve) {
  for (const Variant& variant : variants()) {
    if (!variant.spec.starts_with("vaw")) continue;
    if (variant.spec.find("=both") != std::string::npos) continue;  // race_test.cc
    SCOPED_TRACE(variant.name);
    const Shape& shape = variant.shape;
    const FeatureMap map = map_from(variant.spec, shape);
    auto oracle = oracle_of(variant.spec, shape);
    Rounds rounds(shape, variant.sparse, 3);
    std::vector<Matrix> a(static_cast<std::size_t>(map.parameter_sets()), Matrix(map.size(), 1.0L));
    std::vector<std::vector<Vector>> b(a.size());
    for (auto& heads : b) heads.assign(static_cast<std::size_t>(shape.heads()), Vector(map.size()));
    for (int t = 0; t < 25; ++t) {
      const OwnedRound round = rounds.next(t % 2 == 0);
      const Estimates e = predict(*oracle, shape, round.view());
      for (int i = 0; i < round.actions; ++i) {
        const Vector phi = phi_of(map, round.view(), i);
        const int set = map.set_of(round.view(), i);
        Matrix with = a[set];
        with.add_square(phi);
        const Vector v = solve(with, phi);
        ASSERT_NEAR(e.width()[i], static_cast<double>(dot(phi, v)), 1e-12);
        for (int h = 0; h < shape.heads(); ++h) {
          const Range& range = h == 0 ? shape.reward : shape.costs[h - 1].range;
          const double mean =
              std::clamp(static_cast<double>(dot(v, b[set][h])), range.low, range.high);
          ASSERT_NEAR(e.mean(h)[i], mean, 1e-10 * std::max(1.0, std::abs(mean)));
        }
      }
      const int action = static_cast<int>(rounds.rng().below(round.actions));
      const std::vector<double> y = rounds.outcomes();
      const Vector phi = phi_of(map, round.view(), action);
      const int set = map.set_of(round.view(), action);
      a[set].add_square(phi);
      for (int h = 0; h < shape.heads(); ++h) {
        for (int j = 0; j < map.size(); ++j) b[set][h][j] += phi[j] * y[h];
      }
      oracle->learn(round.view(), action, y);
    }
  }
}

TEST(Vaw, StateIsOnePackedFactorAndOneRowAHead) {
  for (int d : {1, 7, 8, 9, 99}) {
    for (int m : {0, 2}) {
      Shape shape{.actions = 4, .features = d};
      shape.costs.resize(static_cast<std::size_t>(m));
      const auto shared = oracle_of("vaw", shape);
      const std::size_t numbers = static_cast<std::size_t>(d * (d + 1) / 2 + (m + 1) * d);
      EXPECT_EQ(dynamic_cast<const Vaw&>(*shared).state_size(), numbers);
      const auto own = oracle_of("vaw(features=per_action,bias=0)", shape);
      EXPECT_EQ(dynamic_cast<const Vaw&>(*own).state_size(), 4 * numbers);
      // The saved state: that, a tag and three sizes, and two sums per head.
      EXPECT_EQ(saved(*shared).size(), 8 * (numbers + 2 * static_cast<std::size_t>(m + 1) + 5) + 3);
    }
  }
}

TEST(Vaw, ScratchDoesNotGrowWithTheActions) {
  Shape shape{.actions = 100'000, .features = 20};
  const std::size_t many = oracle_of("vaw", shape)->scratch();
  shape.actions = 2;
  EXPECT_EQ(oracle_of("vaw", shape)->scratch(), many);
}

// sum (prediction - y)^2 - min over theta of (loss + reg |theta|^2) <= ln det(A / reg), for any
// outcomes in [-1, 1] at all; and regret() is the left side plus reg.
TEST(Vaw, RegretStaysUnderTheLogOfTheDeterminantWhateverTheOutcomes) {
  constexpr int kD = 5;
  for (double reg : {0.01, 1.0, 30.0}) {
    SCOPED_TRACE(reg);
    const Shape shape{.actions = 3, .features = kD};
    auto oracle = oracle_of(fmt::format("vaw(reg={})", reg), shape);
    Rounds rounds(shape, false, 8);
    LeastSquares sums(kD);
    double loss = 0.0;
    for (int t = 0; t < 1500; ++t) {
      const OwnedRound round = rounds.next();
      const Estimates e = predict(*oracle, shape, round.view());
      const double p = e.mean(0)[t % 3];
      // Against the prediction, alternating, or along the first feature: three difficult kinds.
      const double y = t % 900 < 300   ? (p > 0.0 ? -1.0 : 1.0)
                       : t % 900 < 600 ? (t % 2 == 0 ? 1.0 : -1.0)
                                       : (round.features[0] > 0.0 ? 1.0 : -1.0);
      oracle->learn(round.view(), t % 3, {&y, 1});
      Vector phi(round.features.begin() + t % 3 * kD, round.features.begin() + (t % 3 + 1) * kD);
      sums.add(phi, y);
      loss += (p - y) * (p - y);
      if (t % 100 != 99) continue;
      Matrix a = sums.squares();
      for (int i = 0; i < kD; ++i) a(i, i) += reg;
      long double log_det;
      solve(a, Vector(kD), &log_det);
      log_det -= kD * std::log(static_cast<long double>(reg));
      const auto excess = static_cast<double>(loss - sums.ridge_loss(reg));
      ASSERT_LE(excess, static_cast<double>(log_det) + 1e-9);
      ASSERT_NEAR(oracle->regret(), std::max(excess, 0.0) + reg, 1e-8 * loss);
      ASSERT_LE(oracle->regret(), oracle->bound(t + 1) + 1e-9);
    }
  }
}

// Features from 1e-4 to 1e4, nearly dependent, with almost no regularisation. After 50 000 updates
// the factor still equals that of a fresh sum, checked every 4096 learns.
TEST(Vaw, TheFactorStaysThatOfAFreshSumUnderHostileScales) {
  constexpr int kD = 19;
  const Shape shape{.actions = 2, .features = kD};
  auto oracle = oracle_of("vaw(reg=1e-8)", shape);
  Rng rng(12);
  Matrix a(kD, 1e-8L);
  Vector b(kD);
  std::vector<double> features(2 * kD);
  for (int t = 1; t <= 50'000; ++t) {
    const double scale = t % 7 == 0 ? 1e-4 : t % 3 == 0 ? 1.0 : 1e4;
    for (double& x : features) x = scale * (2.0 * rng.uniform() - 1.0);
    features[3] = features[2] * (1.0 + 1e-9 * rng.uniform());  // nearly the same column
    if (t < 20'000) features[kD - 1] = 0.0;                    // a column that is 0 until late
    const double y = rng.rademacher(0.3);
    const Round round{.actions = 2, .features = features};
    oracle->learn(round, 0, {&y, 1});
    const Vector phi(features.begin(), features.begin() + kD);
    a.add_square(phi);
    for (int j = 0; j < kD; ++j) b[j] += phi[j] * y;
    if (t % 4096 != 0 && t > 64) continue;

    const State state(*oracle, kD, 1);
    const auto l = [&](int i, int j) { return state.factor[packed_at(kD, i, j)]; };
    for (int i = 0; i < kD; ++i) {
      ASSERT_GT(l(i, i), 0.0);
      for (int j = 0; j <= i; ++j) {
        long double sum = 0.0L;
        for (int k = 0; k <= j; ++k) sum += static_cast<long double>(l(i, k)) * l(j, k);
        const long double size = std::sqrt(a(i, i) * a(j, j));
        ASSERT_LE(std::abs(static_cast<double>((sum - a(i, j)) / size)), 1e-11) << "after " << t;
      }
      long double sum = 0.0L;
      for (int k = 0; k <= i; ++k) sum += static_cast<long double>(l(i, k)) * state.rows[k];
      const long double size = std::sqrt(a(i, i) * t);
      ASSERT_LE(std::abs(static_cast<double>((sum - b[i]) / size)), 1e-11) << "after " << t;
    }
    const Estimates e = predict(*oracle, shape, round);
    for (int i = 0; i < 2; ++i) {
      ASSERT_TRUE(e.width()[i] >= 0.0 && e.width()[i] <= 1.0) << e.width()[i];
      ASSERT_TRUE(std::abs(e.mean(0)[i]) <= 1.0) << e.mean(0)[i];
    }
    ASSERT_TRUE(std::isfinite(oracle->regret()));
  }
}

TEST(Vaw, OutcomesInOtherUnitsGiveTheSameEstimatesInThoseUnits) {
  const Shape small{.actions = 3, .features = 4};
  Shape large = small;
  large.reward = {-8.0, 8.0};  // a power of two: the same bits, scaled
  for (const char* spec : {"vaw", "ons", "adagrad"}) {
    auto a = oracle_of(spec, small), b = oracle_of(spec, large);
    Rounds rounds(small, false, 6);
    for (int t = 0; t < 50; ++t) {
      const OwnedRound round = rounds.next();
      const Estimates one = predict(*a, small, round.view());
      const Estimates eight = predict(*b, large, round.view());
      for (int i = 0; i < 3; ++i) ASSERT_EQ(8.0 * one.mean(0)[i], eight.mean(0)[i]) << spec;
      const double y = rounds.outcomes()[0], scaled = 8.0 * y;
      a->learn(round.view(), t % 3, {&y, 1});
      b->learn(round.view(), t % 3, {&scaled, 1});
    }
  }
}

// A race plays either way of the linear member. With one action the way without a centre needs more room.
TEST(Vaw, OneActionHasRoomWithAndWithoutItsCentre) {
  const Shape shape{.actions = 1, .context = 3};
  const auto linear = Vaw::make_vaw(parse_spec("vaw(features=both)").value(), shape, true).value();
  const auto around = linear->around();
  const double y = 0.5, x[3] = {0.1, 0.2, 0.3};
  const Round round{.actions = 1, .context = x};
  Estimates estimates;
  estimates.prepare(shape.heads(), 1);
  linear->learn(round, 0, {&y, 1});
  linear->leave_out_centre();
  for (const Oracle* each : {static_cast<const Oracle*>(linear.get()), static_cast<const Oracle*>(around.get())}) {
    Scratch scratch;
    scratch.reset(each->scratch());
    each->predict(round, scratch, estimates);
    EXPECT_GT(estimates.mean(0)[0], 0.0);
  }
}

TEST(Vaw, TooManyFeaturesAreRefusedWithTheWayOut) {
  const Shape shape{.actions = 2, .features = 20'000};
  const std::string error = make_oracle(Spec("vaw"), shape).error();
  EXPECT_NE(error.find("20000 features in 1 sets"), std::string::npos) << error;
  EXPECT_NE(error.find("or adagrad"), std::string::npos) << error;
}

}  // namespace
}  // namespace rein
