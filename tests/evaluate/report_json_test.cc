#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "rein/report.h"

namespace rein {
namespace {

using simdjson::dom::element;

Comparison small_comparison() {
  CompareOptions options;
  options.run = {.rounds = 120, .seeds = 2, .first_seed = 4, .threads = 1, .curve_points = 4};
  options.run.references = true;
  options.grids = {{"gamma_scale", {1.0, 9.0}}};
  return compare(parse_spec("linear(k=3,d=3,m=2,costs=positive,rate=0.2)").value(),
                 parse_specs("squarecb,uniform").value(), options)
      .value();
}

std::vector<std::string> keys_of(element object) {
  std::vector<std::string> keys;
  for (auto field : simdjson::dom::object(object)) keys.emplace_back(field.key);
  return keys;
}

using Keys = std::vector<std::string>;

TEST(ReportJsonTest, AComparisonHasEveryKeyOfTheContract) {
  const Comparison comparison = small_comparison();
  simdjson::dom::parser parser;
  const std::string json = to_json(comparison, {.title = "a <b>", .command = "rein compare"});
  const element root = parser.parse(json);
  EXPECT_EQ(keys_of(root), (Keys{"kind", "title", "command", "version", "world", "rounds", "seeds",
                                 "costs", "budgets", "policies", "pairs", "references", "verify"}));
  EXPECT_EQ(std::string_view(root["kind"]), "compare");
  EXPECT_EQ(std::int64_t(root["seeds"]["first"]), 4);
  EXPECT_EQ(std::int64_t(root["seeds"]["count"]), 2);
  EXPECT_EQ(double(root["budgets"].at(1)), 24.0);
  ASSERT_EQ(simdjson::dom::array(root["policies"]).size(), comparison.rows.size());
  const element policy = root["policies"].at(0);
  EXPECT_EQ(keys_of(policy), (Keys{"spec", "benchmark", "grid", "figures", "curves"}));
  EXPECT_EQ(keys_of(policy["figures"]),
            (Keys{"reward", "regret", "regret_long_term", "regret_stationary", "explored",
                  "cpu_seconds", "reward_at_stop", "spend", "ccv", "ccv_max", "excess"}));
  EXPECT_EQ(keys_of(policy["figures"]["spend"].at(1)), (Keys{"mean", "low", "high"}));
  EXPECT_EQ(keys_of(policy["curves"]),
            (Keys{"rounds", "reward", "regret", "explored", "ccv", "price"}));
  EXPECT_EQ(simdjson::dom::array(policy["curves"]["ccv"].at(1)["low"]).size(), 4u);
  EXPECT_EQ(std::int64_t(policy["curves"]["rounds"].at(3)), 120);
  EXPECT_EQ(std::int64_t(policy["grid"]["tried"]), 2);
  EXPECT_TRUE(root["policies"].at(comparison.rows.size() - 1)["grid"].is_null());
  EXPECT_EQ(keys_of(root["pairs"].at(0)), (Keys{"a", "b", "reward", "regret", "ccv"}));
  const element reference = root["references"].at(1);
  EXPECT_EQ(keys_of(reference), (Keys{"name", "reward", "costs"}));
  EXPECT_EQ(std::string_view(reference["name"]), "best fixed mix");
  EXPECT_EQ(simdjson::dom::array(reference["costs"]).size(), 2u);
  // The last point of a curve is the total.
  EXPECT_DOUBLE_EQ(double(policy["curves"]["regret"]["mean"].at(3)),
                   double(policy["figures"]["regret"]["mean"]));
}

TEST(ReportJsonTest, AVerificationHasEveryKeyOfTheContract) {
  const Verification found = verify({.parts = "b", .seeds = 2, .first = 5, .last = 6}).value();
  simdjson::dom::parser parser;
  const std::string json = to_json(found, {});
  const element root = parser.parse(json);
  EXPECT_EQ(std::string_view(root["kind"]), "verify");
  EXPECT_EQ(std::string_view(root["verify"]["profile"]), "quick");
  const element row = root["verify"]["rows"].at(0);
  EXPECT_EQ(keys_of(row),
            (Keys{"part", "setting", "world", "policy", "quantity", "horizons", "measured",
                  "exponent", "rate", "theorem", "bounds", "pass", "note"}));
  EXPECT_EQ(std::int64_t(row["horizons"].at(1)), 64);
}

}  // namespace
}  // namespace rein
