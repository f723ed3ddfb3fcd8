// finite and truth: their predictions, what they refuse, and that U = 8 ln|F| holds.
#include <gtest/gtest.h>

#include <cmath>

#include "estimate/listed_functions.h"
#include "estimate/play.h"

namespace rein {
namespace {

Shape shape_with(std::shared_ptr<const FunctionClass> functions,
                 std::shared_ptr<const FunctionClass> truth) {
  Shape shape{.actions = 3, .features = 2, .costs = {{.name = "spend", .range = {0.0, 500.0}}}};
  shape.functions = std::move(functions);
  shape.truth = std::move(truth);
  return shape;
}

std::shared_ptr<const FunctionClass> one(std::vector<double> reward, std::vector<double> cost) {
  return std::make_shared<ListedFunctions>(2, ListedFunctions::Weights{{reward, cost}});
}

TEST(Truth, SaysTheTrueMeansInTheUnitsOfTheShapeClippedToItsRanges) {
  const Shape shape = shape_with(nullptr, one({0.25, -0.5}, {400.0, -300.0}));
  auto oracle = make_oracle(Spec("truth"), shape).value();
  const std::vector<double> features{1.0, 1.0, 0.0, 1.0, 2.0, 0.0};
  const Estimates e = predict(*oracle, shape, {.actions = 3, .features = features});
  EXPECT_EQ(e.mean(0)[0], -0.25);
  EXPECT_EQ(e.mean(0)[1], -0.5);
  EXPECT_EQ(e.mean(1)[0], 100.0);
  EXPECT_EQ(e.mean(1)[1], 0.0);    // -300, and costs are known to be at least 0
  EXPECT_EQ(e.mean(1)[2], 500.0);  // 800
  EXPECT_EQ(e.width()[0], 0.0);
  EXPECT_EQ(oracle->bound(1'000'000), 1.0);
  EXPECT_EQ(oracle->regret(), 0.0);
}

TEST(Truth, WorksWhereOnlyTheRewardIsAskedFor) {
  Shape shape = shape_with(nullptr, one({0.25, -0.5}, {400.0, -300.0}));
  shape.costs.clear();
  auto oracle = make_oracle(Spec("truth"), shape).value();
  const std::vector<double> features{1.0, 1.0};
  EXPECT_EQ(predict(*oracle, shape, {.actions = 1, .features = features}).mean(0)[0], -0.25);
}

TEST(Truth, IsRefusedWhereTheShapeHasNone) {
  auto oracle = make_oracle(Spec("truth"), shape_with(nullptr, nullptr));
  ASSERT_FALSE(oracle.ok());
  EXPECT_NE(oracle.error().find("truth needs the true means"), std::string::npos);
  const auto two = std::make_shared<ListedFunctions>(2, ListedFunctions::Weights(2));
  EXPECT_EQ(make_oracle(Spec("truth"), shape_with(nullptr, two)).error(),
            "oracle spec: the shape's truth has 2 functions; accepted: 1");
}

TEST(Finite, IsRefusedWithoutFunctions) {
  auto oracle = make_oracle(Spec("finite"), shape_with(nullptr, nullptr));
  ASSERT_FALSE(oracle.ok());
  EXPECT_NE(oracle.error().find("finite needs a list of functions"), std::string::npos);
  const auto none = std::make_shared<ListedFunctions>(2, ListedFunctions::Weights{});
  EXPECT_FALSE(make_oracle(Spec("finite"), shape_with(none, nullptr)).ok());
}

TEST(Finite, StartsWithTheMeanOfItsFunctions) {
  const auto list = std::make_shared<ListedFunctions>(
      2, ListedFunctions::Weights{{{1.0, 0.0}, {500.0, 0.0}}, {{0.0, 0.5}, {0.0, 100.0}}});
  const Shape shape = shape_with(list, nullptr);
  auto oracle = make_oracle(Spec("finite"), shape).value();
  const std::vector<double> features{1.0, 1.0};
  const Estimates e = predict(*oracle, shape, {.actions = 1, .features = features});
  EXPECT_DOUBLE_EQ(e.mean(0)[0], 0.75);
  EXPECT_DOUBLE_EQ(e.mean(1)[0], 300.0);
}

// Weights against the definition, computed from scratch with the C library.
TEST(Finite, WeightsAreExponentialInTheLossEachHeadOnItsOwn) {
  const ListedFunctions::Weights weights{
      {{0.5, 0.1}, {100.0, 50.0}}, {{-0.5, 0.3}, {300.0, 10.0}}, {{0.2, -0.2}, {0.0, 400.0}}};
  const auto list = std::make_shared<ListedFunctions>(2, weights);
  const Shape shape = shape_with(list, nullptr);
  auto oracle = make_oracle(Spec("finite"), shape).value();
  Rng rng(11);
  double loss[3][2] = {};
  for (int t = 0; t < 50; ++t) {
    const std::vector<double> features{rng.uniform(), rng.uniform()};
    const Round round{.actions = 1, .features = features};
    double values[3][2];
    for (int f = 0; f < 3; ++f) list->evaluate(f, round, 0, values[f]);
    const Estimates e = predict(*oracle, shape, round);
    const double unit[2] = {1.0, 500.0};
    for (int h = 0; h < 2; ++h) {
      double total = 0.0, mean = 0.0;
      for (int f = 0; f < 3; ++f) {
        const double w = std::exp(-loss[f][h] / 8.0);
        total += w;
        mean += w * values[f][h];
      }
      EXPECT_NEAR(e.mean(h)[0] / unit[h], mean / total / unit[h], 1e-12);
    }
    const double y[2] = {2.0 * rng.uniform() - 1.0, 500.0 * rng.uniform()};
    for (int f = 0; f < 3; ++f) {
      for (int h = 0; h < 2; ++h) {
        const double miss = (values[f][h] - y[h]) / unit[h];
        loss[f][h] += miss * miss;
      }
    }
    oracle->learn(round, 0, y);
  }
}

// No assumptions: for any outcomes, the loss stays within 8 ln|F| of the best function.
TEST(Finite, RegretStaysUnderTheBoundOnAdversarialOutcomes) {
  Rng rng(3);
  ListedFunctions::Weights weights(64, {{0.0, 0.0}, {0.0, 0.0}});
  for (auto& function : weights) {
    for (double& w : function[0]) w = 1.4 * rng.uniform() - 0.7;
    for (double& w : function[1]) w = 350.0 * rng.uniform();
  }
  const Shape shape = shape_with(std::make_shared<ListedFunctions>(2, weights), nullptr);
  auto oracle = make_oracle(Spec("finite"), shape).value();
  EXPECT_NEAR(oracle->bound(1), 8.0 * std::log(64.0), 1e-12);
  for (int t = 0; t < 4000; ++t) {
    const std::vector<double> features{rng.uniform(), rng.uniform()};
    const Round round{.actions = 1, .features = features};
    const Estimates e = predict(*oracle, shape, round);
    // The corner farthest from the prediction, or sometimes a fair coin.
    const double y[2] = {
        t % 3 == 0 ? (rng.uniform() < 0.5 ? -1.0 : 1.0) : (e.mean(0)[0] > 0.0 ? -1.0 : 1.0),
        e.mean(1)[0] > 250.0 ? 0.0 : 500.0};
    oracle->learn(round, 0, y);
    ASSERT_LE(oracle->regret(), oracle->bound(t + 1) + 1e-9);
  }
}

TEST(Finite, FindsTheTrueFunctionAndItsSquaredErrorStaysUnderU) {
  Rng rng(5);
  ListedFunctions::Weights weights(32, {{0.0, 0.0}, {0.0, 0.0}});
  for (auto& function : weights) {
    for (double& w : function[0]) w = 1.4 * rng.uniform() - 0.7;
    for (double& w : function[1]) w = 350.0 * rng.uniform();
  }
  const auto list = std::make_shared<ListedFunctions>(2, weights);
  const Shape shape = shape_with(list, nullptr);
  auto oracle = make_oracle(Spec("finite"), shape).value();
  double squared[2] = {};
  for (int t = 0; t < 3000; ++t) {
    const std::vector<double> features{rng.uniform(), 0.4 * rng.uniform()};
    const Round round{.actions = 1, .features = features};
    double mean[2];
    list->evaluate(17, round, 0, mean);
    const Estimates e = predict(*oracle, shape, round);
    squared[0] += (e.mean(0)[0] - mean[0]) * (e.mean(0)[0] - mean[0]);
    squared[1] += (e.mean(1)[0] - mean[1]) * (e.mean(1)[0] - mean[1]) / 250'000.0;
    const double y[2] = {rng.uniform() < 0.5 * (1.0 + mean[0]) ? 1.0 : -1.0,
                         rng.uniform() < mean[1] / 500.0 ? 500.0 : 0.0};
    oracle->learn(round, 0, y);
  }
  EXPECT_LE(squared[0], oracle->bound(3000));
  EXPECT_LE(squared[1], oracle->bound(3000));
}

}  // namespace
}  // namespace rein
