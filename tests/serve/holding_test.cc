// What a model may hold is bounded in bytes, and said when it is made.
#include "serve/holding.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>

#include "asking.h"
#include "serve/model_life.h"

namespace rein::serve {
namespace {

std::int64_t number_in(const Json& object, std::string_view name) {
  return std::get<std::int64_t>(member(object, name).is);
}

TEST(Holding, TheAnswerThatAModelIsMadeSaysWhatItMayHold) {
  Asking asking;
  const Json limits = member(asking.get("PUT", kModelPath, R"({"actions":2,"most_open":77})"), "limits");
  EXPECT_EQ(limits.str(), member(asking.get("GET", kModelPath), "limits").str());
  EXPECT_EQ(number_in(limits, "most_open"), 77);
  EXPECT_EQ(number_in(limits, "open_bytes"), kMostOpenBytes);
  EXPECT_EQ(number_in(limits, "key_bytes"), 0);
}

TEST(Holding, KeysThatCouldTakeTooMuchMemoryAreRefusedWhenTheModelIsMade) {
  const auto document = [](const std::string& keys, const std::string& keep) {
    return R"({"actions":1,"costs":{"d":1},"most_keys":)" + keys +
           R"(,"budgets":[{"name":"b","cost":"d","amount":1,"per":"day","scope":"user","hard":true,"keep":)" + keep +
           "}]}";
  };
  Asking asking;
  const HttpResponse refused = asking.ask("PUT", kModelPath, document("1048576", "400"));
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("1048576 keys per scope need up to 25696 MiB"), std::string::npos) << refused.body;
  const Json made = asking.get("PUT", kModelPath, document("1000", "8"));
  EXPECT_EQ(number_in(member(made, "limits"), "key_bytes"), 1000 * (40 + 56 + 8 * 64));
}

TEST(Holding, DecisionsAreRefusedWhileTheOpenOnesHaveTooManyBytes) {
  const auto model = Model::create("m", R"({"policy":"uniform","actions":300})", make_memory_journal(),
                                   {.most_open_bytes = 1 << 20, .wall = [] {
                                      return std::int64_t{1'800'000'000};
                                    }})
                         .value();
  std::vector<std::string> ids;
  HttpResponse answer;
  for (int i = 0; i < 10'000; ++i) {
    model->begin();
    answer = model->call(post("decide", "{}"));
    model->commit().check();
    if (answer.status != 200) break;
    ids.push_back(text_in(answer, "id"));
  }
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.body.find(R"("code":"full")"), std::string::npos) << answer.body;
  EXPECT_NE(answer.body.find("retry_after"), std::string::npos) << answer.body;
  EXPECT_GT(ids.size(), 40U);
  EXPECT_LT(ids.size(), 1000U);
  // Outcomes are taken, and make room.
  EXPECT_EQ(model->call(post("outcome", R"({"id":")" + ids[0] + R"(","reward":1})")).status, 200);
  model->commit().check();
  model->begin();
  EXPECT_EQ(model->call(post("decide", "{}")).status, 200);
}

TEST(Holding, ANoteNamesFewOfTheDroppedActions) {
  Asking asking;
  std::string largest;
  for (int a = 0; a < 200; ++a) largest += fmt::format("{}{}", a == 0 ? "" : ",", a == 0 ? 0.1 : 5);
  asking.get("PUT", kModelPath,
             fmt::format(R"({{"policy":"uniform","actions":200,"costs":["d"],"largest_costs":[{}],"budgets":
               [{{"name":"all","cost":"d","amount":1,"hard":true,"rounds":100}}]}})",
                         largest));
  const Json answer = asking.get("POST", std::string(kModelPath) + "/decide", "{}");
  EXPECT_EQ(std::get<Json::List>(member(answer, "dropped").is).size(), 199U) << "the answer has all";
  const std::string id = text_in(answer, "id");
  std::promise<std::size_t> noted;
  asking.service().read("m", [&](Model& model) {
    noted.set_value(model.state().notes.at(std::stoull(id, nullptr, 16)).size());
  });
  const std::size_t bytes = noted.get_future().get();
  EXPECT_GT(bytes, 0U);
  EXPECT_LT(bytes, 500U);
}

}  // namespace
}  // namespace rein::serve
