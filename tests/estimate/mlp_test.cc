// mlp against its definition, on nonlinear targets, and with inputs that could make a network
// diverge.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "estimate/play.h"

namespace rein {
namespace {

// The network of mlp(hidden=[3,2]) with two inputs and two heads, written out.
struct ByHand {
  double w1[3][3], w2[2][4], w3[2][5], g1[3][3], g2[2][4], g3[2][5];
  double size[2] = {}, count[2] = {};
  double z[2], h1[3], h2[2], p[2];

  ByHand() {
    Rng rng(1, 0);
    const auto draw = [&](double* row, int in) {
      for (int j = 0; j + 1 < in; ++j) row[j] = std::sqrt(2.0 / in) * rng.normal();
      row[in - 1] = 0.0;
    };
    for (auto& row : w1) draw(row, 3);
    for (auto& row : w2) draw(row, 4);
    for (auto& row : w3) std::fill(row, row + 5, 0.0);
    for (auto& row : g1) std::fill(row, row + 3, 0.01);
    for (auto& row : g2) std::fill(row, row + 4, 0.01);
    for (auto& row : g3) std::fill(row, row + 5, 0.01);
  }
  static double act(double x) { return x > 0.0 ? x : 0.01 * x; }
  void predict(const double* x) {
    for (int j = 0; j < 2; ++j) {
      z[j] = std::clamp(x[j] / (size[j] > 0.0 ? std::sqrt(size[j]) : 1.0), -4.0, 4.0);
    }
    for (int i = 0; i < 3; ++i) h1[i] = act(w1[i][0] * z[0] + w1[i][1] * z[1] + w1[i][2]);
    for (int i = 0; i < 2; ++i) {
      h2[i] = act(w2[i][0] * h1[0] + w2[i][1] * h1[1] + w2[i][2] * h1[2] + w2[i][3]);
    }
    for (int i = 0; i < 2; ++i) {
      p[i] = w3[i][0] * h2[0] + w3[i][1] * h2[1] + w3[i][2] * z[0] + w3[i][3] * z[1] + w3[i][4];
      p[i] = std::clamp(p[i], -1.0, 1.0);
    }
  }
  static void step(double& w, double& square, double g, int in) {
    square += g * g;
    w = std::clamp(w - 0.2 / std::sqrt(in) * g / std::sqrt(square), -16.0, 16.0);
  }
  void learn(const double* x, const double* y) {
    predict(x);
    double s3[2], s2[2] = {}, s1[3] = {};
    for (int i = 0; i < 2; ++i) s3[i] = 2.0 * (p[i] - y[i]);
    for (int j = 0; j < 2; ++j) {
      s2[j] = (s3[0] * w3[0][j] + s3[1] * w3[1][j]) * (h2[j] > 0.0 ? 1.0 : 0.01);
      s2[j] = std::clamp(s2[j], -4.0, 4.0);
    }
    for (int j = 0; j < 3; ++j) {
      s1[j] = (s2[0] * w2[0][j] + s2[1] * w2[1][j]) * (h1[j] > 0.0 ? 1.0 : 0.01);
      s1[j] = std::clamp(s1[j], -4.0, 4.0);
    }
    const double in3[5] = {h2[0], h2[1], z[0], z[1], 1.0}, in2[4] = {h1[0], h1[1], h1[2], 1.0},
                 in1[3] = {z[0], z[1], 1.0};
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 5; ++j) step(w3[i][j], g3[i][j], s3[i] * in3[j], 5);
      for (int j = 0; j < 4; ++j) step(w2[i][j], g2[i][j], s2[i] * in2[j], 4);
    }
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) step(w1[i][j], g1[i][j], s1[i] * in1[j], 3);
    }
    for (int j = 0; j < 2; ++j) {
      if (x[j] == 0.0) continue;
      count[j] += 1.0;
      const double square = x[j] * x[j];
      const double taken =
          count[j] == 1.0 ? square : std::clamp(square, 0.25 * size[j], 4.0 * size[j]);
      size[j] += (taken - size[j]) / count[j];
    }
  }
};

TEST(Mlp, FollowsItsDefinition) {
  Shape shape{.actions = 1, .features = 2};
  shape.costs.resize(1);
  auto oracle = oracle_of("mlp(hidden=[3,2])", shape);
  ByHand by_hand;
  Rng rng(7);
  for (int t = 0; t < 300; ++t) {
    const std::vector<double> x{3.0 * rng.normal(), t % 5 == 0 ? 0.0 : rng.uniform()};
    const Round round{.actions = 1, .features = x};
    const Estimates e = predict(*oracle, shape, round);
    by_hand.predict(x.data());
    for (int h = 0; h < 2; ++h) ASSERT_NEAR(e.mean(h)[0], by_hand.p[h], 1e-7) << "round " << t;
    const std::vector<double> y{std::tanh(x[0] * x[1]), rng.rademacher(0.2)};
    by_hand.learn(x.data(), y.data());
    oracle->learn(round, 0, y);
  }
  EXPECT_NE(by_hand.p[0], 0.0);
}

