// The mapping between zero-threshold and knapsack forms, both ways. tests/policy/forms_test.cc
// checks that policies decide the same on mapped problems.
#include "price/forms.h"

#include <gtest/gtest.h>

#include <cmath>

#include "property.h"

namespace rein {
namespace {

Terms terms_of(const Costs& budgets, const Costs& lowest, std::int64_t rounds = 100) {
  return {.costs = lowest.size(), .rounds = rounds, .budgets = budgets, .lowest = lowest};
}

TEST(Forms, AZeroThresholdProblemIsAKnapsackOfHalves) {
  const Form form = Form::knapsack(terms_of({}, {-1.0, 0.0})).value();
  EXPECT_EQ(form.rate(), 0.5);
  EXPECT_EQ(form.budget(), 50.0);
  for (int i : {0, 1}) {
    EXPECT_EQ(form.cost(i, -1.0), 0.0);
    EXPECT_EQ(form.cost(i, 0.0), 0.5);
    EXPECT_EQ(form.cost(i, 1.0), 1.0);
    EXPECT_EQ(form.price(i, 3.0), 1.5);  // c changes half as much as g
  }
  EXPECT_EQ(form.rates(), Costs({0.0, 0.0}));
}

TEST(Forms, AKnapsackIsItselfAndAThresholdAtItsRate) {
  const Terms terms = terms_of({25.0}, {0.0});
  const Form same = Form::knapsack(terms).value();
  EXPECT_EQ(same.cost(0, 0.75), 0.75);
  EXPECT_EQ(same.rate(), 0.25);
  EXPECT_EQ(same.budget(), 25.0);
  const Form zero = Form::zero_threshold(terms);
  EXPECT_EQ(zero.cost(0, 0.75), 0.5);
  EXPECT_EQ(zero.rate(), 0.0);
  EXPECT_EQ(zero.rates(), Costs({0.25}));
}

TEST(Forms, SeveralBudgetsBecomeTheSmallest) {
  const Form form = Form::knapsack(terms_of({25.0, 50.0}, {0.0, -1.0})).value();
  EXPECT_EQ(form.rate(), 0.25);  // 25 / 100; the other is (0.5 + 1) / 2 = 0.75
  EXPECT_EQ(form.cost(0, 1.0), 1.0);
  EXPECT_DOUBLE_EQ(form.cost(1, 1.0), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(form.cost(1, 0.5), 0.25);  // at its own rate: at the form's
  EXPECT_NEAR(form.cost(1, -1.0), 0.0, 1e-16);
}

TEST(Forms, ABudgetAboveEveryCostIsAllRounds) {
  const Form form = Form::knapsack(terms_of({1e6}, {0.0})).value();
  EXPECT_EQ(form.rate(), 1.0);
  EXPECT_EQ(form.budget(), 100.0);
}

TEST(Forms, ABudgetOfNothingIsRefused) {
  EXPECT_EQ(Form::knapsack(terms_of({0.0}, {0.0})).error(),
            "policy spec: the budget of cost 0 is 0 of its largest value per round; accepted: at "
            "least 1e-50");
  EXPECT_EQ(
      Form::knapsack(terms_of({-100.0}, {-1.0})).error(),
      "policy spec: the budget of cost 0 is -1 of its largest value per round; accepted: above "
      "-1");
}

TEST(Forms, GoThereAndBackAndNeverMoveTheThreshold) {
  EXPECT_TRUE(rc::check([] {
    const int m = *rc::gen::inRange(1, 5);
    const bool budgeted = *rc::gen::arbitrary<bool>();
    Costs budgets(budgeted ? m : 0), lowest(m);
    for (int i = 0; i < m; ++i) {
      lowest[i] = *rc::gen::element(-1.0, -0.3, 0.0);
      if (budgeted) budgets[i] = *rc::gen::inRange(1, 200);
    }
    const Terms terms = terms_of(budgets, lowest);
    for (const Form& form : {Form::zero_threshold(terms), Form::knapsack(terms).value()}) {
      for (int i = 0; i < m; ++i) {
        const double units = lowest[i] + (1.0 - lowest[i]) * 0.01 * *rc::gen::inRange(0, 101);
        const double cost = form.cost(i, units);
        RC_ASSERT(std::abs(form.units(i, cost) - units) < 1e-12);
        // Less than its share of the budget stays less.
        RC_ASSERT(std::abs((cost - form.rate()) - form.scale(i) * (units - form.rates()[i])) <
                  1e-12);
        RC_ASSERT(form.scale(i) > 0.0);
        if (form.rate() > 0.0) RC_ASSERT(cost > -1e-12 && cost < 1.0 + 1e-12);
      }
    }
  }));
}

}  // namespace
}  // namespace rein
