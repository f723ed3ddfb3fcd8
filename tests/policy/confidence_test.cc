// The radii: formulas by hand, and that the ellipsoid holds as often as it says.
#include "policy/confidence.h"

#include <gtest/gtest.h>

#include "base/size.h"
#include "policy/play.h"

namespace rein {
namespace {

Confidence fitted(const std::string& oracle, const Shape& shape, Radius kind) {
  const Spec spec = parse_spec("aupd(oracle=" + oracle + ")").value();
  SpecReader read(spec, "policy spec");
  const PlanKeys keys(read, "ridge");
  Confidence confidence = read_confidence(read, kind);
  const Plan plan = make_plan(keys, shape, Setting::kExpectation, false, {}).value();
  fit_confidence(plan, keys, confidence).check();
  return confidence;
}

Shape eight_features() { return {.actions = 8, .features = 8, .costs = {{}}, .rounds = 20000}; }

TEST(Confidence, TheEllipsoidByHand) {
  // Shared parameters, d = 8, L = 1, signed: R = 1, two heads.
  const Confidence shared = fitted("ridge", eight_features(), Radius::kEllipsoid);
  EXPECT_NEAR(shared.radius(0), std::sqrt(2.0 * std::log(40.0)) + 1.0, 1e-12);
  EXPECT_NEAR(shared.radius(400), std::sqrt(2.0 * std::log(40.0) + 8.0 * std::log(51.0)) + 1.0,
              1e-12);
  // A world that says how large its parameters are is believed.
  Shape large = eight_features();
  large.theta = 2.5;
  EXPECT_NEAR(fitted("ridge", large, Radius::kEllipsoid).radius(0),
              std::sqrt(2.0 * std::log(40.0)) + 2.5, 1e-12);
  // Ranges of one sign are half as wide: R = 1/2. The ridge enters twice, the norm once.
  Shape positive = eight_features();
  positive.reward = {0.0, 10.0};
  positive.costs = {{"dollars", {0.0, 500.0}}};
  const Confidence half = fitted("ridge(norm=3,reg=4)", positive, Radius::kEllipsoid);
  const double steps = 400 * 9.0 / (4.0 * 8.0);
  EXPECT_NEAR(half.radius(400),
              0.5 * std::sqrt(2.0 * std::log(40.0) + 8.0 * std::log(1.0 + steps)) + 2.0, 1e-12);
  // Parameters for each action: as many ellipsoids, in fewer dimensions. L^2 = 2 with the bias.
  const Shape context{.actions = 5, .context = 3, .costs = {{}, {"b"}}, .rounds = 100};
  const Confidence own = fitted("ridge", context, Radius::kEllipsoid);
  EXPECT_NEAR(own.radius(10),
              std::sqrt(2.0 * std::log(15.0 / 0.05) + 4.0 * std::log(1.0 + 10 * 2.0 / 4.0)) + 1.0,
              1e-12);
}

TEST(Confidence, TheEllipsoidIsSmallerThanLinCBwKsRadius) {
  const Confidence ours = fitted("ridge", eight_features(), Radius::kEllipsoid);
  const Confidence theirs = fitted("ridge", eight_features(), Radius::kLinCBwK);
  for (std::int64_t t : {0, 10, 100, 1000, 20000}) EXPECT_LT(ours.radius(t), theirs.radius(t)) << t;
  EXPECT_NEAR(ours.radius(20000), 9.37, 0.01);
  EXPECT_NEAR(theirs.radius(20000), 13.78, 0.01);
}

// Rewards of -1 and 1, the widest noise there is, and a learner that picks the action that it knows
// least about: the bounds of all rounds and actions hold in all but a share delta of the runs.
TEST(Confidence, BoundsHoldAsOftenAsTheySay) {
  const int runs = 200, rounds = 300, d = 4;
  const Shape shape{.actions = 3, .features = d, .rounds = rounds};
  const Confidence confidence = fitted("ridge", shape, Radius::kEllipsoid);
  int failed = 0, loose = 0;
  for (int run = 0; run < runs; ++run) {
    const auto oracle = make_oracle(Spec("ridge"), shape).value();
    Scratch scratch;
    Estimates said;
    said.prepare(1, shape.actions);
    Rng rng(static_cast<std::uint64_t>(run), 3);
    std::vector<double> theta(d, 0.5), x(as_size(3 * d));
    bool held = true;
    for (int t = 0; t < rounds; ++t) {
      for (double& number : x) number = (rng.uniform() - 0.5);
      const Round round{.actions = 3, .features = x};
      scratch.reset(oracle->scratch());
      oracle->predict(round, scratch, said);
      int widest = 0;
      for (int a = 0; a < 3; ++a) {
        double mean = 0.0;
        for (int j = 0; j < d; ++j) mean += theta[as_size(j)] * x[as_size(a * d + j)];
        const double off = std::abs(said.mean(0)[as_size(a)] - mean);
        const double wide = confidence.radius(t) * half_width(said.width()[as_size(a)]);
        held = held && off <= wide;
        loose += off <= 0.2 * wide;
        if (said.width()[as_size(a)] > said.width()[as_size(widest)]) widest = a;
      }
      double mean = 0.0;
      for (int j = 0; j < d; ++j) mean += theta[as_size(j)] * x[as_size(widest * d + j)];
      const double reward = rng.rademacher(mean);
      oracle->learn(round, widest, {&reward, 1});
    }
    failed += !held;
  }
  EXPECT_LE(failed, runs / 20);
  EXPECT_LT(loose, 0.99 * runs * rounds * 3);  // a fifth of the radius does not hold
}

}  // namespace
}  // namespace rein
