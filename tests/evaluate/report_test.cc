#include <gtest/gtest.h>
#include <simdjson.h>

#include <cmath>
#include <set>
#include <sstream>

#include "base/json.h"
#include "rein/evaluate.h"

namespace rein {
namespace {

RunResult result_of(const char* world, const char* policies, int seeds) {
  return run(parse_spec(world).value(), parse_specs(policies).value(),
             {.rounds = 200, .seeds = seeds})
      .value();
}

std::set<std::string> keys_of(simdjson::dom::object object) {
  std::set<std::string> keys;
  for (auto field : object) keys.insert(std::string(field.key));
  return keys;
}

class ReportTest : public testing::Test {
 protected:
  simdjson::dom::object parse(const std::string& text) {
    return parser_.parse(simdjson::padded_string(text)).get_object();
  }
  simdjson::dom::parser parser_;
};

TEST_F(ReportTest, JsonHasEveryKeyOfTheContract) {
  const auto found =
      parse(to_json(result_of("linear(k=3,d=3,m=2)", "ccb(tuning=theory),squarecb", 3)));
  EXPECT_EQ(keys_of(found), (std::set<std::string>{"version", "world", "rounds", "seeds",
                                                   "policies", "references"}));
  EXPECT_EQ(int64_t(found["version"]), 2);
  EXPECT_EQ(std::string_view(found["world"]), "linear(d=3,k=3,m=2)");
  EXPECT_EQ(int64_t(found["rounds"]), 200);
  EXPECT_EQ(int64_t(found["seeds"]), 3);
  const std::set<std::string> lists = {"ccv",
                                       "ccv_max",
                                       "ccv_average",
                                       "ccv_positive",
                                       "ccv_share",
                                       "spend",
                                       "excess",
                                       "queue_rms",
                                       "bound_ccv_average",
                                       "bound_ccv_share",
                                       "bound_queue_rms",
                                       "bound_ccv"};
  const std::set<std::string> numbers = {"reward",
                                         "regret",
                                         "regret_long_term",
                                         "regret_average",
                                         "reward_at_stop",
                                         "explored",
                                         "oracle_error",
                                         "u",
                                         "u_bound",
                                         "premise",
                                         "bound_regret",
                                         "misspecified",
                                         "regret_stationary",
                                         "over_norm",
                                         "alarm",
                                         "effective_size",
                                         "infeasible_rounds",
                                         "rounds_per_cpu_second"};
  std::set<std::string> all = {"spec", "benchmark", "no_bound", "status"};
  all.insert(lists.begin(), lists.end());
  all.insert(numbers.begin(), numbers.end());
  for (simdjson::dom::object policy : found["policies"].get_array()) {
    EXPECT_EQ(keys_of(policy), all);
    for (const std::string& key : numbers) {
      if (policy[key].is_null()) continue;
      EXPECT_EQ(keys_of(policy[key].get_object()), (std::set<std::string>{"mean", "low", "high"}));
    }
    for (const std::string& key : lists) {
      if (policy[key].is_null()) continue;
      EXPECT_EQ(policy[key].get_array().size(), 2u) << key;
      for (simdjson::dom::object figure : policy[key].get_array()) {
        EXPECT_EQ(keys_of(figure), (std::set<std::string>{"mean", "low", "high"}));
      }
    }
  }
  const auto ccb = found["policies"].at(0), squarecb = found["policies"].at(1);
  EXPECT_FALSE(ccb["bound_ccv"].is_null());
  EXPECT_TRUE(ccb["reward_at_stop"].is_null());
  EXPECT_TRUE(squarecb["bound_regret"].is_null());
  EXPECT_TRUE(squarecb["bound_ccv"].is_null());
}

TEST_F(ReportTest, JsonNumbersReadBackAsTheyWere) {
  const RunResult result = result_of("linear(k=3,d=3)", "ccb(tuning=theory)", 4);
  const auto policy = parse(to_json(result))["policies"].at(0);
  std::vector<double> regrets;
  for (const Totals& totals : result.policies[0].totals) regrets.push_back(totals.regret);
  const Figure f = figure(regrets);
  EXPECT_EQ(double(policy["regret"]["mean"]), f.mean);
  EXPECT_EQ(double(policy["regret"]["low"]), f.low);
  EXPECT_EQ(double(policy["regret"]["high"]), f.high);
}

TEST_F(ReportTest, OneSeedHasNoInterval) {
  const auto policy = parse(to_json(result_of("two_arm", "uniform", 1)))["policies"].at(0);
  EXPECT_FALSE(policy["reward"]["mean"].is_null());
  EXPECT_TRUE(policy["reward"]["low"].is_null());
  EXPECT_TRUE(policy["reward"]["high"].is_null());
  EXPECT_TRUE(policy["oracle_error"].is_null());
}

TEST_F(ReportTest, OnlySpeedDiffersBetweenTwoRuns) {
  const auto without_speed = [] {
    std::string text = to_json(result_of("linear(k=3,d=3)", "ccb(tuning=theory),squarecb", 2));
    for (std::size_t at; (at = text.find("\"rounds_per_cpu_second\"")) != std::string::npos;) {
      text.erase(at, text.find('}', at) - at);
    }
    return text;
  };
  EXPECT_EQ(without_speed(), without_speed());
}

TEST_F(ReportTest, CsvHasARowAPolicyAndSeedAndAsManyCellsAsNames) {
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
  const auto found = parse(json.str());
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