// Mean squared error over the last quarter, per head: x0 x1 > 0, and |x2|, with noise.
std::pair<double, double> late_errors(const std::string& spec, int rounds) {
  Shape shape{.actions = 1, .features = 4};
  shape.costs.resize(1);
  auto oracle = oracle_of(spec, shape);
  Rng rng(3);
  std::pair<double, double> late;
  for (int t = 0; t < rounds; ++t) {
    std::vector<double> x(4);
    for (double& v : x) v = 2.0 * rng.uniform() - 1.0;
    const double a = x[0] * x[1] > 0.0 ? 0.7 : -0.7, b = 1.4 * std::abs(x[2]) - 0.7;
    const Round round{.actions = 1, .features = x};
    const Estimates e = predict(*oracle, shape, round);
    if (t >= rounds - rounds / 4) {
      late.first += (e.mean(0)[0] - a) * (e.mean(0)[0] - a) / (rounds / 4);
      late.second += (e.mean(1)[0] - b) * (e.mean(1)[0] - b) / (rounds / 4);
    }
    const std::vector<double> y{a + 0.2 * rng.rademacher(), b + 0.2 * rng.rademacher()};
    oracle->learn(round, 0, y);
  }
  return late;
}

TEST(Mlp, LearnsCurvesInAllHeadsThatALinearOracleCannot) {
  for (const char* spec : {"mlp", "mlp(activation=tanh,rate=0.5)", "mlp(hidden=32,seed=5)"}) {
    SCOPED_TRACE(spec);
    const auto [product, bend] = late_errors(spec, 8000);
    EXPECT_LT(product, 0.2);
    EXPECT_LT(bend, 0.05);
  }
  const auto [product, bend] = late_errors("vaw(bias=1)", 8000);
  EXPECT_GT(product, 0.45);
  EXPECT_GT(bend, 0.15);
}

// A hostile start must neither break it nor stop it from learning later.
TEST(Mlp, WildInputsAndHostileOutcomesLeaveItFiniteAndAbleToLearn) {
  const Shape shape{.actions = 2, .context = 1, .features = 3};
  auto oracle = oracle_of("mlp(features=product)", shape);
  Rng rng(5);
  double late = 0.0;
  for (int t = 0; t < 6000; ++t) {
    std::vector<double> f(6);
    for (double& v : f) v = 2.0 * rng.uniform() - 1.0;
    const bool hostile = t >= 20 && t < 1000;
    const double context = hostile && t % 7 == 0 ? -1e50 : 1.0;
    if (hostile && t % 3 == 0) f[t % 6] = t % 2 ? kMaxNumber : -kMaxNumber;
    if (hostile && t % 5 == 0) f[t % 6] = 1e-50;
    const Round round{.actions = 2, .context = {&context, 1}, .features = f};
    const Estimates e = predict(*oracle, shape, round);
    for (double mean : e.mean(0)) ASSERT_TRUE(mean >= -1.0 && mean <= 1.0) << mean;
    const double mean = 0.6 * f[3] - 0.3;
    const double y = hostile ? (e.mean(0)[1] > 0.0 ? -1.0 : 1.0) : mean;
    if (t >= 5000) late += (e.mean(0)[1] - mean) * (e.mean(0)[1] - mean);
    oracle->learn(round, 1, {&y, 1});
  }
  EXPECT_LT(late / 1000, 0.02);
  EXPECT_TRUE(std::isfinite(oracle->regret()));
}

TEST(Mlp, StateNeverGrowsAndTheRegretIsTheLoss) {
  const Shape shape{.actions = 2, .context = 2};
  auto oracle = oracle_of("mlp(hidden=4)", shape);
  const std::size_t size = saved(*oracle).size();
  Rng rng(2);
  double loss = 0.0;
  for (int t = 0; t < 100'000; ++t) {
    const std::vector<double> x{rng.uniform(), t % 1000 < 500 ? 1.0 : -1.0};
    const std::vector<std::int32_t> ids{static_cast<std::int32_t>(t % 2)};
    const Round round{.actions = 1, .context = x, .ids = ids};
    const double y = t % 3 == 0 ? 1.0 : -0.5;
    if (t < 1000) {
      const double miss = predict(*oracle, shape, round).mean(0)[0] - y;
      loss += miss * miss;
    }
    oracle->learn(round, 0, {&y, 1});
    if (t == 999) {
      ASSERT_NEAR(oracle->regret(), loss, 1e-9);
    }
  }
  EXPECT_EQ(saved(*oracle).size(), size);
  EXPECT_LE(oracle->regret(), oracle->bound(100'000));
  EXPECT_EQ(oracle->bound(100), 400.0);  // (1 - (-1))^2 per round: there is no certificate
}

TEST(Mlp, TheSeedIsAllTheChanceThereIs) {
  const Shape shape{.actions = 3, .features = 2};
  EXPECT_EQ(saved(*oracle_of("mlp(seed=4)", shape)), saved(*oracle_of("mlp(seed=4)", shape)));
  EXPECT_NE(saved(*oracle_of("mlp(seed=4)", shape)), saved(*oracle_of("mlp(seed=5)", shape)));
}

TEST(Mlp, RefusesWhatIsNoNetwork) {
  const Shape shape{.actions = 2, .features = 3};
  for (const char* spec :
       {"mlp(hidden=0)", "mlp(hidden=2.5)", "mlp(hidden=[4,5000])", "mlp(rate=0)",
        "mlp(hidden=[2,2,2,2,2,2,2,2,2])", "mlp(activation=step)", "mlp(seed=-1)"}) {
    EXPECT_FALSE(make_oracle(parse_spec(spec).value(), shape).ok()) << spec;
  }
  const Shape many{.actions = 1'000'000, .context = 100};
  EXPECT_NE(make_oracle(parse_spec("mlp").value(), many).error().find("networks need"),
            std::string::npos);
}

}  // namespace
}  // namespace rein
