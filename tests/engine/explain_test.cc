// rein/explain.h: the parts of an estimate sum to it, and weights are those of the caller's numbers.
#include "rein/explain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/small.h"

namespace rein {
namespace {

struct Made {
  std::vector<double> context, features;
  Round round() const { return {.actions = 3, .context = context, .features = features}; }
};

Made round_of(const Shape& shape, std::uint64_t n, double scale) {
  Rng rng(4, n);
  Made made;
  for (int j = 0; j < shape.context; ++j) made.context.push_back(scale * (rng.uniform() - 0.3));
  for (int j = 0; j < 3 * shape.features; ++j) made.features.push_back(rng.uniform() - 0.5);
  return made;
}

Engine played(const std::string& spec, const Shape& shape, double scale, int rounds = 60) {
  Engine engine = Engine::make(spec, shape).value();
  for (int n = 0; n < rounds; ++n) {
    const Made made = round_of(shape, static_cast<std::uint64_t>(n), scale);
    const auto d = engine.decide(made.round()).value();
    const double x = made.context.empty() ? made.features[0] : made.context[0] / scale;
    engine.learn(d.id, {.reward = 0.3 * x + 0.1 * d.action, .costs = {0.2 + 0.1 * d.action}})
        .check();
  }
  return engine;
}

void check_sums(const Explanation& one, const Engine::Decision& decided) {
  for (std::size_t h = 0; h < one.heads.size(); ++h) {
    const HeadExplanation& head = one.heads[h];
    double linear = 0.0;
    double last = 1e300;
    for (const Term& term : head.terms) {
      linear += term.part();
      EXPECT_LE(std::abs(term.part()), last) << "largest first";
      last = std::abs(term.part());
    }
    EXPECT_NEAR(linear, head.linear, 1e-9);
    EXPECT_NEAR(head.linear + head.rest + head.prior + head.calibration, head.estimate, 1e-9);
    EXPECT_NEAR(head.estimate,
                decided.estimates->mean(static_cast<int>(h))[static_cast<std::size_t>(one.action)],
                1e-9);
  }
}

struct Kind {
  const char* spec;
  int context, features;
  double scale;
  bool linear;
};
class ExplainKinds : public testing::TestWithParam<Kind> {};
TEST_P(ExplainKinds, PartsSumToTheEstimate) {
  const Kind kind = GetParam();
  Shape shape = small_shape();
  shape.context = kind.context;
  shape.features = kind.features;
  Engine engine = played(kind.spec, shape, kind.scale);
  const Made made = round_of(shape, 1000, kind.scale);
  const Engine::Decision d = engine.decide(made.round()).value();
  const auto all = explain(engine, d.id, {.all = true}).value();
  ASSERT_EQ(all.size(), 3U);
  for (const Explanation& one : all) {
    check_sums(one, d);
    EXPECT_EQ(one.heads[0].has_weights, kind.linear);
    EXPECT_EQ(one.chosen, one.action == d.action);
    EXPECT_EQ(one.probability, d.probabilities[static_cast<std::size_t>(one.action)]);
    // What a weight is multiplied by is what the caller gave.
    for (const Term& term : one.heads[0].terms) {
      double value = 1.0;
      if (term.context >= 0) value *= made.context[static_cast<std::size_t>(term.context)];
      if (term.feature >= 0) {
        value *=
            made.features[static_cast<std::size_t>(one.action * shape.features + term.feature)];
      }
      EXPECT_NEAR(term.value, value, 1e-12 * std::abs(value));
    }
  }
  const auto chosen = explain(engine, d.id).value();
  ASSERT_EQ(chosen.size(), 1U);
  EXPECT_EQ(chosen[0].action, d.action);
}
TEST(Explain, WeightsOfBothCountWhatActionsShare) {
  Shape shape = small_shape();
  shape.context = 2;
  Engine engine = played("ccb(rate=0.3,oracle=ridge(features=both))", shape, 1.0);
  const Made made = round_of(shape, 1000, 1.0);
  const Engine::Decision d = engine.decide(made.round()).value();
  const auto all = explain(engine, d.id, {.all = true}).value();
  for (const Explanation& one : all) {  // ridge shrinks nothing, so nothing is left over
    for (const HeadExplanation& head : one.heads) EXPECT_NEAR(head.rest, 0.0, 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ExplainKinds,
    testing::Values(Kind{"ccb(rate=0.3)", 2, 0, 1.0, true},
                    Kind{"ccb(rate=0.3)", 2, 0, 1000.0, true},  // scaled by UnitFeatures
                    Kind{"ccb(rate=0.3)", 2, 3, 0.001, true},   // products
                    Kind{"ccb(rate=0.3)", 0, 3, 1.0, true},
                    Kind{"ccb(rate=0.3,oracle=ons)", 2, 0, 1.0, true},
                    Kind{"ccb(rate=0.3,oracle=adagrad)", 2, 3, 1.0, true},
                    Kind{"ccb(rate=0.3,oracle=optimistic)", 2, 0, 1.0, true},
                    Kind{"ccb(rate=0.3,reward_oracle=vaw,cost_oracle=ons)", 2, 0, 1.0, true},
                    Kind{"ccb(rate=0.3,oracle=vaw(memory=30))", 2, 0, 1.0, true},
                    Kind{"ccb(rate=0.3,oracle=kernel)", 2, 0, 1.0, false},
                    Kind{"ccb(rate=0.3,oracle=forest)", 2, 0, 1.0, false},
                    Kind{"ccb(rate=0.3,oracle=auto)", 2, 0, 1.0, true},  // the linear one plays
                    Kind{"ccb(rate=0.3,oracle=vaw(features=both))", 2, 0, 1.0, true},
                    Kind{"ccb(rate=0.3,oracle=stack)", 2, 0, 1.0, false},
                    Kind{"ccb(minimize=dollars,at_least=[reward,0.1],rounds=100)", 2, 0, 1.0, true},
                    Kind{"stop(of=ccb(rate=0.3,rounds=100),null=0,at=30)", 2, 0, 1.0, true},
                    Kind{"pgd(budget=30,rounds=100)", 2, 0, 1.0, true}));

// The weights are those of ridge regression: (I + sum phi phi')^-1 sum phi y, here of one number and
// the constant, solved by hand.
TEST(Explain, WeightsAreTheRegression) {
  const Shape shape{.actions = 1, .context = 1, .costs = {{"dollars", {0.0, 1.0}}}};
  Engine engine = Engine::make("ccb(rate=0.3,oracle=vaw)", shape).value();
  double xx = 1.0, x1 = 0.0, n = 1.0, xy = 0.0, y1 = 0.0;
  for (int t = 0; t < 40; ++t) {
    const std::vector<double> x{0.5 + 0.02 * t};
    const auto d = engine.decide({.actions = 1, .context = x}).value();
    const double y = 0.4 * x[0] - 0.1;
    engine.learn(d.id, {.reward = y, .costs = {0.1}}).check();
    xx += x[0] * x[0];
    x1 += x[0];
    n += 1.0;
    xy += x[0] * y;
    y1 += y;
  }
  const std::vector<double> x{0.7};
  const auto why = explain(engine, Round{.actions = 1, .context = x}).value();
  const double det = xx * n - x1 * x1;
  for (const Term& term : why[0].heads[0].terms) {
    const double known = term.context == 0 ? (n * xy - x1 * y1) / det : (xx * y1 - x1 * xy) / det;
    EXPECT_NEAR(term.weight, known, 1e-9);
  }
}

TEST(Explain, ScoresAreRewardLessPricedCostsPlusTheBonus) {
  Engine engine = played("ccb(rate=0.25)", small_shape(), 1.0, 200);
  const std::vector<double> x{0.2, 0.1};
  const Engine::Decision d = engine.decide({.actions = 3, .context = x}).value();
  const auto all = explain(engine, d.id, {.all = true}).value();
  for (const Explanation& one : all) {
    const double plain = one.heads[0].estimate - one.prices[0] * one.heads[1].estimate;
    EXPECT_NEAR(one.score, plain + one.bonus, 1e-9);
    EXPECT_GT(one.bonus, 0.0);
    EXPECT_LT(one.bonus, 1.0);
  }
}

TEST(Explain, OnlyWhatIsOpenAndOffered) {
  Engine engine = small_engine();
  const std::uint64_t id = decided(engine);
  engine.learn(id, {.reward = 0.1, .costs = {0.1}}).check();
  const auto settled = explain(engine, id);
  ASSERT_FALSE(settled.ok());
  EXPECT_EQ(settled.reason(), Reason::kExpired);
  EXPECT_EQ(explain(engine, std::uint64_t{1}).reason(), Reason::kUnknown);
  const std::vector<double> x = context_of(1);
  const std::vector<std::int32_t> two{2}, ids{0, 1};
  const Round round{.actions = 2, .context = x, .ids = ids};
  EXPECT_FALSE(explain(engine, round, {.action_ids = two}).ok());
  EXPECT_EQ(explain(engine, round, {.action_ids = ids}).value().size(), 2U);
}

// Counts how often it is asked, and knows nothing.
struct Asked final : OwnOracle {
  void predict(const Round&, Estimates&) const override { ++times; }
  void learn(const Round&, int, std::span<const double>) override {}
  void save(ByteWriter&) const override {}
  Result<> load(ByteReader& in) override { return in.status(); }
  static inline int times = 0;
};

TEST(Explain, AllActionsAreExplainedFromTheSameEstimates) {
  Own own;
  own.oracles["own"] = [](const Shape&) { return std::make_unique<Asked>(); };
  const Shape shape{.actions = 50, .context = 1, .costs = {CostShape{}}};
  Engine engine = Engine::make("ccb(oracle=own,rate=0.3,u=5)", shape, {}, own).value();
  const double x[] = {1.0};
  const auto id = engine.decide({.actions = 50, .context = x}).value().id;
  Asked::times = 0;
  EXPECT_EQ(explain(engine, id).value().size(), 1U);
  const int one = std::exchange(Asked::times, 0);
  EXPECT_GT(one, 0);
  EXPECT_EQ(explain(engine, id, {.all = true}).value().size(), 50U);
  EXPECT_EQ(Asked::times, one);
}

}  // namespace
}  // namespace rein
