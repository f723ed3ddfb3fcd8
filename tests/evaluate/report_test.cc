#include "rein/report.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <cmath>
#include <sstream>

#include "base/json.h"
#include "evaluate/altered_world.h"
#include "source_dir.h"

namespace rein {
namespace {

const Totals kNoTotals;

RunResult result_of(const char* world, const char* policies, int seeds) {
  return run(parse_spec(world).value(), parse_specs(policies).value(),
             {.rounds = 200, .seeds = seeds})
      .value();
}

using simdjson::dom::element;
using Keys = std::vector<std::string>;

Keys keys_of(element object) {
  Keys keys;
  for (auto field : simdjson::dom::object(object)) keys.emplace_back(field.key);
  return keys;
}

// The names in the list of totals.
Keys names_of_totals() {
  Keys names;
  each_total(kNoTotals, [&](const Total& total, const auto&) { names.emplace_back(total.name); });
  return names;
}

Comparison small_comparison() {
  CompareOptions options;
  options.run = {.rounds = 120, .seeds = 2, .first_seed = 4, .threads = 1, .curve_points = 4};
  options.run.references = true;
  options.grids = {{"gamma_scale", {1.0, 9.0}}};
  return compare(parse_spec("linear(k=3,d=3,m=2,costs=positive,rate=0.2)").value(),
                 parse_specs("squarecb,uniform").value(), options)
      .value();
}

class ReportTest : public testing::Test {
 protected:
  element parse(const std::string& text) { return parser_.parse(simdjson::padded_string(text)); }
  simdjson::dom::parser parser_;
};

const Keys kReport = {"version", "kind",  "rein",    "title",    "command", "world",      "rounds",
                      "seeds",   "costs", "budgets", "policies", "pairs",   "references", "verify"};

Keys policy_keys() {
  Keys keys = {"spec",   "benchmark", "no_bound", "no_certificate",
               "status", "budgets",   "grid"};
  for (const std::string& name : names_of_totals()) keys.push_back(name);
  keys.emplace_back("curves");
  return keys;
}

TEST_F(ReportTest, ARunHasEveryKeyOfTheContract) {
  const RunResult result = result_of("linear(k=3,d=3,m=2)", "ccb(tuning=theory),squarecb", 3);
  const element found = parse(to_json(result));
  EXPECT_EQ(keys_of(found), kReport);
  EXPECT_EQ(int64_t(found["version"]), kReportVersion);
  EXPECT_EQ(std::string_view(found["kind"]), "run");
  EXPECT_EQ(std::string_view(found["world"]), "linear(d=3,k=3,m=2)");
  EXPECT_EQ(int64_t(found["rounds"]), 200);
  EXPECT_EQ(int64_t(found["seeds"]["count"]), 3);
  EXPECT_TRUE(found["verify"].is_null());
  for (element policy : simdjson::dom::array(found["policies"])) {
    EXPECT_EQ(keys_of(policy), policy_keys());
    EXPECT_TRUE(policy["grid"].is_null());
    EXPECT_TRUE(policy["curves"].is_null());
    for (const TotalNumbers& each : numbers_of(result.policies[0].totals[0])) {
      const element value = policy[each.total.name];
      if (value.is_null()) continue;
      if (!each.per_cost) {
        EXPECT_EQ(keys_of(value), (Keys{"mean", "low", "high"})) << each.total.name;
      } else {
        EXPECT_EQ(simdjson::dom::array(value).size(), 2u) << each.total.name;
        EXPECT_EQ(keys_of(value.at(1)), (Keys{"mean", "low", "high"})) << each.total.name;
      }
    }
  }
  const auto ccb = found["policies"].at(0), squarecb = found["policies"].at(1);
  EXPECT_FALSE(ccb["bound_ccv"].is_null());
  EXPECT_TRUE(ccb["reward_at_stop"].is_null());
  EXPECT_TRUE(ccb["alarm_round"].is_null());
  EXPECT_TRUE(squarecb["bound_regret"].is_null());
  EXPECT_TRUE(squarecb["bound_ccv"].is_null());
}

TEST_F(ReportTest, AComparisonHasTheSameKeysAndItsOwnValues) {
  const Comparison comparison = small_comparison();
  const element root = parse(to_json(comparison, {.title = "a <b>", .command = "rein compare"}));
  EXPECT_EQ(keys_of(root), kReport);
  EXPECT_EQ(int64_t(root["version"]), kReportVersion);
  EXPECT_EQ(std::string_view(root["kind"]), "compare");
  EXPECT_EQ(std::string_view(root["title"]), "a <b>");
  EXPECT_EQ(int64_t(root["seeds"]["first"]), 4);
  EXPECT_EQ(int64_t(root["seeds"]["count"]), 2);
  EXPECT_EQ(double(root["budgets"].at(1)), 24.0);
  ASSERT_EQ(simdjson::dom::array(root["policies"]).size(), comparison.rows.size());
  const element policy = root["policies"].at(0);
  EXPECT_EQ(keys_of(policy), policy_keys());
  EXPECT_EQ(keys_of(policy["curves"]),
            (Keys{"rounds", "reward", "regret", "explored", "ccv", "price"}));
  EXPECT_EQ(simdjson::dom::array(policy["curves"]["ccv"].at(1)["low"]).size(), 4u);
  EXPECT_EQ(int64_t(policy["curves"]["rounds"].at(3)), 120);
  EXPECT_EQ(int64_t(policy["grid"]["tried"]), 2);
  EXPECT_TRUE(root["policies"].at(comparison.rows.size() - 1)["grid"].is_null());
  EXPECT_EQ(keys_of(root["pairs"].at(0)), (Keys{"a", "b", "reward", "regret", "ccv"}));
  const element reference = root["references"].at(0);
  EXPECT_EQ(keys_of(reference), (Keys{"name", "reward", "spend"}));
  EXPECT_EQ(std::string_view(reference["name"]), "full information");
  EXPECT_EQ(simdjson::dom::array(reference["spend"]).size(), 2u);
  // The last point of a curve is the total.
  EXPECT_DOUBLE_EQ(double(policy["curves"]["regret"]["mean"].at(3)),
                   double(policy["regret"]["mean"]));
}

TEST_F(ReportTest, AVerificationHasTheSameKeysAndRows) {
  const Verification found = verify({.parts = "b", .seeds = 2, .first = 5, .last = 6}).value();
  const element root = parse(to_json(found));
  EXPECT_EQ(keys_of(root), kReport);
  EXPECT_EQ(int64_t(root["version"]), kReportVersion);
  EXPECT_EQ(std::string_view(root["kind"]), "verify");
  EXPECT_EQ(std::string_view(root["verify"]["profile"]), "quick");
  const element row = root["verify"]["rows"].at(0);
  EXPECT_EQ(keys_of(row),
            (Keys{"part", "setting", "world", "world_last", "policy", "quantity", "horizons", "measured", "exponent",
                  "rate", "theorem", "bounds", "pass", "promised", "note"}));
  EXPECT_EQ(int64_t(row["horizons"].at(1)), 64);
}

// docs/rein.schema.json lists every total in the words of the list, and nothing else.
TEST_F(ReportTest, TheSchemaSaysWhatTheListOfTotalsSays) {
  const element schema = parser_.load(source_dir() + "/docs/rein.schema.json");
  EXPECT_EQ(int64_t(schema["properties"]["version"]["const"]), kReportVersion);
  EXPECT_EQ(keys_of(schema["properties"]), kReport);
  const element policy = schema["$defs"]["policy"]["properties"];
  EXPECT_EQ(keys_of(policy), policy_keys());
  for (const TotalNumbers& each : numbers_of({})) {
    const element said = policy[each.total.name];
    EXPECT_EQ(std::string_view(said["description"]), each.total.meaning);
    const Unit unit = each.total.unit;
    EXPECT_EQ(std::string_view(said["unit"]), unit == Unit::kReward ? "reward"
                                              : unit == Unit::kCost ? "cost"
                                                                    : "none");
    EXPECT_EQ(std::string_view(said["$ref"]).starts_with("#/$defs/figures"), each.per_cost);
  }
}

// If the costs of a world are multiplied, so are the totals that are multiples of a cost. No other
// total changes.
TEST_F(ReportTest, TotalsAreMultiplesOfWhatTheListSays) {
  const char* world = "linear(k=3,d=3,m=2)";
  const auto times = [&](double costs) {
    RunOptions options{.rounds = 200};
    options.own = altered("times", {.world = world, .costs = costs});
    return run(parse_spec("own(name=times)").value(),
               parse_specs("ccb(setting=expectation,tuning=theory)").value(), options)
        .value();
  };
  const RunResult small = times(1.0), large = times(4.0);
  const auto before = numbers_of(small.policies[0].totals[0]);
  const auto after = numbers_of(large.policies[0].totals[0]);
  int multiplied = 0;
  for (std::size_t k = 0; k < before.size(); ++k) {
    if (before[k].total.name == "cpu_seconds") continue;
    const double factor = before[k].total.unit == Unit::kCost ? 4.0 : 1.0;
    ASSERT_EQ(before[k].numbers.size(), after[k].numbers.size()) << before[k].total.name;
    for (std::size_t i = 0; i < before[k].numbers.size(); ++i) {
      const double x = factor * before[k].numbers[i], y = after[k].numbers[i];
      EXPECT_TRUE(x == y || (std::isnan(x) && std::isnan(y)))
          << before[k].total.name << ": " << x << ", " << y;
      multiplied += factor * x != x ? 1 : 0;
    }
  }
  EXPECT_GT(multiplied, 10);
}

TEST_F(ReportTest, JsonNumbersReadBackAsTheyWere) {
  const RunResult result = result_of("linear(k=3,d=3)", "ccb(tuning=theory)", 4);
  const element policy = parse(to_json(result))["policies"].at(0);
  std::vector<double> regrets;
  for (const Totals& totals : result.policies[0].totals) regrets.push_back(totals.regret);
  const Figure f = figure(regrets);
  EXPECT_EQ(double(policy["regret"]["mean"]), f.mean);
  EXPECT_EQ(double(policy["regret"]["low"]), f.low);
  EXPECT_EQ(double(policy["regret"]["high"]), f.high);
}

TEST_F(ReportTest, OneSeedHasNoInterval) {
  const element policy =
      element(parse(to_json(result_of("two_arm", "uniform", 1)))["policies"].at(0));
  EXPECT_FALSE(policy["reward"]["mean"].is_null());
  EXPECT_TRUE(policy["reward"]["low"].is_null());
  EXPECT_TRUE(policy["reward"]["high"].is_null());
  EXPECT_TRUE(policy["oracle_error"].is_null());
}

TEST_F(ReportTest, OnlySpeedDiffersBetweenTwoRuns) {
  const auto without_speed = [] {
    std::string text = to_json(result_of("linear(k=3,d=3)", "ccb(tuning=theory),squarecb", 2));
    for (std::size_t at; (at = text.find("\"cpu_seconds\"")) != std::string::npos;) {
      text.erase(at, text.find('}', at) - at);
    }
    return text;
  };
  EXPECT_EQ(without_speed(), without_speed());
}

TEST_F(ReportTest, CsvHasOneRowPerPolicyAndSeedAndAsManyCellsAsNames) {
  std::istringstream lines(to_csv(
      result_of("linear(k=3,d=3,m=2)", "ccb(v_scale=2,rounds=200,tuning=theory),uniform", 3)));
  const auto cells = [](const std::string& line) {
    int count = 1;
    bool inside = false;
    for (char c : line) {
      if (c == '"') inside = !inside;
      if (c == ',' && !inside) ++count;
    }
    return count;
  };
  std::string header, line;
  std::getline(lines, header);
  EXPECT_NE(header.find("\"ccv_max cost_2\""), std::string::npos);
  int rows = 0;
  while (std::getline(lines, line)) {
    EXPECT_EQ(cells(line), cells(header));
    ++rows;
    if (rows == 1) {
      EXPECT_EQ(line.rfind("\"ccb(rounds=200,tuning=theory,v_scale=2)\",1,", 0), 0u);
    }
  }
  EXPECT_EQ(rows, 6);
}

TEST_F(ReportTest, TextThatIsNotUtf8StillGivesJson) {
  JsonWriter json;
  const std::string odd = "a\"\\\n\x01\xff\xc3\xa9\xed\xa0\x80\xf0\x9f\x98\x80\xc3";
  json.begin_object().key(odd).value(odd).key("x").value(INFINITY).end_object();
  const simdjson::dom::object found = parse(json.str());
  EXPECT_EQ(std::string_view(found.begin().value()),
            "a\"\\\n\x01\xEF\xBF\xBD\xc3\xa9\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xf0\x9f\x98\x80"
            "\xEF\xBF\xBD");
  EXPECT_TRUE(found["x"].is_null());
}

TEST_F(ReportTest, EmptyAndNestedJsonAreWellFormed) {
  JsonWriter json;
  json.begin_array().begin_object().end_object().begin_array().end_array().value(true).null();
  json.begin_object().key("a").value(1).key("b").begin_array().value(0.5).value("c").end_array();
  json.end_object().end_array();
  EXPECT_EQ(json.str(), R"([{},[],true,null,{"a":1,"b":[0.5,"c"]}])");
}

}  // namespace
}  // namespace rein
