// Documents that make a model. Those that do not are in requests/documents.txt.
#include "serve/document.h"

#include <gtest/gtest.h>

#include "serve/names.h"

namespace rein::serve {
namespace {

ModelPlan plan_of(const char* text) { return read_document(read_json(text)); }

TEST(Document, NeedsOnlyActions) {
  const ModelPlan plan = plan_of(R"({"actions":3})");
  EXPECT_EQ(plan.policy, "ccb");
  EXPECT_EQ(plan.shape.actions, 3);
  EXPECT_EQ(plan.shape.context, 0);
  EXPECT_TRUE(plan.shape.costs.empty());
  EXPECT_EQ(plan.conduct.mode, Mode::kOnline);
  EXPECT_EQ(plan.conduct.baseline, -1);
  EXPECT_TRUE(make_engine(plan));
}

TEST(Document, HasEveryKeyOfAnAgent) {
  const ModelPlan plan = plan_of(R"json({
    "policy": "ccb(floor=0.01)", "actions": ["small", "large"], "context": {"age": "number"},
    "extra": "ignore", "absent": "missing", "costs": {"dollars": [0, 5], "seconds": null},
    "reward": [0, 1], "rounds": 5e4,
    "budgets": [{"name": "day", "cost": "dollars", "amount": 5, "hard": true, "per": "day",
                 "zone": "Europe/Berlin", "carry": true, "scope": "tenant", "rounds": 100},
                "time(amount=60,cost=seconds,per=\"500 rounds\")"],
    "largest_costs": {"large": {"dollars": 1, "seconds": 9}, "small": [0.1, 3]},
    "expected_costs": [[0.1, 1], {"dollars": 0.5, "seconds": 2}],
    "safe_action": "small", "safe_cost": {"dollars": 0, "seconds": 0},
    "expire_after": 600, "default_outcome": {"reward": 0, "costs": {"dollars": 0.1}},
    "most_open": 10, "remember": 20, "most_keys": 30, "seed": 7,
    "mode": "shadow", "baseline": "large", "fallback": ["changed", "over"]})json");
  EXPECT_EQ(plan.shape.rounds, 50'000);
  ASSERT_EQ(plan.shape.costs.size(), 2U);
  EXPECT_EQ(plan.shape.costs[0].range.high, 5.0);
  ASSERT_EQ(plan.options.budgets.size(), 2U);
  EXPECT_EQ(plan.options.budgets[0].kind, BudgetKind::kHard);
  EXPECT_EQ(plan.options.budgets[0].scope, "tenant");
  EXPECT_EQ(plan.options.budgets[1].name, "time");
  ASSERT_EQ(plan.options.largest_costs.size(), 2U);
  EXPECT_EQ(plan.options.largest_costs[0][1], 3.0) << "rows are in the order of the actions";
  EXPECT_EQ(plan.options.largest_costs[1][1], 9.0);
  EXPECT_EQ(plan.expected, (std::vector<double>{0.1, 1, 0.5, 2}));
  EXPECT_EQ(plan.options.safe_action, 0);
  EXPECT_EQ(plan.options.expire_after, 600);
  ASSERT_TRUE(plan.options.default_outcome);
  EXPECT_TRUE(is_missing(plan.options.default_outcome->costs[1])) << "it was not given";
  EXPECT_EQ(plan.options.seed, 7U);
  EXPECT_EQ(plan.conduct.mode, Mode::kShadow);
  EXPECT_EQ(plan.conduct.baseline, 1);
  EXPECT_EQ(plan.conduct.fallback.size(), 2U);
  const auto engine = make_engine(plan);
  EXPECT_TRUE(engine) << engine.error();
}

TEST(Document, SecretsAreDrawnAndDiffer) {
  const ModelPlan one = plan_of(R"({"actions":2})"), other = plan_of(R"({"actions":2})");
  EXPECT_NE(one.options.secret, other.options.secret);
  EXPECT_NE(one.options.seed, other.options.seed);
}

TEST(Document, NumbersAreNamesOfActionsToo) {
  const ModelPlan plan = plan_of(R"({"actions":[10,20]})");
  EXPECT_TRUE(plan.options.numbered);
  EXPECT_EQ(plan.options.actions, (std::vector<std::string>{"10", "20"}));
  const FindAction find = find_in(plan.options.actions, 2);
  EXPECT_EQ(find(Json(std::int64_t{20}), "a"), 1);
  EXPECT_EQ(find(Json("20"), "a"), 1);
}

TEST(Document, HashedFeaturesMakeTheShape) {
  const ModelPlan plan = plan_of(R"({"actions":50,"hashed":{"context":16}})");
  EXPECT_EQ(plan.shape.context, 16);
  EXPECT_EQ(plan.shape.features, 32) << "as many as when it is left out";
}

TEST(Document, NullIsTheSameAsLeftOut) {
  const ModelPlan plan =
      plan_of(R"({"actions":2,"costs":null,"budgets":null,"seed":null,"mode":null})");
  EXPECT_TRUE(plan.shape.costs.empty());
  EXPECT_TRUE(plan.options.budgets.empty());
}

}  // namespace
}  // namespace rein::serve
