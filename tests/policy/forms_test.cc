// A policy on a problem and on the same problem in the other form decides the same.
#include "price/forms.h"

#include <gtest/gtest.h>

#include "policy/play.h"

namespace rein {
namespace {

// Fixed means of every action, costs mapped by scale and shift: what oracle `truth` tells.
class Means final : public FunctionClass {
 public:
  Means(double scale, double shift) : scale_(scale), shift_(shift) {}
  int size() const override { return 1; }
  void evaluate(int, const Round& round, int action, std::span<double> out) const override {
    const int id = round.id(action);
    out[0] = 0.25 * id;
    for (std::size_t h = 1; h < out.size(); ++h) {
      const double cost = (id + static_cast<int>(h)) % 4 * 0.5 - 0.75;  // in [-0.75, 0.75]
      out[h] = scale_ * cost + shift_;
    }
  }

 private:
  double scale_, shift_;
};

// Signed costs g in [-1, 1] without a budget, or what scale g + shift makes of them.
Shape mapped(double scale, double shift, const Range& range, const std::vector<double>& budgets) {
  Shape shape{.actions = 4, .context = 1, .costs = {{"a", range}, {"b", range}}, .rounds = 200};
  shape.budgets = budgets;
  shape.truth = std::make_shared<Means>(scale, shift);
  return shape;
}

void expect_same_decisions(const std::string& spec, const Shape& one, const Shape& two,
                           double scale, double shift) {
  SCOPED_TRACE(spec);
  Game first({.spec = spec, .shape = one}), second({.spec = spec, .shape = two});
  for (int t = 0; t < 150; ++t) {
    const OwnedRound round = round_of(one, t);
    for (Game* game : {&first, &second}) {
      game->policy->decide(round.view(), game->rng, game->scratch, game->decision).check();
    }
    ASSERT_EQ(first.decision.action, second.decision.action) << t;
    ASSERT_NEAR(first.decision.gamma, second.decision.gamma, 1e-9 * first.decision.gamma);
    for (int a = 0; a < round.actions; ++a) {
      ASSERT_NEAR(first.decision.probabilities()[a], second.decision.probabilities()[a], 1e-11);
    }
    for (int i : {0, 1}) {  // reward per unit of each problem's own cost
      ASSERT_NEAR(first.decision.prices[i], second.decision.prices[i] * scale, 1e-11);
    }
    Outcome outcome = outcome_of({.costs = {{}, {}}}, round.view(), first.decision.action, t);
    first.policy->learn(round.view(), first.decision, outcome).check();
    for (double& cost : outcome.costs) cost = scale * cost + shift;
    second.policy->learn(round.view(), second.decision, outcome).check();
  }
}

// c = (g + 1) / 2, B = T / 2.
TEST(MappedProblems, AZeroThresholdProblemAndItsKnapsack) {
  const Shape zero = mapped(1.0, 0.0, {-1.0, 1.0}, {});
  const Shape knapsack = mapped(0.5, 0.5, {0.0, 1.0}, {100.0, 100.0});
  for (const char* spec :
       {"lagrange(eta=2,oracle=truth)", "lagrange(oracle=truth)", "squarecbwk(oracle=truth)",
        "lagrange(dual=fixed_share,eta=5,oracle=truth,share=0.01)",
        "squarecbwk(gamma_scale=9,oracle=truth,z_scale=3)"}) {
    expect_same_decisions(spec, zero, knapsack, 0.5, 0.5);
  }
}

// g = c - b, both in units of 1: c in [0, 1], g in [-1/4, 3/4].
TEST(MappedProblems, AKnapsackAndItsZeroThreshold) {
  const Shape knapsack = mapped(0.5, 0.5, {0.0, 1.0}, {50.0, 50.0});
  const Shape zero = mapped(0.5, 0.25, {-1.0, 1.0}, {});
  for (const char* spec : {"loe2d(oracle=truth)", "loe2d(oracle=truth,v_scale=0.02)",
                           "loe2d(balanced=1,gamma_scale=4,oracle=truth,v_scale=0.1)"}) {
    SCOPED_TRACE(spec);
    Game first({.spec = spec, .shape = knapsack}), second({.spec = spec, .shape = zero});
    for (int t = 0; t < 150; ++t) {
      const OwnedRound round = round_of(knapsack, t);
      for (Game* game : {&first, &second}) {
        game->policy->decide(round.view(), game->rng, game->scratch, game->decision).check();
      }
      ASSERT_EQ(first.decision.action, second.decision.action) << t;
      for (int a = 0; a < round.actions; ++a) {
        ASSERT_NEAR(first.decision.probabilities()[a], second.decision.probabilities()[a], 1e-11);
      }
      Outcome outcome = outcome_of(knapsack, round.view(), first.decision.action, t);
      first.policy->learn(round.view(), first.decision, outcome).check();
      for (double& cost : outcome.costs) cost -= 0.25;
      second.policy->learn(round.view(), second.decision, outcome).check();
    }
    EXPECT_NEAR(first.policy->state().queues[0], second.policy->state().queues[0], 1e-10);
  }
}

TEST(MappedProblems, TheShapeSaysWhichProblemItIs) {
  for (const char* spec : {"loe2d", "lagrange", "squarecbwk"}) {
    const auto setting = [&](const Shape& shape) {
      return make_policy(spec, shape).value()->state().setting;
    };
    EXPECT_EQ(setting(mapped(1, 0, {-1.0, 1.0}, {})), Setting::kExpectation);
    EXPECT_EQ(setting(mapped(1, 0, {0.0, 1.0}, {})), Setting::kExpectation);
    EXPECT_EQ(setting(mapped(1, 0, {0.0, 1.0}, {9.0, 9.0})), Setting::kKnapsack);
    EXPECT_EQ(setting(mapped(1, 0, {-1.0, 1.0}, {9.0, 9.0})), Setting::kLinearConstraints);
  }
}

// What docs/lab/peers_tables.md says beside its columns of signed costs: however much is overspent,
// the price of squarecbwk comes up to 1 there and never above, that of lagrange up to eta.
TEST(MappedProblems, OnSignedCostsPricesAreCapped) {
  const auto price_after = [](const std::string& spec) {
    const Shape shape{.actions = 2, .context = 1, .costs = {{"g", {-1.0, 1.0}}}, .rounds = 400};
    Game game({.spec = spec, .shape = shape});
    const std::vector<double> x = {1.0};
    const Round round{.actions = 2, .context = x};
    for (int t = 0; t < 400; ++t) {
      game.policy->decide(round, game.rng, game.scratch, game.decision).check();
      EXPECT_LE(game.decision.prices[0], 1.5 + 1e-12);
      game.policy->learn(round, game.decision, {.reward = 0.0, .costs = {1.0}}).check();
    }
    game.policy->decide(round, game.rng, game.scratch, game.decision).check();
    return game.decision.prices[0];
  };
  EXPECT_NEAR(price_after("squarecbwk"), 1.0, 1e-2);
  EXPECT_NEAR(price_after("lagrange(eta=1)"), 1.0, 2e-2);
  EXPECT_NEAR(price_after("lagrange(eta=1.5)"), 1.5, 3e-2);
  EXPECT_LT(price_after("squarecbwk"), 1.0);
}

}  // namespace
}  // namespace rein
