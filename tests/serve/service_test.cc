// What the service promises over days: request ids, windows by the calendar, retries.
#include "serve/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "asking.h"

namespace rein::serve {
namespace {

constexpr std::int64_t kDay = 86'400;

std::string decide_with(const char* request_id) {
  return std::string(R"({"request_id":")") + request_id + "\"}";
}
std::string header_of(const HttpResponse& got, std::string_view name) {
  for (const auto& [key, value] : got.headers) {
    if (key == name) return value;
  }
  return "";
}

TEST(Service, ARequestIsNewAfterADayIfItIsNotAmongTheLast) {
  Asking asking;
  asking.get("PUT", kModelPath, R"({"actions":2,"remember":2})");
  const std::string path = std::string(kModelPath) + "/decide";
  const std::string first = asking.ask("POST", path, decide_with("a")).body;
  asking.sleep(kDay);
  EXPECT_EQ(asking.ask("POST", path, decide_with("a")).body, first);
  asking.sleep(10 * kDay);
  EXPECT_EQ(asking.ask("POST", path, decide_with("a")).body, first) << "it is the last one";
  asking.ask("POST", path, decide_with("b"));
  asking.ask("POST", path, decide_with("c"));
  asking.sleep(1);
  const HttpResponse again = asking.ask("POST", path, decide_with("a"));
  EXPECT_EQ(again.status, 200);
  EXPECT_NE(again.body, first) << "two later ones are remembered, and a day has passed";
  EXPECT_EQ(header_of(again, "Rein-Repeated"), "");
}

TEST(Service, WindowsEndByTheCalendarOfTheirZone) {
  Asking asking(1'800'000'000);  // 2027-01-15 08:00:00 UTC, 09:00:00 in Berlin
  asking.get("PUT", kModelPath, R"({"actions":["only"],"costs":["d"],"largest_costs":[1],"budgets":[
    {"name":"day","cost":"d","amount":1.5,"hard":true,"per":"day","zone":"Europe/Berlin"}]})");
  const std::string path = std::string(kModelPath) + "/decide";
  const std::string id = text_in(asking.get("POST", path, "{}"), "id");
  const HttpResponse none = asking.ask("POST", path, "{}");
  EXPECT_EQ(none.status, 429);
  EXPECT_EQ(header_of(none, "Retry-After"), std::to_string(15 * 3600));
  asking.sleep(15 * 3600 - 1);
  EXPECT_EQ(asking.ask("POST", path, "{}").status, 429);
  asking.sleep(1);
  EXPECT_EQ(asking.ask("POST", path, "{}").status, 200);
  // The bill of yesterday's decision belongs to yesterday.
  asking.get("POST", std::string(kModelPath) + "/outcome", R"({"id":")" + id + R"(","costs":1})");
  const Json budgets = asking.get("GET", std::string(kModelPath) + "/budgets");
  const Json& day = std::get<Json::List>(member(budgets, "budgets").is)[0];
  EXPECT_EQ(member(day, "spent").str(), "0");
  EXPECT_EQ(member(day, "held").str(), "1");
}

TEST(Service, AnswersOfOneBatchAreThoseOfSingleRequests) {
  Asking asking;
  asking.get("PUT", kModelPath, R"({"actions":2})");
  const std::string path = std::string(kModelPath) + "/decide";
  const Json batch =
      asking.get("POST", path, R"({"rounds":[{"request_id":"a"},{"request_id":"a"}]})");
  const auto& entries = std::get<Json::List>(member(batch, "decisions").is);
  EXPECT_EQ(entries[0].str(), entries[1].str()) << "the second is the first, repeated";
  const HttpResponse alone = asking.ask("POST", path, R"({"request_id":"a"})");
  EXPECT_EQ(header_of(alone, "Rein-Repeated"), "1");
  EXPECT_THAT(entries[0].str(), testing::HasSubstr(alone.body.substr(1)));
}

TEST(Service, SaysThatItIsBusyUntilItsModelsAreBack) {
  ServiceOptions options;
  options.in_memory = true;
  const auto service = Service::open(options).value();
  const auto ask = [&](const char* path) {
    const auto reply = std::make_shared<WaitingReply>();
    service->handle({.method = "GET", .path = path}, reply);
    return reply->wait();
  };
  EXPECT_EQ(ask("/healthz").status, 200);
  EXPECT_EQ(ask("/readyz").status, 503);
  EXPECT_EQ(ask("/v1/models").status, 503);
  EXPECT_EQ(header_of(ask("/v1/models/m/state"), "Retry-After"), "1");
  service->recover({{"m", R"({"actions":2})"}}).check();
  EXPECT_EQ(ask("/readyz").status, 200);
  EXPECT_EQ(ask("/v1/models/m/state").status, 200);
}

TEST(Service, NamesOfModelsArePlain) {
  for (const char* name : {"a", "A-b_c.9", "9", "-", "_"}) EXPECT_TRUE(is_model_name(name)) << name;
  for (const char* name : {"", ".", "..", ".a", "a/b", "a b", "\xc3\xa9", "a\n"}) {
    EXPECT_FALSE(is_model_name(name)) << name;
  }
  EXPECT_TRUE(is_model_name(std::string(64, 'a')));
  EXPECT_FALSE(is_model_name(std::string(65, 'a')));
}

}  // namespace
}  // namespace rein::serve
